"""Rows of several cores in one log: each says its own core and step, and a line for all of them that an epoch is finished.

[xla:3](20) Loss=0.25 Rate=2410.5          [cuda:0](40) loss: 0.125
Finished training epoch 2
The rows of one core are read: the first that has one. A moment in whole seconds is no time of a few steps, and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import Message
from ....patterns import lazy_pattern
from ...base import Specificity
from ...parsing.grammar import Line, handler
from ..key_value import KeyValue

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from .....events import Event
    from ...parsing.columns import Role
    from ...parsing.grammar import LineKind
    from ...parsing.values import Fields, LogLine

_ROW = (
    r"^\[(?P<core>[a-z]{2,8}:\d{1,4})\] ?\((?P<step>\d{1,9})\) {1,3}"
    r"(?=[A-Za-z_]{0,20}(?i:loss)(?:=|: ?)-?(?:\d{1,12}\.\d|nan|inf))"
)
_CORES_ROW = lazy_pattern(_ROW)
_OVER = lazy_pattern(
    r"(?i)^\W{0,8}(?:finished|completed|done) (?:with )?(?:train(?:ing)? )?epoch {1,2}(\d{1,6})\W{0,8}$"
)
_MOMENT = lazy_pattern(r"[ ,|]{1,3}(?i:time)=[A-Z][a-z]{2} [A-Z][a-z]{2} .{1,40}$")
_MOST_HELD = 10_000


class Cores(KeyValue):
    """Rows of one core, once a line has said which epoch they were of."""

    name = "rows of cores"
    about = "rows that say of which core they are, between lines that an epoch is finished; columns guessed by name, and shown"
    specificity = Specificity.ALONE
    examples = ()  # type: ignore[assignment]
    lines: ClassVar[tuple[Line, ...]] = (Line("oss", _ROW, "of_a_core"), *KeyValue.lines)

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._core = ""  # the one whose rows are read
        self._others = False  # is it said that rows of others are left out?
        self._epoch: int | None = None  # at work
        self._waiting: list[tuple[str, float | None]] = []  # rows, until it is known

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:  # noqa: ARG003 - its words decide
        """A core's row alone."""
        return kind.name == "of_a_core"

    @handler(iterations=True, texts=("core",), numbers=("step",))
    def of_a_core(self, _fields: Fields, _line: LogLine) -> Sequence[Event]:
        """What is left as it was."""
        return []

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A row waits for its epoch; nothing else of the log is read."""
        if (over := _OVER.match(text[:200])) is not None:
            return self._finished(int(over[1]))
        if (found := _CORES_ROW.match(text)) is None:
            return []
        self._core = self._core or found["core"]
        if found["core"] != self._core:
            told, self._others = self._others, True
            return [] if told else [Message(f"several cores print their rows: those of {self._core} are read")]
        row = f"step {found['step']}, {_MOMENT.sub('', text[found.end() : 2000])}"
        if self._epoch is not None:
            return super().line(f"epoch {self._epoch}, {row}", None)
        self._waiting = [*self._waiting, (row, at_s)] if len(self._waiting) < _MOST_HELD else self._waiting
        return []

    def _finished(self, epoch: int) -> Sequence[Event]:
        waiting, self._waiting, self._epoch = self._waiting, [], epoch + 1
        return [event for row, _ in waiting for event in super(Cores, self).line(f"epoch {epoch}, {row}", None)]
