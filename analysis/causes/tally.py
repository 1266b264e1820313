"""Seconds and counts by cause, added up as causes become final."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events import EVALUATION, EVALUATION_AND_CHECKPOINT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .causes import Explanation


SEVERAL = 3
"""So many evaluations that no save shares the time with tell what one takes beside a save: a few may be others."""


ALIKE = 0.2
"""Of their mean: evaluations that scatter by more, as those of several trainings, say nothing of a single one."""


class Sum(msgspec.Struct, gc=False):
    """Of one cause: seconds, how often, and the sum of squares for its scatter."""

    seconds: float = 0.0
    count: int = 0
    squares: float = 0.0
    newest_s: float = 0.0
    least_s: float = 0.0  # 0: not known, of what others were taken away from
    most_s: float = 0.0
    at_most: bool = False  # is any of the seconds a bound?
    rough_s: float = 0.0  # of them, those that are known roughly

    @property
    def rough(self) -> bool:
        """Is more than a little of it known roughly?"""
        return self.rough_s > self.seconds / 10

    @property
    def mean_s(self) -> float | None:
        """Seconds each time."""
        return self.seconds / self.count if self.count else None

    @property
    def deviation_s(self) -> float:
        """The scatter of a single one; a guess of 15 % of the mean before there are three."""
        mean = self.mean_s or 0.0
        if self.count < 3:
            return 0.15 * mean
        variance = max(0.0, self.squares - self.count * mean * mean) / (self.count - 1)
        return float(variance**0.5)


class Tally:
    """One `Sum` a cause."""

    def __init__(self, sums: Mapping[str, Sum] | None = None) -> None:
        self.sums: dict[str, Sum] = {kind: msgspec.structs.replace(s) for kind, s in (sums or {}).items()}
        self.inside_s = 0.0  # of all seconds, those within the iterations' own times
        self.outside_s = 0.0  # ... and those outside them

    def add(self, explanation: Explanation) -> None:
        """Add the causes of one iteration."""
        inside, outside = explanation
        self.inside_s += sum(c.seconds for c in inside)
        self.outside_s += sum(c.seconds for c in outside)
        for cause in (*inside, *outside):
            found = self.sums.get(cause.kind)
            if found is None:
                found = self.sums[cause.kind] = Sum()
            least_s = min(found.least_s, cause.seconds) if found.count else cause.seconds
            found.least_s, found.most_s = least_s, max(found.most_s, cause.seconds)
            found.seconds += cause.seconds
            found.count += 1
            found.squares += cause.seconds * cause.seconds
            found.newest_s = cause.seconds
            found.at_most |= cause.at_most
            found.rough_s += cause.seconds * cause.rough

    def subtract(self, other: Tally) -> None:
        """Take away an earlier state of this tally."""
        for kind, earlier in other.sums.items():
            found = self.sums[kind]
            found.seconds -= earlier.seconds
            found.count -= earlier.count
            found.squares -= earlier.squares
            found.rough_s -= earlier.rough_s
            found.least_s = found.most_s = 0.0
        self.inside_s -= other.inside_s
        self.outside_s -= other.outside_s

    def leave_out(self, kind: str, part: Sum) -> None:
        """Take `part` away from the sum of `kind` alone."""
        if found := self.sums.get(kind):
            found.seconds = max(0.0, found.seconds - part.seconds)
            found.count -= part.count
            found.rough_s = max(0.0, found.rough_s - part.rough_s)
            found.least_s = found.most_s = 0.0
            found.squares = max(0.0, found.squares - part.squares)

    def copy(self) -> Tally:
        """Another one with the same sums."""
        other = Tally(self.sums)
        other.inside_s, other.outside_s = self.inside_s, self.outside_s
        return other

    def of(self, kind: str) -> Sum:
        """The sum of `kind`, empty where there is none."""
        return self.sums.get(kind) or Sum()

    def evaluation_s(self, both: str = EVALUATION_AND_CHECKPOINT) -> float | None:
        """What evaluations take alone, if that divides what they took with another kind, as `both` together.

        What is left for a save is the difference of both: of times that are known roughly it says nothing.
        """
        alone = self.of(EVALUATION)
        divides = alone.count >= SEVERAL and not alone.rough
        return alone.mean_s if both != EVALUATION_AND_CHECKPOINT or divides else None

    def each_evaluation_s(self, both: str = EVALUATION_AND_CHECKPOINT) -> float | None:
        """The same for a single one: where they are alike."""
        alone, mean_s = self.of(EVALUATION), self.evaluation_s(both)
        return mean_s if mean_s is not None and alone.deviation_s <= ALIKE * mean_s else None
