"""Numbers as a person reads them. Pure functions; unknown is a dash, and stays a dash."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from math import isfinite

DASH = "–"

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SI = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def duration(seconds: float | None) -> str:
    """Two units at most: `328 ms`, `21.0 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`."""
    if seconds is None or not isfinite(seconds):
        return DASH
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms" if seconds < 0.0995 else f"{seconds * 1e3:.0f} ms"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    return span(seconds)


def span(seconds: float | None) -> str:
    """A time to wait, in whole seconds and above: `0 s`, `59 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`."""
    if seconds is None or not isfinite(seconds):
        return DASH
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} m {whole % _MINUTE:02} s"
    minutes = round(seconds / _MINUTE)
    if minutes < _DAY // _MINUTE:
        return f"{minutes // 60} h {minutes % 60:02} m"
    hours = round(seconds / _HOUR)
    return f"{hours // 24} d {hours % 24:02} h"


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
    if number is None or not isfinite(number):
        return DASH
    for factor, prefix in _SI:
        if abs(number) >= 0.9995 * factor:
            return f"{_three(number / factor)} {prefix}{unit}"
    return f"{_three(number)} {unit}".rstrip()


def _three(number: float) -> str:
    size = abs(number)
    if size == 0:
        return "0"
    return f"{number:.0f}" if size >= 99.95 else f"{number:.1f}" if size >= 9.995 else f"{number:.2f}"


def memory(number: float | None) -> str:
    """Bytes in binary units, as a driver counts memory: `118 GiB`."""
    if number is None:
        return DASH
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 0.9995 * 1024**power:
            return f"{_three(number / 1024**power)} {unit}"
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


def plural(number: int, noun: str) -> str:
    """`1 spike`, `3 spikes`"""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
