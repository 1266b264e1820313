"""Trainings that print nothing that counts but that another round or iteration is done.

[Round 3 Complete] -> Coordinator updated global model!          finished iteration 3 on process 0 [13/03 15:57:41]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ....patterns import lazy_pattern
from ...base import Example, Specificity
from ...counting.progression import Progression
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_DONE = (
    r"(?: ?(?:/|of) ?(?P<total>\d{1,6}))?[\])]?:? (?i:(?:is |was |has been )?(?:completed?|finished|done|ended))\b"
)
_BESIDE = r"(?=.{0,100}(?i:global model|federat|aggregat))"
"""A round alone may be one of a game."""

_ITERATION = (
    r"^(?:(?i:training) )?(?i:finished|completed|done with) (?:(?i:training) )?(?i:iteration|step) (?P<iteration>\d{1,9})"
    r"(?: on (?:process|rank|gpu|worker|device) (?P<rank>\d{1,4}))?[.!]?(?: {1,2}\[[\d/:. -]{8,30}\])?$"
)
_TRAINS = lazy_pattern(
    r"(?i)\b(?:begin|beginning|start|starting|started) (?:the )?training\b|\btraining (?:begins|starts|started)\b"
)
"""A solver and a simulation finish iterations, too: that a training begins is said before."""

_MOST_HELD = 16


class RoundsDone(LineParser):
    """Rounds, once they have counted on."""

    name = "rounds done"
    about = "lines that say that another round or iteration is done, and nothing else; times from stamps"
    specificity = Specificity.ALONE
    from_stamps = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("", rf"^{_BESIDE}\W{{0,20}}(?i:(?:federated |communication |training )?round)\W{{0,3}}(?P<iteration>\d{{1,6}}){_DONE}", "is_done"),
        Line("", _ITERATION, "is_finished"),
    )  # fmt: skip
    examples = (
        Example(
            """
[Round 1 Complete] -> updated the global model
[Round 2 Complete] -> updated the global model
[Round 3 Complete] -> updated the global model
""",
            iterations=tuple((n, None, 1, None) for n in (1, 2, 3)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._counts, self._trains = Progression(), False
        self._held: list[tuple[Fields, LogLine]] = []  # until it is known that they count on

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Until a line says so, nobody knows that it trains."""
        self._trains = self._trains or _TRAINS.search(text[:400]) is not None
        return super().line(text, at_s)

    @handler(iterations=True)
    def is_finished(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more iteration of a training that has begun."""
        return self.is_done(fields, line) if self._trains else []

    @handler(iterations=True)
    def is_done(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more."""
        self._held = [*self._held[-_MOST_HELD:], (fields, line)]
        if self.last is None and not self._counts.see(fields["iteration"]):
            return []
        held, self._held = self._held, []
        return [event for one in held for event in self.iteration(*one)]
