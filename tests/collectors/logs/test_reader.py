"""Which lines of a text of no known format are looked at."""

import pytest

from itermon.collectors.logs.reader import HURRIED_LINES, LogReader, numbered
from itermon.events import Config, Iteration


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", []),
        (b"no number\n" * 9, []),
        (b"a\nb 1\nc", ["b 1"]),
        (b"a\nb\nlast 22", ["last 22"]),
        (b"7\n" + b"x" * 50_000 + b"\nb 8\n", ["7", "b 8"]),
        (b"word\n" * 9_000 + b"iter 5: loss 2\n" + b"word\n" * 9_000, ["iter 5: loss 2"]),
    ],
)
def test_lines_with_a_number_are_found_wherever_they_stand(text: bytes, found: list[str]) -> None:
    assert numbered(text) == found


def test_of_many_lines_with_a_number_some_are_taken_evenly() -> None:
    lines = numbered(b"".join(b"row %d\n" % i for i in range(10_000)))
    assert len(lines) == len(set(lines)) == HURRIED_LINES
    assert int(lines[-1].split()[1]) > 9_000


def test_a_bar_is_known_though_its_last_frame_was_wiped_out_and_written_over() -> None:
    frames = [f"train:  {n}0%|     | {n}/9 [00:0{n}<00:09,  1.00s/it]" for n in range(1, 10)]
    reader = LogReader()
    data = "\r".join(["train:   0%|     | 0/9 [00:00<?, ?it/s]", *frames, " " * 40, "43.48"]) + "\n"
    events = [*reader.feed(data.encode() * 9), *reader.end(b"")]
    assert len([one for one in events if isinstance(one, Iteration)]) == 81


KERAS = b"Epoch 1/10\n100/100 [======] - 4s 40ms/step - loss: 0.5\n"


def ends_with(rest: bytes) -> list[object]:
    reader = LogReader()
    events = [*reader.feed(KERAS), *reader.end(rest)]
    totals = [event.max_iterations for event in events if isinstance(event, Config) and event.max_iterations]
    return [*totals, *(event.index for event in events if isinstance(event, Iteration))]


def test_a_last_line_that_may_be_cut_sets_no_total() -> None:
    assert ends_with(b"") == [1000, 100]
    assert ends_with(b"Epoch 3/10\r60/60 [======] - 4s 40ms/step - loss: 0.5\n") == [1000, 100, 180]
    assert ends_with(b"Epoch 2/9\r100/100 [======] - 4s 40ms/step - loss: 0.5\r") == [1000, 900, 100, 200]
