"""A file without a name for what is old of a run: 24 bytes an iteration that no memory needs to hold."""

from __future__ import annotations

import os
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from ... import private, run_files

if TYPE_CHECKING:
    from typing import IO

MOST_BYTES = 64 << 20
"""Of a run: two million iterations and more. What comes then stays in memory."""


class OlderFile:
    """Lies with the recordings, not in a `/tmp` that may be memory; gone with the last who has it open.

    Where nothing can be written, now or from now on, all stays in memory: nothing else is lost by it.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._size = 0

    def put(self, values: bytes) -> int | None:
        """Its place; `None`: there is no room."""
        if self._size + len(values) > MOST_BYTES:
            return None
        try:
            if self._file is None:
                folder = private.make_folder(run_files.runs_dir())
                self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - open as long as its run
            if os.pwrite(self._file.fileno(), values, self._size) < len(values):
                return None
        except OSError:
            return None
        place, self._size = self._size, self._size + len(values)
        return place

    def get(self, place: int, size: int) -> bytes:
        """What was put at `place`."""
        return b"" if self._file is None else os.pread(self._file.fileno(), size, place)
