"""Does a number count on? The proof that lines of an unknown script are rows of a training, and not of a recipe."""

from __future__ import annotations

from typing import Generic, TypeVar

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

Row = TypeVar("Row")

SAME_STEPS = 2
"""Three numbers with the same step between them: 100, 200, 300."""
RISES = 6
"""Seven that only rise, where the steps differ: in order by chance once in 5,040 logs."""

_EPISODE = lazy_pattern(r"\W{0,20}[Ee]pisode\W{1,4}(\d{1,9})(?: ?(?:/|of) ?\d{1,9})?\W{0,20}")


class Progression:
    """One number, from line to line."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._outer: float | None = None
        self._step = 0.0
        self._same = self._rises = 0

    def see(self, value: float, outer: float | None = None) -> bool:
        """The number of the next line; is it proven by now that it counts? What is said twice says nothing.

        In an `outer` one that has gone on, as an epoch does, it begins anew.
        """
        last, self._last = self._last, value
        before, self._outer = self._outer, outer
        begins = before is not None and outer is not None and outer > before
        if last is None or value == last or (begins and value < last):
            return self._proven
        if value < last:
            self._step, self._same, self._rises = 0.0, 0, 0
            return False
        self._same = self._same + 1 if value - last == self._step else 1
        self._step, self._rises = value - last, self._rises + 1
        return self._proven

    @property
    def _proven(self) -> bool:
        return self._same >= SAME_STEPS or self._rises >= RISES


class Alone(Generic[Row]):
    """Rows that may count on, since the newest one that does: they wait until that is known of them."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._begin()

    def _begin(self) -> None:
        self._progression = Progression()
        self._newest: float | None = None
        self._is_proven = False

    @property
    def waits(self) -> bool:
        """Are there such rows?"""
        return bool(self._rows)

    def hold(self, row: Row, n: float) -> list[Row]:
        """The next row, and its number. The rows of before that it does not count on from."""
        before = self.over() if self._newest is not None and n < self._newest else []
        self._rows.append(row)
        self._newest, self._is_proven = n, self._progression.see(n)
        return before

    def proven(self) -> list[Row]:
        """The rows, once they have counted on."""
        return self.over() if self._is_proven else []

    def over(self) -> list[Row]:
        """Those that have not counted on: nothing goes on from them."""
        rows, self._rows = self._rows, []
        self._begin()
        return rows


class Episodes:
    """Do steps begin again in each episode? They do where lines that follow each other are of one: else it lasted so many."""

    def __init__(self) -> None:
        self._newest: str | float | None = None
        self._has_steps = False
        self._above: float | None = None  # that stood on a line of its own: the steps below it are of that one

    def hear(self, text: str) -> None:
        """A line that counts something else than rows: does it say which episode, and nothing more? `Test episode 19` is another's."""
        if "pisode" in text and (found := _EPISODE.fullmatch(PREFIX.sub("", text, count=1))) is not None:
            self._above = float(found[1])

    def of_steps(self, episode: float | None) -> float | None:
        """The episode that a line with a step is in, if it is in any: `None` is one that names none."""
        if episode is None:
            return self._above
        return episode if self.hold_steps(episode) else None

    def hold_steps(self, episode: str | float) -> bool:
        """The episode of the next line; is it one that has several by now?"""
        self._has_steps = self._has_steps or episode == self._newest
        self._newest = episode
        return self._has_steps

    def learn(self, other: Episodes) -> None:
        """Take over what another reader found out of more lines."""
        self._has_steps = self._has_steps or other._has_steps
