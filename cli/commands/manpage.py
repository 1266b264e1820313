"""`itermon manpage`: the manual page, made from the help, the keys and the exit codes."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import click

from ..command_names import EXAMPLES
from ..exits import EXIT_CODES
from ..printing import print_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ENVIRONMENT = (
    ("ITERMON_RUNS_DIR", "where recordings are kept, and the output of itermon run; ~/.local/state/itermon/runs"),
    ("ITERMON_SOCKETS_DIR", "where running trainers can be attached to; /tmp/itermon-UID"),
    ("ITERMON_NAME", "what a run with hooks is called"),
    ("ITERMON_RANKS", 'the ranks that record and serve: "0,8" or all'),
    ("NO_COLOR", "draw without colours"),
)


@click.command(name="manpage")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the manual page: all commands with their options, the keys of the screen, the exit codes.

    \b
    to read:    itermon manpage | man -l -
    to install: itermon manpage > ~/.local/share/man/man1/itermon.1
    """
    print_text(manual(ctx.find_root()))


def manual(root: click.Context) -> str:
    """The page, in the language of man(7)."""
    from ... import __version__

    group = root.command
    assert isinstance(group, click.Group)  # noqa: S101 - itermon has commands
    lines = [
        f'.TH ITERMON 1 "" "itermon {__version__}" "User Commands"',
        ".SH NAME",
        r"itermon \- watch a machine-learning training in the terminal",
        ".SH SYNOPSIS",
        r".B itermon\fR [\fIPATH\fR]...",
        ".br",
        r".B itermon \fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        *_texts(_paragraphs(group)),
        ".SH COMMANDS",
        *(line for name in group.list_commands(root) for line in _command(group, root, name)),
        ".SH KEYS",
        *_keys(),
        ".SH EXIT STATUS",
        *_listed((str(code), meaning) for code, meaning in EXIT_CODES.items()),
        ".SH ENVIRONMENT",
        *_listed(_ENVIRONMENT),
        ".SH EXAMPLES",
        *_listed(EXAMPLES),
    ]
    return "\n".join(lines)


def _command(group: click.Group, above: click.Context, name: str) -> Iterator[str]:
    """A command with its options, and those below it."""
    found = group.get_command(above, name)
    assert found is not None  # noqa: S101 - its group has listed it
    ctx = click.Context(found, info_name=name, parent=above)
    yield f".SS {_text(' '.join([ctx.command_path, *found.collect_usage_pieces(ctx)]))}"
    yield from _texts(_paragraphs(found))
    records = (parameter.get_help_record(ctx) for parameter in found.params)
    yield from _listed(record for record in records if record and record[1])
    if isinstance(found, click.Group):
        for below in found.list_commands(ctx):
            yield from _command(found, ctx, below)


def _keys() -> Iterator[str]:
    from ...tui.keys import HEADINGS, KEYS

    for group, heading in HEADINGS.items():
        told = [(key.shown, key.help) for key in KEYS if key.group == group and key.shown and key.help]
        if told:
            yield f".SS {_text(heading)}"
            yield from _listed(told)


def _paragraphs(command: click.Command) -> list[str]:
    return re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))


def _texts(paragraphs: Iterable[str]) -> Iterator[str]:
    """Filled, but for those that click is told to leave as they are."""
    for paragraph in paragraphs:
        as_it_is = paragraph.startswith("\b")
        yield ".PP"
        yield from [".nf"] * as_it_is
        yield from (_text(line.strip()) for line in paragraph.strip("\b\n").split("\n"))
        yield from [".fi"] * as_it_is


def _listed(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in pairs:
        yield ".TP"
        yield rf"\fB{_text(term)}\fR"
        yield _text(meaning)


def _text(words: str) -> str:
    """Harmless to troff: no backslash is an escape, no line a request, and a minus is one that can be copied."""
    words = " ".join(words.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{words}" if words.startswith((".", "'")) else words
