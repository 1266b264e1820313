"""Live or history: told by how fast the run's time goes on, whatever the other machine's clock says."""

import pytest

from itermon.collectors.runs.pace import Pace
from itermon.events import Event, GpuSample, Iteration


def paced(*reads: tuple[float, list[float]], waited: bool = False) -> list[bool]:
    """For each read (when, the times of its iterations): is it live?"""
    pace = Pace()
    return [pace.is_live([Iteration(0, at_s=s) for s in ended_s], at_s, waited=waited) for at_s, ended_s in reads]


@pytest.mark.parametrize("skew_s", [0.0, -3_600.0, 1e9])
def test_a_history_is_read_and_then_every_iteration_is_live(skew_s: float) -> None:
    history = [(n / 100, [skew_s + 60.0 * n, skew_s + 60.0 * (n + 1)]) for n in range(20)]
    live = [(1 + n / 10, [skew_s + 1_200 + n / 10]) for n in range(24)]
    assert paced(*history, *live) == [False] * 20 + [True] * 24


def test_long_iterations_are_live_and_so_is_what_comes_between_them() -> None:
    pace = Pace()
    samples: list[Event] = [GpuSample(1e9)]
    assert not pace.is_live([Iteration(0, at_s=100.0)], 0.0, waited=False)
    assert not pace.is_live(samples, 0.1, waited=False)
    assert pace.is_live(samples, 5.0, waited=True)
    assert pace.is_live([Iteration(1, at_s=121.0)], 21.0, waited=True)
    assert pace.is_live(samples, 21.1, waited=False)


def test_a_slow_line_that_pauses_in_the_history_is_no_live_run() -> None:
    assert paced((0.0, [0.0]), (1.0, [500.0]), (2.0, [1_000.0]), waited=True) == [True, False, False]


def test_what_the_network_held_up_for_a_moment_stays_live() -> None:
    assert paced((0.0, [10.0]), (0.1, [10.1]), (1.6, [10.2, 11.6]), (1.7, [11.7])) == [False, True, True, True]


def test_iterations_without_times_are_live_when_they_are_waited_for() -> None:
    pace = Pace()
    assert pace.is_live([Iteration(0)], 0.0, waited=True)
    assert not pace.is_live([Iteration(1)], 0.1, waited=False)


@pytest.mark.parametrize(("ahead_s", "live"), [(1.875, True), (2.0, False), (3.0, False)])
def test_two_seconds_more_than_passed_are_history(ahead_s: float, live: bool) -> None:
    assert paced((0.0, [0.0]), (0.5, [0.5 + ahead_s]))[1] is live
