"""What was told of each run, and what is still on its way: kept in a file, so that nothing is said twice or lost.

A guard that is killed reads it again. What was put down and not yet delivered is sent then; a message that arrived
in the very millisecond before is sent once more, with the same `id`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from typing import TYPE_CHECKING

import msgspec

from .. import opening, private
from .message import Message  # noqa: TC001 - msgspec reads it at run time

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_MOST_BYTES = 1 << 24
MOST_RUNS = 1_000
"""So many runs are remembered: of more, those that were told of last."""

MOST_INCIDENTS = 200
"""Of one run."""


class Entry(msgspec.Struct, omit_defaults=True):
    """What was told of one incident.

    at_s: when it was told, or was found to be history.
    is_history: it was over before anybody asked: nothing was told.
    over: that it is over was told, or needs not be.
    """

    kind: str
    at_s: float
    is_history: bool = False
    over: bool = False
    reminders: int = 0


class Told(msgspec.Struct, omit_defaults=True):
    """Of one run. What was over before `since_s` (Unix time) is history."""

    since_s: float
    incidents: dict[str, Entry] = msgspec.field(default_factory=dict)

    def put(self, key: str, entry: Entry) -> None:
        """Remember it; of too many the oldest goes."""
        self.incidents[key] = entry
        while len(self.incidents) > MOST_INCIDENTS:
            del self.incidents[min(self.incidents, key=lambda one: self.incidents[one].at_s)]


class Waiting(msgspec.Struct, frozen=True):
    """A message that a channel has not delivered yet."""

    channel: str
    message: Message


class _Kept(msgspec.Struct, omit_defaults=True):
    since_s: float
    runs: dict[str, Told] = msgspec.field(default_factory=dict)
    waiting: list[Waiting] = msgspec.field(default_factory=list)


class Store:
    """The file at `path`; without one, it is remembered only as long as the process lives. For any thread.

    `problem` says in one line why the file cannot be written, or could not be read; "" if nothing is wrong.
    """

    def __init__(self, path: Path | None, now_s: float) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._written = b""
        self.problem = ""
        self._kept = self._read() or _Kept(now_s)

    def of(self, run: str) -> Told:
        """What was told of this run."""
        with self._lock:
            told = self._kept.runs.pop(run, None) or Told(self._kept.since_s)
            self._kept.runs[run] = told  # the newest is the last
            while len(self._kept.runs) > MOST_RUNS:
                del self._kept.runs[next(iter(self._kept.runs))]
            return told

    def is_known(self, run: str) -> bool:
        """Was it looked after before?"""
        return run in self._kept.runs

    def is_told(self, run: str, kinds: Collection[str]) -> bool:
        """Was an incident of one of these kinds told of the run, and does it stand?"""
        with self._lock:
            told = self._kept.runs.get(run)
            return told is not None and any(one.kind in kinds and not one.over for one in told.incidents.values())

    @property
    def since_s(self) -> float:
        """When it was first asked to remember anything."""
        return self._kept.since_s

    def waiting(self) -> list[Waiting]:
        """What was not delivered, oldest first."""
        with self._lock:
            return [*self._kept.waiting]

    def send(self, pairs: list[Waiting]) -> None:
        """These are on their way: written down before anything is sent."""
        with self._lock:
            self._kept.waiting.extend(pairs)
            self.save()

    def settled(self, channel: str, message: Message) -> None:
        """It has arrived, or will never."""
        with self._lock:
            self._kept.waiting = [
                one for one in self._kept.waiting if (one.channel, one.message.id) != (channel, message.id)
            ]
            self.save()

    def save(self) -> None:
        """Write it down, whole or not at all, if anything has changed. A full disk is said and tried again."""
        if self._path is None:
            return
        with self._lock:
            data = msgspec.json.encode(self._kept)
            if data == self._written:
                return
            try:
                _write(self._path, data)
            except OSError as error:
                self.problem = f"{self._path}: {error.strerror or error}: what was told is not kept"
            else:
                self._written, self.problem = data, ""

    def _read(self) -> _Kept | None:
        if self._path is None:
            return None
        try:
            with opening.reading(self._path, ours=True) as file:
                self._written = file.read(_MOST_BYTES)
            return msgspec.json.decode(self._written, type=_Kept)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror or error}"
        except msgspec.MsgspecError:
            self.problem = f"{self._path}: it cannot be read: what was told before is not known"
        return None


def _write(path: Path, data: bytes) -> None:
    private.make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()  # of a process of that number that was killed
    descriptor = opening.create(beside)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def lock(path: Path) -> int | None:
    """Hold `path` for as long as this process lives: a descriptor, or `None` where another one holds it.

    Raises `OSError`. A file system without locks holds nobody off.
    """
    descriptor = opening.append(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        pass
    return descriptor
