"""The list of slow iterations: were they slow, and by what they are said to be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .case import Fault
from .views import EPOCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.analysis.findings import Spike

    from .case import Case
    from .views import Item, View

USUAL = 1.12
BESIDE = ("evaluation", "checkpoint", "loading")
STOPS = {
    "evaluation": ("evaluation",),
    "checkpoint": ("checkpoint",),
    "evaluation + checkpoint": ("evaluation", "checkpoint"),
}


def faults(case: Case, view: View) -> Iterator[Fault]:
    """Of the newest training each; of earlier ones, where their number is said."""
    if case.found.progress.at_least:
        return  # its iterations bear other numbers than the true ones
    for spike in case.found.spikes:
        items = view.items if spike.training is None else view.of_phase(spike.training - 1)
        at = [place for place, one in enumerate(items) if spike.index in one.numbers]
        if not at or not spike.took_s:
            continue
        stretches = [items[_first(case, items, place, spike) : place + 1] for place in at]
        found = [list(_of(case, view, spike, stretch)) for stretch in stretches]
        yield from min(found, key=len)


def _first(case: Case, items: list[Item], place: int, spike: Spike) -> int:
    """Where what a row's time may hold begins: at the row before, as far as the source tells none of its own."""
    ends_s = items[place].ends_s
    rows_s = [row.iteration.ends_s for row in case.tape.rows]
    before_s = max((one for one in rows_s if one < ends_s - 1e-9), default=0.0)
    since = sum(before_s < one.ends_s <= ends_s for one in items)
    return max(0, place + 1 - max(since, spike.averaged_over))


def _of(case: Case, view: View, spike: Spike, stretch: list[Item]) -> Iterator[Fault]:
    begins_s, ends_s = stretch[0].begins_s, _printed_s(case, stretch[-1])
    is_last = stretch[-1] is view.items[-1]  # of which a second row may tell behind its save
    holds_end = view.unit == EPOCH or is_last or case.settings.get("times hold stops")
    ends_s += _behind_s(case, stretch[-1]) if holds_end else 0.0
    usual_s = view.usual_s(stretch[-1].phase) * spike.averaged_over
    true_s = sum(one.took_s for one in stretch[-spike.averaged_over :])
    before_s = stretch[0].passed_s - stretch[0].took_s  # what stands before the first
    stops_s = sum(
        view.stops_s(kind, begins_s - before_s, ends_s) for kind in ("evaluation", "checkpoint", "loading")
    )
    coarse_s = 1.05 if case.script.has_whole_seconds else 0.0
    said = f"{spike.index:,} took {spike.took_s:.2f} s, " + ", ".join(
        f"+{cause.seconds:.2f} {cause.kind}" for cause in spike.causes
    )
    kinds_said = {kind for cause in spike.causes for kind in STOPS.get(cause.kind, ("other",))}
    told_s = sum(cause.seconds for cause in spike.causes)
    stop_s = sum(cause.seconds for cause in spike.causes if cause.kind in STOPS)
    if "other" not in kinds_said and kinds_said and told_s <= 1.2 * stops_s + coarse_s:
        return  # it names what stood there, and nothing else
    if 1.1 * usual_s < true_s + stops_s and spike.took_s <= 1.03 * (true_s + stops_s):
        return  # it did take that
    is_told = stops_s > 0 and 0 < stop_s <= 1.4 * stops_s + coarse_s  # little beside its row, as long as it was
    usual = max(one.took_s for one in stretch) <= view.usual_s(stretch[-1].phase) * USUAL
    if usual and not is_told and stops_s + true_s <= usual_s * USUAL + coarse_s:
        yield Fault("slow: was usual", said, f"{true_s:.2f} s, usual {usual_s:.2f}")
        return
    lost_s = max(true_s - usual_s, 0.0) + stops_s
    whole_s = max(lost_s, ends_s - begins_s + before_s - usual_s)
    if sum(cause.seconds for cause in spike.causes) > 1.4 * whole_s + coarse_s + 0.3 * usual_s:
        yield Fault("slow: excess", said, f"lost {lost_s:.2f} s")
    for cause in spike.causes:
        kinds = STOPS.get(cause.kind)
        if kinds and not _has(case, kinds, begins_s - before_s - 0.01, ends_s + 0.01):
            yield Fault(f"slow: no {cause.kind}", said, f"none there; {_there(case, begins_s - before_s, ends_s)}")
        if (
            "warmup" in cause.kind
            and min(one.begins_s for one in view.of_phase(stretch[-1].phase)) < begins_s - 1e-6
        ):
            yield Fault("slow: no warm-up", said, "it had begun long before")


def _printed_s(case: Case, item: Item) -> float:
    """When its row was printed, which may be behind a stop that follows it."""
    rows = [row for row in case.tape.rows if row.iteration.ends_s == item.ends_s]
    return max([item.ends_s, *(case.tape.times_s[row.piece] for row in rows)])


def _behind_s(case: Case, item: Item) -> float:
    return sum(one.ends_s - one.begins_s for one in case.tape.stops if 0 <= one.begins_s - item.ends_s < 1e3)


def _has(case: Case, kinds: tuple[str, ...], begins_s: float, ends_s: float) -> bool:
    """Is any stop of these kinds there, however short?"""
    return any(one.kind in kinds and begins_s <= one.ends_s and one.begins_s <= ends_s for one in case.tape.stops)


def _there(case: Case, begins_s: float, ends_s: float) -> str:
    kinds = [one.kind for one in case.tape.stops if one.begins_s < ends_s and one.ends_s > begins_s]
    return "there was " + (", ".join(kinds) or "nothing")
