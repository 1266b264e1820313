"""Updates of an agent that are printed beside the steps of its environment: `[Update 5/915] Step: 81920/15000000`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STEPS = ("global step", "timestep", "step")
_BOTH = lazy_pattern(
    r"(?i)(?<![\w/])(update)\W{1,4}([\d,]{1,15}) {0,2}/ {0,2}([\d,]{1,15})(?=\W)|(?<![\w/])(?:(?:global|env|time|total)[ _-]?)?(steps?)\W{1,4}([\d,]{1,15}) {0,2}/ {0,2}([\d,]{1,15})(?!\w)"
)
_LONGEST = 400


def steps_of_updates(places: Mapping[str, Sequence[float | None]]) -> frozenset[str]:
    """Words among `places`, each as (number, total), that count the steps of an environment, beside updates that count the run.

    By both totals: several steps are made for each update, and neither is further than one update from where the other is,
    as the last one may leave a few steps over.
    """
    n, of = places.get("update", (None, None))
    if n is None or not of or not 0 <= n <= of:
        return frozenset()
    return frozenset(word for word in _STEPS if word in places and _go_along(n / of, of, places[word]))


def _go_along(part: float, updates: float, steps: Sequence[float | None]) -> bool:
    n, of = steps
    return n is not None and of is not None and of > updates and abs(n / of - part) <= 1 / updates


def without_their_steps(text: str) -> str:
    """A line that has both, with another word for the steps: they count nothing beside the updates."""
    found = [*_BOTH.finditer(text[:_LONGEST])]
    updates, steps = ([one for one in found if one[group]] for group in (1, 4))
    if len(updates) != 1 or len(steps) != 1:
        return text
    (update,), (step,) = updates, steps
    places = {"update": _numbers(update[2], update[3]), "step": _numbers(step[5], step[6])}
    if not steps_of_updates(places):
        return text
    return f"{text[: step.start()]}environment: {step[5]}{text[step.end() :]}"


def _numbers(n: str, of: str) -> tuple[float, float]:
    """`5,000` and `10,000`; commas alone are none."""
    return float(n.replace(",", "") or 0), float(of.replace(",", "") or 0)
