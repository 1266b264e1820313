"""What was planned, and is not kept: what the run may cost, and when it has to be done.

Said once it is too much already, or will be by the lower end of the ETA's interval: by less it is a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EndReason
from ...words import duration, money
from ..findings import Incident
from .kinds import BUDGET, DEADLINE, KINDS

if TYPE_CHECKING:
    from ..findings import Findings


def planned(found: Findings, now_s: float | None) -> tuple[Incident, ...]:
    """The incidents of a plan at `now_s` (Unix time; `None`: at the last event)."""
    config = found.config
    over = _over_budget(found, config.budget) if config.budget is not None else None
    late = _late(found, config.deadline_at_s, now_s) if config.deadline_at_s is not None else None
    return tuple(one for one in (over, late) if one is not None)


def _over_budget(found: Findings, budget: float) -> Incident | None:
    eta, price = found.eta, found.config.cost_per_hour
    spent = eta.cost_so_far
    if spent is None or price is None:
        return None
    action = "Stop it behind a checkpoint, or plan for more."
    if spent > budget:
        state = f"It has cost {money(spent)}: more than the {money(budget)} that were planned."
        said = f"It ran for {duration(found.progress.wall_s)}, and an hour costs {money(price)}."
        return _made(BUDGET, state, said, "" if found.ended else action)
    if eta.low_s is None or eta.cost_to_go is None or spent + eta.low_s / 3_600 * price <= budget:
        return None
    state = f"It will cost about {money(spent + eta.cost_to_go)}: {money(budget)} were planned."
    least = money(eta.low_s / 3_600 * price)
    return _made(
        BUDGET, state, f"{money(spent)} so far, and {money(eta.cost_to_go)} to go, {least} at least.", action
    )


def _late(found: Findings, deadline_s: float, now_s: float | None) -> Incident | None:
    eta, heard_s = found.eta, found.progress.last_event_at_s
    at_s = heard_s if now_s is None else now_s
    if found.ended:
        return _late_end(found.ended, deadline_s, heard_s, at_s)
    if at_s is None:
        return None
    action = "See what slows it down, plan for fewer iterations, or for a later end."
    to_go = f"{duration(eta.remaining_s)} to go" if eta.remaining_s is not None else "what is left is not known"
    if at_s > deadline_s:
        state = f"Its deadline passed {duration(at_s - deadline_s)} ago, and it is not done."
        return _made(DEADLINE, state, f"{to_go[:1].upper()}{to_go[1:]}.", action, deadline_s)
    if eta.low_s is None or eta.remaining_s is None or eta.finish_at_s is None:
        return None
    begun_s = eta.finish_at_s - eta.remaining_s
    if begun_s + eta.low_s <= deadline_s:
        return None
    state = f"It will be done about {duration(eta.finish_at_s - deadline_s)} after its deadline."
    said = f"{to_go}, {duration(eta.low_s)} at least; the deadline is in {duration(deadline_s - at_s)}."
    return _made(DEADLINE, state, said, action)


def _late_end(ended: str, deadline_s: float, heard_s: float | None, at_s: float | None) -> Incident | None:
    """Of a run that is over. One that failed says so; of a log that stopped nothing else may be said."""
    state = ""
    if ended == EndReason.FINISHED and heard_s is not None and heard_s > deadline_s:
        state = f"It was done {duration(heard_s - deadline_s)} after its deadline."
    if ended == EndReason.UNKNOWN and at_s is not None and at_s > deadline_s:
        state = f"Its deadline passed {duration(at_s - deadline_s)} ago, and no word was found that it is done."
    return _made(DEADLINE, state, "", "", deadline_s) if state else None


def _made(kind: str, state: str, said: str, action: str, began_at_s: float | None = None) -> Incident:
    return Incident(
        kind=kind,
        key=f"{kind}:1",  # of the run, whatever process it is in: said once
        severity=KINDS[kind].severity,
        began_at_s=began_at_s,
        state=state,
        evidence=(said,) if said else (),
        action=action,
    )
