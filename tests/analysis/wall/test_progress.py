"""How far a run is: stops are counted by what tells of most of them, epochs by where they begin."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from simulated_runs import watched

from itermon.analysis.findings import LedgerRow
from itermon.analysis.wall import progress
from itermon.events import Config, Counted, Iteration


@pytest.mark.parametrize(
    ("told", "timed", "estimated", "count"),
    [(4, 6, False, 6), (4, 6, True, 4), (7, 6, False, 7), (0, 6, False, 0)],
)
def test_two_evaluations_at_one_place_are_two_where_each_has_its_time(
    told: int, timed: int, estimated: bool, count: int
) -> None:
    """The lines of one at a place may be several: only their times tell. Times alone tell of none."""
    run = SimpleNamespace(spans=SimpleNamespace(counted=SimpleNamespace(told={"evaluation": told})))
    rows = [LedgerRow("training", 9.0, 0.9, 100), LedgerRow("evaluation", 1.0, 0.1, timed, estimated)]
    assert progress._told(run, "evaluation", rows) == count  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "unit", "fraction"),
    [(0, "epoch", 0.47), (1, "epoch", 0.46), (0, "", 0.46)],
)
def test_of_epochs_that_are_counted_from_0_one_more_is_done(first: int, unit: str, fraction: float) -> None:
    events = [Config(max_iterations=100), Counted(unit=unit), *(Iteration(i, 1.0) for i in range(first, 47))]
    assert watched(events).findings().progress.fraction == fraction
