"""Rows that count on, with short names before numbers and no word of a loss: what each is, only who wrote it knows.

Iter 7: SR 68.5%, Q 1357.25, Pi -35.5, CE 4.75          [Step 300] q1 0.5 | q2 0.25 | pi -3.5
epoch 2 | D^2=+0.0019 | cross=0.25 rr=0.06 | 1311.5s | FID=211.59
Rows may have more names at times, behind those that all have; a time without a name is left out: nobody knows of what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ....patterns import lazy_pattern
from ...base import Specificity
from ...counting.progression import Progression
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import Phase, of_line
from ...parsing.values import scalars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_VALUE = r"[-+]?\d{1,12}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?"
_NAME = r"[A-Za-z][\w/^]{0,20}"
_PAIR = rf"(?:{_NAME}(?: |: ?| ?= ?){_VALUE}%?|(?<=\| )\d{{1,7}}(?:\.\d{{1,6}})?s(?= ?\||\W{{0,4}}$))"
_ROW = (
    r"^\W{0,4}(?P<word>(?i:iter(?:ation)?|step|update|episode|epoch)) {0,3}[:#]? ?(?P<iteration>\d{1,9})(?:/(?P<total>\d{1,9}))?"
    rf"[\])]?(?: ?[:|,-]{{1,2}})? {{1,3}}(?P<pairs>{_PAIR}(?:(?:,? {{1,3}}| ?[|;] ?){_PAIR}){{2,15}})\W{{0,4}}$"
)
_DECIMALS = lazy_pattern(rf"({_NAME})(?: |: ?| ?= ?)([-+]?\d{{1,12}}\.\d{{1,12}}(?:[eE][-+]?\d{{1,3}})?)(?!%)")
_NAMES = lazy_pattern(rf"{_NAME}(?=(?: |: ?| ?= ?)[-+]?\d)")
_TRAINS = lazy_pattern(
    r"(?i)\breplay[ _]buffer|\bdevice\W{1,3}(?:cuda|gpu|mps)|\bcuda:\d|\.pth?\b|\blearning[ _]rate|\b(?:start|begin)\w{0,4} training\b|\btraining (?:starts|begins|started)"
)
"""A solver and a sampler count such rows, too: what only a training that learns says has to stand somewhere before."""
_FEWEST_DECIMALS, _FEWEST_NAMES, _MOST_HELD = 2, 2, 16


class ShortNames(LineParser):
    """Rows, once they have counted on, each with the same names."""

    name = "short names"
    about = "rows that count on, with names that nobody knows before their numbers; times from stamps"
    specificity = Specificity.ALONE
    from_stamps = True
    lines: ClassVar[tuple[Line, ...]] = (Line("", _ROW, "row"),)

    def __init__(self) -> None:
        super().__init__()
        self._counts, self._trains = Progression(), False
        self._kind: tuple[str, ...] = ()  # the word that counts, and the names behind it
        self._held: list[tuple[Fields, LogLine]] = []  # until it is known that they count on

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Until a line says so, nobody knows that it trains."""
        self._trains = self._trains or _TRAINS.search(text[:400]) is not None
        return super().line(text, at_s)

    @handler(iterations=True, texts=("word", "pairs"))
    def row(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more; rows of other names are of something else."""
        pairs, word = str(fields.pop("pairs")), str(fields.pop("word")).lower()
        found, kind = _DECIMALS.findall(pairs), (word, *_NAMES.findall(pairs))
        if not self._trains or len(found) < _FEWEST_DECIMALS or of_line(line.text) is Phase.EVALUATION:
            return []
        if not self._is_known(kind):
            if self.last is not None:
                return []
            self._kind, self._counts, self._held = kind, Progression(), []
        self._held = [*self._held[-_MOST_HELD:], (fields | {"scalars": scalars(found)}, line)]
        if self.last is None and not self._counts.see(fields["iteration"]):
            return []
        held, self._held = self._held, []
        return [event for one in held for event in self.iteration(*one)]

    def _is_known(self, kind: tuple[str, ...]) -> bool:
        """Has a row the names of those before it, and perhaps more of them behind?"""
        shared = min(len(kind), len(self._kind))
        return shared > _FEWEST_NAMES and kind[:shared] == self._kind[:shared]
