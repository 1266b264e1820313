"""Lines in sections, each with its set in front: `Epoch 3, time=8s | Train: skipped | Valid: time=2.5s loss=0.5, acc=0.75 |`.

All that stands in a section is of its set, though its names do not say it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ...patterns import lazy_pattern

_TRAINS = lazy_pattern(r"(?i)(?<![\w/\\.=-])(?:train|training|tr)\]? ?: {0,4}(?!nan|[-+.\d ])")
_EVALUATES = lazy_pattern(
    r"(?i)(?:[|;\t]| - |/{2}| {2}) {0,4}\[?(?P<set>val|valid|validation|eval|evaluation|dev|test)\]? ?: {0,4}(?!nan|[-+.\d ])"
)
_ENDS = lazy_pattern(r"[|;\t]| - |/{2}| {2,8}(?=\[?[A-Za-z]{3,10}\]? ?: {1,4}[A-Za-z])")

_LEVELS = frozenset(("DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL"))


class Section(NamedTuple):
    """A part of a line that is of an evaluation: where it begins and ends, and its word."""

    begin: int
    end: int
    word: slice

    def holds(self, place: int) -> bool:
        """Does what stands at `place` belong to it?"""
        return self.begin <= place < self.end


@lru_cache(maxsize=256)
def sections(shape: str) -> tuple[Section, ...]:
    """The sections of evaluations behind one of the training; none where a line has no such."""
    if ":" not in shape or (trains := _TRAINS.search(shape)) is None:
        return ()
    found = _EVALUATES.finditer(shape, trains.end())
    return tuple(Section(one.end(), _end(shape, one.end()), slice(*one.span("set"))) for one in found)


def _end(shape: str, begin: int) -> int:
    """Where the next border is."""
    border = _ENDS.search(shape, begin)
    return len(shape) if border is None else border.start()


def named_by_set(text: str, found: tuple[Section, ...], called: slice | str, place: int) -> str:
    """The name of a value at `place`, or where in the `text` it stands, with the word of the section in which it stands, and without a logger's level."""
    name = text[called] if isinstance(called, slice) else called
    first, _, rest = name.partition(" ")
    name = rest if rest and first in _LEVELS else name
    own = next((one for one in found if one.holds(place)), None)
    return name if own is None else f"{text[own.word]} {name}"
