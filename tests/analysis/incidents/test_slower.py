"""Iterations that take longer, and stay so."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis.findings import Shift
from itermon.analysis.incidents.slower import slower
from itermon.analysis.timing.lasting import borne_out

if TYPE_CHECKING:
    from itermon.analysis.findings import Incident

# The bound as a number of its own: from the code, a test would move with it.
HELD = 64


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
    (one,) = slowed(times(300) + times(200, base_s=0.3) + times(200, base_s=0.4, seed=2))
    assert one.evidence[-1] == "By now it takes 400 ms, 2.00 × as long."


def test_that_it_is_back_is_said_before_it_is_known_to_be_over() -> None:
    (one,) = slowed(times(300) + times(200, base_s=0.3) + times(HELD // 2, seed=2))
    assert not one.over
    assert one.evidence[-1].startswith("Since iteration 500, the newest 32 rows, it takes ")
    assert one.evidence[-1].endswith(" again.")
    (one,) = slowed(times(300) + times(200, base_s=0.3) + times(4, seed=2))
    assert len(one.evidence) == 1


def test_what_stays_as_it_became_is_told_once() -> None:
    (one,) = slowed(times(300) + times(200, base_s=0.3))
    assert len(one.evidence) == 1


def noise_of_two(count: int, slow: float, seed: int) -> list[float]:
    """Now 0.2 s, now 0.24 s, and `slow` says how many take the longer."""
    random = Random(seed)
    return [base_s * random.gauss(1, 0.01) for base_s in random.choices((0.2, 0.24), (1 - slow, slow), k=count)]


@pytest.mark.parametrize("seed", range(5))
def test_noise_between_two_values_whose_median_moves_is_none(seed: int) -> None:
    durations = noise_of_two(300, 0.4, seed) + noise_of_two(300, 0.65, seed + 100)
    assert slowed(durations) == []


def moved(durations: list[float], *shifts: tuple[int, float, float]) -> Any:
    """A run whose level moved at positions, from one value to another."""
    found = [Shift(index=10 * at, before_s=a, after_s=b, position=at, at_s=None) for at, a, b in shifts]
    columns = type("Columns", (SimpleNamespace,), {"__len__": lambda of: len(of.duration_s)})(duration_s=durations)
    columns.at_s = []
    return SimpleNamespace(
        columns=columns,
        timing=SimpleNamespace(shifts=found),
        repeats=SimpleNamespace(trainings=(1,)),
        starts=[0],
    )


def test_what_the_report_tells_no_change_of_is_no_incident() -> None:
    """One rule for both: where too many are as slow before a rise, nothing became slower."""
    for slow, count in ((16, 1), (17, 0)):
        before = [1.0] * 10 + [1.5] * slow + [1.0] * (64 - slow)
        run = moved(before + [2.0] * HELD, (74, 1.0, 2.0))
        assert len(slower(run)) == len(borne_out(run.timing.shifts, run.columns, 0)) == count


@pytest.mark.parametrize(
    ("lines", "after_s", "count"), [(HELD, 1.1, 1), (HELD - 1, 1.1, 0), (HELD, 1.09, 0), (HELD, 2.0, 1)]
)
def test_a_tenth_more_that_is_held_is_slower(lines: int, after_s: float, count: int) -> None:
    assert len(slower(moved([1.0] * 100 + [after_s] * lines, (100, 1.0, after_s)))) == count


def test_what_was_faster_for_a_while_only_was_no_usual_pace() -> None:
    durations = [1.0] * 200 + [0.5] * 100 + [1.0] * HELD
    assert slower(moved(durations, (200, 1.0, 0.5), (300, 0.5, 1.0))) == []


def test_each_of_several_trainings_has_its_own_pace() -> None:
    run = moved([1.0] * 100 + [2.0] * HELD, (100, 1.0, 2.0))
    run.repeats.trainings = (0, 100)
    assert slower(run) == []


@pytest.mark.parametrize(("level_s", "over"), [(1.2, True), (1.21, False)])
def test_most_of_the_way_back_ends_it(level_s: float, over: bool) -> None:
    durations = [1.0] * 100 + [2.0] * HELD + [level_s] * HELD
    ((position, one),) = slower(moved(durations, (100, 1.0, 2.0), (100 + HELD, 2.0, level_s)))
    assert (position, one.began_iteration, one.over) == (100, 1_000, over)
    assert one.ended_iteration == (1_000 + 10 * HELD if over else None)


def test_what_it_took_before_and_since_is_told_of_many_rows_and_not_of_the_few_it_was_found_by() -> None:
    (found,) = slower(moved([1.0] * 100 + [3.0] * 10 + [2.0] * HELD, (100, 1.1, 2.1)))
    assert found[1].state.endswith("2.00 × as long then.")
    assert found[1].evidence[0] == "1.00 s in the 64 rows before it, 2.00 s in the 64 since."
    (early,) = slower(moved([1.0] * 40 + [2.0] * HELD, (40, 1.0, 2.0)))
    assert early[1].evidence[0] == "1.00 s in the 40 rows before it, 2.00 s in the 64 since."


def test_rows_on_both_sides_that_are_not_slower_bear_out_no_change() -> None:
    durations = [2.0] * 90 + [4.0] * 10 + [1.0] * HELD
    assert slower(moved(durations, (100, 0.5, 1.0))) == []


def test_a_rise_near_the_end_that_is_far_is_told_with_where_it_began() -> None:
    (one,) = slowed(times(300) + times(200, base_s=0.3) + times(16, base_s=3.0, seed=2))
    assert one.evidence[-1].startswith("Since iteration 500 it takes 2.98 s")


@pytest.mark.parametrize(("back", "over"), [(20, False), (HELD, True)])
def test_a_few_quicker_rows_do_not_end_it(back: int, over: bool) -> None:
    rows = times(300) + times(200, base_s=0.3) + times(back, seed=2) + times(300, base_s=0.3, seed=3)
    first, *others = slowed(rows)
    assert (first.over, len(others)) == (over, int(over))
