"""How most formats are written: a table of lines, each with its grammar, whose groups say what they mean.

    class LlmC(LineParser):
        name = "llm.c"
        lines = (
            Line("MFU", r"step +(?P<iteration>N)/(?P<total>N) .* (?P<duration_ms>N) ms"),
            Line("val loss", r"^val loss (?P<val_loss>N)", "evaluation"),
        )

The grammar is that of `grammar.py`. The third word of a `Line` names the method that turns it into events; `iteration`,
`evaluation`, `checkpoint`, `config` and `known` stand here.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from ....events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    RunInfo,
    SpanBegin,
)
from ..base import LogFormat
from .grammar import LONGEST, Compiled, Line
from .iterations import IterationReader
from .stamps import stamp
from .values import Fields, ended, whole

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ....events import Event


class LineParser(IterationReader):
    """A parser made of `lines`. Subclasses set the class variables, and add methods for what is their own."""

    about: ClassVar[str] = ""
    lines: ClassVar[tuple[Line, ...]] = ()  # the first that matches counts
    generic: ClassVar[int] = 0

    _compiled: ClassVar[tuple[Compiled, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._compiled = tuple(map(Compiled, cls.lines))

    def __init__(self) -> None:
        super().__init__()
        self.announced = False

    @classmethod
    def match(cls, text: str) -> tuple[Compiled, re.Match[str]] | None:
        """The first kind of line that `text` is, and how it matched."""
        text = text[:LONGEST]
        for line in cls._compiled:
            if line.has in text and (found := line.pattern.search(text)):
                return line, found
        return None

    @classmethod
    def kinds(cls) -> tuple[Compiled, ...]:
        """The kinds of lines, in the order in which they are tried."""
        return cls._compiled

    @classmethod
    def tells(cls, text: str, line: Compiled, found: re.Match[str]) -> bool:  # noqa: ARG003 - a bar's title decides
        """Does a line that matched carry an iteration?"""
        return line.iteration

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """See `Parser.line`."""
        if not (matched := self.match(text)):
            return ()
        line, found = matched
        self.text = text
        stamped_at_s = stamp(text)
        self.stamped = stamped_at_s is not None
        events: list[Event] = getattr(self, line.then)(line.read(found), stamped_at_s if self.stamped else at_s)
        if self.announced or not events:
            return events
        self.announced = True
        return events if isinstance(events[0], RunInfo) else [self.run_info(at_s), *events]

    def evaluation(self, fields: Fields, at_s: float | None) -> list[Event]:
        """An evaluation ended. Fields that are no part of the position are its values."""
        values = {
            key: value
            for key, value in fields.items()
            if isinstance(value, float) and isfinite(value) and key not in ("iteration", "total", "duration_s")
        }
        index = fields.get("iteration", self.next_index)
        return [ended(EVALUATION, at_s, index, fields.get("duration_s"), values=values)]

    def checkpoint(self, fields: Fields, at_s: float | None) -> list[Event]:
        """A checkpoint is written: the line comes before the write."""
        return [SpanBegin(CHECKPOINT, at_s, self._index(fields), detail=fields.get("detail", ""))]

    def checkpoint_written(self, fields: Fields, at_s: float | None) -> list[Event]:
        """A checkpoint was written: the line comes after the write."""
        index, detail = self._index(fields), fields.get("detail", "")
        return [ended(CHECKPOINT, at_s, index, fields.get("duration_s"), detail=detail)]

    def config(self, fields: Fields, _at_s: float | None) -> list[Event]:
        """A line of the configuration: its groups are fields of `Config`."""
        known: dict[str, Any] = {
            key: value if isinstance(value, str) else value if key in _FLOAT_CONFIG else whole(value)
            for key, value in fields.items()
            if isinstance(value, str) or isfinite(value)
        }
        self.total = known.get("max_iterations", self.total)
        return [Config(origin="log", **known)]

    def known(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """A line of this format that says nothing for us."""
        return []


_FLOAT_CONFIG = frozenset(("flops_per_token", "peak_flops", "logged_mfu_peak_flops", "cost_per_hour"))


def log_format(parser: type[LineParser]) -> LogFormat:
    """The format whose lines `parser` reads."""

    def owns(text: str) -> bool:
        return parser.match(text) is not None

    def is_iteration(text: str) -> bool:
        matched = parser.match(text)
        return matched is not None and parser.tells(text, *matched)

    def proves(text: str) -> bool:
        matched = parser.match(text)
        return matched is not None and not matched[0].shared

    return LogFormat(
        name=parser.name,
        about=parser.about,
        owns=owns,
        is_iteration=is_iteration,
        proves=proves,
        parser=parser,
        time_includes=parser.time_includes,
        generic=parser.generic,
    )
