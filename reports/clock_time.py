"""A time as a clock on the wall shows it: the only text that needs the local time zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo

from ..words import DASH

_DAY_S = 86_400


def at_clock_time(text: str, now_s: float) -> float:
    """The Unix time of `18:00` (the next one) or `2026-12-01 18:00+01:00`; local without a zone.

    Raises `ValueError` with the way to write it.
    """
    alone = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text.strip())
    try:
        if alone is None:
            return max(0.0, datetime.fromisoformat(text.strip()).timestamp())
        now = datetime.fromtimestamp(now_s, timezone.utc).astimezone()
        then = now.replace(tzinfo=None, hour=int(alone[1]), minute=int(alone[2]), second=0, microsecond=0)
        return (then if then.timestamp() > now_s else then + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text[:40]!r} is no time. Write 18:00 or 2026-12-01T18:00.") from None


def clock_time(at_s: float | None, now_s: float, zone: tzinfo | None = None) -> str:
    """When something is, as seen at `now_s`: `18:12`, `Fri 18:12`, `28 Nov 18:12`. Local time without a zone."""
    if at_s is None:
        return DASH
    try:
        then, now = (datetime.fromtimestamp(t, timezone.utc).astimezone(zone) for t in (at_s, now_s))
    except (OverflowError, OSError, ValueError):  # further away than a calendar goes
        return DASH
    if then.date() == now.date():
        return f"{then:%H:%M}"
    if abs(at_s - now_s) < 6 * _DAY_S:
        return f"{then:%a %H:%M}"
    if abs(at_s - now_s) < 300 * _DAY_S:
        return f"{then.day} {then:%b %H:%M}"
    return f"{then.day} {then:%b %Y}"
