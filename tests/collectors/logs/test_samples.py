"""Which lines of a text of no known format are looked at."""

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.collectors.logs.samples import HURRIED_LINES, numbered, sample
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


def test_of_bars_that_follow_each_other_on_a_line_each_is_seen_at_its_end() -> None:
    """As those of training and evaluation do that are wiped out: of the training's only its beginning was seen."""

    def bar(title: str) -> list[str]:
        return [f"{title}: {10 * n:3d}%|█ | {n}/10 [00:0{n}<00:09,  1.00it/s]" for n in range(10)]

    line = "\r".join(["", *bar("Epoch 1"), *bar("Val"), " " * 40, "epoch 1 is over"])
    seen = sample(line.encode() + b"\n")
    assert [text.partition("[")[0].strip() for text in seen] == [
        "Epoch 1:   0%|█ | 0/10",
        "Epoch 1:  90%|█ | 9/10",
        "Val:  90%|█ | 9/10",
        "",
        "epoch 1 is over",
    ]
    many = "\r".join(frame for n in range(50) for frame in bar(f"Epoch {n}"))
    assert len(sample(many.encode())) == 8


@pytest.mark.parametrize("at", range(4))
def test_where_the_two_ends_of_a_sample_meet_no_epoch_has_two_rows(at: int) -> None:
    """An evaluation's loss behind the training's of the epoch: what announced it is not in the sample."""
    epoch = "Epoch {} of 90\nTraining...\nAverage Loss: {}\nEvaluating...\nAverage Loss: {}\n".format
    epochs = "".join(epoch(n, 9.5 - n / 16, 9.25 - n / 16) for n in range(1, 91))
    reader = LogReader(name="x")
    events = [*reader.feed(("a line\n" * at + epochs + "a line\n" * 4).encode()), *reader.end(b"")]
    assert [one.index for one in events if isinstance(one, Iteration)] == [*range(1, 91)]
    assert {one.max_iterations for one in events if isinstance(one, Config)} == {90}
