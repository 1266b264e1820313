"""The usual time, its spread and its changes, where the time went, when it is done: against the truth."""

from __future__ import annotations

from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING

from itermon.reports.rows.ledger import ROW_TO_ROW, name_of

from .case import Fault
from .views import EPOCH, STEP, passed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.analysis.findings import LedgerRow

    from .case import Case
    from .views import View

NEAR, CLEAR = 1.12, 1.3
FEW = 3


def faults(case: Case, view: View) -> Iterator[Fault]:
    """All of one way to count."""
    if case.found.level.clean_s is not None and case.found.level.iterations >= FEW:
        yield from _level(case, view)
        yield from _moved(case, view)
    yield from _shares(case)
    yield from _wall(case)
    yield from _eta(case)


def _coarse_s(case: Case) -> float:
    """What the only clock of a log cannot tell, for each of a row's iterations."""
    return (1.0 if case.script.has_whole_seconds else 0.0) / max(1, case.found.level.averaged_over)


def _truths(view: View) -> tuple[list[float], list[float]]:
    """The times of each, with and without what lies beside; newest phase, or all."""
    phase = view.last_phase
    items = view.of_phase(phase)
    return [one.took_s for one in items], [*passed(items)]


def _bounds(case: Case, view: View) -> tuple[float, float]:
    """Of the usual time: from the least that one may take to where each row has its share of the stops in it."""
    phase = case.plan.phases[view.last_phase]
    taken, between = _truths(view)
    low = min(median(taken), *(median(taken[at : at + 8]) for at in range(0, len(taken), 8)))
    high = max(median(taken), *(median(taken[at : at + 8]) for at in range(0, len(taken), 8)))
    if (over := case.found.level.averaged_over) > 1:  # a mean has its part of each stall
        high = max(high, median(fmean(taken[at : at + over]) for at in range(0, len(taken), over)))
    stops_s = sum(one.ends_s - one.begins_s for one in case.tape.stops if one.phase == view.last_phase)
    seldom = view.unit == EPOCH or case.script.every * 4 > phase.batches or case.script.style == "first rows"
    held_s = stops_s if seldom else _held_s(case)
    waited_s = sum(one.waited_s for one in case.tape.iterations) if seldom else 0.0
    more_s = (held_s + waited_s) / max(1, len(taken))
    if between:
        high = max(high, median(between)) if view.unit != STEP else high
    return low, high + more_s


def _held_s(case: Case) -> float:
    """The stops in the iterations' times: those it says, and untold ones where the printed time holds them."""
    names = " ".join(name_of(row.cause, case.found) for row in case.found.ledger)
    kinds = {kind for kind, word in (("evaluation", "training + eval"), ("checkpoint", " sav")) if word in names}
    held = [one for one in case.tape.stops if one.kind in kinds or (not one.told and _holds_all(case))]
    return sum(one.ends_s - one.begins_s for one in held)


def _holds_all(case: Case) -> bool:
    """Does the trainer print times that hold whatever its epoch's end took?"""
    return bool(case.settings.get("times hold stops"))


