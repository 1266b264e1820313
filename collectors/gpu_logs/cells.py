"""The text of one cell of a recording: a number with its unit, a time, the reasons that held a clock down."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from ..log_formats.parsing.stamps import stamp
from ..nvml.measuring import LIMITS
from ..patterns import lazy_pattern
from .headings import BYTES, HERTZ, SHARE, UNITS

MOST_CELL = 256
"""Characters: no name, time or number is longer."""

_NUMBER = lazy_pattern(r"\s*([-+]?\d{1,20}(?:\.\d{0,18})?(?:[eE][-+]?\d{1,3})?)\s*([%A-Za-z°]{0,8})\s*", re.ASCII)
_ZONED = lazy_pattern(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|[-+]\d\d:?\d\d)",
    re.ASCII,
)
_SECONDS = lazy_pattern(r"([0-5]\d(?:\.\d{1,9})?)(\s*(?:Z|UTC|[-+]\d\d:?\d\d)?)", re.ASCII)
_DAY_IN_ONE = lazy_pattern(r"(20\d\d)(\d\d)(\d\d)\s+(\d\d:\d\d:\d\d(?:\.\d+)?)", re.ASCII)
_UNIX_FROM, _UNIX_TO = 5e8, 1e10  # seconds: 1985 to 2286; milliseconds and finer are a thousand times as many


class Moment(NamedTuple):
    """A time, and whether its text says of which zone: else it is taken as this machine's local time."""

    at_s: float
    zoned: bool


def number(text: str) -> tuple[float, str] | None:
    """The number in a cell, and its unit ("" for none); `None` for anything else: `[N/A]`, `-`, a word."""
    found = _NUMBER.fullmatch(text) if len(text) <= MOST_CELL else None
    if found is None:
        return None
    value = float(found[1])
    return (value, found[2].casefold()) if isfinite(value) else None


def moment(text: str) -> Moment | None:
    """The time that a cell names; `None` where it names none."""
    text = text.strip()[:MOST_CELL]
    found = _SECONDS.fullmatch(text, 17) if text[16:17] == ":" == text[13:14] else None
    if found is None:
        return _moment(text)
    minute = _moment(f"{text[:17]}00{found[2]}")
    return None if minute is None else Moment(minute.at_s + float(found[1]), minute.zoned)


@lru_cache(maxsize=256)
def _moment(text: str) -> Moment | None:
    """Cached: to read a date is slow, and the rows of a minute share it."""
    if found := number(text):
        return _unix(found[0])
    if zoned := _ZONED.fullmatch(text):
        return _in_its_zone(zoned)
    if day := _DAY_IN_ONE.fullmatch(text):  # nvidia-smi dmon -o DT
        text = f"{day[1]}-{day[2]}-{day[3]} {day[4]}"
    at_s = stamp(text)
    return None if at_s is None else Moment(at_s, zoned=False)


def _unix(value: float) -> Moment | None:
    for scale in (1.0, 1e3, 1e6, 1e9):
        if _UNIX_FROM * scale <= value < _UNIX_TO * scale:
            return Moment(value / scale, zoned=True)
    return None


def _in_its_zone(found: re.Match[str]) -> Moment | None:
    *parts, fraction, zone = found.groups()
    offset = "+00:00" if zone in ("Z", "UTC") else zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"
    try:
        whole = datetime.fromisoformat("{}-{}-{}T{}:{}:{}".format(*parts) + offset)
    except ValueError:
        return None
    return Moment(whole.astimezone(timezone.utc).timestamp() + float(f"0.{fraction or 0}"), zoned=True)


def scale_by_value(of: str, value: float) -> float | None:
    """How many of ours one is, of a column whose heading names no unit; `None` where the value leaves it open."""
    if of == SHARE:
        return 0.01 if value > 1 else 1.0 if 0 < value < 1 else None
    if of == HERTZ:  # a GPU computes at 0.1 to 4 GHz
        return 1.0 if value >= 1e7 else 1e6 if value >= 50 else 1e9 if value > 0.05 else None
    if of == BYTES:  # 2 GiB to 1 TiB, in bytes or in MiB: fewer may be GiB, or a share
        return 1.0 if value >= 1e7 else 2.0**20 if value >= 2_000 else None
    return 1.0


def scale_of(of: str, unit: str) -> float | None:
    """The same of a value that has its unit beside it; `None` for a unit of something else."""
    found = UNITS.get(unit)
    return found[1] if found and found[0] == of else None


def reasons(text: str) -> tuple[str, ...] | None:
    """Why the clock is held down, of a cell that holds the driver's bits: `0x0000000000000004`."""
    text = text.strip()
    try:
        bits = int(text, 16 if text.casefold().startswith("0x") else 10) if len(text) <= 20 else -1
    except ValueError:
        return None
    return tuple(name for bit, name in LIMITS.items() if bits & bit) if bits >= 0 else None
