"""Validations that Keras' lines of epochs tell of, and whether the times of these lines are those of a validation, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, EVALUATION
from ...parsing.lines import LineParser
from ...parsing.values import scalars
from ..pairs import of_validation, words
from .frames import Ones

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event, RunInfo
    from ...parsing.values import LogLine


class Validations(LineParser):
    """Tells them. Who reads the rows says where they lie."""

    def __init__(self) -> None:
        super().__init__()
        self._ones = Ones()
        self._last_validated: int | None = -1  # the newest iteration with a validation
        self._with_validation = self._with_saves = False  # are the times of rows those of a validation, too?

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:  # noqa: ARG002 - the times are enough
        """See `LearningParser`."""
        self._ones.learn(lines)
        self._with_validation = self._with_validation or self._ones.hold_validation

    def run_info(self, line: LogLine) -> RunInfo:
        """Whose rows are whole epochs with their validation, says so."""
        info = super().run_info(line)
        held = (EVALUATION,) * self._with_validation + (CHECKPOINT,) * (self._with_validation or self._with_saves)
        return replace(info, time_includes=held)

    def _holds(self, line: LogLine, *, validation: bool, saves: bool = False) -> list[Event]:
        """The first row tells whether the times of rows are those of a validation, too, and of saves."""
        if self.last is not None or self._with_validation or self._with_saves or not (validation or saves):
            return []
        self._with_validation, self._with_saves = validation, True
        return [self.run_info(line)]

    def _in_order(self, row: list[Event], rest: str, line: LogLine, after: Iterable[Event] = ()) -> list[Event]:
        """A row and its validation, which comes first where it is a part of the row's own time."""
        validated = self._validated(rest, line)
        return [*row[:-1], *validated, *row[-1:], *after] if self._with_validation else [*row, *after, *validated]

    def _validated(self, text: str, line: LogLine) -> list[Event]:
        named = {name: value for name, value in words(text).items() if of_validation(name)}
        self._last_validated = self.last if named else self._last_validated
        found = {"iteration": self.last, **scalars(named.items())}
        return self.evaluation(found, line) if named else []  # one of NaN alone was one, too
