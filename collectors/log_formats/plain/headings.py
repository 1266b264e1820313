"""How far words count, whatever the format: a witness beside the rows of how far a training is.

    =====Epoch 24
    125/125 [00:05<00:00, 22.1it/s]      a row: iteration 3,000
    ...
    =====Epoch 100                       and few of its kind were read

Whoever reads too few rows, or another loop's, takes the wrong one for the newest; the headings count on. Nothing of the
log is read by this: it says only where headings and rows cannot both be right.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    import re

FEWEST = 4
"""Headings that follow each other count; so many behind the newest row are a training of which nothing is read."""

TIMES = 3
"""... or so many times those that stood at most before a row: what prints a row every ten epochs has ten."""

APART, NEAR = 1.25, 2
"""Times the passes that the rows tell, and so many more: one is not over, another has no heading."""

ROWS = 3
"""The newest, all of which are to be contradicted."""

_WORDS = ("poch", "POCH", "ound", "OUND")
_HEADING = lazy_pattern(r"(?i)(?<![^\W_])(epoch|round)s?\W{0,3}(\d{1,7})(?![\w,]|\.\d)")
_OF = lazy_pattern(r"(?<![\d./])(\d{1,9})\s?/\s?(\d{1,9})(?![\d./])")
_NUMBER = lazy_pattern(r"(?<![\d.])\d{1,12}(?![\d.])")
_WORD = lazy_pattern(r"[^\W\d_]+")
_LONGEST = 1_000
_FRONT_WORDS, _MOST_FRONTS = 3, 64


class Told(NamedTuple):
    """What speaks against the rows; where headings go on behind the newest row, the newest heading's line."""

    why: str = ""
    newest: int | None = None


class Headings:
    """Is told of lines and of rows."""

    def __init__(self) -> None:
        self._tracks: dict[str, _Track] = {}
        self._rows: deque[tuple[str, int]] = deque(maxlen=ROWS)  # the newest: line, and iteration

    def line(self, text: str, number: int) -> bool:
        """Does it count on?"""
        found = _found(text)
        if found is None:
            return False
        front = " ".join(_WORD.findall(text, 0, found.start())[-_FRONT_WORDS:])
        return self._tracks.setdefault(found[1].lower(), _Track()).sees(int(found[2]), number, front)

    def row(self, text: str, number: int, index: int) -> None:
        """One was read of this line, or came with it."""
        self.line(text, number)
        self._rows.append((text, index))
        for track in self._tracks.values():
            track.row()

    def blocks(self) -> None:
        """Rows came in blocks, of which no line is looked at."""
        self.__init__()  # type: ignore[misc]

    def told(self) -> Told:
        """What is known now."""
        if len(self._rows) < ROWS:
            return Told()
        for word, track in self._tracks.items():
            if track.goes_on and abs(self._rows[-1][1] - track.farthest) > NEAR:
                return Told(
                    f"lines count on to {word} {track.farthest:,}{track.anew} behind the newest row", track.line
                )
            if track.counted < FEWEST or abs(self._rows[-1][1] - track.last) <= NEAR:
                continue
            passes = [_passes(text, index, track) for text, index in self._rows]
            if all(passes):
                return Told(f"lines count to {word} {track.last:,}, and the rows otherwise")
        return Told()


def heading_of(text: str) -> tuple[str, int] | None:
    """The word that a line counts by, and how far."""
    found = _found(text)
    return (found[1].lower(), int(found[2])) if found else None


def _found(text: str) -> re.Match[str] | None:
    return _HEADING.search(text, 0, _LONGEST) if any(map(text.__contains__, _WORDS)) else None


class _Track:
    """What one word counts: numbers that follow each other by one."""

    def __init__(self) -> None:
        self.first = self.last = self._candidate = self._at_row = -2
        self.line = self._behind = self._most_between = self.in_all = 0
        self.farthest = 0  # since the newest row
        self._fronts: dict[str, int] = {}  # words in front of a number, and the newest number behind them

    def sees(self, number: int, line: int, front: str) -> bool:
        """A line has this one. What does not follow the newest counts only if the next one follows it.

        `Start epoch: 31` of a process that comes no farther names what no training has reached: only where the same words
        stood in front of the number before it does a line tell how far one is.
        """
        counts_itself = self._fronts.get(front, number) in (number, number - 1) and front in self._fronts
        if len(self._fronts) < _MOST_FRONTS or front in self._fronts:
            self._fronts[front] = number
        if counts_itself and number in (self.last, self.last + 1):
            self.farthest = max(self.farthest, number)
        if number == self.last:
            return False
        follows = number == self.last + 1
        if counts := follows or number == self._candidate + 1:
            self.first = self.first if follows else self._candidate
            self.in_all += 1 if follows else 2
            self.last, self.line, self._behind = number, line, self._behind + 1
        self._candidate = number
        return counts

    def row(self) -> None:
        """A row has come."""
        self._most_between = max(self._most_between, self._behind)
        self._behind, self._at_row, self.farthest = 0, self.last, 0

    @property
    def anew(self) -> str:
        """Words for that it has begun again since it had come farthest."""
        return ", and then anew," if self.last < self.farthest else ""

    @property
    def counted(self) -> int:
        """So many have followed each other."""
        return self.last - self.first + 1

    @property
    def goes_on(self) -> bool:
        """Does it count on for long behind the newest row? What counts anew there may go through what was saved."""
        most = max(FEWEST, TIMES * self._most_between)
        return self._behind >= most and 0 <= self._at_row <= self.farthest - most

    def agrees(self, passes: int) -> bool:
        """Can so many be those that it counts?"""
        told = (self.last, self.counted, self.in_all)
        return min(told) / APART - NEAR <= passes <= max(told) * APART + NEAR


def _passes(text: str, index: int, track: _Track) -> int:
    """How many the row tells, where headings tell of others; else 0.

    `12/125` gives the length of a pass only if the row's iteration is 12 behind whole passes of 125.
    """
    text = text[:_LONGEST]
    if any(abs(int(one) - index) <= 1 for one in _NUMBER.findall(text)) or track.agrees(index):
        return 0  # it is printed, or counts what the headings count
    passes = []
    for one in _OF.finditer(text):
        place, length = int(one[1]), int(one[2])
        whole = round((index - place) / length) if length > NEAR else 0
        if length > NEAR and place != track.last and abs(index - place - whole * length) <= 1:
            passes.append(whole + 1)
    return 0 if any(map(track.agrees, passes)) else max(passes, default=0)
