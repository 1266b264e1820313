"""What each fact says: one sentence, "" where the fact is not known."""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

from ...events import BEFORE_FORWARD, BEFORE_STEP, CAUSES, DATA, PAUSE, UNEXPLAINED
from ...words import (
    about_percent,
    duration,
    floored_share,
    listed,
    percent,
    plural,
    short_count,
    short_duration,
    si,
    times,
    unlike_times,
    with_article,
)
from ..audit.flops import LOWER_BOUND
from ..audit.peaks import excluded
from .stop_costs import saved_by_half

if TYPE_CHECKING:
    from ..findings import LedgerRow
    from .facts import Facts

MUCH_DEMAND = 0.5
"""A cold disk that needs more of an iteration would show: data in memory is what such a run lives on."""


USE_HOOKS = "Use itermon's hooks (itermon run --hooks -- python train.py)"

NAME_IT = "Mark the slow part of the loop: `with hooks.evaluation():`, `hooks.checkpoint()` or `hooks.data()`"


_CLEARLY, _MOVED_ON = 1.25, 0.05
"""Another level by so much is worth a word; and the newest change is not the last where the level left it."""

_OTHER = 1.1
"""A level that differed by so much was no steady one together with that of now."""


def sentence(text: str) -> str:
    """With a capital and a period."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", "…", '"')) else ".")


def what_tells(f: Facts) -> str:
    """What finds out where unexplained time goes."""
    if f.hooked:
        return "itermon stack PID shows what the trainer does in the unexplained time"
    return f"{USE_HOOKS} to see what takes the unexplained time"


def speed(f: Facts) -> str:
    """MFU, and what the peak would allow."""
    a = f.audit
    if a.mfu is None or a.peak_flops is None or a.floor_s is None or not f.clean_s:
        return _achieved(f)
    peak = f"({si(a.peak_flops, 'FLOP/s')}{' ' + a.precision if a.precision else ''})"
    alone = " (1 GPU assumed)" if f.one_gpu else ""
    least = f"at the full speed of {f'the {a.gpu}' if a.gpu else 'the GPU'} {peak} {duration(a.floor_s)}"
    return f"MFU is {percent(a.mfu)}{alone}: an iteration takes {duration(f.clean_s)}, {least}"


def _achieved(f: Facts) -> str:
    if f.audit.achieved_flops is None:
        return ""
    gpus = f.audit.gpus
    devices = "processes" if f.on_cpu else "GPUs"
    by = " by all GPUs" if f.one_gpu else f" on each of {gpus} {devices}" if gpus and gpus > 1 else ""
    least, why = ("at least ", ", attention not counted") if LOWER_BOUND in f.audit.estimated else ("", "")
    return f"{least}{si(f.audit.achieved_flops, 'FLOP/s')} achieved{by}{why}"


def fits(f: Facts) -> str:
    """Which GPU it must be at least, where its name is not known."""
    achieved = f.audit.achieved_flops
    if achieved is None or f.audit.peak_flops is not None or f.one_gpu:
        return ""
    out, left = excluded(achieved, f.audit.precision)
    if not out or not left:
        return ""
    slowest = min(left, key=lambda p: p.at(f.audit.precision)[0] or 0.0).label
    return f"the GPU must be {with_article(slowest)} or faster"


def power(f: Facts) -> str:
    """Power against the limit."""
    share = f.load.power_share
    return "" if share is None else f"the GPU uses {percent(share)} of its power limit"


def steadiness(f: Facts) -> str:
    """How alike the normal iterations are, and since when."""
    jitter = f.findings.level.jitter
    if jitter is None or not f.flat or f.findings.level.shows_little:
        return ""
    how = f"jitter {percent(jitter)}" if f.findings.level.averaged_over == 1 else f"{_alike(f)} {percent(jitter)}"
    return f"{times_of(f)} are steady{since(f)} ({how}){and_before(f)}"


def times_of(f: Facts) -> str:
    """`iteration times`; of several trainings those of the newest, which the level is of.

    Where the level has moved, and nobody can say since when it is what it is, only the newest are spoken of.
    """
    if f.findings.row_to_row:
        return "times from row to row"
    if f.several:
        return "the newest training's iteration times"
    return "the newest iteration times" if f.findings.level.crept and not since(f) else "iteration times"


def since(f: Facts) -> str:
    """` since iteration 2,000`, where the level was another one before; else nothing."""
    level, shifts = f.findings.level, f.findings.level.shifts
    if level.between or level.creeps or not f.clean_s or not shifts:
        return ""
    if abs(f.clean_s / shifts[-1].after_s - 1) > _MOVED_ON:
        return ""
    moved = any(abs(log(one.before_s / f.clean_s)) > log(_OTHER) for one in shifts)
    return f" since iteration {shifts[-1].index:,}" if moved else ""


def and_before(f: Facts) -> str:
    """What it was then: the level that was farthest from the one now."""
    far = _farthest(f)
    if far is None:
        return ""
    first, stop, level_s = far
    when = f"until iteration {stop:,}" if first is None else f"from iteration {first:,} to {stop:,}"
    return f"; {when} one took {duration(level_s)}, now {duration(f.clean_s or 0.0)}"


def _farthest(f: Facts) -> tuple[int | None, int, float] | None:
    """From and to which iteration the level was farthest from that of now, and the level; where it was clearly."""
    shifts = f.findings.level.shifts
    if not shifts or f.findings.level.between or f.findings.level.creeps:
        return None
    now_s = shifts[-1].after_s
    if not f.clean_s or abs(f.clean_s / now_s - 1) > _MOVED_ON:
        return None
    levels: list[tuple[int | None, int, float]] = [(None, shifts[0].index, shifts[0].before_s)]
    levels += [(one.index, then.index, one.after_s) for one, then in pairwise(shifts)]
    levels = [level for level, then in zip(levels, shifts, strict=True) if not then.several_before]
    if not levels:
        return None
    far = max(levels, key=lambda level: abs(log(level[2] / now_s)))
    return far if abs(log(far[2] / now_s)) >= log(_CLEARLY) else None


ELSE_BY_CLOCK = "More time passes than the printed iteration times explain"


def spread(f: Facts) -> str:
    """The same, where the headline has said whether they are."""
    jitter = f.findings.level.jitter
    if jitter is None or f.findings.level.between or f.findings.unlike_rows:
        return ""
    if f.findings.level.shows_little and f.clean_s:
        by_clock = duration(f.findings.level.apart_s or 0.0)
        return f"by the clock an iteration takes ~{by_clock}; those that are printed took {duration(f.clean_s)}"
    if f.findings.level.averaged_over > 1:
        return f"{_alike(f)} {percent(jitter)}{and_before(f)}"
    if f.findings.row_to_row:
        return f"{_most(f)}times from row to row differ by {percent(jitter)}{and_before(f)}"
    return f"normal iterations differ by {percent(jitter)} (jitter){and_before(f)}"


def _alike(f: Facts) -> str:
    """What differs where a log gives means: less than the iterations in them do."""
    return f"{_most(f)}means of {plural(f.findings.level.averaged_over, 'iteration')} differ by"


def _most(f: Facts) -> str:
    """Some are far from the others, whose spread it is."""
    return "most " if f.mostly_flat and not f.flat else ""


def data(f: Facts) -> str:
    """What the data costs, at most."""
    a = f.audit
    if f.findings.throughput.data_wait_share is not None:
        return _measured_wait(f)
    if a.data_bytes_per_s is None or a.data_reads_per_iteration is None or f.data_demand is None:
        return ""
    need = f"data: {plural(a.data_reads_per_iteration, 'read')} an iteration, {si(a.data_bytes_per_s, 'B/s')}"
    if f.data_demand > MUCH_DEMAND:
        return f"{need}; a disk without cache (5,000 IOPS) would take {times(f.data_demand)} the iteration"
    return f"{need}; even a disk without cache (5,000 IOPS) needs {percent(f.data_demand)} of an iteration"


OF_THE_NEWEST, BUT_ONE = " of the newest iterations", " without the longest wait"
"""Of which a mean is told that is not of all."""

_UNLIKE = 2.0
"""Times as long as all others: the newest iterations' waits are none to be told beside those."""


