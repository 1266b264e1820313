"""Epochs that begin again in each round, below a heading that counts the rounds: `Round 3`, `D-Step 2`, `Iteration 12`.

    Round 1
    Epoch 0, train loss: 0.75
    Epoch 1, train loss: 0.5
    Round 2
    Epoch 0, train loss: 0.625
Or above a line that closes each: `Episode 3/10 finished, total reward: -42.5`.
They are no trainings of their own: what goes on is counted, row by row.
"""

from __future__ import annotations

from typing import NamedTuple

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX
from .standing import NO_CONTEXT, RowContext, shape_of_row

_HEADING = lazy_pattern(
    r"(?i)\W{0,20}(?P<word>(?:[a-z]{1,12}[ _-])?(?:step|round|cycle|iter(?:ation)?))\W{0,4}(?P<n>\d{1,9})(?: ?(?:/|(?:out )?of) ?(?P<of>\d{1,9}))?\W{0,20}"
)
_CLOSING = lazy_pattern(
    r"(?i)\W{0,20}(?P<word>episode|round|cycle|generation|game)\W{0,4}(?P<n>\d{1,9})(?: ?(?:/|(?:out )?of) ?\d{1,9})?\W{0,3} (?:is |was |has )?(?:finished|done|completed?|ended|over)\b"
)
_WORDS = ("tep", "ound", "ycle", "ter", "TEP", "OUND", "YCLE", "TER", "pisod", "enerat", "ame ")
_LONGEST, _MOST = 100, 16
NOWHERE: tuple[float | None, float | None] = (None, None)
"""The place of a row that has none."""


class _Heard(NamedTuple):
    """A number of a round that was told since the newest row."""

    word: str
    n: float
    of: float | None = None
    closes: bool = False  # it told of the round's end


class Still:
    """Does a log's counter stand still, `Batch: 0` in each row, as where many short trainings print one row each? It counts nothing.

    The epochs beside it count nothing either where they come again and again.
    """

    _FEWEST, _OFTEN, _SHARE, _UNLIKE = 16, 4, 1 / 8, 5

    def __init__(self) -> None:
        self.known = False
        self._runs: dict[int, int] = {}  # how many rows in a row stood at one place, and how often
        self._falls = False  # has one gone back, or is it one of so many?
        self._run, self._newest = 0, ("", NOWHERE)
        self._rows = 0
        self._counts = False  # is there a row that counts: of another step, or of so many in another epoch?
        self._places = set[tuple[float | None, float | None]]()

    def learn(self, other: Still) -> None:
        """Take over what was found out of more lines of the log."""
        often = other._rows >= max(self._FEWEST, self._OFTEN * len(other._places))
        self.known = self.known or (often and not other._counts) or other._counts_else

    @property
    def _counts_else(self) -> bool:
        """Do many rows stand at the place of the one before, now one and now seven of them, and none goes back?

        An actor counts its episodes, and the learner repeats that in each of its updates. Of ranks, or of parts of a
        row, there are as many at each place, and what a row says twice now and then it does not say seven times.
        """
        places, rows = sum(self._runs.values()), sum(length * many for length, many in self._runs.items())
        many = places >= self._FEWEST and rows - places >= self._SHARE * rows
        return many and not self._falls and len(self._runs) >= self._UNLIKE

    def _repeats(self, place: tuple[float | None, float | None], text: str, said: RowContext) -> None:
        """The next row's place, and the row: one of other words tells more of the same. Of so many each is its own."""
        (before, newest), self._newest = self._newest, (text, place)
        step, again = place[0], place == newest
        self._falls |= (step or 0.0) < (newest[0] or 0.0) or said.length is not None or said.total is not None
        if step is not None and again and shape_of_row(text) == shape_of_row(before):
            self._run += 1
            return
        if self._run:
            self._runs[self._run] = self._runs.get(self._run, 0) + 1
        self._run = int(step is not None)

    def of(
        self, step: float | None, epoch: float | None, said: RowContext, text: str = ""
    ) -> tuple[float | None, float | None, RowContext]:
        """The next row's place, without what counts nothing."""
        if self.known:
            return None, None, NO_CONTEXT
        self._repeats((step, epoch), text, said)
        self._rows += 1
        another = any(step != of or (said.length and epoch != one) for of, one in self._places)
        result = step is not None and step > 1 and not said.length  # a table of results has `steps=1000`
        self._counts = self._counts or step is None or result or another
        if not self._counts:
            self._places.add((step, epoch))
        return step, epoch, said


