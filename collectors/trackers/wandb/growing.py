"""The bytes of a file that grows: each once, in its order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ....opening import open_file

if TYPE_CHECKING:
    from pathlib import Path

CHUNK_BYTES = 1 << 18


class GrowingFile:
    """Reads the file at `path` on and on. `patient`: an error of the system is `trouble` while it lasts."""

    def __init__(self, path: Path, *, patient: bool) -> None:
        self.path = path
        self.offset = 0
        self.size = 0  # when last looked at
        self.trouble = ""
        self.restarts = 0  # how often the file was found shorter than what was read of it
        self._patient = patient
        self._fd = -1

    @property
    def caught_up(self) -> bool:
        """Was all read that was there when `read` last looked?"""
        return bool(self.trouble) or self.offset >= self.size

    @property
    def written_at_s(self) -> float | None:
        """When the file was last written to, by the clock of its file system."""
        return None if self._fd < 0 else os.fstat(self._fd).st_mtime

    def read(self) -> bytes:
        """What comes next, some of it; nothing if there is none now.

        Raises:
            OSError: the file is there and cannot be read, or, where nobody is patient, is not there.
        """
        try:
            if self._fd < 0:
                self._fd = open_file(self.path)
            self.size = os.fstat(self._fd).st_size
            if self.size < self.offset:
                self.restarts += 1
                self.offset = 0
            data = os.pread(self._fd, CHUNK_BYTES, self.offset)
        except OSError as error:
            self.close()
            if not self._patient:
                raise
            self.trouble = error.strerror or str(error)
            return b""
        self.trouble = ""
        self.offset += len(data)
        return data

    def begin_anew(self) -> None:
        """Read from the beginning once more."""
        self.offset = 0

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)
