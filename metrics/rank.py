"""One rank of a run, followed by its recordings, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import run_files
from ..collectors.files.patient import PatientTail
from ..collectors.runs.printed_lines import RunReader
from ..events import End, EndReason
from .counted import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .recordings import Recording

_MOST_READS = 16
"""Pieces of a recording that are read at a time, of 256 kB each: the other ranks of a host want their turn."""


class Rank(Counted):
    """Reads a rank's recording as it grows, and before it those that it goes on from.

    Nothing is asked of the trainer: what it writes down is read, every few seconds. What is counted follows from
    the recordings alone, however often and in what pieces they were read: so a restarted exporter goes on exactly
    where the last one was.
    """

    def __init__(self, recording: Recording, before: Sequence[Recording] = ()) -> None:
        super().__init__(recording.run_id, restarts=len(before))
        self.recording = recording
        self._paths: list[Path] = [
            each.path for each in (*before, recording)
        ]  # the one that is read, and the next
        self._tail: PatientTail | None = None
        self._reader = RunReader()

    def read(self) -> bool:
        """Take in what is new; `False` where there is more than can be read at a time."""
        for _ in range(_MOST_READS):
            if self.is_over or self._read_once():
                self.caught_up = True
                return True
        return False

    def go_on(self, recording: Recording) -> None:
        """Another process of this rank goes on where the one before was, which is over."""
        self.recording, self.known_as = recording, recording.run_id
        self._paths = [recording.path]
        self.restarts += 1
        self.is_over = False

    def close(self) -> None:
        """Let go of the file."""
        if self._tail is not None:
            self._tail.close()
            self._tail = None

    def _read_once(self) -> bool:
        """Take in one piece; `True` where there is no more now."""
        path = self._paths[0]
        if self._tail is None:
            self._tail, self._reader, self._ended = PatientTail(path, patient=True), RunReader(), ""
        lives = run_files.is_live(path)  # asked first: then what it wrote last is read
        data = self._tail.read()
        self._take(self._reader.feed(data))
        if data or not self._tail.caught_up:
            return False
        if not lives:
            self._end_process()
        return lives or self.is_over

    def _end_process(self) -> None:
        if not self._ended:
            self._take([End(reason=EndReason.LOST)])
        self.run.end_process(over=self._ended == EndReason.FINISHED)
        self.close()
        del self._paths[0]
        self.is_over = not self._paths
