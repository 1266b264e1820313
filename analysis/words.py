"""Numbers in the sentences of a verdict, a plan, a comparison: three digits and their unit."""

from __future__ import annotations


def percent(share: float) -> str:
    """`51.7 %`, `99 %`, `0.3 %`"""
    value = 100 * share
    return f"{value:.0f} %" if abs(value) >= 99.95 or value == round(value) else f"{value:.1f} %"


_SMALL = ((0.9995e-3, 1e-6, "µs"), (0.9995, 1e-3, "ms"), (99.95, 1.0, "s"))
_LARGE = ((3_599.5, 60, "m", 1, "s"), (259_170.0, 3_600, "h", 60, "m"), (float("inf"), 86_400, "d", 3_600, "h"))


def seconds(duration_s: float) -> str:
    """`7.44 µs`, `169 ms`, `9.34 s`, `21.0 s`, `2 m 26 s`, `58 h 20 m`, `4 d 07 h`"""
    if duration_s == 0:
        return "0 s"
    for below, unit_s, unit in _SMALL:
        if abs(duration_s) < below:
            return f"{_three(duration_s / unit_s)} {unit}"
    for below, whole_s, whole, part_s, part in _LARGE:
        if abs(duration_s) < below:
            count, rest = divmod(round(duration_s / part_s), whole_s // part_s)
            return f"{count} {whole} {rest:02} {part}"
    return "for ever"


def times(factor: float) -> str:
    """`1.93 ×`, `10.9 ×`, `274 ×`"""
    return f"{_three(factor)} ×"


def si(value: float, unit: str) -> str:
    """`512 TFLOP/s`, `2.10 MB`, `49.9 k`"""
    for power, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * power:
            return f"{_three(value / power)} {prefix}{unit}"
    return f"{_three(value)} {unit}"


def _three(value: float) -> str:
    size = abs(value)
    return f"{value:,.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def listed(parts: list[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`"""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
