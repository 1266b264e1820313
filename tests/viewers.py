"""A plain client of a trainer's socket, and what is asked of it."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from waiting import WITHIN_S

from itermon import run_files
from itermon.events import Event, Iteration, decode

if TYPE_CHECKING:
    from itermon.trainer_hooks import Hooks


class Viewer:
    """A plain client: what it got, as bytes and as events."""

    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with run_files.address(path) as address:
            self.connection.connect(address)
        self.got = b""
        self.ended = False

    def read(self, until: Callable[[Viewer], bool], at_once: int = 1 << 20) -> Viewer:
        """Read until `until` says so, or fail after the deadline."""
        deadline_s = time.monotonic() + WITHIN_S
        while not until(self):
            left_s = deadline_s - time.monotonic()
            assert left_s > 0, f"after {WITHIN_S} s there is only: {self.got[-300:]!r}"
            if select.select([self.connection], [], [], left_s)[0]:
                data = self.connection.recv(at_once)
                self.got += data
                self.ended = not data
                if self.ended:
                    assert until(self), f"the trainer hung up after {self.got[-300:]!r}"
        return self

    @property
    def events(self) -> list[Event]:
        return [decode(line) for line in self.got.splitlines() if line]


Attach = Callable[[Path | None], Viewer]


def indices(viewer: Viewer) -> list[int]:
    return [event.index for event in viewer.events if isinstance(event, Iteration)]


def has(count: int) -> Callable[[Viewer], bool]:
    return lambda viewer: viewer.got.count(b'"iteration","index"') >= count and viewer.got.endswith(b"\n")


def ended(viewer: Viewer) -> bool:
    return viewer.ended


def recorded(hooks: Hooks) -> bytes:
    assert hooks.recording is not None
    return hooks.recording.read_bytes()
