"""Where events go: as lines of JSON into the recording, and from there to the viewers. The daemon thread's alone.

The training thread only makes it, and lets go of it in a forked child.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from ...events import Event, Message, Severity, encode, encode_all
from .recording import Recording
from .server import Server

if TYPE_CHECKING:
    from pathlib import Path

    from ...events import End

GOODBYE_S = 0.5
"""Viewers may take this long to receive the rest when the trainer ends."""


class Delivery:
    """A recording at `record` and a socket at `serve`, `None` for none. No method raises for disk or viewer."""

    def __init__(self, head: list[Event], *, record: Path | None, serve: Path | None) -> None:
        self.recording = Recording(record)
        self.server = Server(serve, self.recording)
        self.recording.keep(_encoded(head))
        self._reported = ""

    def send(self, events: list[Event]) -> None:
        """Record `events` and feed the viewers. Without any, what a full disk left waiting gets its turn."""
        if events:
            self.recording.append(_encoded(events))
        else:
            self.recording.flush()
        self.server.feed()

    def wait(self, until_s: float) -> None:
        """Serve viewers until `until_s` (monotonic clock), or until `wake`."""
        self.server.wait(until_s)

    def wake(self) -> None:
        """End a `wait` that is under way; for any thread."""
        self.server.wake()

    def heal(self) -> Message | None:
        """Make a socket that was swept away again. A warning where something is wrong that was not before."""
        self.server.listen()
        trouble = self.recording.trouble or self.server.trouble
        if not trouble and self.recording.gone():
            path = self.recording.path
            trouble = f"{path} was deleted or cut short: this run's recording, or a part of it, is lost"
        if not trouble or trouble == self._reported:
            return None
        self._reported = trouble
        return Message(text=trouble, level=Severity.WARNING)

    def nowhere(self) -> str:
        """Why neither a recording nor a viewer can have anything of this run; empty where one can."""
        troubles = (self.recording.trouble, self.server.trouble)
        return "; ".join(dict.fromkeys(troubles)) if all(troubles) else ""

    def finish(self, end: End | None) -> None:
        """Record the end, now; `None`: nobody knows it. Give the viewers the rest, and close."""
        if end is not None:
            self.recording.append(encode(msgspec.structs.replace(end, at_s=round(time.time(), 6))))
        self.server.finish(time.monotonic() + GOODBYE_S)
        self.recording.close()

    def abandon(self) -> None:
        """In a forked child: let go of the parent's descriptors, and leave its files alone."""
        self.server.abandon()
        self.recording.close(forked=True)


def useless(what: str, error: Exception) -> Message:
    """The warning that stands in the place of `what`, which could not be used."""
    return Message(
        text=f"a mark of kind {what!r} was no use: {type(error).__name__}: {error}"[:500], level=Severity.WARNING
    )


def _encoded(events: list[Event]) -> bytes:
    try:
        return encode_all(events)
    except Exception:  # noqa: BLE001 - one of them holds something odd: only that one is lost
        return b"".join(map(_encoded_or_warning, events))


def _encoded_or_warning(event: Event) -> bytes:
    try:
        return encode(event)
    except Exception as error:  # noqa: BLE001 - reported in its place
        return encode(useless(type(event).__name__, error))
