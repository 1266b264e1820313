"""What is said to have been waited for data: against what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .case import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case
    from .views import View

LOOSE = 1.25


def faults(case: Case, view: View) -> Iterator[Fault]:
    """Of the whole, and of slow iterations; where nobody knows what was waited, nothing is judged."""
    waits_s = sum(one.waited_s for one in case.tape.iterations)
    if not waits_s:
        return
    whole_s = sum(row.seconds for row in case.found.ledger)
    for row in case.found.ledger:
        if row.cause == "data" and row.seconds > waits_s * LOOSE + 0.03 * whole_s:
            yield Fault("waits", f"data {row.seconds:.1f} s ({100 * row.share:.0f} %)", f"at most {waits_s:.1f} s")
    for spike in case.found.spikes:
        said_s = sum(cause.seconds for cause in spike.causes if cause.kind == "data")
        ends = [place for place, one in enumerate(view.items) if spike.index in one.numbers]
        span = max(case.script.every, spike.averaged_over)
        steps = case.tape.iterations
        most_s = max(
            (sum(one.waited_s for one in steps[max(0, at + 1 - span) : at + 1]) for at in ends), default=0.0
        )
        if view.unit == "step" and ends and said_s > most_s * LOOSE + 0.01:
            yield Fault("waits", f"{spike.index:,} waited {said_s:.2f} s for data", f"{most_s:.2f} s")
