"""How much normal iterations differ from each other: whether their times tell."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from .baseline import FEW

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..record.columns import Columns

FINE = 0.001
"""A last digit that is worth no more than this share of the time hides nothing that anybody would look for."""


_SAME = 1e-6
"""Of the level: two times that are nearer differ by what adding and scaling numbers leaves, and by no digit."""


OFTEN, MOSTLY = 8, 0.75
"""A time comes often if one row in so many has it. Where such times are so large a share of all, they are printed
digits, and the few between them were got in another way, as from the seconds of an epoch."""


def is_told(durations: Sequence[float], level: float, jitter: float) -> bool:
    """Few times do not tell it, nor do those that a coarse last digit makes alike.

    Args:
        durations: those that the level rests on, in seconds.
        level: what is usual, in seconds.
        jitter: how much they seem to differ, as a share of the level.
    """
    alike = level * _SAME
    times = Counter(round(duration / alike) * alike for duration in durations)
    if len(durations) < FEW or len(times) == 1:
        return False
    often = sorted(one for one, count in times.items() if OFTEN * count >= len(durations))
    mostly = len(often) > 1 and sum(times[one] for one in often) >= MOSTLY * len(durations)
    different = often if mostly else sorted(times)
    digit = min(after - before for before, after in pairwise(different))
    return digit <= FINE * level or jitter * level >= digit


BESIDE, FEWEST = 12, 6
"""So many rows on either side of one, and so many together at least, show what was usual there."""

SIGMAS = 3.0
"""Standard deviations: hardly one row of a few dozen takes more than others by chance."""


def beside(columns: Columns, first: int, position: int, told: Container[int]) -> tuple[float, float, int]:
    """What rows took beside the one at `position`, and how much more by chance; zeros where few are known.

    And of how many more iterations it is the mean: of these no row shows what they take without a stop.
    From position `first` on; without those that are `told` of, and those that are means of fewer iterations.
    """
    over = columns.averaged_at(position)
    near = range(max(first, position - BESIDE), min(len(columns), position + BESIDE + 1))
    rows = [n for n in near if n != position and n not in told and 2 * columns.averaged_at(n) >= over]
    known = [d for n in rows if (d := columns.duration_s[n]) == d]
    if len(known) < FEWEST:
        return 0.0, 0.0, 0
    usual_s, usually = median(known), median(columns.averaged_at(n) for n in rows)
    return usual_s, SIGMAS * 1.4826 * median([abs(d - usual_s) for d in known]), max(0, over - int(usually))
