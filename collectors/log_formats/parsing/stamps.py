"""Time stamps in front of lines: the clock of a log that has one.

Known are `2025-06-25 13:06:03,755`, `2024-04-18T14:24:11.5`, `2024/04/18 14:24:11`, `06/25/2025 13:06:03`, and without
a year `[04/24 19:13:26`, `I0914 09:33:36.98`; also ten-digit and thirteen-digit Unix time at the very front. A stamp
names no time zone (or one that we leave unread): it is taken as this machine's local time. A stamp without a year is of
this year, or of the last one if it would lie in the future.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

_FRONT = 120  # characters: a stamp further right is part of a message
_CLOCK = r"(\d\d):(\d\d):(\d\d(?:[.,]\d{1,9})?)"
_YEAR_FIRST = re.compile(rf"\b(20\d\d)[-/](\d\d)[-/](\d\d)[ T_]{_CLOCK}")
_YEAR_LAST = re.compile(rf"\b(\d\d)/(\d\d)/(20\d\d) {_CLOCK}")
_NO_YEAR = re.compile(rf"(?:\[|^|\s)[IWEF]?(\d\d)[/-]?(\d\d) {_CLOCK}")
_UNIX = re.compile(r"\W?(1\d{9})(?:(\d{3})|(\.\d{1,9}))?\b")
_DAY_S = 86_400.0


def stamp(text: str) -> float | None:
    """The Unix time that a line says it was written at; `None` where it says nothing that we know."""
    front = text[:_FRONT]
    if ":" not in front:
        return _unix(front)
    if found := _YEAR_FIRST.search(front):
        year, month, day, *clock = found.groups()
    elif found := _YEAR_LAST.search(front):
        month, day, year, *clock = found.groups()
    elif found := _NO_YEAR.search(front):
        month, day, *clock = found.groups()
        year = ""
    else:
        return _unix(front)
    hour, minute, second = clock
    if int(month) > 12 or int(day) > 31 or int(hour) > 23:
        return None
    start = _hour(year, month, day, hour)
    return None if start is None else start + int(minute) * 60 + float(second.replace(",", "."))


def _unix(front: str) -> float | None:
    if not (found := _UNIX.match(front)):
        return None
    whole, milliseconds, fraction = found.groups()
    return int(whole) + int(milliseconds or 0) / 1000 + float(fraction or 0)


@lru_cache(maxsize=64)
def _hour(year: str, month: str, day: str, hour: str) -> float | None:
    """Unix time at which that local hour began. Cached: `mktime` is slow, and lines of one hour share it."""
    now_s = time.time()
    in_year = int(year) if year else time.localtime(now_s).tm_year
    try:
        at_s = time.mktime((in_year, int(month), int(day), int(hour), 0, 0, 0, 0, -1))
        if not year and at_s > now_s + _DAY_S:
            at_s = time.mktime((in_year - 1, int(month), int(day), int(hour), 0, 0, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
    return at_s
