"""A tail that outlives what passes: a log is unreadable for a moment while it is rotated, a network drive away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tail import Tail

if TYPE_CHECKING:
    from pathlib import Path


class PatientTail(Tail):
    """Follows a file as `Tail` does. An error of the system is `trouble` until the file can be read again.

    Without `patient`, for a file that is read once to its end, the error is raised.
    """

    def __init__(self, path: Path, *, patient: bool) -> None:
        super().__init__(path)
        self.trouble = ""
        self._patient = patient

    @property
    def caught_up(self) -> bool:
        """See `Tail.caught_up`: nor is there more to be had while there is trouble."""
        return bool(self.trouble) or super().caught_up

    def read(self) -> bytes:
        """See `Tail.read`; empty while there is trouble. Then it goes on where it was, if the file still does."""
        try:
            data = super().read()
        except OSError as error:
            if not self._patient:
                raise
            self.close()  # a file handle that has gone stale (NFS) never comes back: a new one does
            self.trouble = error.strerror or str(error)
            return b""
        self.trouble = ""
        return data
