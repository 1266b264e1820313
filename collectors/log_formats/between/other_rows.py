"""Lines that tell of a training's loss, and of which no row is read: another loop's, or another form's.

    Epoch 3/10, loss: 0.51            a row
    Average Training loss: 0.35       none, and 8,000 of them stand between two rows
    ...

One or two between two rows belong to the same iteration. A long stretch of them is a training, or a part of one, of
which the figures of the rows say nothing: whoever concludes from rows alone concludes too much.
"""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ....events import Iteration
from ....events import OtherRows as Found
from ...patterns import lazy_pattern
from ..plain.front_numbers import FrontNumbers
from ..plain.headings import Headings
from ..plain.named_writers import NamedWriters

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ....events import Event

FEWEST = 20
"""Lines make a stretch."""

TIMES = 4
"""... or so many times those that mostly stand between two rows: steps within each epoch that has a row."""

MOST = 1_000
"""Stretches are remembered, and so many of the newest counts between rows."""

_LOSSES = ("loss", "Loss", "LOSS", "cost", "Cost", "nll", "NLL", "erplexity", "L")
_VALUE = lazy_pattern(
    r"(?:es|ES)?['\")\]]{0,3}\s{0,3}(?:[:=]\s{0,3}|\s|is )[\[(']{0,2}"
    r"(?:[-+]?\d{1,12}\.\d|\d{1,3}[eE]-\d|(?P<none>(?i:nan)\b))"
)
"""What stands behind one of them. To look for the words first takes a tenth as long as for a pattern of all."""
_COUNTS = lazy_pattern(r"(?i)(?:epoch|\bep|step|iter|iteration|batch|round)s?[\s:=\[(#]{1,3}\d")
_ELSE = lazy_pattern(r"(?i)\b(?:val|test|eval|dev|best|final|min|lowest)|%\||\bit/s|s/it\b|\bETA\b")
"""What validates, the best so far, and frames of bars, which follow each other by the thousand."""


_LOOKED_AT = range(FEWEST // 2 + 1, FEWEST + 1)
"""Lines of a stretch, which tell whether its lines have a counter: of fewer lines nobody asks."""


class _Stretch(NamedTuple):
    """Lines between two rows: how many, how many of those looked at have a counter, and the first one's number."""

    lines: int
    counting: int
    first: int

    @property
    def counts(self) -> bool:
        """Have most a counter?"""
        return 2 * self.counting >= len(_LOOKED_AT)


class OtherRows:
    """Is told of each row, and of each line of which nothing is read."""

    def __init__(self) -> None:
        self._rows = self._with_lines = 0  # rows, and those with such lines before them
        self._lines = self._counting = self._first = self._last = 0  # since the newest row
        self._not_finite: int | None = None  # since this line all of them print no number,
        self._none = 0  # ... which are so many
        self._between: deque[int] = deque(maxlen=MOST)  # how many stood before the newest rows that have some
        self._stretches: list[_Stretch] = []
        self._told = Found()
        self._headings, self._writers, self._numbers = Headings(), NamedWriters(), FrontNumbers()

    def row(self, held: int = 0) -> list[Found]:
        """One has come, and so many with it that were `held` back: the lines stood between all of them."""
        self._rows += 1 + held
        if not self._lines:
            return []
        self._with_lines += 1 + held
        self._between.append(self._lines // (1 + held))
        if self._lines >= FEWEST * (1 + held) and len(self._stretches) < MOST:
            self._stretches.append(self._newest)
        was_told, self._lines, self._counting = self._told.behind, 0, 0
        self._not_finite, self._none = None, 0
        return self.end() if was_told else []

    def void(self) -> list[Found]:
        """The format is given up: what was told of lines that it does not read holds no more."""
        told = self._told != Found()
        self.__init__()  # type: ignore[misc]
        return [Found()] if told else []

    def read(self, events: Sequence[Event], text: str, number: int) -> list[Found]:
        """These were read of a line."""
        rows = [event.index for event in events if type(event) is Iteration]
        if not rows:
            return self._of_headings() if self._headings.line(text, number) else []
        self._headings.row(text, number, rows[-1])
        self._writers.row(text)
        self._numbers.row(text, rows[-1])
        told = self.row(held=len(rows) - 1)
        return told + self._of_headings() if self._told.against or self._of_writers else told

    @property
    def _of_writers(self) -> str:
        """What the names or the numbers in front of rows say of several who write them."""
        return self._writers.why or self._numbers.why

    def _of_headings(self) -> list[Found]:
        """What they, or the writers that rows name, say against the rows, where that is new."""
        return self.end() if self._told.against != (self._of_writers or self._headings.told().why) else []

    def rows(self, count: int) -> list[Found]:
        """So many have come, with nothing between them."""
        found = self.row()
        self._headings.blocks()
        self._rows += count - 1
        return found

    def line(self, text: str, number: int) -> list[Found]:
        """Of this one nothing was read."""
        counts_on = self._headings.line(text, number)
        found = _loss_in(text)
        if found is None or _ELSE.search(text):
            return self._of_headings() if counts_on else []
        if not self._lines:
            self._first = number
        self._lines, self._last = self._lines + 1, number
        self._counting += self._lines in _LOOKED_AT and _COUNTS.search(text) is not None
        if found["none"]:
            self._not_finite = self._not_finite or number
            self._none += 1
        else:
            self._not_finite, self._none = None, 0
        is_over = self._told.not_finite is not None and not self._none
        if is_over or _is_a_step(self._lines) or _is_a_step(self._none):
            return self.end()
        return self._of_headings() if counts_on else []

    def end(self) -> list[Found]:
        """What is known of them now, where that is new."""
        usual = median(self._between) if self._with_lines > self._rows / 2 else 0
        long = [one for one in (*self._stretches, self._newest) if one.lines >= max(FEWEST, TIMES * usual)]
        of_other_names = sum(one.lines for one in long if not one.counts)
        if of_other_names <= self._rows:  # parts of a loss, as many as there are layers
            long = [one for one in long if one.counts]
        behind = self._lines if self._newest in long else 0
        headings = self._headings.told()
        told = Found(
            lines=sum(one.lines for one in long),
            behind=behind,
            first=long[-1].first if long else None,
            not_finite=self._not_finite if behind else None,
            newest=self._last if behind else headings.newest,
            against=self._of_writers or headings.why,
            writers=self._writers.in_turns,
        )
        is_new, self._told = told != self._told, told
        return [told] if is_new else []

    @property
    def _newest(self) -> _Stretch:
        return _Stretch(self._lines, self._counting, self._first)


def _loss_in(text: str) -> re.Match[str] | None:
    """The first value of a loss in a line."""
    for word in _LOSSES:
        at = text.find(word)
        while at >= 0:
            named = word != "L" or not text[at - 1 : at].isalpha()
            if named and (found := _VALUE.match(text, at + len(word))) is not None:
                return found
            at = text.find(word, at + 1)
    return None


def _is_a_step(count: int) -> bool:
    """20, 40, 80, ...: so often a log that is followed tells of it."""
    return count >= FEWEST and count % FEWEST == 0 and (count // FEWEST).bit_count() == 1
