"""Numbers in words: three digits and their unit, for the sentences of a verdict and for the screen alike."""

from __future__ import annotations

from math import isfinite


def percent(share: float) -> str:
    """`51.7 %`, `99 %`, `0.3 %`; what is not nothing never reads as 0."""
    value = 100 * share
    if 0 < value < 0.05:
        return "< 0.1 %"
    return f"{value:.0f} %" if abs(value) >= 99.95 or value == round(value) else f"{value:.1f} %"


_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_SMALL = ((0.9995e-3, 1e-6, "µs"), (0.9995, 1e-3, "ms"), (99.95, 1.0, "s"))


def seconds(duration_s: float) -> str:
    """`7.44 µs`, `169 ms`, `9.34 s`, `21.0 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`"""
    if duration_s < 0:
        return f"-{seconds(-duration_s)}"
    if duration_s == 0:
        return "0 s"
    for below, unit_s, unit in _SMALL:
        if duration_s < below:
            return f"{three(duration_s / unit_s)} {unit}"
    return span(duration_s)


def span(duration_s: float) -> str:
    """A time to wait, in whole seconds and above, two units at most: `0 s`, `59 s`, `2 m 26 s`, `2 d 04 h`"""
    if not isfinite(duration_s):
        return "for ever"
    if (whole_s := round(duration_s)) < _MINUTE:
        return f"{whole_s} s"
    if whole_s < _HOUR:
        return _both(whole_s, 60, "m", "s")
    if (minutes := round(duration_s / _MINUTE)) < _DAY // _MINUTE:
        return _both(minutes, 60, "h", "m")
    return _both(round(duration_s / _HOUR), 24, "d", "h")


def _both(count: int, size: int, large: str, small: str) -> str:
    return f"{count // size} {large} {count % size:02} {small}"


def times(factor: float) -> str:
    """`1.93 ×`, `10.9 ×`, `274 ×`"""
    return f"{three(factor)} ×"


def si(value: float, unit: str) -> str:
    """`512 TFLOP/s`, `2.10 MB`, `49.9 k`"""
    for power, prefix in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * power:
            return f"{three(value / power)} {prefix}{unit}"
    return f"{three(value)} {unit}".rstrip()


def three(value: float) -> str:
    """`0.011`, `0.74`, `9.34`, `21.0`, `512`"""
    size = abs(value)
    if 1e-4 <= size < 0.0995:
        return f"{value:.2g}"
    return f"{value:,.0f}" if size >= 99.95 or not size else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def plural(number: int, noun: str) -> str:
    """`1 spike`, `3 spikes`"""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def listed(parts: list[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`"""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
