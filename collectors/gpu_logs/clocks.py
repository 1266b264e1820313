"""By how much the clock of a recording is behind that of a log: nothing, or some half hours of a time zone.

Most programs write the local time without its zone, and one of the two may come from another machine, or from a
container that counts in UTC. So the two are held against each other: the GPUs have to be busy while the log
trains, and less so before and after. What that does not decide is asked for.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .survey import Survey

STEP_S = 1_800.0
"""Time zones differ by half hours, but for four with few people in them."""

MOST_STEPS = 52
"""From -12:00 to +14:00."""

LEAST_CONTRAST = 0.3
"""Of the GPUs' utilization, between busy and idle: with less, a recording does not say when it was busy."""

SURE = 0.5
"""By so much of this contrast the GPUs have to be busier in the log's time than out of it, to believe a shift."""

AS_GOOD = 0.1
"""Two shifts that differ by less are the same evidence."""

OPTION = "--gpu-log-offset"

_MOST_OFFSET_S = 14 * 3_600
_WRITTEN = re.compile(r"([+-]?)(?:(\d{1,2})h)?(?:(\d{1,3})m(?:in)?)?(?:(\d{1,5})s?)?")


class Offset(NamedTuple):
    """What is added to the recording's times (`None`: nobody can tell), and what a person should know of it."""

    seconds: float | None
    words: str = ""


def parse_offset(text: str) -> float:
    """Seconds by which a clock is behind, written `2h`, `-30m`, `+5h30m` or `90s`. Raises `ValueError`."""
    found = _WRITTEN.fullmatch(text.strip().replace(" ", ""))
    if found is None or not any(found.groups()[1:]):
        raise ValueError(f"{text[:40]!r} is no shift of a clock: 2h, -30m, +5h30m or 90s.")
    sign, hours, minutes, seconds = found.groups()
    shift = int(hours or 0) * 3_600 + int(minutes or 0) * 60 + int(seconds or 0)
    if shift > _MOST_OFFSET_S:
        raise ValueError(f"{text[:40]!r} is more than time zones differ by (14h).")
    return float(-shift if sign == "-" else shift)


def find_offset(name: str, found: Survey, begin_s: float, end_s: float) -> Offset:
    """Of a recording called `name` beside a log that trains from `begin_s` to `end_s`."""
    shifts = [step * STEP_S for step in range(-MOST_STEPS, MOST_STEPS + 1)]
    possible = [shift for shift in shifts if _overlap_s(found, begin_s, end_s, shift) > 0]
    if not possible:
        return Offset(None, _asked(name, found, begin_s, end_s, "do not lie at the same time, in no time zone"))
    scores = {shift: score for shift in possible if (score := _score(found, begin_s, end_s, shift)) is not None}
    best = max(scores.values(), default=0.0)
    if 0.0 in possible and (best < SURE or scores.get(0.0, 0.0) >= best - AS_GOOD):
        return Offset(0.0)
    likely = [shift for shift, score in scores.items() if score >= best - AS_GOOD]
    if best < SURE or len(likely) != 1:
        return Offset(None, _asked(name, found, begin_s, end_s, "do not fit each other"))
    far = f"{_hours(abs(likely[0]))} {'behind' if likely[0] > 0 else 'ahead of'}"
    return Offset(
        likely[0], f"{name}: its clock is taken to be {far} the log's: only so are its GPUs busy while it trains"
    )


def _overlap_s(found: Survey, begin_s: float, end_s: float, shift_s: float) -> float:
    return min(end_s, found.last_s + shift_s) - max(begin_s, found.first_s + shift_s)


def _score(found: Survey, begin_s: float, end_s: float, shift_s: float) -> float | None:
    """How much busier the GPUs are in the log's time than out of it, as a share of what they vary by.

    `None`: the recording holds next to nothing of one of the two, or the GPUs are as busy all the time.
    """
    values = sorted(value for _, value in found.busy)
    if not values:
        return None
    low, high = values[min(2, len(values) - 1)], values[-1 - len(values) // 20]  # a minute before it is enough
    most = max(1.0, high)  # watts, where there is no utilization
    if high - low < LEAST_CONTRAST * most:
        return None
    inside = [value for at_s, value in found.busy if begin_s <= at_s + shift_s <= end_s]
    outside = [value for at_s, value in found.busy if not begin_s <= at_s + shift_s <= end_s]
    if len(inside) < 2 or len(outside) < 2:
        return None
    return (sum(inside) / len(inside) - sum(outside) / len(outside)) / (high - low)


def _asked(name: str, found: Survey, begin_s: float, end_s: float, what: str) -> str:
    here, there = _span(found.first_s, found.last_s), _span(begin_s, end_s)
    ask = f"say by how much its clock is behind, as {OPTION} 2h or -30m"
    return f"{name} ({here}) and the log ({there}) {what}: {ask}"


def _span(begin_s: float, end_s: float) -> str:
    return f"{_time(begin_s)} to {_time(end_s)}"


def _time(at_s: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s))
    except (OverflowError, ValueError, OSError):
        return f"{at_s:.0f} s"


def _hours(seconds: float) -> str:
    hours, half = divmod(round(seconds / STEP_S), 2)
    return f"{hours}:30 h" if half else f"{hours} h"