def _level(case: Case, view: View) -> Iterator[Fault]:
    level = case.found.level
    low, high = _bounds(case, view)
    coarse_s = _coarse_s(case)
    if level.between is None and not low / NEAR - coarse_s <= level.clean_s <= high * NEAR + coarse_s:
        yield Fault("usual", f"{level.clean_s:.4f} s usual", f"{low:.4f} to {high:.4f} by {view.unit}")
    taken, between = _truths(view)
    if level.p95_s is not None and level.between is None and len(taken) >= 20:
        most = sorted([*taken, *between])[int(0.97 * (len(taken) + len(between) - 1))]
        if level.p95_s > max(most, high) * NEAR * 1.1 + 2 * coarse_s:
            yield Fault("p95", f"p95 {level.p95_s:.4f} s", f"at most {max(most, high):.4f} by {view.unit}")
    if case.found.jitter is not None and level.averaged_over == 1 and view.unit == STEP and len(taken) > 30:
        true = pstdev(sorted(taken)[len(taken) // 20 : -len(taken) // 20]) / median(taken)
        if case.found.jitter > 2 * true + 0.02 + coarse_s / level.clean_s:
            yield Fault("jitter", f"jitter {case.found.jitter:.3f}", f"{true:.3f}")


def _moved(case: Case, view: View) -> Iterator[Fault]:
    """Warm-up and changes of the level."""
    level, plan = case.found.level, case.plan
    first = case.tape.iterations[0]
    if level.warmup_iterations and not plan.first_s and first.waited_s < plan.phases[0].clean_s:
        waits_s = plan.stall_s if plan.stalls else 0.0
        if not waits_s:
            yield Fault("warm-up", f"settled after {level.warmup_iterations}", "no step was slow at its beginning")
    elif level.warmup_iterations and view.unit == STEP:
        rows = 3 * case.script.every
        if level.warmup_iterations > max(3, 2 * rows) and not plan.stalls:
            yield Fault("warm-up", f"settled after {level.warmup_iterations}", "only the first was slow")
    phases = {one.clean_s for one in plan.phases}
    for shift in () if level.creeps else level.shifts:
        ratio = shift.after_s / shift.before_s
        true = {1.0, *((plan.slower_by, 1 / plan.slower_by) if plan.slower_from is not None else ())}
        true |= {a / b for a in phases for b in phases}
        if not any(1 / CLEAR < ratio / one < CLEAR for one in true if one != 1.0) and not 1 / 1.05 < ratio < 1.05:
            yield Fault(
                "level moved",
                f"the level moved at {shift.index:,}: {shift.before_s:.4f} became {shift.after_s:.4f}",
                f"steps took {[round(one, 4) for one in phases]}, {'changed' if len(true) > 1 else 'always'}",
            )


def _true_s(case: Case, cause: str) -> tuple[float, float]:
    """From the least to the most that a cause took."""
    wait_s = case.plan.first_s * len(case.plan.phases) + case.plan.stall_s * len(case.plan.stalls)
    sums = {
        kind: sum(one.ends_s - one.begins_s for one in case.tape.stops if one.kind == kind)
        for kind in ("evaluation", "checkpoint")
    }
    trained_s = sum(one.took_s for one in case.tape.iterations)
    silent_s = sum(one.ends_s - one.begins_s for one in case.tape.stops if not one.told) * _holds_all(case)
    data_s = sum(one.waited_s for one in case.tape.iterations)
    wait_s += data_s  # which may have a row of its own
    both_s = sum(sums.values())
    return {
        "evaluation": (0.0, sums["evaluation"]),
        "checkpoint": (0.0, sums["checkpoint"]),
        "evaluation + checkpoint": (0.0, both_s),
        "data": (0.0, data_s or float("inf")),
        "warmup": (0.0, wait_s),
        "warmup + evaluation": (0.0, wait_s + sums["evaluation"]),
        "training": (trained_s - wait_s, trained_s + silent_s),
        "training + evaluating": (trained_s - wait_s, trained_s + sums["evaluation"] + silent_s),
        "training + saving": (trained_s - wait_s, trained_s + sums["checkpoint"]),
        "training + eval + save": (trained_s - wait_s, trained_s + both_s),
        "iterations": (trained_s - wait_s, trained_s + both_s),
    }.get(cause, (0.0, float("inf")))


def _shares(case: Case) -> Iterator[Fault]:
    whole_s = sum(row.seconds for row in case.found.ledger)
    waited_s = sum(row.seconds for row in case.found.ledger if row.cause == "data")
    part = case.settings.get("wait part")
    if isinstance(part, float):
        true_s = part * sum(one.took_s for one in case.tape.iterations)
        if abs(waited_s - true_s) > 0.1 * true_s + 0.02 * whole_s + 1.0:
            yield Fault("shares", f"waiting for data {waited_s:.1f} s", f"{true_s:.1f} s")
    for row in case.found.ledger:
        name = name_of(row.cause, case.found)
        if name == ROW_TO_ROW or not row.seconds:
            continue
        least_s, most_s = _true_s(case, name)
        least_s -= waited_s if name.startswith("training") else 0.0
        loose_s = 0.04 * whole_s + _coarse_s(case) * max(1, row.count) + 1.0
        factor = 1.5 if row.rough else 1.2 if row.estimated else 1.1
        too_much = row.seconds > most_s * factor + loose_s and not row.at_most
        is_least = row.at_least or case.found.progress.at_least
        if too_much or (row.seconds < least_s / factor - loose_s and not is_least):
            yield Fault("shares", _said(row, name), f"{least_s:.1f} to {most_s:.1f} s")
        yield from _mean(case, row, name)


def _said(row: LedgerRow, name: str) -> str:
    return f"{name} {'~' * row.estimated}{row.seconds:.1f} s ({100 * row.share:.0f} %), {row.count} times"


def _mean(case: Case, row: LedgerRow, name: str) -> Iterator[Fault]:
    """How long one evaluation or save takes, where that is said."""
    if (
        name not in ("evaluation", "checkpoint")
        or not row.count
        or row.rough
        or (row.at_least and row.seconds < 1)
    ):
        return
    stops = [one for one in case.tape.stops if one.kind == name]
    if not stops:
        yield Fault("evals", _said(row, name), "there was none")
        return
    pairs: dict[int, float] = {}
    for one in stops:
        pairs[one.after] = pairs.get(one.after, 0.0) + one.ends_s - one.begins_s
    each_s = [one.ends_s - one.begins_s for one in stops]
    mean_s, coarse_s = row.seconds / row.count, _coarse_s(case)
    noise_s = 3 * case.plan.noise * case.script.every * case.plan.phases[0].clean_s
    low = min(each_s) / (1.3 if row.estimated else 1.15) - coarse_s - noise_s
    high = float("inf") if row.at_most else max(pairs.values()) * 1.3 + coarse_s + noise_s
    if not low <= mean_s <= high:
        yield Fault(
            "evals", f"{name} {row.count} × {mean_s:.2f} s", f"{min(each_s):.2f} to {max(pairs.values()):.2f} s"
        )


def _wall(case: Case) -> Iterator[Fault]:
    wall_s, tape = case.found.progress.wall_s, case.tape
    if wall_s is None:
        return
    whole_s = tape.times_s[-1] - tape.begun_s
    first_s, last_s = tape.rows[0].iteration.ends_s, tape.rows[-1].iteration.ends_s
    least_s = (last_s - first_s) * 0.94 - 3.0
    if "estimated from the times" in case.text.split(" Verdict ")[0]:  # of the steps alone
        rare_s = case.plan.first_s + case.plan.stall_s * len(case.plan.stalls)
        least_s = (sum(one.took_s for one in tape.iterations) - rare_s) * 0.85 - 3.0
    if "elapsed" in case.text or case.script.has_whole_seconds:
        least_s -= 1.0
    if wall_s > whole_s * 1.06 + 3.0:
        yield Fault("wall", f"{wall_s:.1f} s passed", f"{whole_s:.1f} s, all in all")
    elif wall_s < least_s and not re_at_least(case):
        yield Fault("wall", f"{wall_s:.1f} s passed", f"at least {last_s - first_s:.1f} s from row to row")


def re_at_least(case: Case) -> bool:
    """Does the head call the wall time a bound, or the sum of the times?"""
    head = case.text.split(" Verdict ")[0]
    said = ("at least", "sum of", "estimated from the times", "in iterations", "iteration time")
    return any(one in head for one in said)


def _eta(case: Case) -> Iterator[Fault]:
    eta = case.found.eta
    if not eta.remaining_s or case.found.ended or not case.plan.is_steady or eta.high_s is None:
        return
    last_s = max(case.tape.rows[-1].iteration.ends_s, case.tape.times_s[case.tape.rows[-1].piece])
    left_s = case.tape.ends_s - last_s
    stops = case.tape.stops
    tail_s = (
        (stops[-1].ends_s - stops[-1].begins_s) * len(case.plan.sets or (0,)) + case.plan.save_s if stops else 0.0
    )
    done = case.tape.rows[-1].iteration.place  # nobody foresees a stall
    tail_s += case.plan.stall_s * sum(place > done for _, place in case.plan.stalls)
    low, high = (eta.low_s or 0.0) * 0.9 - 1.0, eta.high_s * 1.1 + 1.0 + tail_s
    if not low <= left_s <= high:
        yield Fault(
            "eta",
            f"done in {eta.remaining_s:.0f} s, between {eta.low_s:.0f} and {eta.high_s:.0f}",
            f"{left_s:.0f} s",
        )
