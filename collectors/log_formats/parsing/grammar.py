"""The grammar of a line: a pattern whose groups say what they mean, the same for built-in and users' formats.

`N` as the whole of a group stands for a number (`nan`, `inf` and thousands commas included). The names of groups, and
their units, are those of `vocabulary.py`.

Every pattern is searched in at most `LONGEST` characters, and only in lines that hold its literal. A `^` at its
beginning is where the trainer's own text begins: behind what a launcher or a container puts in front of each line.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ....words import did_you_mean
from ...patterns import lazy_pattern
from ..needed_words import needed_words
from .values import UNREAD, Fields, LogLine, number, scalars
from .vocabulary import KINDS, METRIC, NUMBER, TEXT, GrammarError, Word, resolve, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ....events import Event

    Handler = Callable[[Any, Fields, LogLine], Sequence[Event]]
    Compile = Callable[[str], re.Pattern[str]]

Method = TypeVar("Method", bound="Callable[..., object]")

LONGEST = 4096
"""Characters of a line that a pattern sees: no line of a log is longer, and hostile ones cost no more."""

NUMBER_PATTERN = r"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|NaN|[iI]nf(?:inity)?)"
"""A number as trainers print it. Each character can be read in one way only, so it is linear."""

_BEFORE_NUMBER = lazy_pattern(r"(?<=:) (?=[(\[]|\\[dSw])|(?<=[,|=a-z)]) (?=\(\?P<\w+>(?:N\)|\\d)|\\d)")
_MAY_BE_PADDED = lazy_pattern(r"(?<=:) \?(?=[(\[]|\\[dSw])")  # a blank that may also be none
_PADDED = " {1,12}"
_PADDED_OR_NOT = " {0,12}"
_DIGITS = r"(?<!\d)\d{1,15}(?!\d)"

_ZONE = r"(?:Z|[-+]\d\d:?\d\d| ?[AaPp][Mm]\b)?"
_CLOCK = rf"\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?{_ZONE}"
_SHORT_CLOCK = rf"\d\d?:\d\d(?::\d\d(?:[.,]\d{{1,9}})?)?{_ZONE}(?!\d|:\d)"  # behind a date with its year
_YEARLY = r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d))"
_DATE = r"(?:[A-Z][a-z]{2} [ \d]\d|\d\d?[-/]\d\d)"
_NO_FRAME = r"(?! {1,2}(?:-|\d{1,6}(?:us|ms|s)/))"  # of a bar without its picture: `8/21 1:40 5s/step`
_MOMENT = rf"(?:{_YEARLY}(?:,? {{1,2}}|[T|_-]){_SHORT_CLOCK}|\d\d?/\d\d? \d\d:\d\d(?= ){_NO_FRAME}|(?:{_DATE}[T ])?{_CLOCK})"
_STAMP = rf"[\[(]?{_MOMENT}(?: [\w.-]{{1,60}}(?=\]))?[\])]?"  # [2024-05-01 10:00:00 model]
_LEVEL = r"[\[(]?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)[\])]?(?![\w.=/-])"
_PARTED = r"(?: {0,8}[-|:] ?|(?<=\])(?=\[))"
_BETWEEN = r"(?: {0,8}[-|:] ?| |(?<=\])(?=\[))"  # parts of a logger's prefix
_LINE = r"(?:(?:[\w./<>-]{1,80}:[\w<>]{1,60}|[\w./-]{1,80}\.\w{1,4}|<\w{1,40}>):|[\w./-]{1,80}\.py\]?\[line ?: ?)\d{1,6}"
"""`__main__:train:88`, `train.py:88`, `train.py[line:88`, `train.py][line:88`; a place may also be `train [line:88] `."""
_PLACE = rf"[\[(]?{_LINE}(?:[\])] ?(?:- )?|: | - | \| | )|\[{_LINE}:\w{{1,60}}\] ?|\([\w./-]{{1,80}}\.py \d{{1,6}}\):? ?|[\w./-]{{1,80}} [\[(]line ?:? ?\d{{1,6}}[\])]:? "
_LOGGER_PART = (
    rf"{_STAMP}(?:{_BETWEEN}\[?[\w.]{{1,120}}\]?(?:{_PARTED}\[?[\w.<>]{{1,60}}\]?)?(?={_PARTED}{_LEVEL}))?(?: - | >> |: {{1,8}}| {{2,8}}|(?=\D))"
    rf"|{_BETWEEN}?{_LEVEL}(?::(?!(?i:epoch|step|iter|it|loss):)[\w.]{{1,60}}:| {{2,8}}(?=[A-Za-z])|{_BETWEEN})?|{_PLACE}|\[INFO\|{_LINE}\]"
    rf"|[IWEF]\d{{4}} {_CLOCK} {{1,8}}\d{{1,19}} {_LINE}\]"
)
_LAUNCHER_PART = (
    r"\[(?:rank|default) ?\d{1,6}\]:|\[\d{1,9}(?:,\d{1,6})?\]<std(?:out|err)>:|\(\w{1,40} pid=\d{1,9}[^)]{0,40}\)"
    r"|[\w.-]{0,60}\d:|[\w.-]{1,60} {1,20}\|"
)
_PREFIX_PART = f"(?:{_LOGGER_PART}|{_LAUNCHER_PART}) ?"
LAUNCHER = f"(?:{_PREFIX_PART}){{0,5}}"
"""In front of a line: torchrun's `[rank0]:` and `[default0]:`, Open MPI's `[1,0]<stdout>:` and Horovod's `[0]<stdout>:`, Ray's `(Worker pid=7)`, the
`0:` of `srun -l`, pdsh's `node-3:`, the `worker-0  |` of docker compose; the time stamp of a container's log, of `ts` and
of syslog, its date in whatever order; and what loggers write: `2024-05-01 10:00:00,123 - name - INFO - `, `... - train.py - main - INFO - `, `[INFO] train.py:88: `, `INFO:root:`,
`[train.py][line:88][INFO]`, `(train.py 88): INFO`."""
PREFIX = lazy_pattern(f"^{LAUNCHER}")
EPOCH_IN_FRONT = lazy_pattern(r"(?i)[^\s:|\[\]]{0,80}\bepochs?_?\d{1,9}: *\Z")
"""`epoch3:` looks like the name of a machine that a launcher writes in front of its lines; it is a bar's title."""
_STAMP_IN_FRONT = lazy_pattern(rf"(?:{_LEVEL}{_BETWEEN})?[\[(]?{_MOMENT}")
_NEXT_PART = lazy_pattern(f"(?:(?P<logger>{_LOGGER_PART})|{_LAUNCHER_PART}) ?")
RANK = lazy_pattern(r"\[(?:rank|default) ?(\d{1,6})\]:|^\[(?:\d{1,9},)?(\d{1,6})\]<std|^ {0,5}(\d{1,5}): ")
"""The rank among them."""

