"""What one rule finds in a run. `judge` makes the verdict of it: limits and unknowns are the same for all."""

from __future__ import annotations

import re
from typing import NamedTuple


class Diagnosis(NamedTuple):
    """What it is, the evidence in sentences, what to do next.

    `gain` is the speed-up of the whole run that the next step promises, from ... to (1.02 is 2 %), before it is
    held against the floor. `healthy` is `None` where the rule cannot say.
    """

    kind: str
    headline: str
    evidence: tuple[str, ...]
    next_step: str
    healthy: bool | None
    gain: tuple[float, float] | None = None


_QUOTED_OR_COUNTED = re.compile(r'"[^"]*"|\b(an )?([Ii])teration(s?)\b')
"""What the log says stays as it says it."""
_NUMBERED = re.compile(r"\b(an )?([Ii])teration(s?)\b(?= \d)")
"""In an advice: what else it says of iterations is of those to come."""


def counted_in(unit: str, text: str, *, advice: bool = False) -> str:
    """`text` in what the log counts: `the best was at epoch 75`, of epochs."""
    if unit == "iteration":
        return text

    def put(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        many = "es" if found[3] and unit.endswith("tch") else found[3]
        named = unit if found[2] == "i" else unit.capitalize()
        article = "" if not found[1] else "an " if unit[0] in "aeiou" else "a "
        return f"{article}{named}{many}"

    return (_NUMBERED if advice else _QUOTED_OR_COUNTED).sub(put, text)
