"""Standard output and error that are closed, full, or left by who read them: one line or none, and a code."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys

import click

from .exits import NOT_WRITTEN

_CANNOT_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def open_closed() -> None:
    """Open what was closed before we began (`>&-`) as /dev/null: else the next file would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It is open until the end, and the lowest free number is the one that was closed.
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def write_anything() -> None:
    """Let no character end a command: what the output's encoding lacks (Latin-1 has no ≈) becomes a question mark.

    In the C locale Python would hand on the bytes of a file name that are no text as they are, to a terminal too.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def say(words: str) -> None:
    """Print `words` on standard error. Where that cannot be written, they change no exit code."""
    try:
        click.echo(words, err=True)
    except OSError:
        _let_go(sys.stderr)


def code_of_unwritten(error: OSError, failed: int) -> int:
    """Say in one line, if that can still be said, that the output could not be written. Raises any other error.

    But whoever reads us has seen enough (`| head`): that is no fault. Where the command had `failed` with a code
    before, it is that error's own line that nobody could read.
    """
    if isinstance(error, BrokenPipeError):
        _let_go(sys.stdout)
        return 0
    if error.filename is not None or error.errno not in _CANNOT_WRITE:
        raise error
    _let_go(sys.stdout)
    if failed:
        _let_go(sys.stderr)
        return failed
    say(f"Error: the output could not be written: {error.strerror}")
    return NOT_WRITTEN


def _let_go(stream: object) -> None:
    """What is left in it goes nowhere: Python would try once more at its end, and complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
