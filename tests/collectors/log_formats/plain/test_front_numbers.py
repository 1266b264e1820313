"""A number in front of rows that leaves its series and comes back: another process's row stands between."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.between.other_rows import OtherRows
from itermon.events import Iteration

SERIES = [*range(1, 41)]


@pytest.mark.parametrize(
    ("numbers", "are_several"),
    [
        ([*SERIES, 2, *range(41, 50)], True),
        ([*range(1, 30), 1, *range(30, 50), 2, 50, 51], True),
        ([*SERIES, *SERIES, *SERIES], False),  # one behind another
        ([*SERIES, 2, 3, 4], False),
        ([*SERIES, 38, 41], False),  # near: written late
        ([1, 2, 9, 3, 4, 9, 5] * 5, False),  # no counter
        ([n % 7 for n in range(60)], False),
    ],
)
def test_rows_of_several_processes_are_known_by_the_number_in_front(numbers: list[int], are_several: bool) -> None:
    rows = OtherRows()
    for place, number in enumerate(numbers):
        rows.read([Iteration(place)], f"train: {number} @ loss: 0.5", place + 1)
    rows.end()
    assert bool(rows._told.against) is are_several


@pytest.mark.parametrize("front", ["train: {}/50 @", "train: {}.5 @", "{} @"])
def test_what_counts_otherwise_is_no_number_in_front(front: str) -> None:
    rows = OtherRows()
    for place, number in enumerate([*SERIES, 2, *range(41, 50)]):
        rows.read([Iteration(place)], f"{front.format(number)} loss: 0.5", place + 1)
    rows.end()
    assert not rows._told.against


def test_a_number_that_rows_are_counted_by_is_read_by_whoever_counts() -> None:
    rows = OtherRows()
    for line, number in enumerate([*SERIES, 2, *range(41, 50)]):
        rows.read([Iteration(number)], f"step: {number} loss: 0.5", line + 1)
    rows.end()
    assert not rows._told.against
