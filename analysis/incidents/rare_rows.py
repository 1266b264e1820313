"""Logs of which only the first rows of each epoch are printed: what passes behind them is no silence.

[1][0/500] loss: 2.5      08:00:01
[1][1/500] loss: 2.25     08:00:02
[2][0/500] loss: 1.5      08:10:00

Nor is it where rows are missing, as a notebook drops lines, and the next one shows that the iterations went on.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ..outlook.gaps import printed_every

if TYPE_CHECKING:
    from ..intake import Intake

_SEVERAL = 3
"""Gaps that are as long, or leaps of the counter as far: what comes so often is how the log is printed."""

_FAR = 10.0
"""Times what such leaps take: so long may one last in which iterations are made of which no row tells."""

_AS_USUAL = 1.5
"""Times what so many iterations usually take: in no more they were made one after the other, as before."""

_NEAR = 500
"""Rows before and behind, among which such gaps are looked for."""


def prints_rarely(run: Intake, begun: int, seconds: float) -> bool:
    """Did so many `seconds` pass behind the row at `begun` because the log has no rows of what was done then?

    Either several other rows are followed by as long a time; or the counter leaps there, as it does behind others,
    or as far as it comes in that time.
    """
    columns = run.columns
    if _rows_are_missing(run, begun, seconds):
        return True
    if not run.info.undescribed or begun < 0 or begun + 1 >= len(columns):
        return False
    near = [*pairwise(range(max(0, begun - _NEAR), min(len(columns), begun + _NEAR)))]
    passed_s = {n: columns.time_at(later) - columns.time_at(n) for n, later in near}
    if sum(one >= seconds for one in passed_s.values()) > _SEVERAL:
        return True
    leap = columns.index[begun + 1] - columns.index[begun]
    if leap <= 2 * printed_every(columns):
        return False
    alike_s = [passed_s[n] for n, later in near if 2 * (columns.index[later] - columns.index[n]) >= leap]
    return len(alike_s) >= _SEVERAL and seconds <= _FAR * median(alike_s)


def _rows_are_missing(run: Intake, begun: int, seconds: float) -> bool:
    """Was more than one row's number of iterations made behind the row at `begun`, at the usual pace?"""
    columns, baseline = run.columns, run.timing.baseline
    if baseline is None or not 0 <= begun < len(columns) - 1 or begun + 1 in run.starts:
        return False
    leap = columns.index[begun + 1] - columns.index[begun]
    return leap > printed_every(columns) and seconds <= _AS_USUAL * baseline.level * leap
