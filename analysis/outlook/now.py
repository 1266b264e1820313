"""What the trainer does at this moment, against what is usual, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, HOOK
from ..findings import Now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...events import Progress as MicroStep
    from ..findings import Schedule
    from ..record.spans import Spans

SILENT = 5.0
"""A run is silent after this many times what is usual by now."""

LEAST_SILENCE_S = 10.0
"""... and no earlier than this: a log is read late, and screens tick at most twice a second."""


LONG_SILENCE_S = 3_600.0
"""... or after this long where nobody knows what is usual: a line an epoch can take its time."""


def next_stop(plan: Sequence[Schedule], last: int | None) -> tuple[str | None, int | None]:
    """What comes next, and at which iteration: kinds that fall on one iteration are named together."""
    upcoming = [(s.next_iteration, s.kind) for s in plan if s.next_iteration is not None]
    if last is not None:
        upcoming.append((last, "end"))
    if not upcoming:
        return None, None
    first = min(upcoming)[0]
    kinds = {kind for at, kind in upcoming if at == first}
    if {EVALUATION, CHECKPOINT} <= kinds:
        return EVALUATION_AND_CHECKPOINT, first
    return min(kinds - {"end"} or kinds), first


def moment(
    *,
    now_s: float | None,
    last_at_s: float | None,
    index: int | None,
    printed_every: int,
    clean_s: float | None,
    plan: Sequence[Schedule],
    last: int | None,
    spans: Spans,
    micro: MicroStep | None,
    ended: str,
) -> Now:
    """The finding. `printed_every`: iterations from line to line. Without hooks it is told from silence."""
    kind, at = next_stop(plan, last)
    next_in_s = None if at is None or index is None or clean_s is None else max(0, at - index) * clean_s
    costs = {s.kind: s.mean_s for s in plan}
    if ended:
        return Now(activity="ended", iteration=index, estimated=False)
    if index is None and last_at_s is None:
        return Now()
    hooked = next((b for b in reversed(spans.open) if b.strength == HOOK), None)
    begun_s = hooked.at_s if hooked is not None else last_at_s
    elapsed_s = None if now_s is None or begun_s is None else max(0.0, now_s - begun_s)
    note = ""
    if elapsed_s is not None and next_in_s is not None and hooked is None:
        next_in_s -= elapsed_s
        if next_in_s < 0:
            next_in_s, note = None, "due"
    upcoming = None if index is None else index + printed_every
    activity, usual_s = _activity(
        spans=spans,
        costs=costs,
        clean_s=clean_s,
        printed_every=printed_every,
        upcoming=upcoming,
        plan=plan,
        elapsed_s=elapsed_s,
    )
    if hooked is None and _silent(elapsed_s, usual_s):
        activity, next_in_s, note = "silent", None, "when it goes on"
    return Now(
        activity=activity,
        iteration=upcoming if printed_every == 1 else None,
        elapsed_s=elapsed_s,
        usual_s=usual_s,
        micro_step=micro.micro_step if micro else None,
        micro_steps=micro.micro_steps if micro else None,
        estimated=hooked is None and micro is None,
        next_kind=kind,
        next_iteration=at,
        next_in_s=next_in_s,
        next_note=note if kind else "",
    )


def _silent(elapsed_s: float | None, usual_s: float | None) -> bool:
    if elapsed_s is None:
        return False
    return elapsed_s > (LONG_SILENCE_S if usual_s is None else max(SILENT * usual_s, LEAST_SILENCE_S))


def _activity(
    *,
    spans: Spans,
    costs: Mapping[str, float | None],
    clean_s: float | None,
    printed_every: int,
    upcoming: int | None,
    plan: Sequence[Schedule],
    elapsed_s: float | None,
) -> tuple[str, float | None]:
    """What it does, and the usual seconds of it: an open span, a line that announced one, or the schedule."""
    if spans.open:
        kind = spans.open[-1].kind
        both_s = costs.get(EVALUATION_AND_CHECKPOINT)
        usual_s = costs.get(kind)
        if usual_s is None and kind in {EVALUATION, CHECKPOINT}:
            usual_s = both_s
        return kind, usual_s
    if clean_s is None:
        return "training", None
    usual_s = clean_s * printed_every
    if spans.last is not None:  # a line told of an evaluation whose iteration is not printed yet
        return "training", usual_s
    due = [
        s
        for s in plan
        if s.next_iteration is not None and upcoming is not None and s.next_iteration <= upcoming and s.mean_s
    ]
    if due:
        cost_s = sum(s.mean_s or 0.0 for s in due)
        late = elapsed_s is not None and elapsed_s > usual_s * 1.1
        return (due[0].kind if late else "training"), usual_s + cost_s
    return "training", usual_s
