"""Iterations without a row: before the first, between two, and the one that a row behind the last is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis import wall_time
from itermon.events import Iteration


def printed(indices: list[int], starts: list[int], total: int | None = None) -> Any:
    """A run of these rows, of processes that begin at these."""
    settings = SimpleNamespace(config=SimpleNamespace(max_iterations=total))
    columns = watched([Iteration(i, 1.0) for i in indices]).intake.columns
    return SimpleNamespace(columns=columns, starts=starts, settings=settings)


@pytest.mark.parametrize(
    ("indices", "starts", "before"),
    [
        ([100, 200, 300], [0], 99),
        ([100, 200], [0], 99),
        ([100], [0], 0),  # of one row nobody knows how many it is the first of
        ([100, 199, 300], [0], 0),
        ([1, 2, 3], [0], 0),
        ([0, 100, 200], [0], 0),
        ([50, 150, 250], [0], 49),
        ([10, 20, 100, 200], [0, 2], 9 + 99),
    ],
)
def test_before_the_first_row_of_every_so_many_the_others_passed(
    indices: list[int], starts: list[int], before: int
) -> None:
    run = printed(indices, starts)
    assert wall_time.before_first(run) == before
    assert wall_time.before_first(run, 1) == (99 if len(starts) > 1 else 0), "those since a row alone"


@pytest.mark.parametrize(
    ("indices", "starts", "total", "since", "behind"),
    [
        ([0, 100, 200], [0], 200, 0, 1),
        ([0, 100, 200], [0], 200, 1, 0),  # another part of the run
        ([0, 100, 200], [0], 300, 0, 0),
        ([0, 100, 200], [0], None, 0, 0),
        ([1, 100, 200], [0], 200, 0, 0),  # who counts from 1
        ([0, 199, 200], [0], 200, 0, 0),  # who prints each
        ([0, 198, 200], [0], 200, 0, 1),
        ([0, 200], [0], 200, 0, 1),
        ([0], [0], 0, 0, 0),
        ([0, 200, 0, 150, 200], [0, 2], 200, 0, 2),
        ([0, 200, 0, 150, 200], [0, 2], 200, 1, 1),
        ([0, 200, 0], [0, 2], 200, 0, 1),
    ],
)
def test_a_row_at_the_number_of_all_is_behind_the_last_where_they_are_counted_from_0(
    indices: list[int], starts: list[int], total: int | None, since: int, behind: int
) -> None:
    assert wall_time.past_the_last(printed(indices, starts, total), since) == behind


@pytest.mark.parametrize(
    ("indices", "starts", "total", "first", "passed"),
    [
        ([0, 100, 200], [0], 200, 0, 200),  # 0 to 199
        ([0, 100, 200], [0], 200, 1, 101),  # the part begins at a row, whose process has another first one
        ([100, 200, 300], [0], None, 0, 300),
        ([100, 200, 300], [0], None, 1, 101),
        ([1, 2, 3, 1, 2], [0, 3], None, 0, 5),
    ],
)
def test_iterations_passed_with_a_row_and_without_one(
    indices: list[int], starts: list[int], total: int | None, first: int, passed: int
) -> None:
    assert wall_time.passed_since(printed(indices, starts, total), first) == passed


@pytest.mark.parametrize(
    ("indices", "wall_s"),
    [((0, 3), 4.0), ((0, 4), None), ((0, 4, 8), 9.0)],  # of three times those between them are told
)
def test_of_two_times_no_more_iterations_than_have_one_are_told(indices: tuple[int, ...], wall_s: float) -> None:
    assert watched([Iteration(i, 1.0) for i in indices]).findings().progress.wall_s == wall_s
