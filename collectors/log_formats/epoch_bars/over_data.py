"""A bar that says nothing, ended before the first row, and never comes again: it went over data, and trained nothing.

    100%|##########| 500/500 [00:20<...
    Epoch 1 train loss 2.5                  the rows
    Epoch 2 train loss 1.5

What a script prints may wait in a buffer while its bars do not: rows that reach the end of the bar are of what it counted,
and rows without a place may be. So may those behind a bar that took long.

    100%|##########| 400/400 [00:05<...
      0%|          | 0/500 [00:00<...      far slower, and of another length: the training's
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.grammar import LONGEST, PREFIX, shape_of
from ..parsing.phases import Phase, of_line, saves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..parsing.bars import Bar

_VALUE = lazy_pattern(
    r"(?i)(?:loss|acc(?:uracy)?|reward|ppl|perplexity)(?![a-z])['\"\])]{0,2}(?: is| of)?[ :=]{1,12}[-+]?\d{0,9}\.\d"
)
_WHOLE = lazy_pattern(r"(?<![\d.:,-])\d{1,9}(?![\d:,-]|\.\d)")
_PLACE = lazy_pattern(
    r"(?i)(?:\b(?:epoch|step|iter(?:ation)?|batch|round|episode)s?['\"]?\W{1,4}|^\W{0,60}|\[)(\d{1,9})(?![\d:-]|\.\d)"
)
_LONGEST_S = 600.0
_LEAST_ROWS = 2
"""Lines of one shape: what an epoch ends with comes once in a log of a single one."""
_SLOWER = 10
"""Times: so much slower is each step of the training, and so much longer that has gone on."""
_QUICK_S = 60.0
"""Within this the bar before it was over."""
_NEAR_END = 0.8
"""The newest row may stand that far before the end of the bar."""
_STAGES = 3
"""Of so many lengths that come one after another not all are of an epoch: the training's, and its validation's."""


class BarsOverData:
    """Watches bars without a title, and without values behind them."""

    def __init__(self) -> None:
        self._lengths: frozenset[int | None] = frozenset()  # of such bars
        self._newest: Bar | None = None  # of those that were left out

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """By a sample: `said` are lines behind full bars, each with the number of the bars before it."""
        passes: dict[int | None, list[tuple[int, Bar]]] = {}
        for place, bar in enumerate(bars):
            if _says_nothing(bar):
                passes.setdefault(bar.total, []).append((place, bar))
        for length, frames in passes.items():
            over = frames[-1][1].full and not any(
                _goes_back(one, other) for (_, one), (_, other) in pairwise(frames)
            )
            is_data = over and (_rows_follow(frames[-1], said) or _training_follows(frames, bars, said))
            self._lengths = self._lengths | {length} if is_data else self._lengths - {length}
        if any(bar.trains for bar in bars):  # what it does before its bar with values is known by that
            self._lengths = frozenset()

    def leave_out(self, bar: Bar) -> bool:
        """Is the next frame one of these bars'? One that comes again is none."""
        if bar.total not in self._lengths or not _says_nothing(bar):
            return False
        if self._newest is not None and self._newest.total == bar.total and _goes_back(self._newest, bar):
            self._lengths -= {bar.total}
            return False
        self._newest = bar
        return True


class BarsInStages:
    """Stages of a script, each with a bar that says nothing, one after another: nobody knows which of them trains.

        100%|##########| 500/500 [00:20<...     reads its files
        100%|##########| 90/90 [00:05<...       makes a graph of each
        100%|##########| 64/64 [03:20<...       an epoch?
    Where epochs come again their bars do, in turns, or a line tells of them. Of two lengths the first may be an epoch's,
    the second its validation's; of three, none of which comes again, at least one did something else.
    """

    def __init__(self) -> None:
        self._unclear = False

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """By a sample: `said` are lines behind full bars, each with the number of the bars before it."""
        stages = [length for length, _ in groupby(one.total for one in bars)]
        again, told = len({*stages}) < len(stages), any("poch" in text or _is_row(text) for _, text in said)
        known = again or told or not all(map(_says_nothing, bars))
        self._unclear = not known and (self._unclear or len(stages) >= _STAGES)

    def leave_out(self, bar: Bar) -> bool:
        """Is the next frame one that may be of anything?"""
        return self._unclear and _says_nothing(bar)


def _says_nothing(bar: Bar) -> bool:
    return bar.total is not None and not (bar.title or bar.postfix or bar.inner)


def _goes_back(bar: Bar, later: Bar) -> bool:
    return later.n < bar.n or later.elapsed_s < bar.elapsed_s


def _rows_follow(last: tuple[int, Bar], said: Sequence[tuple[int, str]]) -> bool:
    """Do rows with values of a training come behind the last frame, none before it, and count they otherwise?"""
    place, bar = last
    behind = (PREFIX.sub("", text[:LONGEST], count=1) for at, text in said if at > place)
    places = {found[1] for text in behind if (found := _PLACE.search(text))}
    if len(places) < _LEAST_ROWS or bar.elapsed_s > _LONGEST_S:
        return False
    rows = [(at, text) for at, text in said if _is_row(text)]
    shapes = Counter(shape_of(text[:LONGEST]) for _, text in rows)
    if not rows or rows[0][0] <= place or max(shapes.values()) < _LEAST_ROWS:
        return False
    told = map(int, _WHOLE.findall(rows[-1][1][:LONGEST]))
    return not any(_NEAR_END * bar.n <= one <= bar.n for one in told)


def _training_follows(
    frames: Sequence[tuple[int, Bar]], bars: Sequence[Bar], said: Sequence[tuple[int, str]]
) -> bool:
    """Does one far slower bar of another length come behind it, alone till the end, and no row with values between the two?"""
    place, bar = frames[-1]
    behind = [one for one in bars[place + 1 :] if not one.phase]
    alone = [one for _, one in frames] == [one for one in bars[: place + 1] if not one.title]
    if not (alone and behind and bar.n) or bar.elapsed_s > _QUICK_S:
        return False
    if not all(_says_nothing(one) and one.total == behind[0].total != bar.total for one in behind):
        return False
    if any(at == place + 1 and _is_row(text) for at, text in said):
        return False
    newest = max(behind, key=lambda one: one.elapsed_s)
    took_s = max(bar.elapsed_s, 1.0)  # cut to whole seconds
    each_s = newest.elapsed_s / max(newest.n, 1)
    return newest.elapsed_s >= _SLOWER * took_s and each_s >= _SLOWER * took_s / bar.n


def _is_row(text: str) -> bool:
    text = text[:LONGEST]
    return _VALUE.search(text) is not None and of_line(text) is not Phase.EVALUATION and not saves(text)
