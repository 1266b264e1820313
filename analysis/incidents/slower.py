"""A normal iteration that takes longer than before, and stays so: each time that the level rose."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...words import duration, plural, times
from ..findings import Incident
from ..timing.baseline import WINDOW
from ..timing.lasting import is_borne_out, lately, longest_s, soon
from ..timing.throughout import median_of
from ..verdict.troubles import FAR, HELD
from .found import process_of
from .kinds import KINDS, SLOWED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Shift
    from ..intake import Intake
    from .found import Found

LEAST = 1.10
"""Times the level before: the noise of a shared machine moves a level by a few percent."""

REGAINED = 0.8
"""A level that has come back by so much of the way is no longer the slower one."""


def slower(run: Intake) -> list[Found]:
    """The incidents, oldest first. They follow from positions alone, so they stay what they were once said."""
    if len(run.repeats.trainings) > 1:
        return []  # each training has its own pace
    found: list[Found] = []
    began: Shift | None = None
    shifts, end = run.timing.shifts, len(run.columns)
    for number, shift in enumerate(shifts):
        if began is not None and _stays_back(began, shifts[number:], end):
            found[-1] = found[-1][0], _over(found[-1][1], shift)
            began = None
        after = shifts[number + 1].position if number + 1 < len(shifts) else end
        usual_s = max(shift.before_s, longest_s(shifts[: number + 1]))
        rose = shift.after_s >= LEAST * usual_s and after - shift.position >= HELD
        if began is None and rose and _shows(run, shift) and is_borne_out(shift, run.columns, 0, after):
            began = shift
            found.append((shift.position, _made(run, shift)))
    if began is not None:
        found[-1] = found[-1][0], _by_now(found[-1][1], began, run)
    return found


def _by_now(one: Incident, began: Shift, run: Intake) -> Incident:
    """One that goes on, with what the newest iterations take where that is another time than it was at first."""
    end, newest = len(run.columns), run.timing.shifts[-1]
    since = max(newest.position, end - WINDOW)
    now_s = median_of(run.columns, since, end) or began.after_s
    if _is_back(began, now_s):  # too few rows so far for it to be over
        if not _is_back(began, newest.after_s):
            return one
        when = f"Since iteration {newest.index:,}, the newest {plural(end - newest.position, 'row')}"
        return replace(one, evidence=(*one.evidence, f"{when}, it takes {duration(now_s)} again."))
    if began.after_s / LEAST <= now_s <= began.after_s * LEAST:
        return one
    factor = times(now_s / _around(run, began)[0])
    when = f"Since iteration {newest.index:,}" if now_s >= FAR * newest.before_s else "By now"
    return replace(one, evidence=(*one.evidence, f"{when} it takes {duration(now_s)}, {factor} as long."))


def _around(run: Intake, shift: Shift) -> tuple[float, float]:
    """What the rows before and since a change took: it was found by few of them."""
    before, after = _rows_around(run, shift)
    return median(before) if before else shift.before_s, median(after) if after else shift.after_s


def _rows_around(run: Intake, shift: Shift) -> tuple[list[float], list[float]]:
    rows, at = run.columns.duration_s, shift.position
    sides = lately(rows, 0, at, HELD)[1], soon(rows, at, len(rows), HELD)
    before, after = ([d for d in side if d == d] for side in sides)
    return before, after


def _shows(run: Intake, shift: Shift) -> bool:
    """Do the rows on both sides of a change show it?"""
    before_s, after_s = _around(run, shift)
    return after_s >= LEAST * before_s


def _is_back(began: Shift, level_s: float) -> bool:
    return level_s <= began.after_s - REGAINED * (began.after_s - began.before_s)


def _stays_back(began: Shift, shifts: Sequence[Shift], end: int) -> bool:
    """Is the level back with the first of `shifts`, for as many rows as it takes to begin? Else it goes on.

    `shifts`: it and all that came behind it. `end`: the number of rows so far.
    """
    until = next((one.position for one in shifts if not _is_back(began, one.after_s)), end)
    return until - shifts[0].position >= HELD


def _over(one: Incident, shift: Shift) -> Incident:
    return replace(one, over=True, ended_at_s=shift.at_s, ended_iteration=shift.index)


def _made(run: Intake, shift: Shift) -> Incident:
    before_s, after_s = _around(run, shift)
    factor, (before, after) = times(after_s / before_s), map(len, _rows_around(run, shift))
    return Incident(
        kind=SLOWED,
        key=f"{SLOWED}:{process_of(run, shift.position)}:{shift.index}",
        severity=KINDS[SLOWED].severity,
        began_at_s=shift.at_s,
        began_iteration=shift.index,
        state=f"Slower since iteration {shift.index:,}: an iteration took {factor} as long then.",
        evidence=(
            f"{duration(before_s)} in the {before} rows before it, {duration(after_s)} in the {after} since.",
        ),
        action="Find what changed then: clock, other jobs, sequence length.",
    )
