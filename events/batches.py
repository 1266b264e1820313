"""What a source hands on: events, and how the source stands. Never written anywhere."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from .event import Event, Word
from .iterations import Iterations


class SourceState(Word):
    """How a source stands."""

    WAITING = "waiting"  # nothing there yet: the file does not exist or is empty
    READING = "reading"  # history is being read
    LIVE = "live"  # everything read; following
    PAUSED = "paused"  # a replay that stands still
    ENDED = "ended"  # there will be no more
    FAILED = "failed"  # cannot be read; `note` says why and what to do


class Batch(msgspec.Struct, frozen=True, gc=False):
    """What a source hands on at a time: some events, and how it stands after them. Never written anywhere.

    `state` is `None` where the source says nothing of the run's state (GPU and host samplers).
    `preview` events are the newest of a long history, shown until the history itself has been read: they feed
    a `Run` of their own, which is thrown away when the first batch that is no preview says "live" or "ended".
    `history` is the part of the history read so far (0..1), or, while live, of what was appended at once.
    `now_s` is a replay's clock; `None` means the wall clock. With `restart` all earlier batches are void, as after
    a replay's jump back: a new `Run` begins.
    """

    events: Sequence[Event] = ()
    state: SourceState | None = None
    note: str = ""
    preview: bool = False
    history: float | None = None
    now_s: float | None = None
    restart: bool = False

    @property
    def weight(self) -> int:
        """How many iterations and other events it brings."""
        return sum(len(event) if isinstance(event, Iterations) else 1 for event in self.events)
