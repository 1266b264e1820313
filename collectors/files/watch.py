"""Waiting until a file changes: by notices of the kernel where there are any, else by polling."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

POLL_S = 0.5
"""How long a wait lasts without a notice: NFS and many container mounts give none."""

_patience_s = 0.0


def be_patient(seconds: float) -> None:
    """From now on, in this process, wait at least so long, and let the kernel give no notices: nobody looks.

    Twenty logs of ten lines a second cost a tenth of a core by notices, and nothing by a look every two seconds.
    """
    global _patience_s  # noqa: PLW0603 - of the whole process: the guard has no screen
    _patience_s = seconds


class Watch:
    """Ends a wait when `path` changes. It watches the folder: the file may be replaced, or not exist yet."""

    def __init__(self, path: Path) -> None:
        # Not Path.resolve: it raises where a symbolic link names itself, which may be so for a moment only.
        there = Path(os.path.realpath(path))
        self._names = {str(path), str(there)}
        self._folders = {path.parent, there.parent}
        self._changed = threading.Event()
        self._observer: Any = None
        self._waited = False

    def wait(self, seconds: float) -> None:
        """Until the next change, at most `seconds`. A change since the last wait counts.

        The first wait is a poll: the first screen is drawn meanwhile, and loading watchdog takes as long.
        """
        if _patience_s:
            seconds = max(seconds, _patience_s)
        elif not self._waited:
            self._waited = True
        elif self._observer is None:
            self._start()
        self._changed.wait(seconds)
        self._changed.clear()

    def close(self) -> None:
        """Stop watching. Does not wait for watchdog's threads, which are daemons."""
        if self._observer:
            self._observer.stop()

    def dispatch(self, event: Any) -> None:
        """Called by watchdog, in its thread, for whatever happens in the folder."""
        if event.event_type in ("opened", "closed_no_write"):  # that was us, or another reader
            return
        if self._names & {event.src_path, event.dest_path}:
            self._changed.set()

    def _start(self) -> None:
        from watchdog.observers import Observer  # noqa: PLC0415 - 30 ms, after the first screen

        self._observer = Observer()
        try:
            for folder in self._folders:
                self._observer.schedule(self, str(folder))
            self._observer.start()
        except OSError:  # no such folder, or no inotify watches left: then asking now and then must do
            self._observer = False
