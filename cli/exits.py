"""How a command ends: the exit codes, and the errors that carry them. From 64 on they are those of sysexits.h."""

from __future__ import annotations

import click

UNHEALTHY = 3
NOT_A_LOG = 65
NO_INPUT = 66
NOT_WRITTEN = 74
INTERRUPTED = 130

EXIT_CODES = {
    0: "done, whatever was found; `itermon run` gives the code of its training",
    1: "itermon failed: please report it",
    2: "a wrong option or argument",
    UNHEALTHY: "report --check: the run is not healthy",
    NOT_A_LOG: "there is input, but no iteration in it that itermon can read; or a part of it cannot be read",
    NO_INPUT: "nothing to read: no such file, no permission, an empty directory",
    NOT_WRITTEN: "something could not be written: the disk is full, or no permission",
    129: "the terminal went away (SIGHUP); 130: Ctrl-C; 143: SIGTERM",
}


class NoInputError(click.ClickException):
    """There is nothing to read, and the message says what to do."""

    exit_code = NO_INPUT


class NotALogError(click.ClickException):
    """What was read is no training log, and the message says what was looked for."""

    exit_code = NOT_A_LOG


class CrashedError(NotALogError):
    """The run came to its end before its first iteration, and the message says how."""


class NotWrittenError(click.ClickException):
    """What was asked for could not be written, and the message says where and why."""

    exit_code = NOT_WRITTEN
