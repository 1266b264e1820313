"""The set that a line names for the loss of an evaluation: a test's is shown as a test's, and no validation's beside it.

Formats and guesses have one field for both, `val_loss`. Whose it is tells the word in front of the very figure in the line,
or the heading above it, `--- Test results ---`: where the figure is not printed, as that of a mean that was taken over lines,
nothing is said of it.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from math import isclose
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, OF_TEST, OF_VALIDATION, SpanBegin, SpanEnd
from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX, without_logger
from .of_a_test import as_of_test

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ....events import Event

_SET = lazy_pattern(
    r"(?<![A-Za-z])(?P<test>[Tt]est(?:s|ing)?|TEST)(?![a-z])|(?<![A-Za-z])(?P<test2>test)(?=loss|acc)|(?<=[a-z])(?P<test3>Test)(?![a-z])"
    r"|(?<![A-Za-z])(?:[Vv]al(?:i|id(?:ation|ating)?)?|VAL(?:I|ID(?:ATION)?)?|[Dd]ev|DEV)(?![a-z])"
    r"|(?<![A-Za-z])val(?:id?)?(?=loss|acc)|(?<=[a-z])Val(?:i|id(?:ation)?)?(?![a-z])"
)
_PATH = lazy_pattern(r"\S*[/\\]\S*[/\\]\S*|\S+\.(?:[a-z]{1,2}|py\w|log|txt|pth|ckpt|json|yaml|cfg|tar)\b")
"""`data/test/a.png`, `test.py:30`: a name of a file says nothing of a loss."""

_NUMBER = lazy_pattern(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = lazy_pattern(r"[A-Za-z]{4}")
_LONGEST = 2_000
_VALUE_ALONE = lazy_pattern(r"\W{0,12}[A-Za-z][\w@/. -]{0,30}?(?: ?[:=] ?| )[-+]?\d[\d.,eE+-]{0,20} ?%?\W{0,4}")
"""`  loss: 0.75` below its heading, one of several."""

_MOST_HELD = 64
"""Lines that are looked through for one that was held back, and its heading."""


class SetsSaid:
    """What the lines of a log say of the sets of its evaluations."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_MOST_HELD)  # the newest lines with words, the last of them of now
        self._since_test = _MOST_HELD  # how many have come since one that may name a test
        self._told = 0  # how many of them a row or an evaluation has been told of since
        self._heading = ""  # the newest line in words that tells of nothing
        self._tests = self._validates = False  # which sets have been named

    def of(self, found: Sequence[Event], text: str) -> Sequence[Event]:
        """The events of a line, or of what was held back of those before, each evaluation's loss by its set."""
        if text and not text.isspace():
            self._lines.append(text)
            self._told += 1
            self._since_test = 0 if _may_test(text) else self._since_test + 1
        if not found:
            if _may_test(text):
                self._heading = text
            return found
        if any(isinstance(event, SpanEnd) and "val_loss" in event.values for event in found):
            found = [self._named(event, text) for event in found]
        if not all(isinstance(event, SpanBegin) for event in found):
            self._told = 0
        return found

    def _named(self, event: Event, text: str) -> Event:
        if not isinstance(event, SpanEnd) or event.kind != EVALUATION or "val_loss" not in event.values:
            return event
        if self._validates and not (self._tests or self._heading or self._since_test < _MOST_HELD):
            return event  # as in nearly all logs: there is one set, and nothing names a test
        loss = event.values["val_loss"]
        of_set = self._set_of(loss, text)
        if not of_set and self._heading and _WORD.search(text[:_LONGEST]) is None:  # cells of a table
            of_set = _set_of_heading(self._heading)
        if of_set == OF_TEST:
            self._tests = True
            if self._validates:
                return replace(event, values=as_of_test(_by_its_name(event.values)))
            return replace(event, of_set=OF_TEST)
        self._validates = self._validates or bool(of_set)
        return replace(event, of_set=OF_VALIDATION) if of_set and self._tests else event

    def _set_of(self, loss: float, text: str) -> str:
        """The set of the line that printed a loss: this one, else the one before, else the only one among those held back."""
        lines = [*reversed(self._lines)]
        if _prints(text, loss):
            return set_of_figure(text, loss) or _set_above(lines) or set_of_figure("".join(lines[1:2]), loss)
        if found := set_of_figure("".join(lines[1:2]), loss):
            return found
        held = [at for at in range(1, min(self._told, len(lines))) if _prints(lines[at], loss)]
        said = {one for at in held if (one := set_of_figure(lines[at], loss) or _set_above(lines[at:]))}
        return said.pop() if len(said) == 1 else ""


def _may_test(text: str) -> bool:
    return "est" in text or "EST" in text


def _set_above(lines: Sequence[str]) -> str:
    """The set of the heading over a value that stands alone on its line; `lines`: its own first, and those above."""
    for at, line in enumerate(islice(lines, 1, _MOST_HELD)):
        if not _stands_alone(lines[at]):
            return ""
        if not _stands_alone(line):
            return _set_of_heading(line)
    return ""


def _stands_alone(line: str) -> bool:
    shown = without_logger(PREFIX.sub("", line[:_LONGEST], count=1))
    return _VALUE_ALONE.fullmatch(shown) is not None and _SET.search(shown) is None


def _prints(text: str, value: float) -> bool:
    return any(isclose(float(one[0]), value, rel_tol=1e-9) for one in _NUMBER.finditer(text[:_LONGEST]))


def set_of_figure(text: str, value: float) -> str:
    """The set that is named in front of a value in a line, or behind it where none is; "": none, or it is not printed."""
    shown = text[:_LONGEST]
    places = [one.start() for one in _NUMBER.finditer(shown) if isclose(float(one[0]), value, rel_tol=1e-9)]
    if not places:
        return ""
    words = [(one.start(), one.lastgroup is not None) for one in _SET.finditer(_PATH.sub(_blank, shown))]
    if not words:
        return ""
    own = [next((test for at, test in reversed(words) if at < place), words[0][1]) for place in places]
    return OF_TEST if all(own) else OF_VALIDATION


def _set_of_heading(heading: str) -> str:
    """The only set that the names of a table's columns say, or the line in front."""
    tests = {one.lastgroup is not None for one in _SET.finditer(_PATH.sub(_blank, heading[:_LONGEST]))}
    return "" if len(tests) != 1 else OF_TEST if tests.pop() else OF_VALIDATION


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _by_its_name(values: dict[str, float]) -> dict[str, float]:
    return {name.removeprefix("val_"): value for name, value in values.items()}
