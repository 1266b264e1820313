"""Where warm-up ends: the first iteration from which the times no longer fall."""

import pytest
from simulated_runs import NANOGPT, watched

from itermon.analysis.timing.warmup import coming_down, warmup_length, warmup_of_rows
from itermon.events import Iteration


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ([], 0),
        ([9.0], 1),
        ([9.0, 5.0, 2.0], 3),
        ([1.2], 0),
        ([3.0, 1.0, 3.0], 1),  # the second slow one is a spike
    ],
)
def test_slow_iterations_at_the_beginning_are_warm_up(first: list[float], expected: int) -> None:
    assert warmup_length([*first, *[1.0] * 60]) == expected


def test_times_that_fall_slowly_are_warm_up_until_they_settle() -> None:
    falling = [2.0 - 0.05 * i for i in range(20)]
    assert 14 <= warmup_length([*falling, *[1.0] * 60]) <= 20


def test_a_single_slow_iteration_later_on_is_no_warm_up() -> None:
    durations = [1.0] * 60
    durations[20] = 9.0
    assert warmup_length(durations) == 0


@pytest.mark.parametrize(("excess", "expected"), [(0.03125, 1), (0.0299, 0)])
def test_three_percent_are_settled(excess: float, expected: int) -> None:
    assert warmup_length([1.0 + excess] * 5 + [1.0] * 60) == expected
    assert warmup_length([2.0] * 5 + [1.0] * 60, spread=2**0.5) == 5  # slow whatever the noise
    assert warmup_length([1.1875] * 5 + [1.0] * 60, spread=0.1875 * 2**0.5) == 0  # within the noise, just
    assert (
        warmup_length([1.1875] * 5 + [1.0] * 60, spread=0.18 * 2**0.5) == 1
    )  # until the slow ones are a minority


def test_times_that_never_settle_leave_the_last_few() -> None:
    assert warmup_length([100 * 0.9**i for i in range(40)]) == 40 - 24


def test_a_wide_spread_makes_settled_easier() -> None:
    durations = [1.06] * 8 + [1.0] * 40
    assert warmup_length(durations) > 0
    assert warmup_length(durations, spread=0.1) == 0


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ([], 0),
        ([5.0], 0),
        ([5.0, 1.0], 1),
        ([1.2, 1.0], 0),
        ([9.0, 5.0, 1.0, 1.0], 2),
        ([1.0, 9.0, 1.0, 1.0], 0),
        ([3.0] + [1.0] * 22, 1),
        ([3.0] + [1.0] * 23, 1),
        ([1.5, 1.0], 1),  # it is no part of the rest
        ([2.0, 1.5, 1.0], 2),
        ([1.0, 0.5, 0.5], 1),
    ],
)
def test_of_few_iterations_those_are_warm_up_that_are_slow_for_the_rest(
    durations: list[float], expected: int
) -> None:
    assert warmup_length(durations) == expected


def test_a_level_that_moves_later_on_is_no_warm_up() -> None:
    assert warmup_length([3.0] + [1.0] * 40 + [2.0] * 200) == 1


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ([9.0, 5.0, 2.0], 3),
        ([3.0, 40.0, 2.0], 3),  # compiled at the second
        ([1.1, 1.1, 1.1], 3),  # none of them is slow
        ([1.2, 5.0], 0),  # the first is not slow
        ([9.0, 1.0, 5.0], 1),  # a slow one after a normal one
        ([1.0, 1.0, 6.0, 7.0], 0),
        ([1.8, 1.7, 1.6, 90.0], 0),  # much longer than those before it
        ([1.8, 1.7, 1.0, 2.0, 2.0, 2.0, 90.0, 2.0, 2.0, 2.0], 0),  # and it was not over with the first ones
    ],
)
def test_warm_up_is_slow_from_the_first_one_on_and_comes_down(first: list[float], expected: int) -> None:
    assert coming_down([*first, *[1.0] * 20], len(first), 1.2) == expected


@pytest.mark.parametrize(("first", "length"), [([], 0), ([9.0], 0), ([11.0], 1), ([30.0, 11.0, 9.0], 2)])
def test_times_of_whole_seconds_warm_up_as_far_as_a_second_does_not_explain_it(first, length) -> None:
    times = [9.0, 8.0, 9.0, 8.0, 8.0, 8.0, 9.0, 8.0] * 4
    assert warmup_length([*first, *times]) == length


def test_several_alike_times_at_the_beginning_are_a_level_and_no_warm_up() -> None:
    """It went faster behind them: what warms up comes down bit by bit, or is over with one or two rows."""
    assert warmup_length([16.6, 16.7, 16.6, 16.6, 10.0, 10.1, 10.0, 10.0]) == 0
    assert warmup_length([19.0, 16.7, 14.0, 10.0, 10.1, 10.0, 10.0]) == 3
    assert warmup_length([16.6, 17.9, 16.4, 17.0, 16.2, 10.0, 10.1, 10.0, 10.0, 10.1, 10.0]) == 0, "they vary"
    assert warmup_length([80.0, 16.7, 16.6, 17.6, 10.0, 10.1, 10.0, 10.0, 10.0]) == 1, "only the first is longer"
    assert warmup_length([16.6, 17.9, 16.4, 17.0, 60.0, 16.5, 10.0, 10.1, 10.0, 10.0, 10.1, 10.0]) == 0, "a stop"
    assert warmup_length([40.0, 30.0, 22.0, 16.0, 12.5, 10.0, 10.0, 10.1, 10.0, 10.1, 10.0]) == 5, "they fall"


def test_where_few_rows_have_a_time_the_level_is_that_of_the_first_of_them() -> None:
    begins, later = [*[None] * 39, 3.0], [*[None] * 15, 1.0]  # the later they are, the more of them have one
    took = [*begins * 20, *later * 80]
    findings = watched([NANOGPT, *(Iteration(n, each_s) for n, each_s in enumerate(took))]).findings()
    assert not findings.spikes, "those that all came before were usual"


@pytest.mark.parametrize(("over", "expected"), [(1, 2), (50, 1)])
def test_of_means_one_row_behind_several_that_fall_is_no_level(over: int, expected: int) -> None:
    assert warmup_of_rows([5.7, 3.9, 2.4], [over] * 3) == expected


def test_of_means_two_rows_behind_those_that_fall_are_one() -> None:
    assert warmup_of_rows([5.7, 3.9, 2.4, 2.4], [50] * 4) == 2
