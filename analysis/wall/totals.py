"""What the log says that the training took, and what the wall time rests on."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ...events import Witness
from ..timing.witnesses import OF_CLOCK
from .passed import unseen_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Total
    from ..causes.ledger import Times
    from ..intake import Intake
    from ..record.columns import Columns

UNLIKELY = 50.0
"""Times what all iterations took: evaluations and checkpoints are never so much."""

UNCLOCKED = "no line that itermon can read tells how long it was from one training to the next"
ONE_OR_MEAN = "most iterations have no row, and whether a row's time is of one or the mean of several nobody says"

MOST_OF_IT = 0.8
"""Of a printed total: where rows' times, taken for means, add up to so much, the total confirms that they are."""

UNSTAMPED = 0.1
"""Of all rows: where more stand before the first that has a stamp, the stamps are of a part of the log."""


def one_or_mean(run: Intake, unmeasured: int, passed: int) -> bool:
    """May a row's time be of its iteration alone as well as the mean since the row before it?

    So it is where a script that nobody described prints few of its iterations. A slow row counts once, or for all
    between it and the row before: the sums differ many times over.
    """
    return run.info.undescribed and unmeasured > passed


def printed_total_s(run: Intake) -> float | None:
    """What the log says that the training took, where no clock of the day goes through it.

    A bar's clock leaves out what passes between two bars.
    """
    clock = run.labels.timing.clock
    of_the_day = clock.wall_s and clock.at == run.columns.time_at
    totals = likely_totals(run)
    if of_the_day or not totals or len(totals) != len(run.starts):
        return None
    return sum(total.duration_s for total in totals)


def likely_totals(run: Intake) -> Sequence[Total]:
    """What the processes say they took; none where their iterations, each with its time, took hardly any of it.

    Then it is of something else: `training finished for 60min` of a model of hours.
    """
    columns, last, totals = run.columns, len(run.columns) - 1, [*run.totals.values()]
    if not totals or last < 0 or columns.untimed > len(run.starts) or unseen_between(run, 0, last):
        return totals
    spent_s = columns.spent_s(0, last)
    likely = not spent_s or sum(total.duration_s for total in totals) <= UNLIKELY * spent_s
    return totals if likely else ()


def wall_witness(run: Intake, times: Times) -> Witness | None:
    """What the wall time rests on; `None`: on the sum of the iteration times."""
    total_s = printed_total_s(run)
    if total_s is not None and times.wall_s <= total_s:
        return Witness.TOTAL
    clock = run.labels.timing.clock
    if clock.wall_s and clock.at == run.columns.elapsed_at:
        whole = len(run.columns.clocks_begun) <= len(run.starts)
        return Witness.ELAPSED if whole else None  # between the clocks of two epochs anything may have passed
    if not clock.wall_s or run.info.clock is None or (clock.first or 0) > UNSTAMPED * len(run.columns):
        return None  # what the rows before the first stamp took is a sum, and so is the whole
    return OF_CLOCK.get(run.info.clock)


def ends_a_clock(columns: Columns, last: int) -> bool:
    """Does the newest of several clocks, one for each epoch, end before the `last` iteration?"""
    over, rows = len(columns.clocks_begun) - 1, range(len(columns))
    if over < 1:
        return False
    begun = min(bisect_right(rows, columns.clocks_begun[-1], key=columns.elapsed_at), len(columns) - 1)
    before = columns.index[max(begun - 1, 0)]
    length = (before - columns.index[0] + 1) / over
    return last > before + 1.5 * length


def unclocked(run: Intake, times: Times) -> bool:
    """Are there several processes, and nothing that tells what passed between them? A sum is no wall time then."""
    return len(run.starts) > 1 and times.wall_s > 0 and wall_witness(run, times) is None


def why_no_wall(run: Intake, times: Times) -> str:
    """Why nobody knows how long the whole took; "": it is known, or no time is."""
    if unclocked(run, times):
        return UNCLOCKED
    return ONE_OR_MEAN if times.unsure and not times.wall_s else ""
