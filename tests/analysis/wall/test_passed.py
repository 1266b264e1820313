"""Iterations without a row: before the first, between two, and the one that a row behind the last is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis.wall import passed as wall
from itermon.events import Iteration


def printed(
    indices: list[int], starts: list[int], total: int | None = None, trainings: tuple[int, ...] = ()
) -> Any:
    """A run of these rows, of processes that begin at these, and trainings."""
    settings = SimpleNamespace(config=SimpleNamespace(max_iterations=total))
    columns = watched([Iteration(i, 1.0) for i in indices]).intake.columns
    repeats = SimpleNamespace(trainings=trainings)
    return SimpleNamespace(columns=columns, starts=starts, settings=settings, repeats=repeats)


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
    run = printed(indices, starts, trainings=tuple(starts))
    assert wall.before_first(run) == before
    assert wall.before_first(run, 1) == (99 if len(starts) > 1 else 0), "those since a row alone"


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
    assert wall.past_the_last(printed(indices, starts, total), since) == behind


@pytest.mark.parametrize(
    ("indices", "starts", "total", "first", "passed"),
    [
        ([0, 100, 200], [0], 200, 0, 200),  # 0 to 199
        ([0, 100, 200], [0], 200, 1, 101),  # the part begins at a row, whose process has another first one
        ([100, 200, 300], [0], None, 0, 300),
        ([100, 200, 300], [0], None, 1, 101),
        ([1, 2, 3, 1, 2], [0, 3], None, 0, 5),
        ([100, 200, 300, 400], [0, 3], None, 0, 400),  # the second process goes on from 300
    ],
)
def test_iterations_passed_with_a_row_and_without_one(
    indices: list[int], starts: list[int], total: int | None, first: int, passed: int
) -> None:
    assert wall.passed_since(printed(indices, starts, total), first) == passed


@pytest.mark.parametrize(
    ("indices", "starts", "trainings", "before"),
    [
        ([100, 200, 100], [0, 2], (0, 2), 99 + 99),  # the second training has but one row
        ([100, 200, 100], [0, 2], (0,), 99),  # which is of the same training
        ([100, 200, 101], [0, 2], (0, 2), 99),
        ([10, 20, 100, 200, 90], [0, 2, 4], (0, 2, 4), 9 + 99 + 89),  # by the most rare of the others
        ([100], [0], (0,), 0),
        ([99, 199, 299], [0], (0,), 99),  # from 0: with its own row there are 100
        ([98, 198], [0], (0,), 97),
    ],
)
def test_of_a_training_of_one_row_the_others_tell_how_many_came_before_it(
    indices: list[int], starts: list[int], trainings: tuple[int, ...], before: int
) -> None:
    assert wall.before_first(printed(indices, starts, trainings=trainings)) == before


def test_a_bar_that_is_drawn_at_each_second_step_has_none_before_its_first_frame() -> None:
    run = printed([1, 3, 5, 7], [0], trainings=(0,))
    assert wall.before_first(run) == 1, "each second one, counted from 0"
    drawn = [Iteration(1, 1.0), *(Iteration(i, 1.0, averaged_over=2) for i in (3, 5, 7))]
    run.columns = watched(drawn).intake.columns
    assert wall.before_first(run) == 0


def test_of_a_process_that_goes_on_the_first_row_stands_for_what_is_past_the_one_before_it() -> None:
    assert wall.before_first(printed([10, 20, 50, 100, 150], [0, 2], trainings=(0,))) == 9 + 49 - 20
    assert wall.before_first(printed([10, 20, 30, 40, 50], [0, 2], trainings=(0,))) == 9 + 9
    assert wall.before_first(printed([10, 20, 50, 100, 150], [0, 2], trainings=(0, 2))) == 9 + 49


@pytest.mark.parametrize(
    ("indices", "before"),
    [([100, 147, 247, 294], 99), ([100, 147, 240], 0), ([100, 147], 0), ([40, 147, 187], 39)],
)
def test_an_epoch_that_ends_before_the_second_of_every_so_many_is_no_step(indices: list[int], before: int) -> None:
    assert wall.before_first(printed(indices, [0], trainings=(0,))) == before


def test_so_does_the_only_row_of_a_process_that_goes_on() -> None:
    assert wall.before_first(printed([10, 20, 30, 40], [0, 3], trainings=(0,))) == 9 + 9
    assert wall.before_first(printed([10, 20, 30, 35], [0, 3], trainings=(0,))) == 9 + 4
    assert wall.before_first(printed([10, 20, 30, 90], [0, 3], trainings=(0,))) == 9, "nobody knows where it began"
    assert wall.before_first(printed([10, 20, 30, 20], [0, 3], trainings=(0,))) == 9, "it repeats"
    assert wall.before_first(printed([1, 2, 3, 4], [0, 3], trainings=(0,))) == 0


def test_rows_behind_the_last_mean_have_passed_though_the_first_mean_holds_the_first_row() -> None:
    """A bar's frames each eight steps: a mean is told of each fortieth, and of the newest not yet."""
    rows = [Iteration(8 * n, None if n % 5 else 0.13, averaged_over=0 if n % 5 else 40) for n in range(1, 17)]
    assert watched(rows).findings().progress.iterations_seen == 128
