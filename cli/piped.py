"""What is piped into itermon: its writer would die of a closed pipe, so when nobody watches it is still read."""

from __future__ import annotations

import os
import select
import signal
import threading
from contextlib import suppress

from .exits import INTERRUPTED
from .printing import print_note

_CHUNK_BYTES = 1 << 18
_GOES_ON = "the training goes on: its output is read until it ends. Ctrl-C "
_ENDS_BOTH, _ENDS_READING = "ends both", "stops reading, and what it writes next would end it"
INTERRUPTED_TOO = "Ctrl-C reached the training too: its last words are read. Ctrl-C again stops reading"
_OUTLIVED = (0, INTERRUPTED, 128 + signal.SIGHUP)
"""The exit codes of a screen that was left, or lost its terminal. Who ends itermon with SIGTERM means it."""


class PipedIn:
    """The pipe `fd`: read by a source as long as it is watched, then to its end. With `tee`, kept in that file.

    `same_job`: who writes gets a Ctrl-C together with us, as in `python train.py | itermon -`.
    """

    def __init__(self, fd: int, tee: int | None = None, *, same_job: bool = True) -> None:
        self._fd = fd
        self._tee = tee
        self.same_job = same_job
        self._one_at_a_time = threading.Lock()  # what is read by two threads is kept in the order it came
        self._ended = False
        self._interrupted = False
        self._trouble = ""

    def read(self, fd: int, most: int) -> bytes:
        """As `os.read` of the pipe; what was read is kept."""
        with self._one_at_a_time:
            data = b"" if self._ended else os.read(fd, most)
            self._ended = not data
            self._keep(data)
        return data

    def outlive(self, code: int) -> int:
        """Read on until the writer has ended, after a screen that ended with `code`. Returns the exit code."""
        if code in _OUTLIVED and not self._ended:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a trainer that survives its terminal, as nohup's does
            signal.signal(signal.SIGINT, self._interrupt)
            print_note(_GOES_ON + (_ENDS_BOTH if self.same_job else _ENDS_READING))
            with suppress(KeyboardInterrupt, OSError):
                while select.select([self._fd], [], []) and self.read(self._fd, _CHUNK_BYTES):
                    pass
        self.tell()
        return INTERRUPTED if self._interrupted else code

    def tell(self) -> None:
        """Say what could not be kept, once nothing is drawn."""
        if self._trouble:
            print_note(self._trouble)

    def _interrupt(self, _number: int, _frame: object) -> None:
        """The trainer got the Ctrl-C that we got, and may have a checkpoint to save and a word to say of it."""
        if self._interrupted or not self.same_job:
            self._interrupted = True
            raise KeyboardInterrupt
        self._interrupted = True
        print_note(INTERRUPTED_TOO)

    def _keep(self, data: bytes) -> None:
        while data and self._tee is not None:
            try:
                data = data[os.write(self._tee, data) :]
            except OSError as error:  # a full disk is no reason to hold the trainer up
                self._trouble = f"--tee: what came last is not in the file: {error.strerror}"
                os.close(self._tee)
                self._tee = None


_piped_in: list[PipedIn] = []  # at most one: a run comes through one pipe


def begin(fd: int, tee: int | None = None, *, same_job: bool = True) -> PipedIn:
    """What is piped into itermon is the pipe `fd`, from which a source is about to read."""
    _piped_in[:] = [PipedIn(fd, tee, same_job=same_job)]
    return _piped_in[0]


def piped_in() -> PipedIn | None:
    """What is piped into itermon, where a source reads it."""
    return _piped_in[0] if _piped_in else None
