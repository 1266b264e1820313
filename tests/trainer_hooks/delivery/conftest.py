"""A disk that takes as much as a test says, and what a viewer gets of a recording."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from itermon.events import Iteration, encode
from itermon.trainer_hooks.delivery import recording as recording_module

if TYPE_CHECKING:
    from itermon.trainer_hooks.delivery.recording import Recording

LINES = [encode(Iteration(index=index, duration_s=0.5)) for index in range(100)]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Say how many bytes the disk still takes; `None`: as many as one likes."""
    free: list[int | None] = [None]
    write = os.write

    def limited(fd: int, data: bytes) -> int:
        if free[0] is None:
            return write(fd, data)
        if free[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = write(fd, bytes(data[: free[0]]))
        free[0] -= done
        return done

    monkeypatch.setattr(recording_module.os, "write", limited)
    return lambda limit: free.__setitem__(0, limit)


def everything(recording: Recording, offset: int = 0) -> bytes:
    """What a viewer gets from `offset` on."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # what was not sent is an error, and nothing to wait for
    with ours, theirs:
        got = b""
        while offset + len(got) < recording.size:
            recording.send(ours, offset + len(got))
            got += theirs.recv(1 << 20)
        return got
