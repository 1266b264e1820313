"""What every store of a tracker is: one run in it, asked again and again for what is new."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....events import End

MOST_AT_ONCE = 2_000
"""Values of one answer: a database is not held for longer than it takes to read so many (some milliseconds)."""


class Logged(NamedTuple):
    """What was logged at once: its step, the Unix time, and the numbers by their names.

    Without a step it is what the tracker measured of the machine.
    """

    step: int | None
    at_s: float | None
    values: Mapping[str, float]


class Begun(NamedTuple):
    """What the tracker knows of the run itself: its name, when it began, and the settings that the script gave."""

    name: str
    at_s: float | None
    settings: Mapping[str, object]


class StoreError(Exception):
    """What was asked for cannot be read now; the text says why. It may be possible later."""


class Store(ABC):
    """One run of a tracker. Nothing is ever written to it, and nobody who writes to it waits for us."""

    tracker: str
    """What the tracker is called."""

    title: str
    """What a person calls the run: where it is kept, clean and in one line."""

    of: int = 1
    """How many runs lie where it does, as `begun` found."""

    @abstractmethod
    def begun(self) -> Begun:
        """Its name and settings, as they are now. Raises `StoreError`."""

    @abstractmethod
    def new(self) -> list[Logged]:
        """What was logged since the last call, oldest first, at most some `MOST_AT_ONCE`; empty once all is known.

        Raises `StoreError`.
        """

    @abstractmethod
    def end(self) -> End | None:
        """How the run ended, as the tracker says; `None` while it goes on, or where it does not say."""
