"""Is it always the same one that the others wait for, or another each time?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ...events.fleet import FleetCourse

LATE_SHARE = 0.05
"""Of an iteration: who does so much more than the median rank is late."""

_LEAST_COLUMNS = 10
_FIXED_SHARE = 0.8
FIXED, ROTATING = "fixed", "rotating"


class Pattern(msgspec.Struct, frozen=True):
    """What the columns say in which somebody was late.

    kind: `fixed`, `rotating`, or "" where too few columns say anything.
    instance: The one that was the slowest most often, in `share` of them.
    """

    kind: str = ""
    instance: str = ""
    share: float = 0.0
    columns: int = 0
    slowest: int = 0
    """How many different ones were the slowest at some time."""


def pattern(course: FleetCourse, usual_s: float | None) -> Pattern:
    """Of the course of a run whose iteration takes `usual_s`."""
    if not usual_s:
        return Pattern()
    counts: Counter[str] = Counter()
    for column, median_s in enumerate(course.median_s):
        values = [(row[column], name) for name, row in course.rows.items() if column < len(row)]
        most_s, name = max(((value, name) for value, name in values if value is not None), default=(0.0, ""))
        if median_s is not None and name and most_s - median_s > LATE_SHARE * usual_s:
            counts[name] += 1
    if not counts:
        return Pattern()
    columns = counts.total()
    name, most = counts.most_common(1)[0]
    kind = "" if columns < _LEAST_COLUMNS else FIXED if most >= _FIXED_SHARE * columns else ROTATING
    return Pattern(kind, name, most / columns, columns, len(counts))
