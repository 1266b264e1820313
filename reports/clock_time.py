"""A time as a clock on the wall shows it: the only text that needs the local time zone."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo

from ..words import DASH

_DAY_S = 86_400


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
