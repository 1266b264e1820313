"""How a training that `itermon run` started came to its end: its supervisor saw the exit code."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING

import msgspec

from ... import opening, run_files
from ...events import Batch, End, EndReason, RunInfo, SourceState
from ..source import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_MOST_BYTES = 200
_LOOK_S = 0.05
_MOST_WAIT_S = 2.0  # from the trainer's end to its supervisor's: some milliseconds
_SHELL = 128  # a shell, and a launcher, says 128 + n of a child that signal n has ended
_BY_HAND = {signal.SIGINT: EndReason.INTERRUPTED}


def end_of(run_id: str) -> End | None:
    """The end of the training with this run id, as its supervisor saw it; `None` where it saw none, or not yet."""
    if run_files.parse_run_id(run_id) is None:  # it comes out of a recording, and becomes a path
        return None
    try:
        with opening.reading(run_files.logs_dir() / (run_id + run_files.EXIT), ours=True) as file:
            seen = json.loads(file.read(_MOST_BYTES))
        return end_by(int(seen["exit_code"]), float(seen["at_s"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def end_by(exit_code: int, at_s: float | None = None) -> End:
    """The end that `exit_code` means, in words: Python's own sign, -9, and a shell's, 137, are both signal 9."""
    code = max(-255, min(exit_code, 255))
    number = -code if code < 0 else code - _SHELL
    try:
        name = signal.Signals(number).name
    except ValueError:
        reason = EndReason.FAILED if code else EndReason.FINISHED
        return End(reason, at_s, f"exit code {exit_code}", code)
    reason = _BY_HAND.get(signal.Signals(number), EndReason.KILLED)
    return End(reason, at_s, f"{name} (signal {number})", code)


class WithExitCode(Source):
    """The events of `source`, and at its end how its process ended, where `itermon run` saw that.

    Args:
        source: a recording, a socket or a log, or several of them.
        run_id: of the output that `itermon run` keeps; "" where the source says it itself (`RunInfo.output`).
    """

    def __init__(self, source: Source, run_id: str = "") -> None:
        self.title = source.title
        self.text = source.text
        self._source = source
        self._run_id = run_id
        self._reported_end: EndReason | None = None

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Those of the source; before its last one, the end that its supervisor saw."""
        for batch in self._source.batches(stop):
            if batch.restart:  # another source tells of it now: what the one before said of the end is gone
                self._reported_end = None
            if not batch.preview:
                self._note(batch)
            if batch.state == SourceState.ENDED and (end := self._end(stop)):
                yield msgspec.structs.replace(batch, events=[*batch.events, end])
                return
            yield batch

    def _note(self, batch: Batch) -> None:
        for event in batch.events:
            if type(event) is End:
                self._reported_end = event.reason
            elif type(event) is RunInfo and event.output:
                self._run_id = self._run_id or event.output

    def _end(self, stop: threading.Event) -> End | None:
        """What the supervisor saw, unless the trainer said more: it knows of errors that were caught."""
        if not self._run_id:
            return None
        log = run_files.logs_dir() / (self._run_id + run_files.LOG)
        until_s = time.monotonic() + _MOST_WAIT_S
        while run_files.is_live(log) and time.monotonic() < until_s and not stop.wait(_LOOK_S):
            pass
        end = end_of(self._run_id)
        said_more = self._reported_end not in (None, EndReason.LOST)
        return None if end is not None and end.exit_code == 0 and said_more else end
