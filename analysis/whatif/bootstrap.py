"""How sure a median is: its bootstrap distribution, without drawing the samples.

The median of n draws with replacement from sorted values is the value at the m-th smallest of n uniform ranks,
which is Beta(m, n - m + 1) distributed. One draw from that is one bootstrap median, whatever n is.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec

from ..medians import median_of_ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 2_000
SEED = 0
"""The same runs give the same interval."""


class Interval(msgspec.Struct, frozen=True, gc=False):
    """A ratio of two medians and its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Is it surely not 1?"""
        return self.low > 1.0 or self.high < 1.0


def ratio_of_medians(above: Sequence[float], below: Sequence[float]) -> Interval | None:
    """median(above) / median(below); `None` with fewer than two values on a side."""
    if len(above) < 2 or len(below) < 2:
        return None
    random = Random(SEED)  # noqa: S311 - statistics, not secrets
    one, two = sorted(above), sorted(below)
    ratios = sorted(_draw(one, random) / _draw(two, random) for _ in range(DRAWS))
    middle = median_of_ordered(one) / median_of_ordered(two)
    return Interval(middle, ratios[DRAWS // 40], ratios[-1 - DRAWS // 40])


def _draw(ordered: Sequence[float], random: Random) -> float:
    n = len(ordered)
    m = (n + 1) // 2
    return ordered[min(n - 1, int(n * random.betavariate(m, n - m + 1)))]
