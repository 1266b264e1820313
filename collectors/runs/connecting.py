"""Connections to the sockets of trainers: they never wait for long, and never reach another user's process."""

from __future__ import annotations

import errno
import os
import socket
import stat
import time
from pathlib import Path

from ... import run_files
from ...opening import RefusedError, kind_of

CONNECT_S = 2.0
"""A trainer accepts every 10 ms or so. One that is stopped lets 64 viewers wait, and the kernel the next one."""

_AGAIN_S = 0.02


def connect(path: Path, *, wait_s: float = CONNECT_S) -> socket.socket:
    """A connection to the trainer of this user (or root's) that listens at `path`; its reads do not block.

    Raises `OSError`: nobody listens there, somebody else does, or whoever listens accepted nobody for `wait_s`.
    """
    about = path.stat()
    if not stat.S_ISSOCK(about.st_mode):
        raise RefusedError(errno.ENOTSOCK, f"{kind_of(about.st_mode)}, not a socket", str(path))
    _check_user(about.st_uid, path)  # before: a stranger's listener may never accept, and learn that we came
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)  # noqa: FBT003 - the socket's own signature
        _connect(connection, path, time.monotonic() + wait_s)
        _check_user(run_files.peer_uid(connection), path)
    except OSError:
        connection.close()
        raise
    return connection


def answers(path: Path) -> bool:
    """Does a trainer of this user listen at the socket `path`? One that is too busy to accept does."""
    try:
        connect(path, wait_s=0.0).close()
    except TimeoutError:
        return True
    except OSError:
        return False
    return True


def _connect(connection: socket.socket, path: Path, until_s: float) -> None:
    with run_files.address(path) as address:
        while True:
            try:
                connection.connect(address)
            except BlockingIOError:  # as many wait to be accepted as the listener lets wait
                if time.monotonic() >= until_s:
                    words = "its trainer lives but accepts nobody: stopped, or too busy. Try again"
                    raise TimeoutError(errno.ETIMEDOUT, words, str(path)) from None
                time.sleep(_AGAIN_S)
            else:
                return


def _check_user(uid: int, path: Path) -> None:
    if uid not in (os.geteuid(), 0):
        raise RefusedError(errno.EPERM, f"the socket belongs to another user (uid {uid})", str(path))
