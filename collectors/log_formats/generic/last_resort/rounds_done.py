"""Federated trainings that print nothing that counts but that another round is done.

[Round 3 Complete] -> Coordinator updated global model!
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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

_MOST_HELD = 16


class RoundsDone(LineParser):
    """Rounds, once they have counted on."""

    name = "rounds done"
    about = "lines that say that another round of federated learning is done, and nothing else; times from stamps"
    specificity = Specificity.ALONE
    from_stamps = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("", rf"^{_BESIDE}\W{{0,20}}(?i:(?:federated |communication |training )?round)\W{{0,3}}(?P<iteration>\d{{1,6}}){_DONE}", "is_done"),
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
        self._counts = Progression()
        self._held: list[tuple[Fields, LogLine]] = []  # until it is known that they count on

    @handler(iterations=True)
    def is_done(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more."""
        self._held = [*self._held[-_MOST_HELD:], (fields, line)]
        if self.last is None and not self._counts.see(fields["iteration"]):
            return []
        held, self._held = self._held, []
        return [event for one in held for event in self.iteration(*one)]
