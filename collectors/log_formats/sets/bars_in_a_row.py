"""Bars of several sets of data, one after another, which say nothing of themselves: which trains, and is that the whole training?

100%|██████████| 4000/4000 [00:50<00:00, 80.0it/s]      prepares
100%|██████████| 500/500 [03:00<00:00,  2.8it/s]        trains
 10%|█         | 10/100 [00:02<00:18,  5.0it/s]         evaluates
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..parsing.bars import Bar

_TURNS = 3
"""Training, test, training again."""
_QUICKER = 2.0
"""So many times as quick as a step of the training is one that prepares data, at least."""
_COUNTS_ALL = lazy_pattern(r"(?i)\b(?:steps|epochs|iterations|iters|global|total|overall|progress)\b")
"""In the title of a bar that is one for the whole training."""
_CRASH = "Traceback (most recent call last)"


def of_turns(bars: Sequence[Bar]) -> int | None:
    """Of bars without a title, of several lengths, that take turns, as those of each epoch do, the length of the one that trains.

    It comes first in each turn, and takes the longest: one of the two alone says nothing.
    """
    turns = _last_frames(bars)
    if len(turns) < _TURNS or sum(one.total == turns[0].total for one in turns) < _TURNS - 1:
        return None
    longest = max(turns[:-1], key=lambda one: one.elapsed_s)  # the newest may be cut off
    return turns[0].total if longest.total == turns[0].total != turns[1].total else None


def passes(bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> frozenset[int]:
    """Lengths of full bars that one of another kind comes behind, where the log stops in that: maybe an epoch's evaluation.

    Not of one that others came between before: it goes on behind them, and is all of the training. `said`: lines behind
    full bars, each with the bar's number.
    """
    crashed = any(place == len(bars) and text.startswith(_CRASH) for place, text in said)
    if not bars or (bars[-1].full and not crashed):
        return frozenset()
    left = [one for one, behind in pairwise(bars) if _kind(one) != _kind(behind) and not behind.prepares]
    left = [bar for bar in left if not (bar.outer or _COUNTS_ALL.search(bar.title))]
    goes_on = {bar.total for bar in left if not bar.full}
    return frozenset(bar.total for bar in left if bar.total is not None and bar.total not in goes_on)


def behind_preparation(bars: Sequence[Bar]) -> int | None:
    """Of bars that say nothing, of three lengths or more, the length of the one that trains behind those that prepare data.

    It takes more time than all others together, and its steps at least twice as long as those of each bar before it.
    """
    ends = _last_frames(bars)
    if any(bar.title or bar.postfix for bar in bars) or len({one.total for one in ends}) < _TURNS:
        return None
    longest = max(ends, key=lambda one: one.elapsed_s)
    others_s = sum(one.elapsed_s for one in ends if one.total != longest.total)
    before = ends[: ends.index(longest)]
    slower = all(_QUICKER * one.elapsed_s * longest.n <= longest.elapsed_s * one.n for one in before)
    return longest.total if before and slower and longest.elapsed_s > others_s else None


def _last_frames(bars: Iterable[Bar]) -> list[Bar]:
    """Of bars without a title the last frame of each that another length comes behind, and the newest."""
    ends: list[Bar] = []
    for bar in bars:
        if bar.title or bar.total is None:
            continue
        if ends and ends[-1].total == bar.total:
            ends[-1] = bar
        else:
            ends.append(bar)
    return ends


def _kind(bar: Bar) -> tuple[str, int | None]:
    """Its title without numbers, and its length."""
    return "".join(one for one in bar.title if not one.isdigit()), bar.total
