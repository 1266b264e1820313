"""Numbers as a person reads them: durations, shares, quantities, counts.

For sentences, reports and the screen alike. Three digits and a unit. Unknown (`None`, nan, infinite) is a dash;
what is not nothing never reads as 0.
"""

from __future__ import annotations

from math import floor, isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DASH = "–"

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_BELOW_100_S = ((0.9995e-3, 1e-6, "µs"), (0.9995, 1e-3, "ms"), (99.95, 1.0, "s"))
_LONG = ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m"))
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SHORT = (*_BELOW_100_S, (5_997, _MINUTE, "m"), (4 * _DAY - 180, _HOUR, "h"))
_SI = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_BINARY = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))


_EXACT = 1e-9
"""What a float leaves of a whole number."""


def ordinal(number: int) -> str:
    """`1st`, `12th`, `3,001st`"""
    teen = number % 100 in (11, 12, 13)
    return f"{number:,}" + ("th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th"))


# Durations


def duration(duration_s: float | None) -> str:
    """`7.44 µs`, `169 ms`, `9.34 s`, `21.0 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`"""
    if duration_s is None or not isfinite(duration_s):
        return DASH
    if duration_s < 0:
        return f"-{duration(-duration_s)}"
    if duration_s == 0:
        return "0 s"
    for below_s, unit_s, unit in _BELOW_100_S:
        if duration_s < below_s:
            return f"{three_digits(duration_s / unit_s)} {unit}"
    return rounded_duration(duration_s)


def rounded_duration(duration_s: float | None) -> str:
    """In whole seconds and above, two units at most: `0 s`, `< 1 s`, `59 s`, `2 m 26 s`, `4 h 10 m`, `2 d 04 h`"""
    if duration_s is None or not isfinite(duration_s):
        return DASH
    if 0 < duration_s <= 0.5:
        return "< 1 s"
    if (whole_s := round(duration_s)) < _MINUTE:
        return f"{whole_s} s"
    if whole_s < _HOUR:
        return _two_units(whole_s, 60, "m", "s")
    if (minutes := round(duration_s / _MINUTE)) < _DAY // _MINUTE:
        return _two_units(minutes, 60, "h", "m")
    return _two_units(round(duration_s / _HOUR), 24, "d", "h")


