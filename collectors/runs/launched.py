"""A training that `itermon run` started, as a source: its hooks and its output; until it has hooks, that alone."""

from __future__ import annotations

import functools
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from msgspec.structs import replace

from ... import private, run_files
from ...events import Batch, SourceState
from ..clean import clean
from ..logs.log_source import LogSource
from ..logs.text import LogText
from ..source import Feed, Source
from .exit_code import WithExitCode
from .hooks_or_log import HooksOrLogSource
from .listing import known_runs
from .recording import RecordingSource
from .socket import SocketSource

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

_LOOK_S = 0.2
_MOST_LOOKS = 10
_LEAVE_S = 2.0  # a source hears that it is to stop within half a second


class LaunchedSource(Source):
    """What is known of the training whose output is kept at `log`, live, to its end and its exit code.

    Its hooks, as soon as one of the processes below it serves; until then, and where it has none, what it prints.

    Args:
        log: of this user, in the folder of logs; its name says the training's process.
        note: shown while there is nothing but what is printed.
        follow: to its end; without it, what there is now.
    """

    def __init__(self, log: Path, note: str = "", *, follow: bool = True) -> None:
        self.title = clean(log.stem)
        self.text: LogText = LogText()
        self._log = log
        self._note = note
        self._follow = follow
        self._pid = (run_files.parse_run_id(log.stem) or ("", -1))[1]
        self._strangers: set[Path] = set()
        self._looks_without_lowest = 0

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Read what it prints until a trainer begins, then follow that, and all anew."""
        if self._note:
            yield Batch(state=SourceState.WAITING, note=self._note)
        printed, reading = Feed(), None
        try:
            while (source := self._found()) is None:
                if stop.is_set():
                    return
                reading = reading or printed.add(self._output(follow=True))
                for batch in printed.wait(_LOOK_S):
                    if batch.state != SourceState.ENDED:  # its end comes with all of it, below
                        yield replace(batch, note=self._note or batch.note) if _waits(batch) else batch
        finally:
            printed.stop()
        if reading is not None:
            reading.join(_LEAVE_S)  # its text is read anew
            yield Batch(state=SourceState.READING, restart=True)
        yield from WithExitCode(source, self._log.stem).batches(stop)

    def _found(self) -> Source | None:
        """Its trainer, or what is left of it; `None` while nobody knows whether there will be one."""
        lives = self._follow and self._lives()  # asked first: then it has no more sockets
        path = self._socket()
        if path is not None and _rank(path):  # the lowest may be a moment behind
            self._looks_without_lowest += 1
        if path is not None and (not _rank(path) or self._looks_without_lowest > _MOST_LOOKS):
            return self._with_hooks(functools.partial(SocketSource, path), follow=True)
        return None if lives else self._afterwards()

    def _lives(self) -> bool:
        return run_files.is_live(self._log)

    def _socket(self) -> Path | None:
        """Of the trainer below the process that was started; of several ranks, the lowest that there is."""
        try:
            paths = {*private.files_in(run_files.sockets_dir(), run_files.SOCKET, stat.S_ISSOCK)} - self._strangers
        except OSError:  # a stranger's folder: the trainer cannot serve there either
            return None
        below = {path for path in paths if self._is_below(path)}
        self._strangers |= paths - below
        return min(below, key=_rank, default=None)

    def _afterwards(self) -> Source:
        """Its recording; its output, if it ended without a step that hooks could see."""
        ranks = [run for run in known_runs(recent=10_000) if run.recording and run.started_as == self._log.stem]
        lowest = min(ranks, key=lambda run: run.rank or 0, default=None)
        if lowest is None or lowest.recording is None:
            return self._output(follow=False)
        return self._with_hooks(functools.partial(RecordingSource, Path(lowest.recording)), follow=False)

    def _with_hooks(self, hooks: Callable[[], Source], *, follow: bool) -> Source:
        return HooksOrLogSource(hooks, functools.partial(self._output, follow=follow))

    def _output(self, *, follow: bool, secondary: bool = False) -> LogSource:
        return LogSource(self._log, follow=follow, secondary=secondary, text=self.text, writer_lives=self._lives)

    def _is_below(self, path: Path) -> bool:
        """Does the process that serves at `path` descend from the one that was started?"""
        parsed = run_files.parse_run_id(path.name.removesuffix(run_files.SOCKET))
        try:
            process = psutil.Process(parsed[1]) if parsed else None
            return process is not None and self._pid in (process.pid, *(p.pid for p in process.parents()))
        except psutil.Error:
            return False


def _waits(batch: Batch) -> bool:
    return batch.state == SourceState.WAITING


def _rank(path: Path) -> int:
    found = re.search(r"-rank(\d+)\.", path.name)
    return int(found[1]) if found else 0
