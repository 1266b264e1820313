"""What one rule finds in a run. `judge` makes the verdict of it: limits and unknowns are the same for all."""

from __future__ import annotations

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
