"""Levels around the stops: it grows there, or it does not."""

from __future__ import annotations

import pytest

from itermon.analysis.filling.jumps import Jumps

# The bounds as numbers of its own: from the code, a test would move with them.
FEWEST, KEPT, NEAR = 5, 64, 8


def stops(levels: list[tuple[float, float]]) -> Jumps:
    """A stop each hundred iterations, with the level before it and after it."""
    jumps = Jumps("checkpoint")
    for place, (before, after) in enumerate(levels):
        jumps.stop(100 * place, [before + 3, before])
        for _ in range(NEAR + 1):
            jumps.add(after)
    return jumps


def test_jumps_that_stay_are_found() -> None:
    found = stops([(10.0 * n, 10.0 * n + 10) for n in range(7)]).found()
    assert found == ("checkpoint", 10.0, 0.0, 7, 100, 600, 0, 70.0)


@pytest.mark.parametrize(
    "levels",
    [
        [(10.0 * n, 10.0 * n + 10) for n in range(FEWEST - 1)],
        [(5.0, 15.0)] * 9,  # it falls again
        [(10.0 * n, 10.0 * n) for n in range(9)],  # it grows between them
        [(10.0 * n, 10.0 * n + 2) for n in range(9)],
        [(min(n, 3) * 10.0, min(n + 1, 3) * 10.0) for n in range(9)],
        [(10.0 * n, 10.0 * n + 10 * (n % 2) * 2) for n in range(9)],
    ],
)
def test_others_are_not(levels: list[tuple[float, float]]) -> None:
    assert stops(levels).found() is None


def test_a_stop_without_samples_around_it_tells_nothing() -> None:
    jumps = Jumps("evaluation")
    jumps.stop(0, [])
    jumps.add(1.0)
    for place in range(9):
        jumps.stop(place, [1.0])
    assert jumps.found() is None


def test_jumps_that_are_not_kept_any_more_are_counted() -> None:
    found = stops([(10.0 * n, 10.0 * n + 10) for n in range(KEPT + 36)]).found()
    assert found is not None
    assert found.times == KEPT + 36


@pytest.mark.parametrize(
    ("jumps", "found"),
    [
        ([10, 10, 10], True),
        ([10, 8, 9], True),
        ([10, 7, 10], False),
        ([10, 10], False),
        ([10, 10, 7, 10, 10], False),
    ],
)
def test_a_few_are_enough_where_they_are_alike(jumps: list[float], found: bool) -> None:
    levels = [(float(sum(jumps[:n])), float(sum(jumps[: n + 1]))) for n in range(len(jumps))]
    assert (stops(levels).found() is None) == (len(jumps) < FEWEST)
    assert (stops(levels).found(few=True) is not None) == found


def around(jumps: list[float], between: list[float]) -> list[tuple[float, float]]:
    """The levels before and after each stop, by the jumps there and by what it moves between two of them."""
    levels, at = [], 0.0
    for jump, moved in zip(jumps, [*between, 0.0], strict=True):
        levels.append((at, at + jump))
        at += jump + moved
    return levels


STILL = [0.0] * 4


@pytest.mark.parametrize(
    ("jumps", "between", "each"),
    [
        ([10.0] * 5, [5.0, -5.0, 5.0, -5.0], 10.0),  # half of a jump
        ([10.0] * 5, [5.1, -5.1, 5.1, -5.1], None),
        ([10.0] * 5, [0.0, 0.0, 16.0, 0.0], 10.0),  # three quarters of all growth
        ([10.0] * 5, [0.0, 0.0, 17.0, 0.0], None),
        ([10.0] * 5, [0.0, 0.0, -12.5, 0.0], 10.0),
        ([10.0] * 5, [0.0, 0.0, -13.0, 0.0], None),
        ([10.0] * 3 + [6.0] * 3, [0.0] * 5, 8.0),  # the newest are three quarters of them all
        ([10.0] * 3 + [5.9] * 3, [0.0] * 5, None),
        ([10.0, 10.0, 7.0, 7.0, 7.0], STILL, 7.0),
        ([0.0, 0.0] + [10.0] * 6, [0.0] * 7, 10.0),  # three quarters go up
        ([0.0, 0.0] + [10.0] * 5, [0.0] * 6, None),
        ([6.0, 6.0, 9.0, 12.0, 12.0], STILL, None),  # they differ by a third
        ([6.1, 6.1, 9.0, 12.0, 12.0], STILL, 9.0),
    ],
)
def test_jumps_are_alike_and_make_most_of_the_growth(
    jumps: list[float], between: list[float], each: float | None
) -> None:
    found = stops(around(jumps, between)).found()
    assert (found and found.each) == (each if each is None else pytest.approx(each))


@pytest.mark.parametrize(("count", "found"), [(9, False), (10, True)])
def test_of_ten_not_all_have_to_be_alike(count: int, found: bool) -> None:
    jumps = stops(around([10.0] * 4 + [5.0] + [10.0] * (count - 5), [0.0] * (count - 1)))
    assert (jumps.found(few=True) is not None) is found
    assert jumps.found() is not None


def test_the_level_after_a_stop_is_the_lowest_of_the_next_samples() -> None:
    jumps = Jumps("checkpoint")
    for place in range(5):
        jumps.stop(100 * place + place // 4 * 50, [10.0 * place, 10.0 * place + 2])
        for value in [17.0] * (NEAR - 2) + [10.0, 15.0, 3.0]:
            jumps.add(10.0 * place + value)
    found = jumps.found()
    assert found == ("checkpoint", 10.0, 0.0, 5, 100, 450, 0, 50.0)


def test_a_stop_that_another_follows_soon_has_the_samples_between_them() -> None:
    jumps = Jumps("checkpoint")
    for place in range(6):
        jumps.stop(place, [10.0 * place])
        jumps.add(10.0 * place + 10)
    found = jumps.found()
    assert found is not None
    assert (found.times, found.iteration, found.level) == (5, 4, 50.0)