_GROUP_NAME = lazy_pattern(r"\(\?P<(\w+)>")


class Line(NamedTuple):
    """One kind of line of a format: what it looks like, and what it is.

    Args:
        contains: a literal that each such line holds; it is looked for before the pattern is, which is faster.
        pattern: a regular expression; its groups are named as in `vocabulary.py`.
        kind: one of `vocabulary.KINDS`, or the name of a handler of the format's own.
        distinctive: whether only this format has such lines. `False` for what others print too (a tqdm bar): such
            lines are read, but the format is not recognised by them.
        units: the unit of a group, where its name does not say it: `{"duration": "ms"}`.
    """

    contains: str
    pattern: str
    kind: str = "iteration"
    distinctive: bool = True
    units: Mapping[str, str] = MappingProxyType({})


class HandlerSpec(NamedTuple):
    """What a handler says of the lines that it reads."""

    iterations: bool
    words: dict[str, Word]


def handler(
    *, iterations: bool = False, numbers: Sequence[str] = (), texts: Sequence[str] = ()
) -> Callable[[Method], Method]:
    """Declare a method of a format as the handler of a kind of lines: the kind is called as the method.

    Args:
        iterations: whether such a line carries an iteration, which is what recognition counts.
        numbers: names of groups of its own with a number, besides those of the vocabulary.
        texts: names of groups of its own with text.
    """
    own = {name: Word(name, NUMBER, "") for name in numbers} | {name: Word(name, TEXT, "") for name in texts}

    def declare(method: Method) -> Method:
        method.handler_spec = HandlerSpec(iterations, own)  # type: ignore[attr-defined]
        return method

    return declare