_MOST_OF_A_ROW = 0.5


def _measured_wait(f: Facts) -> str:
    """The trainer's own measurement, in seconds: its share of the wall time is the ledger's.

    Both are means of the same iterations: a share of one group is none of the level of another.
    Nothing where no one time is usual; nor where the ledger differs, and nobody knows how many there were; nor
    where it has far more, of rows that are means, of which most waited next to nothing.
    """
    share = f.findings.throughput.data_wait_share or 0.0
    own_s = f.findings.throughput.data_wait_of_s
    if f.clean_s is None or (own_s is None and f.findings.level.between is not None):
        return rows_wait(f)
    each_s = f.clean_s if own_s is None else own_s
    if not share:
        return f"the trainer measured no wait for data in most of its iterations of {duration(each_s)}"
    told = share * each_s / (f.waited_each_s or share * each_s)
    of_means = own_s is None and f.findings.level.averaged_over > 1
    if told < 1 / _UNLIKE and (of_means or f.findings.progress.at_least):
        return ""
    if told > _UNLIKE and f.findings.progress.at_least:
        return ""
    waited, mean = duration(share * each_s), "" if own_s is None else f", on average{OF_THE_NEWEST}{BUT_ONE}"
    return f"the trainer measured {waited} of waiting for data in an iteration of {duration(each_s)}{mean}"


def rows_wait(f: Facts) -> str:
    """What rows waited, where what the iterations without a line waited is not known; else ""."""
    share = f.findings.throughput.data_wait_share or 0.0
    if share < _MOST_OF_A_ROW or not f.at_least(DATA):
        return ""
    return f"its newest rows waited for data for {percent(share, 0)} of their time, the others are not known"


