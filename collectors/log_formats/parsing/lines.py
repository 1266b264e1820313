"""How most formats are written: a table of lines, each with its grammar, whose groups say what they mean.

    class LlmC(LineParser):
        name = "llm.c"
        lines = (
            Line("MFU", r"step +(?P<iteration>N)/(?P<total>N) .* (?P<duration_ms>N) ms"),
            Line("val loss", r"^val loss (?P<val_loss>N)", "evaluation"),
        )

The grammar is that of `grammar.py`. The third word of a `Line` is its kind: one of `vocabulary.KINDS`, which are
handled here, or a method of the format's own that is declared with `@handler`. Kinds, groups and units are checked when
the class is made.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from ....events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    End,
    RunInfo,
    SpanBegin,
    Total,
    holds,
)
from ..base import Example, LogFormat, Needs, Specificity
from .grammar import LONGEST, PREFIX, Line, LineKind, handler, kinds_of, shape_of
from .iterations import IterationReader
from .phases import evaluates_behind
from .stamps import Calendar
from .values import Fields, LogLine, ended, seconds, unix_time, whole
from .vocabulary import GrammarError

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from ....events import Event

LONGEST_ORIGIN = 60
"""Characters of a line that is shown as the origin of what it says."""

_LONGEST_PREFIX, _MARKS = 80, " []()|:-"
"""A message that begins with a newline, `log.info("\\nEpoch 3")`, leaves its stamp on the line before."""

_LONGEST_SHAPE = 400
"""Characters. Longer lines are rare, and seldom of one shape."""


class LineParser(IterationReader):
    """A parser made of `lines`. Subclasses set the class variables, and add handlers for what is their own.

    Making a subclass raises `GrammarError` where a kind, a group or a unit means nothing.
    """

    about: ClassVar[str] = ""
    lines: ClassVar[tuple[Line, ...]] = ()  # the first that matches counts
    specificity: ClassVar[Specificity] = Specificity.FRAMEWORK
    reads_instead_of: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[tuple[Example, ...]] = ()
    headed: ClassVar[bool] = False

    finds_fewer: ClassVar[bool] = False
    """Does its own `match` leave out some of the lines that `lines` describe, and find no others?"""

    heeds_the_front: ClassVar[bool] = False
    """Is a row no training's where a word directly in front says so: `EVALUATING - Epoch: [3][10/157]`? Tables ask it themselves."""

    compiled: ClassVar[Any] = None  # makes the patterns, instead of `compile_pattern`

    _kinds: ClassVar[tuple[LineKind, ...]] = ()
    _kinds_of: ClassVar[Any] = None  # those that a line of a shape may be; kept
    _finds_its_own: ClassVar[bool] = False  # a subclass has a `match` of its own

    def __init_subclass__(cls) -> None:
        try:
            cls._kinds = tuple(kinds_of(cls, cls.lines, cls.compiled))
        except GrammarError as error:
            raise GrammarError(f"{cls.__module__}.{cls.__name__}: {error}") from error
        cls._finds_its_own = cls.match.__func__ is not LineParser.match.__func__  # type: ignore[attr-defined]
        cls._kinds_of = staticmethod(lru_cache(maxsize=256)(partial(_kinds_of, cls._kinds)))

    def __init__(self) -> None:
        super().__init__()
        self.announced = False
        self.calendar = Calendar()
        self._stamp_alone: float | None = None  # of the line before, which had nothing else
        self.stamped_before: float | None = None  # the same, of the newest line

    @classmethod
    def match(cls, text: str) -> tuple[LineKind, re.Match[str]] | None:
        """The first kind of line that `text` is, and how it matched."""
        return _first(cls._kinds, text[:LONGEST])

    @classmethod
    def needs(cls, *, thorough: bool = False, distinctive: bool = False) -> Needs:
        """Each line that matches holds all the words of one of these.

        Args:
            thorough: also the words of the patterns, to find which takes as long as to compile them.
            distinctive: only of the lines that no other format has.
        """
        if cls._finds_its_own and not cls.finds_fewer:
            return ((),)
        kinds = [kind for kind in cls._kinds if kind.distinctive or not distinctive]
        return tuple(dict.fromkeys(kind.needs(thorough=thorough) for kind in kinds))

    @classmethod
    def kinds(cls) -> tuple[LineKind, ...]:
        """The kinds of lines, in the order in which they are tried."""
        return cls._kinds

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """Does a line that matched carry an iteration? No word in front of it says that it evaluates."""
        return kind.carries_iteration and not (cls.heeds_the_front and _evaluates(text, found))

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """See `Parser.line`."""
        if self._finds_its_own or len(text) > _LONGEST_SHAPE:
            matched = self.match(text)
        else:
            matched = _first(self._kinds_of(shape_of(text)), text)
        before = self.stamped_before = self._stamp_alone
        self._stamp_alone = None
        if matched is None:
            if len(text) <= _LONGEST_PREFIX and ":" in text and not PREFIX.sub("", text, count=1).strip(_MARKS):
                self._stamp_alone = self.calendar.stamp(text)
            return ()
        kind, found = matched
        line = LogLine.of(text, at_s, self.calendar)
        line = line if line.stamped or before is None else line.at(before)
        if self.heeds_the_front and kind.carries_iteration and _evaluates(text, found):
            return self.part_of_evaluation(kind.read(found), line)
        events = kind.handle(self, kind.read(found), line)
        if kind.unread:
            events, kind.unread = [*events, *self.not_read(*kind.unread)], None
        if self.announced or not events:
            return events
        self.announced = True
        return events if isinstance(events[0], RunInfo) else [self.run_info(line), *events]

    def part_of_evaluation(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A row like one of the training, but for a word in front of it."""
        return []

    @handler()
    def evaluation(self, fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation ended. Fields that are no part of the position are its values."""
        values = {
            key: value
            for key, value in fields.items()
            if isinstance(value, float) and isfinite(value) and key not in ("iteration", "total", "duration_s")
        }
        index = fields.get("iteration", self.next_index)
        return [ended(EVALUATION, line.at_s, index, fields.get("duration_s"), values=values)]

    @handler()
    def checkpoint(self, fields: Fields, line: LogLine) -> list[Event]:
        """A checkpoint is written: the line comes before the write."""
        return [SpanBegin(CHECKPOINT, line.at_s, self._index(fields), detail=fields.get("detail", ""))]

    @handler()
    def checkpoint_written(self, fields: Fields, line: LogLine) -> list[Event]:
        """A checkpoint was written: the line comes after the write."""
        index, detail = self._index(fields), fields.get("detail", "")
        return [ended(CHECKPOINT, line.at_s, index, fields.get("duration_s"), detail=detail)]

    @handler()
    def took(self, fields: Fields, line: LogLine) -> list[Event]:
        """How long the whole training took, by its own words."""
        took_s = seconds(fields.get("duration_s"))
        origin, rate = (
            line.text.strip()[:LONGEST_ORIGIN],
            seconds(fields.get("iterations_per_s")),
        )  # no less than 0
        return [] if took_s is None else [Total(took_s, origin, line.at_s, iterations_per_s=rate)]

    @handler()
    def done(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The training is over, by its own words."""
        return [End(at_s=unix_time(line.at_s), detail=line.text.strip()[:LONGEST_ORIGIN])]

    @handler()
    def config(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A line of the configuration: its groups are fields of `Config`."""
        read: dict[str, Any] = {
            key: value if isinstance(value, str) or key in _FLOAT_CONFIG else whole(value)
            for key, value in fields.items()
        }
        known = {key: value for key, value in read.items() if holds(key, value)}
        self.total = known.get("max_iterations", self.total)
        return [Config(origin="log", **known)]

    @handler()
    def known(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A line of this format that says nothing that is read."""
        return []


_FLOAT_CONFIG = frozenset(("flops_per_token", "peak_flops", "logged_mfu_peak_flops", "cost_per_hour"))


def _evaluates(text: str, found: re.Match[str]) -> bool:
    start = found.start()
    return 0 < start <= _LONGEST_PREFIX and evaluates_behind(shape_of(text[:start]))


def _first(kinds: Iterable[LineKind], text: str) -> tuple[LineKind, re.Match[str]] | None:
    for kind in kinds:
        if kind.contains in text and (found := kind.find(text)):  # asked here: a call takes as long again
            return kind, found
    return None


def _kinds_of(kinds: Sequence[LineKind], shape: str) -> tuple[LineKind, ...]:
    """Those of `kinds` that a line of this shape may be: as a rule one or none."""
    possible = []
    for kind in kinds:
        if kind.sees_digits:
            possible.append(kind)
        elif kind.find(shape):
            return (*possible, kind)
    return tuple(possible)


def log_format(parser: type[LineParser]) -> LogFormat:
    """The format whose lines `parser` reads."""
    match = lru_cache(maxsize=1)(parser.match)  # all three questions are asked of one line after the other

    def matches(text: str) -> bool:
        return match(text) is not None

    def is_iteration(text: str) -> bool:
        matched = match(text)
        return matched is not None and parser.carries_iteration(text, *matched)

    def is_distinctive(text: str) -> bool:
        matched = match(text)
        return matched is not None and matched[0].distinctive

    return LogFormat(
        name=parser.name,
        about=parser.about,
        matches=matches,
        is_iteration=is_iteration,
        is_distinctive=is_distinctive,
        parser=parser,
        time_includes=parser.time_includes,
        specificity=parser.specificity,
        reads_instead_of=parser.reads_instead_of,
        examples=parser.examples,
        headed=parser.headed,
        needs=parser.needs(),
    )
