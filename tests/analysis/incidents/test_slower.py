"""Iterations that take longer, and stay so."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis.verdict.troubles import HELD

if TYPE_CHECKING:
    from itermon.analysis.findings import Incident


def slowed(durations: list[float]) -> list[Incident]:
    return [one for one in watched(plain(durations)).findings().incidents if one.kind == "slowed-down"]


def test_a_level_that_rose_and_stays_is_one() -> None:
    (one,) = slowed(times(300) + times(200, base_s=0.3))
    assert one.began_iteration == pytest.approx(300, abs=3)
    assert not one.over
    assert "1.5" in one.state


def test_it_is_over_when_the_level_is_back() -> None:
    (one,) = slowed(times(300) + times(200, base_s=0.3) + times(200, seed=2))
    assert one.over
    assert one.ended_iteration == pytest.approx(500, abs=3)


def test_a_passing_trouble_is_none() -> None:
    assert slowed(times(300) + times(HELD // 2, base_s=0.3) + times(200, seed=2)) == []


def test_a_few_percent_are_none() -> None:
    assert slowed(times(300) + times(200, base_s=0.214)) == []


def test_a_level_that_fell_is_none() -> None:
    assert slowed(times(300) + times(200, base_s=0.1)) == []


def test_a_further_rise_is_the_same_one() -> None:
    assert len(slowed(times(300) + times(200, base_s=0.3) + times(200, base_s=0.4, seed=2))) == 1


def noise_of_two(count: int, slow: float, seed: int) -> list[float]:
    """Now 0.2 s, now 0.24 s, and `slow` says how many take the longer."""
    random = Random(seed)
    return [base_s * random.gauss(1, 0.01) for base_s in random.choices((0.2, 0.24), (1 - slow, slow), k=count)]


@pytest.mark.parametrize("seed", range(5))
def test_noise_between_two_values_whose_median_moves_is_none(seed: int) -> None:
    durations = noise_of_two(300, 0.4, seed) + noise_of_two(300, 0.65, seed + 100)
    assert slowed(durations) == []
