"""What makes a run slow: one rule a trouble, each with its evidence and what it can promise.

A rule returns `None` where its facts are missing or do not hold. Thresholds are shares of wall time below
which a trouble is not worth a headline; the facts that decide are those of `facts.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import (
    CAUSES,
    COMPILE,
    DATA,
    GAP,
    GC,
    STRAGGLER,
    THROTTLE,
    TRAINING,
    UNEXPLAINED,
)
from ...words import duration, percent, plural, si, three_digits, times
from ..timing.lasting import longest_s
from . import sentences as say
from .diagnosis import Diagnosis
from .ranks import LATE_IN, imbalanced

if TYPE_CHECKING:
    from .facts import Facts

BAD_LIMITS = ("thermal", "slowdown", "brake", "hardware")
"""Words of the clock-event reasons that mean trouble; a power cap is normal, and an idle GPU has its own rule."""

STOP_SPREAD = 0.15
"""The mean of a few stops is uncertain by this much of it."""

NORMAL_READS_BYTES_PER_S = 50e6
"""More than this from disk, all the time, is more than tokens need; where the need is known, ten times that."""


BEGINNING = 0.05
"""Of the rows since a change: fewer before it were the beginning, and no level that was lost."""

HELD = 64
"""A new level is no headline before so many entries: twice what its detection needs at most."""

MOST = 0.5
"""A place where so much of the unexplained time went is named in the headline."""

FAR, HELD_FAR = 3.0, 16
"""... but one of so many times the seconds, which no noise of a few lines is."""


def throttled(f: Facts) -> Diagnosis | None:
    """The clock is held down by heat or by the power supply."""
    bad = {r: s for r, s in f.load.limits.items() if any(word in r.casefold() for word in BAD_LIMITS)}
    worst = max(bad, key=lambda r: bad[r], default="")
    if bad.get(worst, 0.0) < 0.1 and f.share(THROTTLE) < 0.03:
        return None
    clock = f.load.clock_share
    return Diagnosis(
        "throttled",
        f"The GPU is throttled: {worst or 'its clock fell'}.",
        say.evidence(
            f,
            f'the driver says "{worst}" in {percent(bad[worst])} of the samples' if worst else "",
            f"its clock runs at {percent(clock)} of the highest" if clock else "",
            say.power(f),
        ),
        "Check the cooling and power supply of this machine, or use another one: the training is not the cause.",
        healthy=False,
        gain=(1.0, 1 / clock) if clock else None,
    )


LEAST_HEADLINE = 0.01
"""Waits that are less of the wall time are not what a headline can be about: the GPU worked meanwhile."""

MUCH_WAITING = 0.02
"""Less waiting for I/O happens on any machine, and is evidence of nothing."""


def data_bound(f: Facts) -> Diagnosis | None:
    """The GPU waits for its data: the loop measured it, or the GPU idles while much more than the tokens is read.

    A loop that waits is not yet a GPU that waits: it works on what was queued before. Samples of a busy GPU
    contradict the loop; without samples only the loop is known to wait: there may be no GPU at all.
    """
    measured, reads, pressure = f.data_wait or 0.0, f.load.read_bytes_per_s, f.load.io_pressure or 0.0
    # Of all wall time: nobody waits for data in a stop.
    waited = f.share(DATA) or measured * (1 - (f.stop_share or 0.0))
    need = f.audit.data_bytes_per_s
    much = reads is not None and reads > max(NORMAL_READS_BYTES_PER_S, 10 * (need or 0.0))
    waiting = bool(f.idle and (much or pressure >= 0.1))
    if (measured < 0.1 or f.busy) and not waiting:
        return None
    who = "The GPU waits" if f.busy is False else "The training loop waits"
    cost = say.takes(f, DATA) + "." if f.share(DATA) >= LEAST_HEADLINE else f"{who} for its data."
    return Diagnosis(
        "data-bound",
        cost,
        say.evidence(
            f,
            say.data(f) if measured else "",
            say.power(f),
            f"{si(reads, 'B/s')} read from disk" if reads else "",
            f"processes wait for I/O {percent(pressure)} of the time" if pressure >= MUCH_WAITING else "",
            say.where(f),
        ),
        "Prepare the data once so that loading needs no work, or give the loader more workers and prefetch.",
        healthy=False,
        gain=(1 / (1 - waited / 2), 1 / (1 - waited)) if 0.1 <= measured < 1 else f.whatever_is_left,
    )


def slowed(f: Facts) -> Diagnosis | None:
    """The level rose and stayed: every iteration since then pays for it."""
    shifts = f.findings.level.shifts
    if not shifts or f.clean_s is None or f.findings.level.between or f.findings.level.creeps:
        return None
    last = shifts[-1]
    factor = last.after_s / last.before_s
    far = factor >= FAR and f.findings.progress.trainings <= 1  # another model is no slower one
    if last.held < (HELD_FAR if far else HELD):
        return None  # too young, as ten noisy lines are, for a headline
    if factor < 1.05 or abs(f.clean_s / last.after_s - 1) > 0.05:
        return None  # it did not rise, or it has moved on since, as jumpy runs and other processes do
    if 0 < last.position < BEGINNING * last.held:
        return None  # nor is it news that the first of many iterations were faster
    if f.clean_s < 1.05 * longest_s(shifts):
        return None  # it is as fast as it was for most of the time: what came between was faster for a while
    level = f"an iteration took {duration(last.before_s)} before and takes {duration(last.after_s)} since"
    return Diagnosis(
        "slowed-down",
        f"Slower since iteration {last.index:,}: an iteration takes {times(factor)} as long.",
        say.evidence(f, level, say.power(f), say.speed(f)),
        f"Find what changed then (clock, other jobs, sequence length). If undone: {times(f.gain(factor))} faster.",
        healthy=False,
        gain=(1.0, factor),
    )


def straggler(f: Facts) -> Diagnosis | None:
    """One rank makes all others wait."""
    share, late = f.share(STRAGGLER), f.findings.straggler
    named = late is not None and late.share >= 0.5
    who = f"Rank {late.rank}" if late is not None and named else "One rank"
    headline, next_step = LATE_IN[late.phase if late is not None and named else ""]
    return _lost(
        f,
        "straggler",
        STRAGGLER,
        share if share >= 0.03 else 0.0,
        headline=headline.format(who=who),
        said=say.late(f),
        next_step=next_step,
    )


def late_rank(f: Facts) -> Diagnosis | None:
    """All ranks measured it: stronger than what one of them suggests."""
    late = f.findings.straggler
    measured = late is not None and late.phase and late.share >= 0.5
    return straggler(f) if measured and _is_largest(f, STRAGGLER) else None


def starved(f: Facts) -> Diagnosis | None:
    """Waits for data, where no other cause took more."""
    return data_bound(f) if _is_largest(f, DATA) else None


def recompiling(f: Facts) -> Diagnosis | None:
    """The compiler runs again and again after the warm-up."""
    again = f.findings.recompiled
    if again is None or again.share < 0.02 or again.count < 2:
        return None
    return _lost(
        f,
        "recompiling",
        COMPILE,
        again.share,
        part=f"; {duration(again.seconds)} of it in {again.count:,} after the start",
        headline="The compiler runs again and again during the training.",
        next_step="Find what changes (TORCH_LOGS=recompiles): pad to one shape, or mark the dimension as dynamic.",
    )


def allocation_retries(f: Facts) -> Diagnosis | None:
    """The allocator frees its cache and tries again: memory is all but full."""
    said = [m for m in f.findings.messages if "alloc" in m.text.casefold() and "retr" in m.text.casefold()]
    if not said:
        return None
    return Diagnosis(
        "allocation-retries",
        "GPU memory is full: the allocator frees its cache and tries again.",
        say.evidence(
            f,
            said[-1].text,
            f"{percent(f.load.memory_share)} of the GPU's memory is used" if f.load.memory_share else "",
        ),
        "Use a smaller micro-batch with more accumulation, or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
        healthy=False,
    )


def garbage(f: Facts) -> Diagnosis | None:
    """Python's garbage collector stops the trainer at regular times."""
    share = f.share(GC)
    return _lost(
        f,
        "garbage-collection",
        GC,
        share if share >= 0.005 and f.count(GC) >= 3 else 0.0,
        headline=f"{say.takes(f, GC)}.",
        next_step="Call gc.freeze() after the warm-up, or gc.disable() and gc.collect() at each evaluation.",
    )


