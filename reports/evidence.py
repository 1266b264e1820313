"""The evidence for one iteration's time in sentences: how strongly a cause is known, what the machine did then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from ..analysis.causes.spikes import NEAR_A_SAVE, UNTOLD
from ..analysis.findings.speed import CLOCKS
from ..analysis.timing.witnesses import WORDS
from ..events import EVALUATION, PAUSE, RESTART, UNEXPLAINED, Strength, Witness
from .rows.ledger import stops_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.findings import Alongside, Cause, Findings, GpuPhase, Level, Progress, Shift, Spike

STRENGTHS = {
    Strength.HOOK: "the trainer measured it",
    Strength.LOG: "a line tells of it",  # of its seconds only where the evidence says so
    Strength.TELEMETRY: "power, clocks or I/O changed",
    Strength.PERIOD: "it returns: the timings alone",
    Strength.GUESS: "a guess",
}
"""How strongly a cause is known."""


_FEW = 0.05
"""Of the iterations: more without a time of their own make a sum an estimate."""
_SOME = 0.01
"""Of the wall time: less is not named beside it."""

BETWEEN_TWO = "by the lines' clock"
"""Of what passed between two trainings or processes: no line tells of a pause."""


_ROW_SHOWN = 220
"""Characters of a row: three lines of a report."""


def newest_row(found: Findings) -> list[str]:
    """The newest row of a script that nobody described, word for word: what its numbers are, its own names say."""
    if found.ending is None or not found.ending.row:
        return []
    row = words.clipped(" ".join(found.ending.row.split()), _ROW_SHOWN)
    return [f"line {found.ending.row_line or 0:,}: {row}"]


def are_cut_out(found: Findings) -> bool:
    """Are rows missing, each of which would be a mean of all since the one before?

    Of each start the first row may be a mean of none. Where so many rows, each of so many, make up all, some tell
    the newest iteration's time alone, and none is missing.
    """
    p, each = found.progress, found.level.averaged_over
    missing = min(p.iterations_unseen, p.iterations_seen - p.rows * each)
    return each > 1 and missing > (p.trainings + p.restarts + 1) * each


def alone(level: Level) -> str:
    """That no other witness confirms a time; and what a clock says, where that is another."""
    if level.apart_s is None:
        return ", without a second witness"
    return f"; from row to row ~{words.duration(level.apart_s)} passes for each, by {WORDS[level.apart_by]}"


def drifted(level: Level) -> list[str]:
    """That it moved little by little, and how far, where it did."""
    if level.drifted is None:
        return []
    first_s, last_s = (words.duration(one) for one in level.drifted)
    return [f"the level drifted from {first_s} in the first tenth of its rows to {last_s} in the last"]


def breaks(p: Progress) -> str:
    """What else is in a wall time by the lines' stamps: long silences, and stamps that step back."""
    silent = f", at least {words.floored_duration(p.silent_s)} of it without a row" if p.silent_s else ""
    return silent + (", added up where they step back" if p.clock_steps_back else "")


def strength_of(cause: Cause) -> str:
    """How strongly it is known; of what nothing explains, why."""
    if cause.kind in (PAUSE, RESTART) and cause.strength == Strength.LOG:
        return BETWEEN_TWO
    return cause.evidence if _unexplained(cause) else STRENGTHS.get(cause.strength, cause.strength)


def lost(cause: Cause) -> str:
    """What something cost: `+5.73 s`; a rough time says something of many together, of one nothing."""
    return "" if cause.rough else f"+{words.duration(cause.seconds)}"


def has_evidence(cause: Cause) -> bool:
    """Whether there is more to say than its kind: that nothing explains an iteration is said by "unexplained"."""
    return bool(cause.evidence) and not _unexplained(cause)


def of_several(found: Findings, slow: Sequence[Spike]) -> list[str]:
    """That slow rows stand for several iterations: all of them, or those beside which no stop is told of.

    Where each iteration has its row, it is a clock too coarse for one of them that tells the time of several.
    """
    several = {spike.averaged_over > 1 for spike in slow}
    if found.progress.rows >= found.progress.iterations_seen > 0 and True in several:
        return [
            "times are of several rows, up to the one that is named"
            + ", or of that one alone" * (False in several)
        ]
    if several == {True}:
        return ["each is the time of all iterations that its row stands for, and of the stops before it"]
    return ["times are of all iterations that a row stands for, or of the one at a stop"] if any(several) else []


def of_unexplained(slow: Sequence[Spike]) -> list[str]:
    """What it means for rows of a script that nobody described: a line may tell of it in other words."""
    said = any(cause.evidence in (UNTOLD, NEAR_A_SAVE) for spike in slow for cause in spike.causes)
    return ["unexplained: no line that itermon can read says why; others may"] if said else []


def untold(found: Findings) -> list[str]:
    """That the list is not all of what took long, where it is not."""
    of_several = found.level.averaged_over > 1 and found.progress.rows >= found.progress.iterations_seen > 0
    what = ("stretch", "stretches") if of_several else ("row",)  # a coarse clock tells of several rows together
    more, unnamed = words.plural(found.slow_untold, *what), found.slow_unnamed
    if unnamed:
        took = f"took {words.times(unnamed)} as long as those around them, or longer"
        return [f"{more} {took}, and no line that itermon can read says why; they are not listed"]
    if not (found.slow_untold and found.spikes):
        return []
    return [f"at least {more} more took as much longer than those around them"]


def near(cause: Cause) -> str:
    """What a line tells of beside a time that it does not explain."""
    return f", {cause.evidence}" if cause.evidence == NEAR_A_SAVE else ""


def _unexplained(cause: Cause) -> bool:
    return (cause.kind, cause.strength) == (UNEXPLAINED, Strength.GUESS)


