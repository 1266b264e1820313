"""What the level that is told rests on: enough of the newest rows, and what these say."""

from __future__ import annotations

from bisect import bisect_left
from statistics import median
from typing import TYPE_CHECKING

from ..findings.speed import CLOCKS
from .baseline import FEW as FEWEST
from .baseline import RENEW, WINDOW, Baseline, begin

if TYPE_CHECKING:
    from ..record.columns import Columns
    from .timing import Timing

NEWEST = 9
"""So many times tell whether it is the level still."""

DRIFTED, OF_NOISE = 0.01, 0.5
"""Of the level, and of the noise: so far away is the median of `WINDOW` rows another figure, though no change of
level yet. Half of the noise are three standard errors of it."""

FEW = 1 / 8
"""Of fewer than `RENEW` rows since a change, so many at most may be nearer to the level before it."""


UNTIMED = 0.2
"""Of all rows: where more have no time, but for processes' first ones, what the others took is no usual time."""

LOOKED_AT = 4_096
"""So many of the newest rows are asked whether they have a time."""


def is_partly_timed(timing: Timing, columns: Columns) -> bool:
    """Have many rows of the newest training no time? The others speak of their own kind alone."""
    if columns.untimed <= len(timing.starts) or columns.witness in CLOCKS:
        return False  # no more than first rows; or a clock tells of all that passed from row to row
    if columns.untimed >= len(columns):
        return False  # none has one
    first = max(timing.begun, len(columns) - LOOKED_AT)
    starts = len(timing.starts) - bisect_left(timing.starts, first)
    rows = len(columns) - first
    newest = max(timing.starts[-1], len(columns) - NEWEST)
    if len(columns) - newest > 1 and not any(d == d for d in columns.duration_s[newest:]):
        return True  # since its counter went back, or for a while, no row has one
    untimed = columns.untimed_between(first, len(columns) - 1) - starts
    return UNTIMED * rows < untimed < rows - starts


def founded(timing: Timing, columns: Columns) -> Baseline | None:
    """The level to tell: the one that iterations are judged by, unless it changed a few rows ago or not for good.

    What is slow must be judged at once, and ten noisy rows begin a level for it. Told it is once `RENEW` rows
    bear it out, or fewer that are clearly of it; until then, and where the newest are back, or drift away from it
    by too little for a change, that of the newest `WINDOW`.
    """
    baseline = timing.baseline
    if baseline is None:
        return None
    rows = _plain(timing, columns)
    shown = _is_shown(columns, timing.begun, baseline.level) and not _has_drifted(rows, timing, columns)
    if len(rows) < FEWEST or (shown and _is_borne(timing, columns)):
        return baseline
    return begin(rows, 0)


def _is_shown(columns: Columns, begun: int, level_s: float) -> bool:
    """Is it not outside all of the newest times? It is measured more rarely."""
    newest = [d for d in columns.duration_s[max(begun, len(columns) - NEWEST) :] if d == d]
    return len(newest) < NEWEST or min(newest) <= level_s <= max(newest)


def _has_drifted(rows: list[float], timing: Timing, columns: Columns) -> bool:
    """Are the newest rows elsewhere, since no change? While one is looked into the level is not measured anew."""
    baseline, change = timing.baseline, timing.change
    recent = change is not None and change[0] > len(columns) - WINDOW
    if baseline is None or recent or len(rows) < WINDOW:
        return False
    return abs(median(rows) / baseline.level - 1) > max(DRIFTED, OF_NOISE * baseline.jitter)


def _is_borne(timing: Timing, columns: Columns) -> bool:
    """Do the rows since its newest change bear it out, and have the newest of them not gone back?"""
    baseline, change = timing.baseline, timing.change
    if baseline is None or change is None:
        return True
    position, before_s = change
    since = [d for d in columns.duration_s[max(position, len(columns) - WINDOW) :] if d == d]
    back = [abs(d - before_s) < abs(d - baseline.level) for d in since]
    return sum(back[-NEWEST:]) * 2 <= NEWEST and (len(since) >= RENEW or sum(back) <= FEW * len(back))


def _plain(timing: Timing, columns: Columns) -> list[float]:
    """What the newest `WINDOW` rows of this process took behind the warm-up, without those told of one by one.

    Nor those with an evaluation in their time, where others have none: be they two of three.
    """
    first = max(timing.begun, timing.warmup, timing.starts[-1], len(columns) - WINDOW)
    slow = timing.slow.itself
    told = {*slow[bisect_left(slow, first) :]}
    rows = enumerate(columns.duration_s[first:], first)
    return [d for n, d in rows if d == d and n not in told and not timing.stands_apart(n)]
