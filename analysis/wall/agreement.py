"""Do the witnesses of time agree with what rows say of themselves?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import ClockKind, Witness
from ..timing.waits import unseen_s
from ..timing.witnesses import CONFIRMED, NEWEST, PICKED, Unseen, apart_s, confirmed_by_rows, witnesses
from .totals import likely_totals

if TYPE_CHECKING:
    from ..causes.ledger import Times
    from ..causes.tally import Tally
    from ..findings import TimeWitness
    from ..intake import Intake
    from ..timing.timing import Timing


def spoken_of(run: Intake, timing: Timing, times: Times, tally: Tally) -> tuple[TimeWitness, ...]:
    """What speaks of the time that passed, and whether it agrees with the rows."""
    level_s, clocked_s = timing.baseline.level if timing.baseline else 0.0, timing.clock.unseen_s
    each = Unseen(level_s if clocked_s is None else clocked_s, timing.begun)
    rows_s = _mean_row_s(run, times, tally)
    beside_s = unseen_s(run.columns, 0, len(run.columns) - 1) if clocked_s is None and times.unseen else None
    if beside_s is not None:
        each = Unseen(beside_s)
    elif clocked_s is not None and rows_s > PICKED * clocked_s:  # the clock would confirm what is taken from it
        each = Unseen(rows_s)
    return witnesses(run.columns, run.starts, run.info.clock, likely_totals(run), each)


def _mean_row_s(run: Intake, times: Times, tally: Tally) -> float:
    """What a row took, stops apart, where most iterations have none; else 0."""
    if times.unseen <= times.iterations:
        return 0.0
    return max(0.0, run.columns.spent_s(0, len(run.columns) - 1) - tally.inside_s) / max(1, times.iterations)


def of_level(run: Intake, spoken: tuple[TimeWitness, ...], told_s: float | None = None) -> tuple[Witness, ...]:
    """What iteration times rest on: their own witness, and those that confirm it; nothing without times."""
    timing, hooked = run.labels.timing, run.info.clock == ClockKind.HOOK
    if timing.baseline is None:
        return ()
    own = run.columns.witness or (Witness.HOOKS if hooked else Witness.PRINTED)
    if own == Witness.STAMPS and run.info.clock == ClockKind.ARRIVAL:
        own = Witness.ARRIVAL
    stamped = own != Witness.BETWEEN and confirmed_by_rows(
        run.columns, timing.begun, told_s or timing.baseline.level
    )
    others = (one.name for one in spoken if one.agrees and (stamped or one.name != Witness.STAMPS))
    return (own, *(name for name in others if name != own))


def stamped_s(run: Intake, own: tuple[Witness, ...]) -> float | None:
    """What passes for an iteration from row to row, by the stamps, where that is clearly more than is printed."""
    timing, columns = run.labels.timing, run.columns
    by_clock = own[:1] in ((), (Witness.STAMPS,), (Witness.BETWEEN,), (Witness.ELAPSED,))
    by_clock = by_clock or not run.info.undescribed  # of others it is known what is in a time, and what is not
    if by_clock or run.info.clock != ClockKind.LOG or timing.baseline is None or not columns.at_s:
        return None
    rows_s = apart_s(columns, max(timing.begun, len(columns) - NEWEST), len(columns))
    return rows_s if rows_s is not None and rows_s > (1 + CONFIRMED) * timing.baseline.level else None
