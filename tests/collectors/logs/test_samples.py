"""Which lines of a text of no known format are looked at."""

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.collectors.logs.samples import (
    HURRIED_LINES,
    MIDDLE_LINES,
    SAMPLE_LINES,
    leaves_out,
    middle,
    numbered,
    sample,
)
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


@pytest.mark.parametrize(
    ("n", "out"), [(10, False), (2 * SAMPLE_LINES + 2 * MIDDLE_LINES - 2, False), (9_000, True)]
)
def test_lines_in_the_middle_are_all_looked_at_unless_they_are_many(n: int, out: bool) -> None:
    text = b"".join(b"row %d\n" % i for i in range(n))
    assert leaves_out(text) is out
    assert (len(middle(text)) == max(0, n - 2 * SAMPLE_LINES)) is not out


LAUNCHES = (1, 4, 1, 2, 1, 5, 2, 1, 3, 12)
"""Epochs of each: in the log's middle, among the lines of other programs."""


@pytest.mark.parametrize("before", [0, 3], ids=["at once", "behind much else"])
def test_trainings_of_few_epochs_in_the_midst_of_other_lines_are_counted_by_them(before: int) -> None:
    """Of how many epochs each is changes; and two first tell of an evaluation of what was before."""
    text = b"".join(b"2031-04-30 10:00:00 | INFO | Looking at file number %d\n" % n for n in range(2_000))
    rows = []
    for day, epochs in enumerate(LAUNCHES, 1):
        told = "Evaluating on old data ..." if day in (5, 7) else "Fold 1 of 5"
        rows.append(f"2031-05-{day:02} 10:00:00 | INFO | {told}\n")
        total = 50 if day < 5 else 30
        row = (
            "2031-05-{day:02} 10:{n:02}:00 | INFO |   Fold Ep {n}/{total} | Tr loss={loss} | Va acc=0.6{n} [9s]\n"
        )
        rows += (row.format(day=day, n=n, total=total, loss=2 - n / 32) for n in range(1, epochs + 1))
    reader, events = LogReader(), []
    for block in [text] * before + [text[:12_000] + "".join(rows).encode() + text[:12_000]]:
        events += reader.feed(block)
    events += reader.end(b"")
    found = [one.index for one in events if isinstance(one, Iteration)]
    assert found == [n for epochs in LAUNCHES for n in range(1, epochs + 1)]
    totals = [one.max_iterations for one in events if isinstance(one, Config) and one.max_iterations]
    assert totals[-1] == 30
