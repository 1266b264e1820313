"""A bar's total is the run's or an epoch's, never both: `Epoch 3/50:   4%| | 2/50`."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def read(lines: list[str]) -> list[Iteration]:
    reader = LogReader()
    events = [*reader.feed("\n".join(("train loss", *lines, "")).encode()), *reader.end(b"")]
    return [one for one in events if isinstance(one, Iteration)]


def clock(seconds: int) -> str:
    return f"{seconds // 60:02}:{seconds % 60:02}"


@pytest.mark.parametrize("title", ["Epoch {}/12", "Epoch [{}/12] lr 0.001", "Training epoch {}"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_bar_that_counts_the_epochs_of_its_title_counts_them_once(title: str, first: int) -> None:
    lines = []
    for epoch in range(12):
        name = title.format(epoch + first)
        lines += [f"{name}:  1%|# | {n}/12 [{clock(30 * n)}<10:00, 30.00s/it]" for n in (epoch, epoch + 1) if n]
    rows = read(lines)
    assert [one.index for one in rows] == [*range(1, 13)]
    assert sum((one.duration_s or 0.0) * one.averaged_over for one in rows) == pytest.approx(360, abs=31)


def test_a_bar_inside_each_epoch_counts_on() -> None:
    lines = [
        f"Epoch {epoch}/3:  1%|# | {n}/3 [{clock(30 * n)}<10:00, 30.00s/it]"
        for epoch in (1, 2, 3)
        for n in (1, 2, 3)
    ]
    assert [one.index for one in read(lines)] == [*range(1, 10)]
