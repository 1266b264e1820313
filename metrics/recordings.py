"""Which recordings are exported: those of living trainers, with those of the processes that they go on from."""

from __future__ import annotations

import os
import time
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from .. import private, run_files
from ..collectors.runs.event_reader import EventReader
from ..events import End, EndReason, Iteration, RunInfo
from ..opening import reading

if TYPE_CHECKING:
    from pathlib import Path

_HEAD_BYTES = 1 << 20  # a first iteration stands behind what its trainer printed before it
_TAIL_BYTES = 1 << 14
_YOUNG_S = 60.0  # a trainer that has just begun may not have its lock yet
_MOST_BEFORE = 100


class Recording(NamedTuple):
    """One process of a rank, by the head of its recording; `first` is its first iteration, if there is one."""

    run_id: str
    path: Path
    name: str  # of the run, without its rank
    rank: int
    pid: int
    info: RunInfo
    first: int | None

    @property
    def started_s(self) -> float:
        """When it began (Unix time); nan where nobody knows, as of a log."""
        return self.info.started_at_s or (run_files.started_s(self.run_id) if self.run_id else nan)


class Recordings:
    """The folder of runs, looked through every few seconds: of a recording that is over nothing is asked twice."""

    def __init__(self) -> None:
        self._over: set[str] = set()
        self._heads: dict[str, Recording] = {}
        self._listed: dict[str, Path] = {}

    def living(self) -> list[Recording]:
        """Those whose trainers live, the oldest first. Raises `OSError` where the folder is somebody else's."""
        folder = run_files.runs_dir()
        try:
            paths = list(private.files_in(folder, run_files.RECORDING))
        except FileNotFoundError:
            paths = []
        self._listed = {path.stem: path for path in paths if run_files.parse_run_id(path.stem)}
        self._over &= self._listed.keys()
        self._heads = {run_id: head for run_id, head in self._heads.items() if run_id in self._listed}
        found = [self.head(run_id) for run_id in self._listed.keys() - self._over if self._lives(run_id)]
        return sorted((head for head in found if head is not None), key=lambda head: head.started_s)

    def head(self, run_id: str) -> Recording | None:
        """What the recording with this id begins with; `None` where it does not say what it is (yet)."""
        known = self._heads.get(run_id)
        if known is None or known.first is None:
            known = _head(run_id, self._listed[run_id])
            if known is not None:
                self._heads[run_id] = known
        return known

    def before(self, recording: Recording) -> list[Recording]:
        """The processes that it goes on from, the oldest first.

        One that begins where another of this name and rank had been, or later, goes on from it; one that begins
        at the beginning is another training, and so is what follows a training that finished.
        """
        slug = recording.run_id.split(".")[0]
        earlier = sorted(
            (run_id for run_id in self._listed if run_id.split(".")[0] == slug and run_id != recording.run_id),
            key=run_files.started_s,
            reverse=True,
        )
        found: list[Recording] = []
        first = recording.first or 0
        for run_id in earlier[:_MOST_BEFORE]:
            head = self.head(run_id)
            if head is None or head.started_s >= recording.started_s or run_files.is_live(head.path):
                continue
            if first <= 1 or (head.first is not None and head.first > first) or _finished(head.path):
                break
            if head.first is not None:  # else it came to its end before its first iteration
                found.insert(0, head)
                first = head.first
        return found

    def _lives(self, run_id: str) -> bool:
        path = self._listed[run_id]
        if run_files.is_live(path):
            return True
        try:
            if time.time() - path.stat().st_mtime > _YOUNG_S:
                self._over.add(run_id)
        except OSError:
            self._over.add(run_id)
        return False


def _head(run_id: str, path: Path) -> Recording | None:
    try:
        with reading(path, ours=True) as file:
            events = EventReader().feed(file.read(_HEAD_BYTES))
    except OSError:
        return None
    info = next((event for event in events if type(event) is RunInfo), None)
    parsed = run_files.parse_run_id(run_id)
    if info is None or parsed is None:
        return None
    first = next((event.index for event in events if type(event) is Iteration), None)
    name, rank = parsed[0], info.rank or 0
    return Recording(run_id, path, name.removesuffix(f"-rank{rank}"), rank, parsed[1], info, first)


def _finished(path: Path) -> bool:
    """Did its training come to its end? What was killed, interrupted or lost is gone on with."""
    try:
        with reading(path, ours=True) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            events = EventReader().feed(file.read(_TAIL_BYTES).partition(b"\n")[2])
    except OSError:
        return False
    return any(type(event) is End and event.reason == EndReason.FINISHED for event in events)
