"""How many saves lines tell of, all of them, also where many stand between two rows.

New best model saved with reward 147             one
New best model saved with reward 149             another: what was said is said again
Saving model state ...                           one, with the two lines below it: they say what was not said yet
Saved optimizer state to opt_2000.pt
checkpoint saved to run_2000
"""

from __future__ import annotations

from ....events import CHECKPOINT
from ...patterns import lazy_pattern
from ..announced_stops import SAVED_BEFORE, announced
from ..parsing.grammar import LONGEST, PREFIX, shape_of
from ..parsing.stamps import stamp

_WITH = lazy_pattern(
    r"(?i)\bsav(?:ing|ed) (?:(?:the|a|new|best|current) ){0,2}(?:model|checkpoint|weights)(?= (?:(?:with|at|because|since|as|due|after|when|for|by)\b|\())"
)
"""`Saving model with best ACC: 0.5 -> 0.75`, `Saving model due to mean reward increase: 1.5 -> 2.0`,
`Saving model (loss: 0.5)`: what it found stands behind."""

_ELSE = lazy_pattern(r"(?i)\W{0,20}(?:sav|writ|stor|dump)ing(?: (?:the|a|to))? \w")
_BARE_END = lazy_pattern(r"(?i)\W{0,20}(?:sav(?:e|ing) )?(?:is |has )?(?:finished|completed?|done|ended|over)\W*")

_OF_EPOCH = lazy_pattern(r"(?i)(?<![a-z])epoch 0*\d{1,6}: ")
"""`Epoch 1: val_loss improved from inf to 0.5, saving model to best.keras`: Keras says it before the epoch's own line,
or right behind the newest frame of its bar, on the same line."""

_MOVES = lazy_pattern(r"\x1b\[[\d;]{0,9}[A-Za-z]")
"""Of the cursor, which a bar had left above: they are no part of what is said."""

_NUMBER = lazy_pattern(r"0[0.]*")
"""Of a shape: two saves may say theirs with more digits or fewer."""

_AT_ONCE_S = 1.0

MOST = 100
"""First words of a save that are remembered."""


class Saves:
    """Counts since it was last asked."""

    def __init__(self) -> None:
        self._counted: list[str] = []  # the last word of each save's first line, as a rule its path
        self._lines: list[str] = []  # ... and that line
        # ... and of what was said before the first row: a path that is announced sounds so, too.
        self._head: set[str] = set()
        self._begun = False  # that row has come
        self._said: set[str] = set()  # of the newest save
        self._first: set[str] = set()  # what was ever said first of one
        # The lines since the newest that tells of none: ranks say the same one after the other,
        self._side_by_side: set[str] = set()
        self._stamped: set[str] = set()  # ... or at the same moment
        self._other = ""  # the newest line that tells of none
        self._else = False  # did the newest line that says that something is saved name something else?

    def begins(self) -> None:
        """The first row comes: what was said before is of its head, but for a save behind an epoch that this row is of."""
        of_epochs = [one for one, first in zip(self._counted, self._lines, strict=True) if _OF_EPOCH.search(first)]
        self.taken()
        self._counted, self._lines = of_epochs, [""] * len(of_epochs)

    def hear(self, text: str) -> None:
        """A line that tells of a save."""
        said = PREFIX.sub("", text[:LONGEST], count=1)
        words = _MOVES.sub("", said).strip()
        shape = _NUMBER.sub("0", shape_of(said))
        word = (said.split() or [""])[-1]
        again = words in self._side_by_side or text in self._stamped
        first = shape in self._first and not self._side_by_side  # two files of one are told of side by side
        if not again and (not self._said or shape in self._said or first):
            self._counted.append(word)
            self._lines.append(words)
            self._said, self._stamped = set(), set()
            if len(self._first) < MOST:
                self._first.add(shape)
        if not self._begun and len(self._head) < MOST:
            self._head.add(word)
        self._said.add(shape)
        if len(self._side_by_side) < MOST:
            self._side_by_side.add(words)
        if len(self._stamped) < MOST and stamp(text) is not None:  # `[rank0]:` stands in front of each
            self._stamped.add(text)

    def other(self, text: str) -> None:
        """A line that tells of none; an empty one, behind what a logger puts in front, says nothing at all."""
        said = PREFIX.sub("", text[:LONGEST], count=1)
        if said.strip() and not self._is_of_another_rank(said, text):
            self._side_by_side.clear()
        names = _ELSE.match(said) is not None and _BARE_END.fullmatch(said) is None
        self._else = self._else or names

    def _is_of_another_rank(self, said: str, text: str) -> bool:
        """Was the same said in the same moment, by its stamp? Then ranks say it, and what they say next is one, too."""
        before, self._other = self._other, text
        if PREFIX.sub("", before[:LONGEST], count=1) != said:
            return False
        before_s, now_s = stamp(before), stamp(text)
        return before_s is not None and now_s is not None and abs(now_s - before_s) < _AT_ONCE_S

    def ends_another(self, text: str) -> bool:
        """Is what a line says that it was saved no model, but what was named before: `saving table:`, `saving done`?"""
        said = PREFIX.sub("", text[:LONGEST], count=1)
        ends, self._else = self._else and _BARE_END.fullmatch(said) is not None, False
        return ends

    def taken(self, *, anew: bool = False, on: bool = False) -> int:
        """So many, and from now on none. Another training `anew` has begun since: what a head names is no save there.

        The training went `on` to another row: what is said again at the same moment came in one flush, from no other rank.
        """
        if on:
            self._stamped.clear()
        count = len([one for one in self._counted if not anew or one not in self._head])
        if self._begun and not anew:  # of `saved a checkpoint` the last word is no path, and each save's
            self._head -= {word for word in self._counted if word.isalpha()}
        self._counted, self._lines, self._begun = [], [], True
        self._side_by_side.clear()
        self._said.clear()
        return count


def tells_of_a_save(text: str) -> bool:
    """Does a line that may give a value, too, say so? `Loss went from 0.75 to 0.5. Saving model`"""
    if "sav" not in text and "Sav" not in text and "SAV" not in text:
        return False
    if SAVED_BEFORE.search(text[:LONGEST]):
        return False
    said = announced(text) or announced(text.rpartition(". ")[2]) or announced(text.rpartition(", ")[2])
    if said is None and (found := _WITH.search(text[:LONGEST])) is not None:
        said = announced(found[0])
    return said is not None and said[0] == CHECKPOINT
