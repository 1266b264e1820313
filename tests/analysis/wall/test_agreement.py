"""A clock of the log confirms rows' times only where those, taken for all iterations, fit into it."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.events import Iteration, RunInfo, Witness


@pytest.mark.parametrize(("passed_s", "agrees"), [(60.0, True), (55.0, True), (30.0, False)])
def test_rows_that_take_longer_than_those_between_them_are_contradicted_by_the_clock(
    passed_s: float, agrees: bool
) -> None:
    """A row of 0.6 s each hundred, and a clock by which the hundred take this long."""
    events = [Iteration(100 * n, 0.6, elapsed_s=passed_s * n) for n in range(1, 40)]
    found = watched([RunInfo(), *events]).findings()
    (clock,) = (one for one in found.witnesses if one.name == Witness.ELAPSED)
    assert clock.agrees is agrees
    assert (Witness.ELAPSED in found.level.witnesses) is agrees
