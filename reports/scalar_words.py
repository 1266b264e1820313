"""Scalars and curves as a person reads them: what each is called, and its values in their units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from ..analysis.chart_curves import GPU_MEMORY, GPU_POWER, GPU_UTILIZATION, MACHINE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.findings import Scalar

_NAMES = {
    "learning_rate": "learning rate",
    "gradient_norm": "gradient norm",
    "tokens_per_s": "tokens/s, printed",
    "mfu": "MFU, printed",
    "data_wait_s": "data wait",
}


def called(name: str) -> str:
    """What the scalar `name` is called; those that the source named are called as there."""
    return _NAMES.get(name, name)


def amount(name: str, value: float | None) -> str:
    """A value of it, with its unit where that is known."""
    if value is None:
        return words.DASH
    return _UNITS.get(name, plain)(value)


def plain(value: float) -> str:
    """Four digits, and never more than ten characters."""
    if value == int(value) and abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.4g}"


_UNITS: dict[str, Callable[[float], str]] = {
    MACHINE[GPU_POWER]: "{:,.0f} W".format,
    MACHINE[GPU_MEMORY]: words.memory,
    MACHINE[GPU_UTILIZATION]: words.percent,
    "mfu": words.percent,
    "data_wait_s": words.duration,
    "tokens_per_s": words.count,
}


def spoken(scalars: Sequence[Scalar], newest: int | None = None) -> list[str]:
    """The newest value of each, in one sentence; with its place where that is not the `newest` iteration.

    Of what has stopped coming nothing is said: its value is none of now.
    """
    scalars = [one for one in scalars if not one.is_old]
    more = len(scalars) - _MOST_SPOKEN
    parts = [_spoken(one, newest) for one in _chosen(scalars)]
    parts += [f"{more} more in --json"] if more > 0 else []
    return [" · ".join(parts)] if parts else []


def _chosen(scalars: Sequence[Scalar]) -> list[Scalar]:
    """The first ones; but what evaluations found, if they found anything, is among them."""
    first, rest = [*scalars[:_MOST_SPOKEN]], scalars[_MOST_SPOKEN:]
    if any(one.name.startswith(_FOUND) for one in first):
        return first
    found = [one for one in rest if one.name.startswith(_FOUND)][:_LEAST_FOUND]
    return [*first[: _MOST_SPOKEN - len(found)], *found]


_FOUND, _LEAST_FOUND = ("val_", "test_"), 2
_MOST_SPOKEN = 6
"""Of a sentence: `--json` has them all."""


def _spoken(one: Scalar, newest: int | None) -> str:
    is_older = newest not in (None, one.newest_at)
    at = f" at {one.newest_at:,}" if is_older and one.newest_at is not None else ""
    return f"{called(one.name)} {amount(one.name, one.newest)}{at}"