def _lost(
    f: Facts,
    kind: str,
    cause: str,
    share: float,
    *,
    headline: str,
    next_step: str,
    said: str = "",
    part: str = "",
) -> Diagnosis | None:
    """A trouble whose cost is in the ledger."""
    if not share:
        return None
    said = said or next((c.evidence for s in reversed(f.findings.spikes) for c in s.causes if c.kind == cause), "")
    cost = f"{say.takes(f, cause)}, in {plural(f.count(cause), 'iteration')}{part}"
    half, whole = 1 / (1 - share / 2), 1 / (1 - share)
    return Diagnosis(
        kind,
        headline,
        say.evidence(f, cost, said),
        f"{next_step} Up to {times(f.gain(whole))} faster.",
        healthy=False,
        gain=(half, whole),
    )


def host_bound(f: Facts) -> Diagnosis | None:
    """The GPU idles and the trainer's own thread is busy: Python cannot launch fast enough."""
    cpu = f.load.trainer_cpu
    if not (f.idle and cpu is not None and cpu >= 0.9) or (f.data_wait or 0.0) >= 0.1:
        return None
    return Diagnosis(
        "host-bound",
        "Limited by the CPU: Python cannot feed the GPU fast enough.",
        say.evidence(
            f, f"the trainer uses {three_digits(cpu)} cores while the GPU idles", say.power(f), say.speed(f)
        ),
        "Try a larger micro-batch, torch.compile or CUDA graphs."
        + (f" At most {times(f.limit)} faster." if f.limit else ""),
        healthy=False,
        gain=f.whatever_is_left,
    )


