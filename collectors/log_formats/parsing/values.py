"""Numbers of a log line, and which of them an event can hold."""

from __future__ import annotations

import re
from datetime import datetime
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from ....events import LARGEST, LONGEST_SCALAR, MOST_SCALARS, Number, Quantity, Seconds, Share, SpanEnd, UnixTime
from ...clean import clean
from ...patterns import lazy_pattern
from .stamps import Calendar

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

Fields = dict[str, Any]
"""What a line says, in SI units: numbers, and text for the few fields that are text."""


UNREAD = float("nan")
"""Instead of a number that no double holds. It is a nan that nobody printed: `loss_fields` knows it from the others."""

COUNTER = r"(?:\d{1,3}(?:,\d{3}){1,4}(?!,?\d)|\d{1,15})"
"""A number that counts: `121400`, or `121,400` as people group the digits. What more commas part are several."""

UNIT_FACTORS = {
    "ms": 1e-3, "msec": 1e-3, "millis": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "ns": 1e-9, "s": 1.0, "sec": 1.0,
    "secs": 1.0, "seconds": 1.0, "min": 60.0, "mins": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0, "hours": 3600.0, "second": 1.0, "m": 60.0,
    "pct": 0.01, "percent": 0.01, "%": 0.01, "k": 1e3,
}  # fmt: skip
_COMPOUND = lazy_pattern(
    r"(?:(\d{1,4}) ?d(?:ays?)?,? {0,3})?(?:(\d{1,5}) ?h(?:rs?|ours?)?,? {0,3})?(?:(\d{1,5}) ?m(?:in(?:ute)?s?)?,? {0,3})?"
    r"(?:(\d{1,6}(?:\.\d{1,20})?) ?s(?:ec(?:ond)?s?)?,? {0,3})?(?:(\d{1,6}) ?(?:ms|msecs?|milliseconds?))?"
)
_CLOCK = lazy_pattern(r"(?:(\d{1,4}) days?, )?(\d{1,5}):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?")
_VALUE = lazy_pattern(r"([-+.\w,]{1,40}?) ?(ms|us|ns|secs?|seconds|mins?|minutes|hours|hrs?|[smhkKM%])")
_IN_BRACKETS = lazy_pattern(r" ?\((\w{1,8})\)$")


class LogLine(NamedTuple):
    """The line at hand. `at_s` is its Unix time: that of its own stamp (`stamped`), or of its arrival, or `None`."""

    text: str
    at_s: float | None
    stamped: bool = False

    @classmethod
    def of(cls, text: str, arrived_at_s: float | None, calendar: Calendar) -> LogLine:
        """The line, with its own time stamp where it has one."""
        stamped_at_s = calendar.stamp(text)
        return cls(text, arrived_at_s) if stamped_at_s is None else cls(text, stamped_at_s, stamped=True)

    def before(self, what: str) -> LogLine:
        """The same line, without a stamp behind `what`: there something else was written, at a later moment."""
        if not self.stamped or Calendar().stamp(self.text.partition(what)[0]) is not None:
            return self
        return LogLine(self.text, None)

    def at(self, at_s: float) -> LogLine:
        """The same line, whose time is said by one of its values, if that can be one."""
        return self if unix_time(at_s) is None else LogLine(self.text, at_s, stamped=True)


def number(text: str) -> float | None:
    """`1,234.5` → 1234.5; `nan` and `inf` are numbers too; anything else, 400 digits too, is `None`."""
    try:
        read = float(text.replace(",", ""))
    except ValueError:
        return None
    return None if isinf(read) and "n" not in text.lower() else read  # 1e999 is not inf, it is not read


def digits_of(text: str) -> int:
    """`1,234` → 1234, of digits that `COUNTER` found."""
    return int(text.replace(",", ""))


