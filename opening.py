"""The one way to open what somebody else may have put there: it never waits, and it knows what it has opened.

A path can name anything by the time it is opened: a pipe without a writer (an ordinary `open` of it waits for
ever), a device, a folder, a link to another user's file. So no open here can wait, and what was opened is looked
at before a byte of it is used. What is refused raises an `OSError` whose `strerror` says why in words: whoever
reports it writes `PATH: {error.strerror}`. Imports the standard library alone: trainers load it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

from . import private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# O_NONBLOCK: the open of a named pipe returns at once. O_NOCTTY: a terminal does not become ours.
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW

_KINDS: dict[str, Callable[[int], bool]] = {
    "a file": stat.S_ISREG,
    "a directory": stat.S_ISDIR,
    "a named pipe": stat.S_ISFIFO,
    "a socket": stat.S_ISSOCK,
    "a symbolic link": stat.S_ISLNK,
    "a device": stat.S_ISCHR,
    "a disk": stat.S_ISBLK,
}


class RefusedError(OSError):
    """What stands at the path is not what was asked for; `strerror` says what it is."""


def kind_of(mode: int) -> str:
    """What a file with this `st_mode` is, in words: "a named pipe"."""
    return next((words for words, is_one in _KINDS.items() if is_one(mode)), "of an unknown kind")


def open_file(path: Path, *, ours: bool = False) -> int:
    """A descriptor to read the file at `path`. Raises `OSError` for all that is no regular file.

    With `ours`, in a folder that has to be this user's (see `private`): a symbolic link there is nobody's but an
    attacker's, and is not followed. A log that a person names may be a link.
    """
    if ours:
        private.check_folder(path.parent)
    return _opened(path, "a file", _READING | os.O_NOFOLLOW if ours else _READING)


def open_pipe(path: Path) -> int:
    """A descriptor to read the named pipe at `path`, which may not have a writer yet: one that a person named."""
    return _opened(path, "a named pipe", _READING)


def open_folder(path: Path) -> int:
    """A descriptor of the folder at `path`: what lies in it is reached through it."""
    return _opened(path, "a directory", _READING | os.O_DIRECTORY)


@contextlib.contextmanager
def reading(path: Path, *, ours: bool = False) -> Iterator[BinaryIO]:
    """The file at `path`, open for reading; see `open_file`."""
    with io.open(open_file(path, ours=ours), "rb") as file:  # noqa: UP020 - a descriptor, not a path
        yield file


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """The first `most_bytes` of the file at `path`; see `open_file`."""
    with reading(path) as file:
        return file.read(most_bytes)


def create(path: Path) -> int:
    """A descriptor to write a file that is new and ours alone. Raises `FileExistsError` for whatever is there."""
    return os.open(path, _APPENDING | os.O_CREAT | os.O_EXCL, 0o600)


def append(path: Path) -> int:
    """A descriptor to write on at the end of the file at `path`. Neither it nor its folder need be there yet.

    The folder has to be this user's: see `private`. Raises `OSError` for what is no regular file of this user:
    nobody gets to choose where a training writes.
    """
    private.make_folder(path.parent)
    try:
        return create(path)
    except FileExistsError:  # but on NFS what root creates may belong to nobody: who creates need not be asked
        return _opened(path, "a file", _APPENDING, owner=os.geteuid())


def _opened(path: Path, wanted: str, flags: int, *, owner: int | None = None) -> int:
    """Looked at before it is opened, for to open a pipe and close it again would end its writer; and after."""
    _check(path.lstat() if flags & os.O_NOFOLLOW else path.stat(), path, wanted, owner)
    fd = os.open(path, flags)
    try:
        _check(os.fstat(fd), path, wanted, owner)
    except OSError:
        os.close(fd)
        raise
    return fd


def _check(found: os.stat_result, path: Path, wanted: str, owner: int | None) -> None:
    if not _KINDS[wanted](found.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise RefusedError(code, f"{kind_of(found.st_mode)}, not {wanted}", str(path))
    if owner not in (None, found.st_uid):
        raise RefusedError(errno.EPERM, f"it belongs to another user (uid {found.st_uid})", str(path))
