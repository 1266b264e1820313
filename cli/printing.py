"""What a command prints: names of files, runs and hosts in it are data, which a terminal must not obey."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from ..collectors.clean import clean
from .streams import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_CHARACTERS = 8_192  # of a line: a path has 4,096 at most
_ODD = re.compile(r"[^\n -~]")


def print_note(words: str) -> None:
    """Print `words` on standard error, in itermon's name."""
    say(harmless(f"itermon: {words}"))


def print_text(text: str) -> None:
    """Print lines, whatever is in them: nothing else in `cli/` writes to standard output."""
    click.echo(harmless(text))


def print_json(value: Any) -> None:
    """Print what msgspec can encode (structs, dicts, lists) as indented JSON."""
    import msgspec

    from ..events import as_json

    text = msgspec.json.format(as_json(value), indent=2).decode()
    click.echo(text if text.replace("\n", "").isprintable() and _is_writable(text) else _ODD.sub(_escaped, text))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table without lines, its columns as wide as their longest cell."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*heads, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for row in rows:
        table.add_row(*map(harmless, row))
    # Wide enough for any row: a terminal wraps what it must, and a pipe gets each row as one line.
    console = Console(width=_MOST_CHARACTERS, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().split("\n")[:-1]:
        print_text(line.rstrip())


def harmless(text: str) -> str:
    """`text` with each of its lines made harmless."""
    return "\n".join(clean(line, _MOST_CHARACTERS) for line in text.split("\n"))


def _is_writable(text: str) -> bool:
    """Can standard output hold it? One in Latin-1 would show a question mark for each character that it cannot."""
    try:
        text.encode(sys.stdout.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _escaped(found: re.Match[str]) -> str:
    """The same text as JSON may write it too: a terminal obeys some characters (U+009B is ESC [ to it)."""
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
