"""What an iteration took on average of the whole, stops in it: where no row has a time, but the log's end tells.

It needs two witnesses: the iterations that were counted, and those that the printed rate makes of the printed
total.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..intake import Intake

MOST_ROUNDED = 0.05
"""A rate whose last digit leaves more open confirms no count."""


def mean_of_all_s(run: Intake, passed: int) -> float | None:
    """Seconds of one of the `passed` iterations; `None`: rows have times, or nothing confirms the count.

    One process alone: a rate that counts what an earlier one did agrees with no count of this one's.
    """
    columns, totals = run.columns, list(run.totals.values())
    if len(run.starts) != 1 or len(totals) != 1 or columns.untimed < len(columns) or len(columns) <= 1:
        return None
    total_s, rate = totals[0].duration_s, totals[0].iterations_per_s
    if not rate or rate <= 0 or (rounding := _half_a_digit(rate)) > MOST_ROUNDED * rate:
        return None
    agree = abs(rate * total_s - passed) <= rounding * total_s + 1
    return total_s / passed if agree else None


def _half_a_digit(rate: float) -> float:
    """How far a printed number may be from what was measured: 0.0005 of 0.081."""
    digits = f"{rate:.9f}".rstrip("0").partition(".")[2]
    return 0.5 * 10.0 ** -len(digits)
