"""The logs that are runs too: in the folder where one stands, and those that processes and Slurm jobs write."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ... import run_files
from ...collectors.slurm.jobs import Jobs
from .found import log_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...collectors.runs.listing import KnownRun
    from .found import Place

_MOST_LOGS = 10  # of the folder: 20 ms each, the first time
_MOST_YOUNG_BYTES = 1 << 16
_NEW_S = 0.2
"""Of looking into new files at a time: the runs that are known already are not to wait for them."""

_LISTED_S = 10.0

_LOOK_S = 10.0
"""Between two looks through /proc: 2,000 processes take 20 ms."""


class Logs:
    """The training logs here. Each file is looked into once, unless it is young.

    Args:
        folder: where one stands.
        processes: what this user's processes and its jobs write, too.
        new_s: for how long new files are looked into at a time; `None`: so that nobody who looks has to wait.
    """

    def __init__(self, folder: Path = Path(), *, processes: bool = True, new_s: float | None = None) -> None:
        self._new_s = new_s
        self._jobs = Jobs() if processes else None
        self._folder, self._processes = folder, processes
        self._kinds: dict[tuple[str, int], tuple[bool, int]] = {}
        self._written: tuple[Path, ...] = ()
        self._looked_at_s = self._until_s = float("-inf")
        self.has_more = False
        """Is there a file that was not looked into yet?"""

    def __call__(self, now_s: float) -> list[Place]:
        """Those that there are now, as far as they were looked into: a few new ones each time."""
        self.has_more = False
        self._until_s = time.monotonic() + (_NEW_S if self._new_s is None else self._new_s)
        return [*self._of_jobs(now_s), *self._here(now_s), *self._of_processes(now_s)]

    def _of_jobs(self, now_s: float) -> Iterator[Place]:
        """Of Slurm's jobs, each called as its job is; one without a training log is left out."""
        for job, path in self._jobs.logs(now_s) if self._jobs else ():
            yield from self._place(path, now_s, name=f"{job.name or path.name} ({job.written})", alive=True)

    def _here(self, now_s: float) -> Iterator[Place]:
        from ..finding import log_files

        for path in log_files(self._folder)[:_MOST_LOGS]:
            yield from self._place(path, now_s, key=f"./{path.name}")

    def _of_processes(self, now_s: float) -> Iterator[Place]:
        from ...collectors.host.written import files_written
        from ..finding import LOG_SUFFIXES

        if not self._processes:
            return
        if now_s - self._looked_at_s >= _LOOK_S:
            self._written, self._looked_at_s = tuple(files_written(LOG_SUFFIXES)), now_s
        for path in self._written:
            if run_files.parse_run_id(path.stem):  # a recording of ours, wherever it lies: not what was printed
                continue
            yield from self._place(path, now_s, alive=True)

    def _place(
        self, path: Path, now_s: float, *, key: str = "", name: str = "", alive: bool | None = None
    ) -> Iterable[Place]:
        with contextlib.suppress(OSError):
            about = path.stat()
            if self._is_log(path, about.st_ino, about.st_size):
                return (log_place(path, now_s, key=key, name=name, alive=alive),)
        return ()

    def _is_log(self, path: Path, inode: int, size: int) -> bool:
        """Has it a known format? What has none yet may get one as it grows."""
        from ...collectors.logs.finding import recognised

        key = (str(path), inode)
        is_log, looked_at = self._kinds.get(key, (False, 0))
        is_new = not is_log and size != looked_at and (not looked_at or size < _MOST_YOUNG_BYTES)
        if is_new and time.monotonic() >= self._until_s:
            self.has_more = self.has_more or not looked_at
        elif is_new:
            found = recognised(path)
            is_log = found.format is not None and not found.format.specificity.guesses
            self._kinds[key] = is_log, size
        return is_log


def listed_log(key: str) -> Path | None:
    """The log that the list of all runs has under this key: who asks from elsewhere gets no other file."""
    return next((place.files[0] for place in Logs(new_s=_LISTED_S)(time.time()) if place.key == key), None)


class Printed:
    """The files that trainers with hooks print into: they are no runs of their own, nor once these have ended."""

    def __init__(self) -> None:
        self._by_file: dict[str, str] = {}  # its run

    def note(self, runs: Iterable[KnownRun]) -> None:
        """Look where those write that live and were not seen before."""
        from ...collectors.host.writer import outputs_of

        noted = set(self._by_file.values())
        for run in runs:
            if run.alive and run.run_id not in noted:
                try:
                    outputs = outputs_of(run.pid)
                except OSError:  # another user's, or gone
                    continue
                self._by_file |= {os.path.realpath(one): run.run_id for one in outputs if one.startswith("/")}

    def __contains__(self, path: str) -> bool:
        return path in self._by_file
