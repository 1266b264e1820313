"""What this source does not contain, and how to find it out: the last part of every verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EVALUATION_AND_CHECKPOINT
from ...words import duration, listed, money, plural, si

if TYPE_CHECKING:
    from .facts import Facts


def unknowable(f: Facts) -> tuple[str, ...]:
    """What this source does not contain, and how to find it out."""
    a = f.audit
    parts = [*_of_other_rows(f), *_of_the_plan(f)]
    if a.peak_flops is None:
        parts.append(f"how fast it could go: {f.findings.unknown.get('audit.mfu', 'no GPU was found')}")
    if f.findings.load is None and not f.on_cpu:
        parts.append("whether a GPU works or waits: no GPU samples")
    if f.info.synchronised is False and not f.hooked:
        parts.append("the GPU's own times: the trainer's clock does not wait for the GPU; itermon's hooks time it")
    if f.findings.level.evaluates:
        parts.append("how long training and how long evaluating takes: each iteration's time here contains both")
    elif f.findings.row_to_row:
        what = "what is in the iterations' times besides training: they are measured from row to row"
        parts += [what] if f.findings.level.iterations else []
    elif hidden := f.findings.progress.hidden_stops:
        stops = listed([f"{kind}s" for kind in hidden])
        parts.append(f"how long {stops} take: the times of rows do not tell most of them apart")
    if f.share(EVALUATION_AND_CHECKPOINT) and not f.hooked:
        both = "how long evaluating and how long saving takes: the log gives one time for both"
        parts.append(f"{both}{_saving(f)}; itermon's hooks time each")
    return tuple(parts)


def _of_other_rows(f: Facts) -> list[str]:
    """What no figure here holds.

    Long stretches alone are counted: between the rows behind one there may be more, a few at a time.
    """
    other = f.findings.progress.other
    if not other.lines:
        return []
    which = "the newest begin at" if other.behind else "such as those from"
    where = "" if other.first is None else f" ({which} line {other.first:,}{'' if other.behind else ' on'})"
    return [f"what at least {plural(other.lines, 'line')} say that print a loss in a form not read{where}"]


def _of_the_plan(f: Facts) -> list[str]:
    """What a person asked of it that it cannot tell."""
    config, eta = f.findings.config, f.findings.eta
    parts = []
    if config.budget is not None and eta.cost_so_far is None:
        why = (
            "no price of an hour is known (--cost-per-hour)"
            if config.cost_per_hour is None
            else "no clock was found"
        )
        parts.append(f"whether it keeps to its budget of {money(config.budget)}: {why}")
    if config.deadline_at_s is not None and not f.findings.ended and eta.finish_at_s is None:
        parts.append(
            f"whether it will be done by its deadline: {f.findings.unknown.get('eta', 'its end is not known')}"
        )
    return parts


def _saving(f: Facts) -> str:
    """What the size of a checkpoint says of a stop that was partly saving: a bound."""
    stop = next((s for s in f.findings.eta.schedules if s.kind == EVALUATION_AND_CHECKPOINT), None)
    size = f.audit.checkpoint_bytes
    if stop is None or not stop.mean_s or size is None:
        return ""
    rate = si(size / stop.mean_s, "B/s")
    return f" ({si(size, 'B')} saved in at most {duration(stop.mean_s)}: at least {rate})"
