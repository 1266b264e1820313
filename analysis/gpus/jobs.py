"""Which GPUs work together. Those of one job are about as busy as each other, and change at the same moments.

Neither alone decides: stages of a pipeline take different power, and of GPUs at their limit only noise is left
that changes. So a GPU is apart from others if it differs from them in both. On a box with eight A100, sampled each
30 s, the changes of power of the four that trained together correlate by 0.44 to 0.57, with others'
jobs by at most 0.11; eight GPUs of one job, each 0.3 s, by 0.92 to 0.98; four H100 at their limit, each
15 s, by anything.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .profile import Profile

TOGETHER = 0.3
"""Correlation of the changes from which on two GPUs do the same."""

FEWEST = 60
"""Changes before they say anything: of as many, chance alone reaches 0.3 in one pair of a hundred."""

AS_BUSY = 0.1
"""Utilization by which GPUs of one job may differ, in the mean."""

AS_MUCH_POWER = 0.15
"""... and power, as a share: eight GPUs of one job, one of them hot, differ by 11 %."""

IDLE = 0.02
"""Mean utilization of a GPU that does nothing: an open desktop takes as much."""


def groups(profiles: Mapping[int, Profile], series: Mapping[int, Sequence[float]]) -> list[tuple[int, ...]]:
    """The GPUs of `profiles` by what they do together, the largest group first.

    Args:
        profiles: of GPUs that are not idle.
        series: the newest values of each one's power or utilization, of the same moments.
    """
    changes = {gpu: [b - a for a, b in pairwise(values)] for gpu, values in series.items()}
    found: list[list[int]] = []
    for gpu in sorted(profiles):
        for group in found:
            moves = [_alike(changes.get(gpu, ()), changes.get(other, ())) for other in group]
            known = [move for move in moves if move is not None]
            if _as_busy(profiles[gpu], profiles[group[0]]) or not known or sum(known) / len(known) >= TOGETHER:
                group.append(gpu)
                break
        else:
            found.append([gpu])
    return sorted((tuple(group) for group in found), key=lambda group: (-len(group), group))


def _as_busy(one: Profile, other: Profile) -> bool:
    used = [share for share in (one.utilization, other.utilization) if share is not None]
    if used and max(used) - min(used) > AS_BUSY:
        return False
    power = [watts for watts in (one.power_w, other.power_w) if watts is not None]
    return not power or max(power) - min(power) <= AS_MUCH_POWER * max(power)


def _alike(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The correlation of two GPUs' changes; `None` while there are too few of them."""
    count = min(len(a), len(b))
    if count < FEWEST:
        return None
    mean_a, mean_b = sum(a[:count]) / count, sum(b[:count]) / count
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=False))
    each = sum((x - mean_a) ** 2 for x in a[:count]) * sum((y - mean_b) ** 2 for y in b[:count])
    return float(both / each**0.5) if each > 0 else 0.0