def stop_heavy(f: Facts) -> Diagnosis | None:
    """Evaluations and checkpoints take a tenth of the time or more."""
    stops = f.stop_share
    if stops is None or stops < 0.1:
        return None
    kind, share, _ = f.costliest
    advice, many = say.half_as_often(f), CAUSES[kind].many.capitalize()
    to_come = f"{many} will take {percent(share)} of the time to come."
    if f.findings.ended:  # of a run that is over nothing is to come, though its wall time may be unknown
        to_come = f"{many} took {percent(share)} of the time from one to the next."
    return Diagnosis(
        "stop-heavy",
        f"{say.takes(f, kind)}." if f.share(kind) else to_come,
        say.evidence(f, say.where(f), say.rows_wait(f), say.speed(f)),
        advice,
        healthy=True,
        gain=(1 / (1 - (1 - STOP_SPREAD) * share / 2), 1 / (1 - share / 2)) if advice else None,
    )


def stops_of_several_kinds(f: Facts) -> Diagnosis | None:
    """They take a tenth of the time or more, and differ too much: what fewer of them would save nobody knows."""
    uneven = {one.kind for one in f.findings.eta.schedules if one.uneven}
    rows = [row for row in f.lost if row.cause in uneven and row.share >= 0.1 and not row.at_most]
    if not rows:
        return None
    says = say.evidence(f, say.where(f), say.speed(f))
    return Diagnosis("stop-heavy", f"{say.takes(f, rows[0].cause)}.", says, "", healthy=True)


def not_explained(f: Facts) -> Diagnosis | None:
    """A tenth of the time or more goes where nothing says why."""
    rows = [row for row in f.lost[:1] if row.cause in (UNEXPLAINED, GAP) and row.share >= 0.1]
    if not rows:
        return None
    spikes = reversed(f.findings.spikes)
    said = next((c.evidence for s in spikes for c in s.causes if c.kind == rows[0].cause), "")
    place = f.findings.slow_place if rows[0].cause == UNEXPLAINED else None
    said = "" if place is not None or said.startswith("no cause") else said  # the headline says so
    mostly = place is not None and place.seconds >= MOST * rows[0].seconds
    in_it = f", most of it in {place.at}" if place is not None and mostly else ""
    return Diagnosis(
        "not-explained",
        f"{say.takes(f, rows[0].cause)}{in_it}; no cause was found.",
        say.evidence(f, say.where(f), said, say.speed(f), say.power(f)),
        say.look_at(f)
        or (f"{say.NAME_IT}." if f.hooked else f"{say.USE_HOOKS}: they time evaluations, checkpoints and waits."),
        healthy=None,
    )


def largest_loss(f: Facts) -> Diagnosis | None:
    """What the ledger has lost: the largest cause first, one without a name included."""
    losses = _losses(f)
    return max(losses, key=lambda one: one[1])[2] if losses else None


def _losses(f: Facts) -> list[tuple[str, float, Diagnosis]]:
    """Each cause that is worth a word, with its share of the wall time."""
    found = [(cause, rule(f)) for cause, rule in LOSSES]
    found += [(f.costliest[0], stop_heavy(f))] if f.stop_costs else []
    found += [(f.lost[0].cause, stops_of_several_kinds(f) or not_explained(f))] if f.lost else []
    return [(cause, f.share(cause), said) for cause, said in found if said is not None]


def _is_largest(f: Facts, cause: str) -> bool:
    """Does no other cause that is worth a word take more of the wall time?

    Waits that the ledger does not hold are as long as the trainer measured them; of others nobody knows.
    """
    share = f.share(cause) or (f.data_wait or 0.0) * f.share(TRAINING)
    return not share or all(other <= share for _, other, _ in _losses(f))


LOSSES = ((STRAGGLER, straggler), (COMPILE, recompiling), (GC, garbage), (DATA, data_bound))

TROUBLES = (
    throttled,
    late_rank,
    imbalanced,
    starved,
    slowed,
    allocation_retries,
    host_bound,
    largest_loss,
)
"""Strongest first: what a person cannot repair in the code, then what costs most."""
