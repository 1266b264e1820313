"""Printed times that cannot be true beside a clock: nothing is concluded from them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
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


def test_times_of_a_part_are_told_as_that_part() -> None:
    """The clock of the first batch of each 200: 2 s, and 500 s from one row to the next."""
    made = [Iteration(200 * n, 2.0 + 0.01 * (n % 3), at_s=1e9 + 500.0 * n) for n in range(1, 60)]
    events = [RunInfo(clock=ClockKind.LOG, undescribed=True), *made]
    assert "add up to" not in watched(events).findings().unknown.get("level", "")
    alone = [replace(one, index=n) for n, one in enumerate(made)]
    found = watched([events[0], *alone]).findings()
    assert "of a part of what passed" in found.unknown["level"]
    assert found.verdict.headline == "Where its time went is not known."


def test_of_rows_that_lines_contradict_no_sum_is_told() -> None:
    why = "lines count to epoch 100, and the rows otherwise"
    found = watched([*rows(9.0), OtherRows(against=why)]).findings()
    assert found.unknown["level"] == why
