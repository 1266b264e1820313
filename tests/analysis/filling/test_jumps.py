"""Levels around the stops: it grows there, or it does not."""

from __future__ import annotations

import pytest

from itermon.analysis.filling.jumps import FEWEST, KEPT, NEAR, Jumps


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