def floored_duration(duration_s: float) -> str:
    """As `rounded_duration`, of a lower bound, which is never rounded up: 2 d 00 h 49 m are `2 d 00 h`"""
    unit_s = 1 if duration_s < _HOUR else _MINUTE if duration_s < _DAY else _HOUR
    return rounded_duration(duration_s // unit_s * unit_s if duration_s >= 1 else duration_s)


def floored_share(share: float, digits: int = 1) -> float:
    """A lower bound of a share, as it is to be told in percent: 12.38 % are 12.3 %"""
    return floor(share * 100 * 10.0**digits + _EXACT) / 10.0**digits / 100


def _two_units(count: int, size: int, large: str, small: str) -> str:
    return f"{count // size} {large} {count % size:02} {small}"


def rough_duration(duration_s: float | None, *, at_least: bool = False) -> str:
    """In one unit, where a second one would claim too much: `22 m`, half the width of an interval, or an age

    A lower bound is never rounded up.
    """
    if duration_s is None or not isfinite(duration_s):
        return DASH
    for unit_s, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if duration_s >= 1.5 * unit_s:
            count = duration_s / unit_s
            return f"{floor(count) if at_least else count:.0f} {unit}"
    return f"{max(1, round(duration_s))} s"


def short_duration(duration_s: float | None) -> str:
    """In one unit and at most 7 cells, for a column of figures: `169 ms`, `21.0 s`, `2.43 m`, `4.17 h`, `52 d`"""
    if duration_s is None or not isfinite(duration_s):
        return DASH
    for below_s, unit_s, unit in _SHORT:
        if duration_s < below_s:
            return f"{three_digits(duration_s / unit_s)} {unit}"
    return f"{duration_s / _DAY:.0f} d"


def axis_duration(duration_s: float, step_s: float, most_s: float) -> str:
    """On an axis up to `most_s`, of whose round values one is every `step_s`: `21.0 s`, `150 ms`, `30 m`

    In one unit for the whole axis, and in at most 7 cells.
    """
    whole = next(((unit_s, unit) for unit_s, unit in _LONG if step_s % unit_s == 0), None)
    unit_s, unit = whole or next(((u, unit) for u, unit in _UNITS if most_s >= u), _UNITS[-1])
    return f"{duration_s / unit_s:.{_decimals(step_s / unit_s)}f} {unit}"


def _decimals(step: float) -> int:
    digits = 0
    while step < 0.995 and digits < 3:
        step *= 10
        digits += 1
    return digits


def running_duration(duration_s: float, tenths_below_s: float = 99.95) -> str:
    """Of a clock that is running, whose digits stand still: `9.3 s`, `21.0 s`, `1 m 40 s`"""
    return f"{duration_s:.1f} s" if duration_s < tenths_below_s else rounded_duration(duration_s)


def parse_duration(text: str) -> float:
    """Seconds, written `1.5`, `1.5s` or `300ms`.

    Raises:
        ValueError: it is no such number, not positive, or more than 1e7 s.
    """
    number, factor = (text[:-2], 1e-3) if text.endswith("ms") else (text.removesuffix("s"), 1.0)
    try:
        duration_s = float(number) * factor
    except ValueError:
        duration_s = 0.0
    if not 0 < duration_s < 1e7:
        raise ValueError(f"{text!r} is no time. Write 1.5s or 300ms.")
    return duration_s


# Shares, factors, quantities


def percent(share: float | None, digits: int | None = None) -> str:
    """`51.7 %`, `99 %`, `< 0.1 %`: without `digits` one at most; in tables always as many as `digits`."""
    if share is None or not isfinite(share):
        return DASH
    value = 100 * share
    if digits is None:
        digits = 0 if abs(value) >= 99.95 or value == round(value) else 1
    text = f"{value:.{digits}f}"
    return f"< {10**-digits:.{digits}f} %" if value > 0 and float(text) == 0 else f"{text} %"


def about_percent(share: float) -> str:
    """`about 3 %`, of what is to come and can only be like what has been; `0.5 %`, `< 0.1 %`"""
    return f"about {percent(share, 0)}" if share >= 0.01 else percent(share)


def times(factor: float | None) -> str:
    """`1.93 ×`, `10.9 ×`, `274 ×`"""
    return DASH if factor is None or not isfinite(factor) else f"{three_digits(factor)} ×"


def si(quantity: float | None, unit: str = "") -> str:
    """`512 TFLOP/s`, `2.10 MB`, `49.9 k`"""
    if quantity is None or not isfinite(quantity):
        return DASH
    for size, prefix in _SI:
        if abs(quantity) >= 0.9995 * size:
            return f"{three_digits(quantity / size)} {prefix}{unit}"
    return f"{three_digits(quantity)} {unit}".rstrip()


def in_unit(quantity: float | None, unit: str) -> str:
    """Whole, in the unit that its instrument shows: `1,980 MHz`, `690 W`, `64 °C`"""
    return DASH if quantity is None or not isfinite(quantity) else f"{quantity:,.0f} {unit}"


_DIGITS = 7
"""With so many a loss is kept: more were never printed."""


def loss(value: float | None) -> str:
    """As trainers print it: `2.8570`, `0.0312`; `3.1e-05` where four decimals would leave nothing of it"""
    if value is None or not isfinite(value):
        return DASH
    if 0 < abs(value) < 1e-3:
        return f"{value:.3g}"
    whole = len(f"{abs(value):.0f}")
    return f"{value:,.{max(0, min(4, _DIGITS - whole))}f}"


def memory(size_bytes: float | None) -> str:
    """In binary units, as a driver counts memory: `118 GiB`"""
    if size_bytes is None or not isfinite(size_bytes):
        return DASH
    for size, unit in _BINARY:
        if size_bytes >= 0.9995 * size:
            return f"{three_digits(size_bytes / size)} {unit}"
    return f"{size_bytes:.0f} B"


def money(amount: float | None) -> str:
    """`$181`, `$1.24`"""
    if amount is None or not isfinite(amount):
        return DASH
    return f"${amount:,.2f}" if amount < 100 else f"${amount:,.0f}"


def count(number: float | None) -> str:
    """`1,048,576`"""
    return DASH if number is None or not isfinite(number) else f"{number:,.0f}"


def short_count(number: int) -> str:
    """In at most 4 cells, for a column of figures: `7`, `999`, `1.2k`, `12k`, `1.2M`"""
    if number < 1_000:
        return str(number)
    for size, unit in ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        if number < 999.5 * size:
            part = number / size
            return f"{part:.1f}{unit}" if part < 9.95 else f"{part:.0f}{unit}"
    return "many"


def three_digits(number: float) -> str:
    """`0.011`, `0.74`, `9.34`, `21.0`, `512`"""
    size = abs(number)
    if 1e-4 <= size < 0.0995:
        return f"{number:.2g}"
    return f"{number:,.0f}" if size >= 99.95 or not size else f"{number:.1f}" if size >= 9.995 else f"{number:.2f}"


# Nouns


def with_article(name: str) -> str:
    """`an A100`, `a V100`, `an RTX 3090`: by how the first letter is called"""
    return f"{'an' if name[:1] in 'AEFHILMNORSX' else 'a'} {name}"


def unlike_times(count: int, span: tuple[str, str], usual: str = "") -> str:
    """`5 times, 80.0 s to 27 d`; with what is usual: `5 times, usually 83.0 s, the longest 27 d`."""
    least, most = span
    return f"{plural(count, 'time')}, " + (
        f"usually {usual}, the longest {most}" if usual else f"{least} to {most}"
    )


def plural(number: int, noun: str, many: str = "") -> str:
    """`1 spike`, `3 spikes`; `many` where the plural is not the noun and an s: `2 losses`"""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def clipped(text: str, most: int) -> str:
    """At most so many characters: what is cut ends with an ellipsis"""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.7) -> str:
    """` (did you mean max_iters?)`, where one of the `known` is as good as the same; else nothing.

    alike: of `difflib`, 0 to 1: one letter of a short name and two of a longer one are another.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - 4 ms, and only of what is wrong

    spoken = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold()[:_LONGEST_NAME], spoken, n=1, cutoff=alike)
    return f" (did you mean {spoken[near[0]]}?)" if near else ""


_LONGEST_NAME = 200  # of which the likeness is asked: it costs the square


def listed(parts: list[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`"""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
