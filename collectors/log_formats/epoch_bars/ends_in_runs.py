"""Bars of which nothing but the end is left, several between any two lines: each a pass, or one that is drawn again?

    100%|██████████| 49/49 [00:03<00:00, 15.68it/s]
    100%|██████████| 49/49 [00:02<00:00, 16.37it/s]        less time than the one before: no redrawing
    100%|██████████| 49/49 [00:03<00:00, 15.38it/s]
    client 1: loss = 0.499

A log in which some are drawn twice has now more of them between two lines, now fewer, and one drawn twice at each place
never shows less time at that place.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..parsing.bars import Bar

_FEWEST = 8
"""Runs between two lines."""

_CUT = 2
"""... and so many may be of another length: a sample of lines begins and breaks off somewhere."""


def each_end_is_a_pass(bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> bool:
    """Is each frame a bar of its own? `said`: lines between them, each with the number of frames before it."""
    if not all(one.full for one in bars) or len({(one.title, one.total) for one in bars}) != 1:
        return False
    places = sorted({0, *(place for place, _ in said), len(bars)})
    runs = [bars[first:last] for first, last in pairwise(places)]
    if len(runs) < _FEWEST:
        return False
    ((length, alike),) = Counter(map(len, runs)).most_common(1)
    falls = {
        at
        for run in runs
        if len(run) == length
        for at, (before, bar) in enumerate(pairwise(run))
        if bar.elapsed_s < before.elapsed_s
    }
    return length > 1 and alike >= len(runs) - _CUT and len(falls) == length - 1
