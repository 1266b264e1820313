"""Printed times that cannot be true beside a clock: nothing is concluded from them."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.events import DATA, ClockKind, Iteration, OtherRows, RunInfo


def rows(passed_s: float) -> list[Iteration | RunInfo]:
    """Each fiftieth iteration: it took 2 s and waited 1 s of them, and 50 of them took this long by the stamps."""
    made = [
        Iteration(50 * n, 2.0 + 0.01 * (n % 3), at_s=1e9 + passed_s * n, data_wait_s=1.0) for n in range(1, 200)
    ]
    return [RunInfo(clock=ClockKind.LOG, time_includes=(DATA,)), *made]


@pytest.mark.parametrize(("passed_s", "true"), [(102.0, True), (70.0, False), (9.0, False)])
def test_times_that_a_clock_contradicts_give_no_level_no_shares_and_no_incident(
    passed_s: float, true: bool
) -> None:
    found = watched(rows(passed_s)).findings()
    assert (found.level.clean_s is not None) is true
    assert bool(found.ledger) is true
    assert any(one.kind == "data-bound" for one in found.incidents) is true
    assert ("level" in found.unknown) is not true
    assert ("contradict" in found.verdict.headline) is not true


def test_of_rows_that_lines_contradict_no_sum_is_told() -> None:
    why = "lines count to epoch 100, and the rows otherwise"
    found = watched([*rows(9.0), OtherRows(against=why)]).findings()
    assert found.unknown["level"] == why
