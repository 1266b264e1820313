"""What comes with each row beside its printed time is no gap, and may show that this is the time of a part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from simulated_runs import watched

from itermon.events import EVALUATION, GAP, ClockKind, Iteration, RunInfo, SpanEnd, Strength

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings


def report(passed_s: float, evaluated_s: float, *, undescribed: bool = True) -> Findings:
    """Twelve epochs of 20 s as printed, and an evaluation of a known time, or none, behind each."""
    events: list[RunInfo | Iteration | SpanEnd] = [RunInfo(clock=ClockKind.LOG, undescribed=undescribed)]
    for n in range(1, 13):
        at_s = 1e9 + passed_s * n
        events.append(Iteration(n, 20.0 + 0.01 * (n % 3), at_s=at_s))
        if evaluated_s:
            events.append(SpanEnd(EVALUATION, at_s + evaluated_s, n + 1, evaluated_s, Strength.LOG, after=n))
    return watched(events).findings()


@pytest.mark.parametrize(("passed_s", "withheld"), [(75.0, True), (57.0, False)])
def test_a_time_that_leaves_out_as_much_again_beside_all_stops_is_that_of_a_part(
    passed_s: float, withheld: bool
) -> None:
    found = report(passed_s, 35.0)
    assert (found.level.clean_s is None) is withheld
    assert ("leave out 20" in found.unknown.get("level", "")) is withheld
    assert not any(cause.kind == GAP for one in found.spikes for cause in one.causes)


def test_of_epochs_whose_stops_nobody_told_the_printed_time_stays_and_no_row_has_a_gap() -> None:
    found = report(60.0, 0.0)
    assert found.level.clean_s == pytest.approx(20.0, abs=0.1)
    assert found.spikes == ()


def test_of_a_format_that_is_known_it_is_known_what_is_in_a_time() -> None:
    assert report(75.0, 35.0, undescribed=False).level.left_out_s is None
