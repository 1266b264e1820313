"""Numbers of a log line, and which of them an event can hold."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

from ....events import SpanEnd
from .stamps import stamp

Fields = dict[str, Any]
"""What a line says, in SI units: numbers, and text for the few fields that are text."""


class LogLine(NamedTuple):
    """The line at hand. `at_s` is its Unix time: that of its own stamp (`stamped`), or of its arrival, or `None`."""

    text: str
    at_s: float | None
    stamped: bool = False

    @classmethod
    def of(cls, text: str, arrived_at_s: float | None) -> LogLine:
        """The line, with its own time stamp where it has one."""
        stamped_at_s = stamp(text)
        return cls(text, arrived_at_s) if stamped_at_s is None else cls(text, stamped_at_s, stamped=True)

    def at(self, at_s: float) -> LogLine:
        """The same line, whose time is said by one of its values."""
        return LogLine(self.text, at_s, stamped=True)


def number(text: str) -> float | None:
    """`1,234.5` → 1234.5; `nan` and `inf` are numbers too; anything else is `None`."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def whole(value: float | None) -> int | None:
    """A number that counts something: `None` if it is none, or beyond what an event can hold."""
    return int(value) if value is not None and 0 <= value < 2**53 else None


def seconds(value: float | None) -> float | None:
    """The value, or `None` if it is no length of time that an event can hold."""
    return value if value is not None and 0 <= value <= 1e10 else None


def moment(value: float | None) -> float | None:
    """The value, or `None` if it is no Unix time that an event can hold."""
    return value if value is not None and 0 <= value <= 1e11 else None


def ended(
    kind: str,
    at_s: float | None,
    iteration: float | None,
    duration_s: float | None = None,
    *,
    detail: str = "",
    values: dict[str, float] | None = None,
) -> SpanEnd:
    """A span's end, without what no event can hold."""
    index = whole(iteration)
    return SpanEnd(kind, moment(at_s), index, seconds(duration_s), detail=detail, values=values or {})


def finite(value: float | None) -> float | None:
    """The value, or `None` if it is nan or infinite."""
    return value if value is not None and isfinite(value) else None


def positive(value: float | None) -> float | None:
    """Trainers print -1 or -100 % for an MFU that they do not know."""
    return value if value is not None and isfinite(value) and value >= 0 else None


def loss_fields(value: float | None) -> Fields:
    """`loss` and `bad_loss` of an `Iteration`."""
    if value is None or isfinite(value):
        return {"loss": value}
    return {"bad_loss": "nan" if value != value else "inf" if value > 0 else "-inf"}
