"""A report written into a file: whole or not at all, and never over something that is no report."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import click

from ..opening import create, read_bytes
from .exits import NOT_WRITTEN

MARK = '<meta name="generator" content="itermon report">'
"""What a page of ours has in its head: only a file that has it is written over."""

_MOST_HEAD_BYTES = 4_096


class NotWrittenError(click.ClickException):
    """The file could not be written, and the message says why; what was there is as it was."""

    exit_code = NOT_WRITTEN


def place_for(name: str) -> Path:
    """Where a page called `name` may be written: nothing is there, or an older page of ours.

    Raises `click.BadParameter` for anything else: a log, a checkpoint, a device.
    """
    if name == "-":
        raise click.BadParameter("name a file: a page is for a browser, not for a terminal.")
    path = Path(os.path.realpath(name))  # what a link leads to is replaced, not the link; in a loop it is a link
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise click.BadParameter(f"{name}: there is something that is no file.")
        head = read_bytes(path, _MOST_HEAD_BYTES)
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise click.BadParameter(f"{name}: there is no folder {path.parent}.") from None
        return path
    except OSError as error:
        raise click.BadParameter(f"{name}: {error.strerror or error}") from None
    if head and MARK.encode() not in head:
        raise click.BadParameter(f"{name}: there is a file that is no report of itermon's. It is left as it is.")
    return path


def write_whole(path: Path, text: str) -> None:
    """Write `text` next to `path`, then put it there in one step: nobody ever reads a half of it.

    Raises `NotWrittenError`.
    """
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                file.write(text)
                with contextlib.suppress(FileNotFoundError):
                    os.fchmod(fd, stat.S_IMODE(path.stat().st_mode))  # that of the one before
                file.flush()
                os.fsync(fd)
            beside.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise NotWrittenError(f"{path}: it could not be written: {error.strerror or error}") from None


def created(path: Path, option: str) -> int:
    """A descriptor of the new file `path`, which `option` names. Raises `click.BadParameter`."""
    try:
        return create(path)
    except FileExistsError:
        raise click.BadParameter(f"{path} is there already: it is not overwritten", param_hint=option) from None
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint=option) from None
