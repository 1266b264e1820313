"""The lines of an evaluation that none ends: `Start validation`, and then `Sample: 1`, `Sample: 2`, ...; or `Test: [10/90]`, `Test: [20/90]`.

It goes on as long as lines come of kinds that return under its announcement, and stand nowhere else between rows. The first of
them ends nothing. Without an announcement it goes on as long as lines come that say whose they are.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ....events import EVALUATION
from ..sets.of_a_batch import place_in
from .moments import LONGEST_S, Told
from .said import LONGEST_TOLD

FEWEST = 3
"""So many lines of one kind, at least, make a list of what an evaluation does."""

_MOST_KINDS = 64


class Lasted(NamedTuple):
    """From the announcement to the newest line of the evaluation's own."""

    seconds: float
    at_s: float


class OwnLines:
    """Hears the stamped lines between two rows."""

    def __init__(self) -> None:
        self._elsewhere: set[str] = set()  # kinds of lines that stand behind no announcement
        self._began_s: float | None = None  # of the newest announcement
        self._over = False  # has a line ended it, or tells one of something else?
        self._announced = False
        self._next_s: float | None = None  # of the row that has come
        self._several = False  # announcements since the newest row: what of which nobody knows
        self._count: Counter[str] = Counter()
        self._own: Lasted | None = None
        self._vague: list[float] = []  # when lines of it came that tell of nothing, the first and the newest

    def row_comes(self, at_s: float | None) -> None:
        """At its stamp."""
        self._next_s = at_s

    def row(self) -> None:
        """The training goes on."""
        self._began_s, self._own = None, None
        self._over = self._several = self._announced = False
        self._next_s = None
        self._count.clear()
        self._vague = []

    def hear(self, text: str, at_s: float, kind: str | None, *, begins: bool, ends: bool) -> None:
        """A line; `kind`: of what it tells, and whether that begins or is over by its words."""
        if kind == EVALUATION and begins:
            self._several = self._several or self._began_s is not None
            self._began_s, self._announced = at_s, True
            self._count.clear()
            return
        words = "".join(one for one in text[:LONGEST_TOLD] if not one.isdigit())
        counted = place_in(text) is not None
        if self._began_s is None and (counted or kind == EVALUATION) and not ends:
            self._began_s = at_s
        if self._began_s is None:
            if kind is None and len(self._elsewhere) < _MOST_KINDS:
                self._elsewhere.add(words)
            return
        self._over = self._over or ends or kind not in (None, EVALUATION)
        is_own = words not in self._elsewhere if self._announced else counted or kind == EVALUATION
        if self._over or not is_own or not 0 <= at_s - self._began_s <= LONGEST_S:
            return
        self._vague = [*self._vague[:1], at_s] if kind is None else self._vague
        if words in self._count or len(self._count) < _MOST_KINDS:
            self._count[words] += 1
            if self._count[words] >= FEWEST:
                self._own = Lasted(at_s - self._began_s, at_s)

    def of_all(self, told: Told | None) -> Told | None:
        """What is `told` of the evaluation, up to the last of its own lines, where those go on behind that.

        Where unlike lines of it come for longer than the seconds up to the first, these are a part: how long it took no line tells.
        """
        own = None if self._several else self._own
        if not self._announced:
            return told if own is None else self._unannounced(told, own)
        if self._several or told is None or told.at_s is None:
            return told
        if own is not None and own.at_s > told.at_s:
            return Told(own.seconds, own.at_s)
        vague = self._vague
        part = told.by_begin and len(vague) > 1 and vague[-1] - vague[0] > (told.seconds or 0.0)
        return told._replace(seconds=None) if part else told

    def _unannounced(self, told: Told | None, own: Lasted) -> Told:
        """It began before its first line: if its lines fill most of the time up to the next row, it is that; and a part else."""
        if told is not None and told.seconds is not None and told.at_s is not None:
            return told._replace(
                seconds=told.seconds + max(0.0, own.at_s - told.at_s), at_s=max(own.at_s, told.at_s)
            )
        behind_s = 0.0 if self._next_s is None else self._next_s - own.at_s
        if told is not None or own.seconds <= 0 or behind_s <= own.seconds:
            return Told(None, own.at_s)
        return Told(own.seconds, own.at_s)