def change_of_level(shift: Shift) -> str:
    """`↑ 12 %`, `↓ 8.4 %`, `↑ 2.40 ×`"""
    factor = shift.after_s / shift.before_s
    arrow = "↑" if factor > 1 else "↓"
    return f"{arrow} {words.times(factor)}" if factor >= 2 else f"{arrow} {words.percent(abs(factor - 1), 1)}"


def alongside(a: Alongside) -> str:
    """`power 190 W (usually 690) · clock 1,980 MHz · memory 118 GiB · read 3 MB, wrote 1.50 GB · 2.1 kJ`"""
    parts = [
        _against_usual("power", a.power_w, a.usual_power_w, 1.0, "W"),
        _against_usual("clock", a.sm_clock_hz, a.usual_sm_clock_hz, 1e-6, "MHz"),
        f"memory {words.memory(a.memory_used_bytes)}" if a.memory_used_bytes is not None else "",
        _bytes(a),
        f"CPU {words.three_digits(a.trainer_cpu)} cores" if a.trainer_cpu is not None else "",
        f"waiting for I/O {words.percent(a.io_pressure, 0)}"
        if a.io_pressure is not None and a.io_pressure > 0.05
        else "",
        f"{words.si(a.energy_j, 'J')}" if a.energy_j is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def place(spike: Spike) -> str:
    """`12.1 s of 12.4 s in data.py:48 read_shard (numpy/core/memmap.py:230 __new__), by 9 of 10 looks`"""
    found = spike.place
    if found is None:
        return ""
    inner = f" ({found.innermost})" if found.at and found.innermost != found.at else ""
    said = f"{words.duration(found.seconds)} of {words.duration(spike.took_s)} in {found.at or found.innermost}"
    of = "" if found.looks == found.of_looks else f"{found.looks:,} of "
    native = ", blocked in native code" if found.is_native else ""
    said += f"{native}{inner}, by {of}{words.plural(found.of_looks, 'look')}"
    return f"{said}; called from {', '.join(found.callers)}" if found.callers else said


def gpu_phases(phases: Sequence[GpuPhase]) -> str:
    """`GPU: forward 310 ms (usually 110 ms), backward 240 ms; CPU: logging 12 ms`"""
    said = []
    for whose, on_host in (("GPU", False), ("CPU", True)):
        times = ", ".join(
            f"{phase.phase} {words.duration(phase.seconds)}"
            + (f" (usually {words.duration(phase.usual_s)})" if _differs(phase.seconds, phase.usual_s) else "")
            for phase in phases
            if phase.on_host is on_host
        )
        said += [f"{whose}: {times}"] if times else []
    return "; ".join(said)


def _against_usual(what: str, value: float | None, usual: float | None, factor: float, unit: str) -> str:
    if value is None:
        return ""
    then = f" (usually {words.count(usual * factor)})" if usual is not None and _differs(value, usual) else ""
    return f"{what} {words.in_unit(value * factor, unit)}{then}"


def _differs(value: float, usual: float | None) -> bool:
    """Within a tenth it is the usual, and needs no second number."""
    return usual is not None and abs(value - usual) > 0.1 * usual


def _bytes(a: Alongside) -> str:
    amounts = (("read", a.read_bytes), ("wrote", a.write_bytes))
    return ", ".join(f"{word} {words.si(amount, 'B')}" for word, amount in amounts if amount is not None)


def is_estimate(p: Progress) -> bool:
    """Is a sum of iteration times one, for many of them have none of their own?"""
    return p.iterations_unseen + p.rows_untimed > _FEW * p.iterations_seen


def wall(found: Findings, wall_s: float) -> str:
    """The wall time and what it rests on: at least so much, where lines that are not read may tell of more."""
    by = found.progress.wall_witness
    bound = found.partly_read and by in (None, *CLOCKS) and not is_estimate(found.progress)
    # Of trainings of which there may be more: these have none of the totals that are read.
    bound = bound or (by == Witness.TOTAL and found.progress.trainings > 1 and not found.progress.starts_seen)
    told = f"at least {words.floored_duration(wall_s)}" if bound else words.rounded_duration(wall_s)
    return f"{told}{wall_by(found)}"


def wall_by(found: Findings) -> str:
    """What the wall time rests on, where it is no clock on the wall."""
    by = found.progress.wall_witness
    if by is None:
        if is_estimate(found.progress):
            beside = words.listed([f"{kind}s" for kind in stops_beside(found)])
            without = (
                f", without the {beside}" if beside else ""
            )  # they lie between rows, and are in no row's time
            timed = found.progress.rows - found.progress.rows_untimed
            return f" estimated from the times of {words.plural(timed, 'row')}{without}"
        evaluated = any(row.cause == EVALUATION and row.share >= _SOME for row in found.ledger)
        evaluated = evaluated or (not found.ledger and found.progress.evaluations > 0)  # they may be in it
        return f" as the sum of the {'times of iterations and evaluations' if evaluated else 'iteration times'}"
    back = breaks(found.progress) if by == Witness.STAMPS else ""
    behind_s = found.progress.behind_s or 0.0
    last = behind_s > _SOME * (found.progress.wall_s or 0.0)  # what the log says before the first row is not in it
    rows = " from row to row"
    rows += f", including {words.duration(behind_s)} after the last row," if last else ""
    rows = rows if by == Witness.STAMPS else ""
    return f"{rows} by {WORDS[by]}{back}" if by in (Witness.ELAPSED, Witness.TOTAL, Witness.STAMPS) else ""


def no_time_is_sure(found: Findings) -> str:
    """In the place of a chart of times that a clock contradicts: why there is none."""
    return f"No time is sure: {found.unknown['level']}."