class Rounds:
    """Do the epochs of a log begin again in each round?"""

    def __init__(self) -> None:
        self.nest = False
        self.still = Still()
        self.fell = False
        """Has the count of the rounds itself begun again, with the newest row? It is another training's."""
        self.nests = False
        """Do they anywhere in the log? Then no epoch says how long the run is."""
        self.of_episodes = False
        """Are the rounds of a log, as is known before its first row, an agent's episodes? What it learns from comes anew with each."""
        self._episodes = False
        self._heard: list[_Heard] = []  # since the newest row
        self._newest: dict[str, float] = {}  # numbers by their words
        self._whole: dict[str, float] = {}  # the words whose count has come to its end, and that
        self._since: dict[str, set[str]] = {}  # the words that were told since then
        self._inside: set[tuple[str, str]] = set()  # what begins again with which other one
        self._epoch: float | None = None  # the newest row's
        self._before: dict[str, float] = {}  # the numbers before the newest start line
        self._proven = (
            0  # such lines behind which the count of the rounds began again, less those where it went on
        )

    def learn(self, other: Rounds) -> None:
        """Take over what was found out of more lines of the log."""
        self.nests = self.nests or other.nests
        self.still.learn(other.still)
        self.of_episodes = self.of_episodes or (other._episodes and self._epoch is None)

    def hear(self, text: str) -> None:
        """A line that is no row."""
        if len(self._heard) >= _MOST or not any(word in text[:_LONGEST] for word in _WORDS):
            return
        said = PREFIX.sub("", text[:_LONGEST], count=1)
        found = _HEADING.fullmatch(said) if len(text) <= _LONGEST else None
        if found is not None:
            of = float(found["of"]) if found["of"] else None
            self._heard.append(_Heard(found["word"].lower(), float(found["n"]), of))
        elif "oss" not in text and (found := _CLOSING.match(said)) is not None:  # else it is a row, of steps
            self._heard.append(_Heard(found["word"].lower(), float(found["n"]), closes=True))

    def place(self, epoch: float | None, *, started: bool = False) -> float | None:
        """The epoch of a row that has no step, if it says where in the training the row is. `started`: by a process's first line."""
        self.fell = False
        turned = [self._turns(one) for one in self._heard]  # all: each is to be seen
        episodes = any(one.word in ("episode", "game") for one in self._heard)
        self._heard.clear()
        newest, self._epoch = self._epoch, epoch
        falls = epoch is not None and newest is not None and epoch <= newest
        if started and falls and self.nests and self._proven >= 0:
            self.fell, self._before = True, self._newest
            self._newest, self._since = {}, {}
        if self.fell:
            self.nest = False
        elif falls and any(turned):
            self.nest = self.nests = True
            self._episodes = self._episodes or episodes
        return None if self.nest else epoch

    def _turns(self, heard: _Heard) -> bool:
        """Does the count of this word go on, or begin again inside of another one that was told since?"""
        word, n, of, closes = heard
        before, since = self._newest.get(word), self._since.pop(word, set())
        if closes and word in self._before:  # or what was taken for a process's first line has begun another round
            self._proven += 1 if n <= self._before.pop(word) else -1
        for others in self._since.values():
            others.add(word)
        self._newest[word], self._since[word] = n, set()
        whole = of is not None and self._whole.pop(word, None) == of
        if of is not None and n == of > 1:
            self._whole[word] = of
        if before is None or n > before:
            return before is not None or closes
        outer = {(word, one) for one in since if (one, word) not in self._inside}
        self._inside |= outer
        begins = (self.nest and n < before) or (whole and n <= 1)
        self.fell = self.fell or (begins and not outer)
        return bool(outer) or (closes and not self.fell)
