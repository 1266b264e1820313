"""Quotients of what was measured: none where there is nothing to divide by."""

from __future__ import annotations

LEAST = 1e-9
"""Nobody measures less of anything: what is divided by less would be no share but an accident of doubles."""


def ratio(value: float | None, whole: float | None) -> float | None:
    """`value` of `whole`; `None` where one of them is not known, or where the whole is nothing."""
    return value / whole if value is not None and whole is not None and abs(whole) >= LEAST else None
