"""The folders that are this user's alone: made, or looked at before anything in them is read, written or removed.

Whoever comes first may make `/tmp/itermon-UID`, or a folder that a variable names: another user, with links or
programs in it. What is not ours is refused with an `OSError` whose `strerror` says what is wrong in words, and its
mode is left alone. Imports the standard library alone: it is loaded in somebody's training job.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def make_folder(path: Path) -> Path:
    """`path`, made for us alone where it is not there, with all above it. Raises `OSError`: see `check_folder`."""
    missing = [path]
    while not os.path.lexists(missing[-1].parent):
        missing.append(missing[-1].parent)
    _check_way(missing[-1])
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):  # somebody was faster: `check` looks at it
            folder.mkdir(mode=0o700)
    check_folder(path)
    if path.name == own_name() and not is_ours(path, alone=True):
        path.chmod(0o700)  # its name says that we made it: itermon 0.2 left it open where it had to hold the runs
    return path


def own_name() -> str:
    """What a folder of this user's is called among those of others."""
    return f"itermon-{os.geteuid()}"


def check_folder(path: Path) -> Path:
    """`path`, if it is a folder of this user's that nobody else can have put anything into.

    Raises `OSError`: it is not there, is no folder, belongs to another user, or anybody may write in it. Where
    anybody may write in a folder above it (`/tmp`), what lies there must be our folder too, and no symbolic link.
    """
    _check_way(path)
    found = path.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    if found.st_uid != os.geteuid():
        raise _refused(path, f"it belongs to another user (uid {found.st_uid})")
    if found.st_mode & stat.S_IWOTH:
        raise _refused(path, "anybody may write in it (chmod go-w)")
    return path


def is_ours(path: Path, *, alone: bool = False) -> bool:
    """Is `path` a folder that `check_folder` accepts; with `alone`, one that nobody else may enter?"""
    try:
        return not (check_folder(path).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) and alone)
    except OSError:
        return False


def may_be_made(path: Path) -> bool:
    """May this user make the folder `path`, or is it there and ours?

    Root may write everywhere; what it makes in another user's home would be in that user's way.
    """
    user = os.geteuid()
    for folder in (path, *path.parents):
        try:
            found = folder.stat()
        except OSError:
            continue
        if not stat.S_ISDIR(found.st_mode):
            return False
        if found.st_uid == user:
            return True
        by_permission = user != 0 and folder != path and not found.st_mode & stat.S_IWOTH
        return by_permission and os.access(folder, os.W_OK | os.X_OK)
    return False


def files_in(path: Path, suffix: str, is_kind: Callable[[int], bool] = stat.S_ISREG) -> list[Path]:
    """The files (or what `is_kind` asks for) of this user or root in the folder `path` whose names end so.

    A link or a pipe of that name is nobody's but an attacker's. Without a folder there are none. Raises `OSError`
    where it is not ours.
    """
    try:
        check_folder(path)
    except FileNotFoundError:
        return []
    with os.scandir(path) as entries:
        return [path / entry.name for entry in entries if entry.name.endswith(suffix) and _is_own(entry, is_kind)]


def _is_own(entry: os.DirEntry[str], is_kind: Callable[[int], bool]) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return is_kind(found.st_mode) and found.st_uid in (0, os.geteuid())


def _check_way(path: Path) -> None:
    """Where anybody may write, somebody else may have made what we go through, or replace it by a link."""
    for folder in (path, *path.parents):
        try:
            above, found = folder.parent.stat(), folder.lstat()
        except OSError:
            continue
        if above.st_mode & stat.S_IWOTH and folder != folder.parent:
            if not stat.S_ISDIR(found.st_mode):
                raise _refused(folder, "it is no folder but something that anybody may have put there")
            if found.st_uid not in (0, os.geteuid()):
                raise _refused(folder, f"it belongs to another user (uid {found.st_uid})")


def _refused(path: Path, why: str) -> PermissionError:
    return PermissionError(errno.EPERM, why, str(path))