class LineKind:
    """A kind of line, checked against the vocabulary and ready to be matched.

    The pattern is compiled when the first line holds the literal: all of all formats would take 80 ms at the start.

    Raises:
        GrammarError: a group or a unit means nothing in such a line.
    """

    def __init__(self, line: Line, handle: Handler, spec: HandlerSpec, compiled: Compile | None = None) -> None:
        self.name, self.contains, self.distinctive = line.kind, line.contains, line.distinctive
        self.carries_iteration = spec.iterations
        self.handle = handle
        self.written, self._compiled = line.pattern, compiled
        self._stands_first = compiled is None and line.pattern.startswith("^")
        self.unread: tuple[str, str] | None = None  # the newest value that was no number, until somebody asks
        legal = words_of(line.kind) | spec.words if spec.words else words_of(line.kind)
        names = _GROUP_NAME.findall(line.pattern)
        for name in line.units:
            if name not in names:
                raise GrammarError(f"units: there is no group {name!r} in the pattern{did_you_mean(name, names)}")
        if line.kind == "iteration" and not {"iteration", "batch"} & {*names}:
            raise GrammarError("an iteration needs its number: a group (?P<iteration>N), or (?P<batch>N)")
        self._groups = {
            name: resolve(name, line.units.get(name), legal, iterations=spec.iterations) for name in names
        }

    @cached_property
    def sees_digits(self) -> bool:
        """May it match one of two lines of the same shape, and the other not?"""
        may_give_up = self._compiled is not None  # a user's pattern has a time limit
        return may_give_up or names_a_digit(re.escape(self.contains)) or names_a_digit(self.written)

    def needs(self, *, thorough: bool = False) -> tuple[str, ...]:
        """The words that stand in each such line; `thorough`: also those of the pattern, which must be linear."""
        contained = (self.contains,) if self.contains else ()
        if not thorough or self._compiled is not None:
            return contained
        words = needed_words(_spelt_out(self.written.removeprefix("^")))
        return (*contained, *(word for word in words if word not in self.contains))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What such a line looks like; of one that stands at its beginning, without what may be in front of it."""
        if self._compiled is not None:
            return self._compiled(self.written)
        return re.compile(_spelt_out(self.written.removeprefix("^")))

    def find(self, text: str) -> re.Match[str] | None:
        """How `text` is such a line; `None` if it is not."""
        if self.contains not in text:
            return None
        if not self._stands_first:
            found = self.pattern.search(text)
            return self._behind_stamp(text, found) if found and self._compiled is None else found
        for start in beginnings(text):
            if found := self.pattern.match(text, start):
                return found
        return None

    def _behind_stamp(self, text: str, found: re.Match[str]) -> re.Match[str] | None:
        """`found`, where none of its numbers is of the line's stamp; else what is behind that."""
        end = behind_stamp(text) if found.start() < _LONGEST_STAMP else 0
        if found.start() >= end or all(
            factor is None or not 0 <= found.start(at) < end for at, _, factor in self._places
        ):
            return found
        return self.pattern.search(text, end)

    @cached_property
    def _has_metrics(self) -> bool:
        return any(group.field.startswith(METRIC) for group in self._groups.values())

    @cached_property
    def _places(self) -> tuple[tuple[int, str, float | None], ...]:
        return tuple((at, *self._groups[name]) for name, at in self.pattern.groupindex.items())

    def read(self, found: re.Match[str]) -> Fields:
        """What a match says, in the units of the vocabulary."""
        fields: Fields = {}
        for group, field, factor in self._places:
            text = found[group]
            if text is None:
                continue
            if factor is None:
                fields[field] = text.strip()
            elif (value := number(text)) is not None:
                fields[field] = value * factor
            else:
                fields[field], self.unread = UNREAD, (field, text)
        if self._has_metrics:
            named = [
                (field.removeprefix(METRIC), fields.pop(field)) for field in [*fields] if field.startswith(METRIC)
            ]
            fields["scalars"] = scalars(named)
        return fields


