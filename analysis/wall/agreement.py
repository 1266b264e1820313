"""Do the witnesses of time agree with what rows say of themselves?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import ClockKind, Witness
from ..timing.waits import unseen_s
from ..timing.witnesses import (
    CONFIRMED,
    NEWEST,
    PICKED,
    SAME,
    Unseen,
    apart_s,
    clocked_s,
    confirmed_by_rows,
    witnesses,
)
from .totals import likely_totals

if TYPE_CHECKING:
    from ..causes.ledger import Times
    from ..findings import Level, TimeWitness
    from ..intake import Intake
    from ..timing.timing import Timing


def spoken_of(run: Intake, timing: Timing, times: Times) -> tuple[TimeWitness, ...]:
    """What speaks of the time that passed, and whether it agrees with the rows."""
    level_s, clocked_s = timing.baseline.level if timing.baseline else 0.0, timing.clock.unseen_s
    each = Unseen(level_s if clocked_s is None else clocked_s, timing.begun)
    rows_s = level_s if times.unseen > times.iterations else 0.0  # their mean has loaders that begin in it
    beside_s = unseen_s(run.columns, 0, len(run.columns) - 1) if clocked_s is None and times.unseen else None
    if beside_s is not None:
        each = Unseen(beside_s)
    elif clocked_s is not None and rows_s > PICKED * clocked_s:  # the clock would confirm what is taken from it
        each = Unseen(rows_s)
    found = witnesses(run.columns, run.starts, run.info.clock, likely_totals(run), each)
    return tuple(one for one in found if not (timing.clock.unmeasured and one.name == Witness.ELAPSED))


def of_level(run: Intake, spoken: tuple[TimeWitness, ...], level: Level) -> Level:
    """The `level` with what it rests on: its own witness, those that confirm it, and what says another time."""
    own = _own(run)
    if own is None:
        return replace(level, witnesses=())
    timing, columns = run.labels.timing, run.columns
    assert timing.baseline is not None  # noqa: S101 - for the type checker
    told_s = level.clean_s or timing.baseline.level
    stamped = own != Witness.BETWEEN and confirmed_by_rows(columns, timing.begun, told_s)
    clock_s = _clocked_s(run, level, own)
    differs = clock_s is not None and abs(clock_s / told_s - 1) > SAME
    against = ({Witness.STAMPS} if not stamped else set()) | ({Witness.ELAPSED} if differs else set())
    others = [one.name for one in spoken if one.agrees and one.name not in {own, *against}]
    apart_s, apart_by = stamped_s(run, own), Witness.STAMPS
    if differs and apart_s is None:
        apart_s, apart_by = clock_s, Witness.ELAPSED
    return replace(level, witnesses=(own, *others), apart_s=apart_s, apart_by=apart_by)


def _own(run: Intake) -> Witness | None:
    """What iteration times are read from; `None` without times."""
    if run.labels.timing.baseline is None:
        return None
    hooked = run.info.clock == ClockKind.HOOK
    own = run.columns.witness or (Witness.HOOKS if hooked else Witness.PRINTED)
    return Witness.ARRIVAL if own == Witness.STAMPS and run.info.clock == ClockKind.ARRIVAL else own


def _clocked_s(run: Intake, level: Level, own: Witness) -> float | None:
    """What an iteration took by the clock of the bar whose rates tell of one; stops left out.

    The middle of rates that scatter is not their mean, and it is the mean that adds up to the time that passed.
    """
    if own != Witness.RATE or level.clean_s is None or level.between is not None:
        return None
    timing = run.labels.timing
    first = max(timing.begun, timing.warmup, level.shifts[-1].position if level.shifts else 0)
    return clocked_s(run.columns, first, level.iterations, {*timing.slow.itself})


def stamped_s(run: Intake, own: Witness) -> float | None:
    """What passes for an iteration from row to row, by the stamps, where that is clearly more than is printed."""
    timing, columns = run.labels.timing, run.columns
    by_clock = own in (Witness.STAMPS, Witness.BETWEEN, Witness.ELAPSED)
    by_clock = by_clock or not run.info.undescribed  # of others it is known what is in a time, and what is not
    if by_clock or run.info.clock != ClockKind.LOG or timing.baseline is None or not columns.at_s:
        return None
    rows_s = apart_s(columns, max(timing.begun, len(columns) - NEWEST), len(columns))
    return rows_s if rows_s is not None and rows_s > (1 + CONFIRMED) * timing.baseline.level else None
