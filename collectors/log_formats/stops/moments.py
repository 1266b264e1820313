"""What is kept of stamped lines between two rows, and of a stop that some of them tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ....events import SpanBegin, SpanEnd

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....events import Event

LONGEST_S = 86_400.0
"""Between two lines: more is a pause."""


class Told(NamedTuple):
    """A stop: seconds that are known, the moment of its newest line, and whether its begin is all that is known.

    `by_begin`: they are those behind a line that sounds like its begin, up to one that says nothing of it.
    """

    seconds: float | None
    at_s: float | None
    begun: bool = False
    by_begin: bool = False


class Line(NamedTuple):
    """A line with a stamp."""

    at_s: float
    is_row: bool
    kind: str | None = None  # of what it tells
    begins: bool = False


def kinds_of(found: Iterable[Event]) -> set[str]:
    """What kinds of stops a format has read itself."""
    return {e.kind for e in found if isinstance(e, SpanBegin) or (isinstance(e, SpanEnd) and not e.void)}