def as_float(value: object) -> float | None:
    """A number of JSON, which may have any number of digits; `None` for what is none, or beyond all doubles."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def as_number(value: object) -> float | None:
    """A number, `12.3k`, `381ms`, `0:00:26` or an ISO date as a number in SI; anything else is `None`."""
    if isinstance(value, str):
        return _text_number(value.strip()) if len(value) <= 40 else None
    return as_float(value)


def _text_number(text: str) -> float | None:
    if text[:1].isalpha() and text[0] not in "nNiI":  # nan and inf: of all words the only numbers
        return None
    if (read := number(text)) is not None:
        return read
    text = _IN_BRACKETS.sub(r"\1", text)
    if (found := _VALUE.fullmatch(text)) and (read := number(found[1])) is not None:
        return read * UNIT_FACTORS.get(found[2], 1e6 if found[2] == "M" else 1e3)
    if (passed_s := _passed_s(text)) is not None:
        return passed_s
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text[:2] == "20" else None
    except (ValueError, OverflowError, OSError):
        return None


def _passed_s(text: str) -> float | None:
    """`0:02:11`, `2:11` and `1 h 2 min 11 s 250 ms` in seconds."""
    if found := _CLOCK.fullmatch(text):
        days, first, second, third = (float(part or 0) for part in found.groups())
        return days * 86_400 + (first * 3600 + second * 60 + third if found[4] else first * 60 + second)
    if text[:1].isdigit() and (found := _COMPOUND.fullmatch(text)):
        days, hours, minutes, seconds, thousandths = (float(part or 0) for part in found.groups())
        return days * 86_400 + hours * 3600 + minutes * 60 + seconds + thousandths / 1000
    return None


_FROM = lazy_pattern(
    r"(?i)((?<![a-z])(?!epoch|step|iter|batch|update|episode)[a-z_][\w./]{0,40}(?: ?\(\w{1,8}\))?['\"]? {0,3}(?:[:=] {0,8})?)"
    r"[-+]?\d{1,12}(?:\.\d{0,20})?(?:e[-+]?\d{1,3})?%? {0,3}(?:-{1,2}>|=>|→) {0,3}(?=[-+]?\.?\d|(?:nan|inf|none|null|n/?a)\b|\?|-{1,3}(?![\d>]))"
)
_ARROWS = ("->", "=>", "→")


_LONG_COUNTERS = lazy_pattern(
    r"(?i)(?<![\w/.-])(?:global_(?!step)|current_|curr_|cur_)?(step|iteration|iter|batch|update|epoch|episode)"
    r"(?:_(?:idx|index|id|no|number)|(?<=iter)_num|(?<=step)_num|(?<=update)_count)?(?=['\"]?[ :=]{1,4}[\[(]?\d)"
)


def short_counters(text: str) -> str:
    """`batch_idx=64`, `global_iter 64`, `current_epoch: 3` as `batch=64`, `iter 64`, `epoch: 3`."""
    return _LONG_COUNTERS.sub(r"\1", text) if "_" in text else text


def newest_in(text: str) -> str:
    """`test loss: 2.5 -> 0.5`: what it was before is left out, also where no number is known behind the arrow; `loss: 2.5 -> saved` is what it is."""
    return _FROM.sub(r"\1", text) if any(map(text.__contains__, _ARROWS)) else text


def is_clock(value: object) -> bool:
    """`0:02:11` counts nothing but time."""
    return isinstance(value, str) and ":" in value


def is_timed(value: object) -> bool:
    """`2.93s`, `35 ms`: it has a unit of time."""
    found = _VALUE.fullmatch(value) if isinstance(value, str) and value.endswith("s") else None
    return found is not None and found[2] in UNIT_FACTORS


def whole(value: float | None) -> int | None:
    """A number that counts something: `None` if it is none, or beyond what an event can hold."""
    return int(value) if value is not None and 0 <= value < 2**53 else None


def _within(kind: Any) -> Callable[[float | None], float | None]:
    """The value, or `None` if a type of the vocabulary does not hold it."""
    bounds = get_args(kind)[1]
    least, most = bounds.ge, bounds.le

    def within(value: float | None) -> float | None:
        return value if value is not None and least <= value <= most else None

    return within


seconds = _within(Seconds)
unix_time = _within(UnixTime)
quantity = _within(Quantity)
finite = _within(Number)
positive = _within(Share)  # trainers print -1 or -100 % for an MFU that they do not know


def scalars(named: Iterable[tuple[str, object]], besides: Container[str] = ()) -> dict[str, float]:
    """The numbers among named values, but for those `besides` that are understood; names clean and short.

    What counts the time that is left, text that only looks like a number (`1:30`), and a line of a file
    (`training/saver.py:966`, of a warning that was glued to a row), is none. `Accuracy: 99.94%` is `Accuracy %`, 99.94,
    as the log has it: a share of 1 that another row may call by the same name is another metric.
    """
    found: dict[str, float] = {}
    for called, printed in named:
        name, value = (
            in_percent(called, printed) if isinstance(printed, str) and "%" in printed else (called, printed)
        )
        lower = called.lower()
        counts = lower in _PHASES and "." not in str(value)
        if counts or called in besides or lower in _NO_SCALARS or ("." in called and _FILE.search(called[-12:])):
            continue
        read = number(value) if isinstance(value, str) else as_float(value)
        if finite(read) is not None and abs(read or 0.0) <= LARGEST and len(found) < MOST_SCALARS:
            found[clean(name.strip(), LONGEST_SCALAR)] = read  # type: ignore[assignment]
    return found


_FILE = lazy_pattern(
    r"(?i)\w\.(?:py[cx]?|cc|cpp|cxx|cu|hpp|java|lua|ipynb|sh|json|ya?ml|txt|csv|pth?|ckpt|h5|np[yz]|png|jpe?g)$"
)
COUNTS = ("step", "global_step", "max_steps", "total_steps")
"""What only says where a row stands, by its plain name."""
_NO_SCALARS = frozenset(
    ("", "eta", "eta_seconds", "remaining", "remaining_time", "percentage", "v_num", "seed", *COUNTS)
)
"""What is left, what never changes, and what counts."""


def in_percent(name: str, value: str) -> tuple[str, str]:
    """`Accuracy: 99.94%` as a name with the sign, and a number; a share of how far something has come is none."""
    number_of = value.rstrip()[:-1].rstrip() if value.rstrip().endswith("%") else value
    if number_of is value or not _DONE.isdisjoint(name.lower().replace("_", " ").split()):
        return name, value
    return (name if "%" in name else f"{name.strip()} %"), number_of


_DONE = frozenset(("progress", "done", "complete", "completed", "finished"))
"""Of these a share is how far something has come."""

_PHASES = frozenset(("train", "training", "test", "testing", "val", "valid", "validation", "eval", "evaluation"))
"""Behind them a counter stands, `Test: [10/10]`, or a value with decimals."""


_REMAINING = lazy_pattern(
    r"(?i)(?<![a-z])(?:eta|remaining(?:[ _]time)?)[\"']?[:=]? {0,3}[\"']?(?:(?P<days>\d{1,4}) days?, )?"
    r"(?:(?P<clock>\d{1,5}:\d\d(?::\d\d)?)(?![\d:])|(?P<units>(?:\d{1,5}(?:\.\d{1,3})? ?[dhms] ?(?![a-z])){1,4}))"
)
_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def remaining(text: str) -> float | None:
    """`eta: 1 day, 2:03:11`, `remaining time: 0:01:54`, `eta=5h11m`: what a line says is left, in seconds."""
    found = _REMAINING.search(text)
    if found is None:
        return None
    if found["units"]:
        parts = re.findall(r"([\d.]+) ?([dhms])", found["units"].lower())
        return sum(float(value) * _UNITS_S[unit] for value, unit in parts)
    seconds_left = 0.0
    for part in found["clock"].split(":"):
        seconds_left = seconds_left * 60 + int(part)
    return seconds_left + _UNITS_S["d"] * int(found["days"] or 0)


def ended(
    kind: str,
    at_s: float | None,
    iteration: float | None,
    duration_s: float | None = None,
    *,
    detail: str = "",
    values: dict[str, float] | None = None,
    apart: bool = False,
) -> SpanEnd:
    """A span's end, without what no event can hold."""
    index = whole(iteration)
    held = {name: value for name, value in (values or {}).items() if finite(value) is not None}
    return SpanEnd(kind, unix_time(at_s), index, seconds(duration_s), detail=detail, values=held, apart=apart)


def loss_fields(value: float | None) -> Fields:
    """`loss` and `bad_loss` of an `Iteration`."""
    if value is None or value is UNREAD or isfinite(value):
        return {"loss": finite(value)}
    return {"bad_loss": "nan" if value != value else "inf" if value > 0 else "-inf"}
