"""Ranks that wait for each other although none is at fault: a part of them has more work, or each in turn.

Slow data moves from rank to rank, and so does a long sample; a GPU or a host that is slow stays where it is. The
ranks of a pipeline's stage, and of a host, lie side by side.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 32
"""Iterations that are compared at least: of ranks that are alike, one half has the last in `MOST` of so many in
one of 3,000 windows, and then they would have to make the others wait as well."""

MOST = 0.8
"""So often the last one is of the group, and none of it twice as often as the next, as one slow rank would."""

MUCH = 0.1
"""Ranks in turns wait for this share of an iteration: times that vary by 5 % alone make 7 % of four ranks."""

FARTHEST = 64
"""Stretches that are looked at, back from the newest, for where it began."""


def group_of(last: Sequence[int], ranks: int) -> tuple[int, int] | None:
    """The first and the last rank of the smallest equal part (a quarter, a half) that the last ones are of."""
    counts = Counter(last)
    if len(last) < FEWEST or max(counts) >= ranks:
        return None
    for size in range(2, ranks // 2 + 1):
        if ranks % size == 0:
            of_group = Counter(rank // size for rank in counts.elements())
            group, count = of_group.most_common(1)[0]
            (_, often), (_, less) = [*counts.most_common(2), (0, 0)][:2]
            if count >= MOST * len(last) and often < 2 * less:
                return group * size, group * size + size - 1
    return None
