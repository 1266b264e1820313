"""What is known of a row before it is counted, and what its numbers say of its place."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from ..parsing.phases import Phase


class RowContext(NamedTuple):
    """What is known of a row besides its values: whose it is, and where it stands."""

    phase: Phase | None = None
    length: float | None = None  # of how many steps it is one
    within: bool = False  # its step is one of an epoch
    epoch: float | None = None  # that stood on a line before
    anew: bool = False  # a heading began again since the row before
    announced: bool = False  # an evaluation was, on a line before
    total: float | None = None  # of how many the whole run is to be
    of_lines: bool = False  # a step is a line: of what is in between nobody knows how many steps it is
    counted: bool = False  # it is a row whatever its values are: of epochs that their evaluations alone tell of


NO_CONTEXT = RowContext()


class Clock(Enum):
    """What a row's own clock, that of its process, says."""

    RUNS_ON = "runs on"
    NEW = "new"


_ALIKE = 0.9


def clock_of(elapsed_s: float | None, before_s: float | None, *, waits: bool = False) -> Clock | None:
    """Does the clock of the process run on? That of a second one that began beside it does, nearly.

    `None`: it has stepped back by less than half. Was it another process, or one that began later? The rows show it.
    `waits`: a row has stepped back, and it is open whether this one goes on from that.
    """
    if elapsed_s is None or before_s is None:
        return None
    if elapsed_s == before_s or elapsed_s > (1.0 if waits else _ALIKE) * before_s:
        return Clock.RUNS_ON
    return None if elapsed_s > before_s / 2 else Clock.NEW


class Standing(Enum):
    """What a row's numbers say of its place."""

    ON = "on"  # the run goes on
    WAITS = "waits"  # it stands before the newest row: the next one shows why
    AGAIN = "again"  # the run began again with the row that waits, and this one counts on from it
    ANEW = "anew"  # ... with this row
    OTHER = "other"  # it is another process's, or counts something else


def goes_on_from(waits: tuple[float, float, RowContext] | None, step: float, epoch: float | None) -> bool:
    """Has a row that waits a lower place? What opens a run was told behind its first row, then, not before it."""
    return waits is not None and (0.0 if epoch is None else epoch, step) > waits[:2]


_FAR = 2
"""So far behind the newest row no other rank is late."""

_NUMBER = lazy_pattern(r"(?i)\d[\d.,]*(?:e[-+]?\d+)?|\b(?:nan|inf)\b")


def begins_a_training(step: float | None, epoch: float | None, newest: int | None) -> bool:
    """Is it the place of a first row, far behind the `newest`?"""
    place = epoch if step is None else step if epoch is None else None
    return place is not None and place <= 1 and newest is not None and newest - place >= _FAR


def shape_of_row(text: str) -> str:
    """Its words: two rows that differ in them alone may tell of different things."""
    return _NUMBER.sub("0", text)


class FirstPlace:
    """The place of the log's very first row, where it names an epoch."""

    def __init__(self) -> None:
        self._first: tuple[float | None, float | None] | None = None

    def comes_again(self, step: float | None, epoch: float | None) -> bool:
        """Behind what a process says first: is a row there once more? A training began anew, if it has no other row."""
        if self._first is None:
            self._first = epoch, step
            return False
        return epoch is not None and (epoch, step) == self._first
