"""Numbers as a person reads them. Pure functions; unknown is a dash, and stays a dash."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from math import isfinite

from ..analysis import words

DASH = "–"

plural = words.plural

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def duration(seconds: float | None) -> str:
    """Two units at most: `328 ms`, `21.0 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`."""
    return DASH if seconds is None or not isfinite(seconds) else words.seconds(seconds)


def span(seconds: float | None) -> str:
    """A time to wait, in whole seconds and above: `0 s`, `59 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`."""
    return DASH if seconds is None or not isfinite(seconds) else words.span(seconds)


def interval(half_width_s: float) -> str:
    """The half-width of an ETA's interval, in one unit: a second digit would claim too much."""
    for unit_s, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if half_width_s >= 1.5 * unit_s:
            return f"{half_width_s / unit_s:.0f} {name}"
    return f"{max(1, round(half_width_s))} s"


def axis(seconds: float, step_s: float) -> str:
    """A time on an axis whose neighbours differ by `step_s`, in at most 7 cells: `21.0 s`, `169 ms`, `30 m`."""
    if seconds >= 600 and step_s >= 30:
        return f"{seconds / _MINUTE:.0f} m" if seconds < 2 * _HOUR else f"{seconds / _HOUR:.1f} h"
    number, step, unit = (seconds * 1e3, step_s * 1e3, "ms") if seconds < 0.9995 else (seconds, step_s, "s")
    whole = len(f"{number:.0f}")
    return f"{number:.{min(_decimals(step), max(0, 5 - whole - len(unit)))}f} {unit}"


def _decimals(step: float) -> int:
    digits = 0
    while step < 0.995 and digits < 3:
        step *= 10
        digits += 1
    return digits


def count(number: float | None) -> str:
    """`1,048,576`"""
    return DASH if number is None or not isfinite(number) else f"{number:,.0f}"


def si(number: float | None, unit: str = "") -> str:
    """Three digits and a prefix: `49.9 k`, `512 TFLOP/s`."""
    return DASH if number is None or not isfinite(number) else words.si(number, unit)


def memory(number: float | None) -> str:
    """Bytes in binary units, as a driver counts memory: `118 GiB`."""
    if number is None:
        return DASH
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 0.9995 * 1024**power:
            return f"{words.three(number / 1024**power)} {unit}"
    return f"{number:.0f} B"


def percent(fraction: float | None, digits: int = 1) -> str:
    """`51.7 %`; what is not nothing never reads as 0."""
    if fraction is None or not isfinite(fraction):
        return DASH
    text = f"{fraction * 100:.{digits}f}"
    if fraction > 0 and float(text) == 0:
        return f"< {10**-digits:.{digits}f} %"
    return f"{text} %"


def money(amount: float | None) -> str:
    """`$181`, `$1.24`"""
    if amount is None:
        return DASH
    return f"${amount:,.2f}" if amount < 100 else f"${amount:,.0f}"


def moment(at_s: float | None, now_s: float, zone: tzinfo | None = None) -> str:
    """When something is, as seen at `now_s`: `18:12`, `Fri 18:12`, `28 Nov 18:12`. Local time without a zone."""
    if at_s is None:
        return DASH
    try:
        then, now = (datetime.fromtimestamp(t, timezone.utc).astimezone(zone) for t in (at_s, now_s))
    except (OverflowError, OSError, ValueError):  # further away than a calendar goes
        return DASH
    if then.date() == now.date():
        return f"{then:%H:%M}"
    if abs(at_s - now_s) < 6 * _DAY:
        return f"{then:%a %H:%M}"
    if abs(at_s - now_s) < 300 * _DAY:
        return f"{then.day} {then:%b %H:%M}"
    return f"{then.day} {then:%b %Y}"