def late(f: Facts) -> str:
    """The rank that all others wait for."""
    late = f.findings.straggler
    if late is None:
        return ""
    within = late.phase if late.phase in (BEFORE_FORWARD, BEFORE_STEP) else f"in {late.phase}"
    where = f" {within}" if late.phase else ""
    took = f"rank {late.rank} takes {duration(late.local_s)}, the others {duration(late.others_s)}"
    return f"{took}; it is late{where} in {percent(late.share)} of the newest iterations"


SHOWN = 3
"""Causes of lost time in a sentence; the ledger has them all."""

LEAST_SHARE, LEAST_UNCOUNTED = 0.001, 0.005
"""Of the wall time, to be worth a word; what no one can count is what roundings leave, too."""


def where(f: Facts) -> str:
    """Where the time went that was no training: the lanes' figures, the largest first, known or not."""
    rows = f.lost_or_unexplained[:SHOWN]
    lost = [row for row in rows if row.share >= (LEAST_SHARE if row.count else LEAST_UNCOUNTED)]
    parts = [_row(row) for row in lost]
    first = f.findings.first_waits
    if first is not None:
        parts.append(f"waiting for the first batch {percent(first.share)} ({_counted(first)})")
    return f"{f.findings.shared_out}: {listed(parts)}" if parts else ""


def slow_place(f: Facts) -> str:
    """`unexplained 4.1 %: 9 of 11 slow iterations were in data.py:48 read_shard`; empty where no look decides."""
    place, slow = f.findings.slow_place, f.count(UNEXPLAINED)
    share = f.share(UNEXPLAINED)
    if place is None or share < LEAST_SHARE or not slow:
        return ""
    were = "was" if place.iterations == 1 else "were"
    of = "the slow iteration was" if slow == 1 else f"{place.iterations:,} of {slow:,} slow iterations {were}"
    return f"unexplained {percent(share)}: {of} in {place.at}"


def drained(f: Facts) -> str:
    """`checkpoints are written beside the training: 12 × 4.10 s, in which it went on`."""
    written = f.findings.drained
    if written is None:
        return ""
    each = duration(written.seconds / written.count)
    return f"checkpoints are written beside the training: {written.count:,} × {each}, in which it went on"


def look_at(f: Facts) -> str:
    """What to do about the place that cost most; empty where none is known."""
    place = f.findings.slow_place
    if place is None:
        return ""
    return f"Look at {place.at}: {duration(place.seconds)} went there, in {plural(place.iterations, 'iteration')}."


def _row(row: LedgerRow) -> str:
    """`evaluation 5.9 % (21 × 5.90 s)`"""
    least = "at least " * row.at_least
    if row.rough:
        return f"{noun(row.cause)} {least}about {percent(row.share, 0)}"
    share = floored_share(row.share) or row.share if row.at_least else row.share
    return f"{noun(row.cause)} {'at most ' * row.at_most}{least}{percent(share)} ({_counted(row)})"


def _counted(row: LedgerRow) -> str:
    if not row.each_is_known:
        return short_duration(row.seconds)
    if row.span_s is not None:
        least_s, most_s = row.span_s
        usual = "" if row.usual_s is None else short_duration(row.usual_s)
        return unlike_times(row.count, (short_duration(least_s), short_duration(most_s)), usual)
    return f"{short_count(row.count)} × {short_duration(row.seconds / row.count)}"


def noun(cause: str) -> str:
    """What a cause is called in a sentence."""
    kind = CAUSES.get(cause)
    return (kind.noun or kind.name) if kind else cause


def takes(f: Facts, cause: str) -> str:
    """`Evaluation takes 5.9 % of the wall time`: the share of its lane."""
    kind = CAUSES.get(cause)
    rough = f.is_rough(cause)
    most = "at most " if f.at_most(cause) else "at least " * f.at_least(cause) + "about " * rough
    bound = f.at_least(cause) and not (rough or f.at_most(cause))
    share = percent(floored_share(f.share(cause)) if bound else f.share(cause), 0 if rough else None)
    said = f"{kind.takes if kind else cause + ' takes'} {most}{share} of the {f.findings.shared_out}"
    return sentence(said)[:-1]


def half_as_often(f: Facts) -> str:
    """What the costliest stop saves at half its rate: `Evaluations every 500 iterations save ...`, or ""."""
    kind, share, interval = f.costliest
    saved = saved_by_half(f.findings, kind, share)
    if saved is None:
        return ""
    unit = f.findings.progress.unit
    often = f"every {plural(2 * interval, unit)} instead of {interval:,}" if interval else "half as often"
    paused = ", pauses left out" if f.share(PAUSE) else ""  # of which none is to come
    return sentence(f"{CAUSES[kind].many} {often} save {about_percent(saved)} of the time{paused}")


def evidence(f: Facts, *sentences: str) -> tuple[str, ...]:
    """`sentences` that are known, and the log's wrong MFU where it has one."""
    note = f.audit.note if (f.audit.logged_mfu or 0) > 1 else ""
    return tuple(sentence(s) for s in (*sentences, note) if s)
