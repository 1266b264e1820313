"""Lines of a command's own: names of files, runs and hosts in them are data, which a terminal must not obey."""

from __future__ import annotations

import click

from ..collectors.clean import clean

_MOST_CHARACTERS = 8_192  # of a line: a path has 4,096 at most


def print_note(words: str) -> None:
    """Say `words` on standard error, in itermon's name."""
    click.echo(harmless(f"itermon: {words}"), err=True)


def harmless(text: str) -> str:
    """`text` with each of its lines made harmless."""
    return "\n".join(clean(line, _MOST_CHARACTERS) for line in text.split("\n"))
