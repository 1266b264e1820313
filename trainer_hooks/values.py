"""Values that a user's loop gave, as numbers and texts that JSON can hold. Nothing raises or waits for a GPU."""

from __future__ import annotations

from typing import Any

TOO_MANY = 1 << 53
"""No reader takes an index or a count as large as this (`events.Index`)."""

MOST = 3.4e38
"""Nor a loss or a gradient norm as large as this (`events.Number`): float32 holds no more."""

MOST_SHARE = 1e4
"""Nor a share (`events.Share`)."""


def as_text(value: Any, most: int = 500) -> str:
    """`value` as text of at most `most` characters that JSON can hold: a path may have bytes that are no UTF-8."""
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001 - the user's own class, or an integer of 5,000 digits
        text = f"no text of {type(value).__name__}: {type(error).__name__}"
    return text[:most].encode(errors="replace").decode()


def as_number(value: Any) -> float | None:
    """A float of whatever number the user gave; `None` for what would make us wait for a GPU, or is no number."""
    if value is None or value.__class__ is float:
        return value
    if not getattr(value, "is_cpu", True):  # a tensor on any device, not CUDA's alone
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def bounded(number: float | None, least: float = -MOST, most: float = MOST) -> float | None:
    """The number; `None` for nan, and for one that readers refuse, together with all else that the event says."""
    return number if number is not None and least <= number <= most else None


def as_count(value: Any) -> int | None:
    """How many, of whatever number the user gave; `None` for what is none."""
    if value is None or value.__class__ is int:  # nearly always: no float is made of it
        return value if value is None or 0 <= value < TOO_MANY else None
    number = as_number(value)
    return int(number) if number is not None and 0 <= number < TOO_MANY else None


def held(value: Any) -> Any:
    """`value` as it is now: a tensor may be added to in place before the daemon thread reads it."""
    try:
        return value.item() if value.is_cpu else None
    except Exception:  # noqa: BLE001 - not a tensor: the daemon thread reads it as it is
        return value
