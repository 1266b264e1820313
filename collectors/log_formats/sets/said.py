"""The set that a line names for the loss of an evaluation: a test's is shown as a test's, and no validation's beside it.

Formats and guesses have one field for both, `val_loss`. Whose it is tells the word in front of the very figure in the line:
where that is not printed there, as of a mean that was taken over lines, nothing is said of it.
"""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, OF_TEST, OF_VALIDATION, SpanEnd
from ...patterns import lazy_pattern
from .of_a_test import as_of_test

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ....events import Event

_SET = lazy_pattern(
    r"(?<![A-Za-z])(?P<test>[Tt]est(?:s|ing)?|TEST)(?![a-z])|(?<![A-Za-z])(?P<test2>test)(?=loss|acc)|(?<=[a-z])(?P<test3>Test)(?![a-z])"
    r"|(?<![A-Za-z])(?:[Vv]al(?:id(?:ation|ating)?)?|VAL(?:ID(?:ATION)?)?|[Dd]ev|DEV)(?![a-z])"
    r"|(?<![A-Za-z])val(?:id)?(?=loss|acc)|(?<=[a-z])Val(?:id(?:ation)?)?(?![a-z])"
)
_PATH = lazy_pattern(r"\S*[/\\]\S*[/\\]\S*|\S+\.(?:[a-z]{1,2}|py\w|log|txt|pth|ckpt|json|yaml|cfg|tar)\b")
"""`data/test/a.png`, `test.py:30`: a name of a file says nothing of a loss."""

_NUMBER = lazy_pattern(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = lazy_pattern(r"[A-Za-z]{4}")
_LONGEST = 2_000


class SetsSaid:
    """What the lines of a log say of the sets of its evaluations."""

    def __init__(self) -> None:
        self._before = self._heading = ""  # the line before; the newest one in words
        self._tests = self._validates = False  # which sets have been named

    def of(self, found: Sequence[Event], text: str) -> Sequence[Event]:
        """The events of a line, or of what was held back of the one before, each evaluation's loss by its set."""
        if any(isinstance(event, SpanEnd) and "val_loss" in event.values for event in found):
            found = [self._named(event, text) for event in found]
        self._before = text
        if not found and ("est" in text or "EST" in text):
            self._heading = text
        return found

    def _named(self, event: Event, text: str) -> Event:
        if not isinstance(event, SpanEnd) or event.kind != EVALUATION or "val_loss" not in event.values:
            return event
        loss, is_cells = event.values["val_loss"], _WORD.search(text[:_LONGEST]) is None
        of_set = set_of_figure(text, loss) or set_of_figure(self._before, loss)
        if not of_set and self._heading and (is_cells or self._heading == self._before):
            of_set = _set_of_heading(self._heading)
        if of_set == OF_TEST:
            self._tests = True
            if self._validates:
                return replace(event, values=as_of_test(_by_its_name(event.values)))
            return replace(event, of_set=OF_TEST)
        self._validates = self._validates or bool(of_set)
        return replace(event, of_set=OF_VALIDATION) if of_set and self._tests else event


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
    tests = [one.lastgroup is not None for one in _SET.finditer(_PATH.sub(_blank, heading[:_LONGEST]))]
    return OF_TEST if tests and all(tests) else ""


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _by_its_name(values: dict[str, float]) -> dict[str, float]:
    return {name.removeprefix("val_"): value for name, value in values.items()}
