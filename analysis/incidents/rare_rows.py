"""Logs of which only the first rows of each epoch are printed: what passes behind them is no silence.

[1][0/500] loss: 2.5      08:00:01
[1][1/500] loss: 2.25     08:00:02
[2][0/500] loss: 1.5      08:10:00
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

_NEAR = 500
"""Rows before and behind, among which such gaps are looked for."""


def prints_rarely(run: Intake, begun: int, seconds: float) -> bool:
    """Did so many `seconds` pass behind the row at `begun` because the log has no rows of what was done then?

    Either several other rows are followed by as long a time; or the counter leaps there, as it does behind others.
    """
    columns = run.columns
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
