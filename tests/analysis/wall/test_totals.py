"""Totals that a log prints, and whether rows' times tell of more than their own iteration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis.causes.ledger import Times
from itermon.analysis.wall import totals as totals_of
from itermon.events import ClockKind, Iteration, RunInfo, Total, Witness


def fake(totals: list[float], starts: list[int], *, of_the_day: bool = False, **given: Any) -> Any:
    """A run without a row whose log prints these totals."""
    real = watched([]).intake
    clock = SimpleNamespace(wall_s=float(of_the_day), at=real.columns.time_at if of_the_day else None)
    labels = SimpleNamespace(timing=SimpleNamespace(clock=clock))
    several = {n: Total(total) for n, total in enumerate(totals)}
    return SimpleNamespace(columns=real.columns, labels=labels, totals=several, starts=starts, **given)


@pytest.mark.parametrize(
    ("totals", "starts", "of_the_day", "total_s"),
    [
        ([], [], False, None),
        ([], [0], False, None),
        ([3.0], [0], False, 3.0),
        ([3.0], [0], True, None),
        ([3.0], [0, 5], False, None),
        ([3.0, 4.0], [0, 5], False, 7.0),
    ],
)
def test_totals_count_where_each_process_has_one_and_no_clock_of_the_day(
    totals: list[float], starts: list[int], of_the_day: bool, total_s: float | None
) -> None:
    assert totals_of.printed_total_s(fake(totals, starts, of_the_day=of_the_day)) == total_s


@pytest.mark.parametrize(("starts", "wall_s", "so"), [(1, 5.0, False), (2, 0.0, False), (2, 0.5, True)])
def test_several_processes_need_a_clock_for_what_passed_between_them(starts: int, wall_s: float, so: bool) -> None:
    run = fake([], list(range(starts)), info=RunInfo(clock=ClockKind.HOOK))
    assert totals_of.wall_witness(run, Times(wall_s, 1)) is None
    assert totals_of.unclocked(run, Times(wall_s, 1)) is so


@pytest.mark.parametrize(("unstamped", "witness"), [(0, Witness.STAMPS), (1, Witness.STAMPS), (30, None)])
def test_stamps_of_a_part_of_the_rows_are_no_witness_of_the_whole(unstamped: int, witness: Witness | None) -> None:
    rows = [Iteration(n, 1.0, at_s=None if n < unstamped else 100.0 + n) for n in range(60)]
    assert watched([RunInfo(clock=ClockKind.LOG), *rows]).findings().progress.wall_witness is witness


def rows(*, undescribed: bool, apart: int = 100, slow_s: float = 11.0, total_s: float | None = None) -> list[Any]:
    """Forty rows of 0.2 s, one a hundred iterations, one of them slow; and the total that the log prints."""
    times = [slow_s if n == 20 else 0.2 for n in range(40)]
    events = [Iteration(apart * (n + 1), duration_s) for n, duration_s in enumerate(times)]
    return [RunInfo(undescribed=undescribed), *events, *([Total(total_s)] if total_s else [])]


def test_a_rare_rows_time_of_one_iteration_or_the_mean_of_a_hundred_adds_up_to_nothing() -> None:
    found = watched(rows(undescribed=True)).findings()
    assert found.progress.wall_s is None
    assert found.ledger == ()
    assert found.progress.one_or_mean
    assert found.unknown["progress.wall_s"] == totals_of.ONE_OR_MEAN
    assert found.progress.timed_called == "row"


@pytest.mark.parametrize("given", [{"undescribed": False}, {"undescribed": True, "apart": 1}])
def test_of_what_is_known_or_has_a_row_for_each_iteration_the_sum_stands(given: dict[str, Any]) -> None:
    found = watched(rows(**given)).findings()
    assert found.progress.wall_s
    assert bool(found.ledger) is not given["undescribed"]
    assert not found.progress.one_or_mean


@pytest.mark.parametrize(("total_s", "divided"), [(820.0, True), (900.0, True), (2_600.0, False)])
def test_a_printed_total_confirms_the_sum_or_stands_alone(total_s: float, divided: bool) -> None:
    found = watched(rows(undescribed=True, total_s=total_s)).findings()
    assert found.progress.wall_s == pytest.approx(total_s, rel=0.1)
    assert bool(found.ledger) is divided


def test_where_no_row_has_a_time_there_is_none_to_doubt() -> None:
    found = watched([RunInfo(undescribed=True), *(Iteration(100 * n, loss=0.5) for n in range(1, 40))]).findings()
    assert not found.progress.one_or_mean
    assert "progress.wall_s" not in found.unknown


@pytest.mark.parametrize(
    ("clocks", "last", "ends"),
    [([0.0], 900, False), ([0.0, 10.0, 20.0], 30, False), ([0.0, 10.0, 20.0], 50, True)],
)
def test_a_clock_of_each_epoch_ends_where_others_follow(clocks: list[float], last: int, ends: bool) -> None:
    """Of 10 iterations each, the newest 25."""
    columns: Any = Rows(clocks, list(range(1, 26)))
    assert totals_of.ends_a_clock(columns, last) == ends


class Rows:
    """Iterations of a second each."""

    def __init__(self, clocks_begun: list[float], index: list[int]) -> None:
        self.clocks_begun, self.index = clocks_begun, index

    def __len__(self) -> int:
        return len(self.index)

    def elapsed_at(self, position: int) -> float:
        return float(self.index[position])