def kinds_of(parser: type, lines: Sequence[Line], compiled: Compile | None = None) -> Iterator[LineKind]:
    """The lines of a format, checked, each with its handler; `compiled` makes its pattern, or `compile_pattern`.

    Raises:
        GrammarError: a kind, a group or a unit means nothing; the message names the line and lists the legal ones.
    """
    handlers = {
        name: spec
        for one in reversed(parser.__mro__)
        for name, method in vars(one).items()
        if isinstance(spec := getattr(method, "handler_spec", None), HandlerSpec)
    }
    for place, line in enumerate(lines, 1):
        if line.kind not in handlers:
            legal = (*KINDS, *(name for name in handlers if name not in KINDS))
            near = did_you_mean(line.kind, legal)
            raise GrammarError(f"line {place}: kind {line.kind!r} is none of {', '.join(legal)}{near}")
        try:
            yield LineKind(line, getattr(parser, line.kind), handlers[line.kind], compiled)
        except GrammarError as error:
            raise GrammarError(f"line {place}: {error}") from None


@lru_cache(maxsize=8)
def shape_of(text: str) -> str:
    """`text` with each digit as 0: a pattern that names no digit of its own finds the same places in both.

    Most lines of a log share their shape with many others: what is found in it is looked for once.
    """
    return text.translate(_ZEROS)


def names_a_digit(pattern: str) -> bool:
    """Has a pattern a digit of its own, as `top1` has?"""
    return _NO_DIGIT_OF_ITS_OWN.fullmatch(pattern) is None


def beginnings(text: str) -> tuple[int, ...]:
    """Where the trainer's own text may begin: at once, or behind one to five prefixes."""
    return _beginnings(shape_of(text))


@lru_cache(maxsize=256)
def _beginnings(shape: str) -> tuple[int, ...]:
    places = [0]
    for _ in range(_MOST_PARTS):
        part = _NEXT_PART.match(shape, places[-1])
        if part is None or not part[0]:
            break
        if shape.startswith("| ", part.end()):  # behind a stamp, or the border of a table
            places.append(part.end() + 2)
        blanks = len(part[0]) - len(
            part[0].rstrip(" ")
        )  # all of them, but for the first, or the last, may be the line's
        places += [part.end() - before for before in sorted({max(0, blanks - 1), min(1, blanks), 0}, reverse=True)]
    return tuple(places[::-1])


def behind_stamp(text: str) -> int:
    """Where a line goes on behind the stamp in front of it: `8/21 13:40:52` is no step of 21, nor has it lasted for hours."""
    front = text[:_LONGEST_STAMP]
    return _behind_stamp(front.translate(_ZEROS)) if ":" in front else 0


@lru_cache(maxsize=256)
def _behind_stamp(front: str) -> int:
    found = _STAMP_IN_FRONT.match(front)
    return 0 if found is None else found.end()


_LONGEST_STAMP = 60
_MOST_PARTS = 5  # `[2024-05-01 10:00:00][INFO][train.py:88] 2024-05-01 10:00:00 INFO `
_ZEROS = str.maketrans("123456789", "000000000")
_NO_DIGIT_OF_ITS_OWN = lazy_pattern(r"(?:\(\?P[<=]\w+[>)]|\{[\d,]+\}|\\\D|[^\d\\])*")


def without_logger(text: str) -> str:
    """A line without what a logger wrote in front of it: its name, or its place in the code, is none of the line's words."""
    kept, end = "", 0
    for _ in range(_MOST_PARTS):
        part = _NEXT_PART.match(text, end)
        if part is None or not part[0]:
            break
        kept += "" if part["logger"] else part[0]
        end = part.end()
    return kept + text[end:]


def _spelt_out(pattern: str) -> str:
    own = _MAY_BE_PADDED.sub(_PADDED_OR_NOT, _BEFORE_NUMBER.sub(_PADDED, pattern)).replace(r"\d+", _DIGITS)
    return own.replace(">N)", f">{NUMBER_PATTERN})")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of a format: `(?P<name>N)` is a number. No counter has more than fifteen digits: `\\d+` that might
    begin anywhere in a line of a million digits would be quadratic. Nor is it a part of one that has more. A trainer
    that aligns its columns puts blanks in front of a number."""
    own = _spelt_out(pattern)
    return re.compile(f"^{LAUNCHER}{own[1:]}" if own.startswith("^") else own)


def as_written(pattern: re.Pattern[str]) -> str:
    """A pattern as its author wrote it, for messages."""
    return (
        pattern.pattern.replace(LAUNCHER, "")
        .replace(f">{NUMBER_PATTERN})", ">N)")
        .replace(_DIGITS, r"\d+")
        .replace(_PADDED, " ")
        .replace(_PADDED_OR_NOT, " ?")
    )
