"""What a command prints: names of files, runs and hosts in it are data, which a terminal must not obey."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from ..collectors.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_CHARACTERS = 8_192  # of a line: a path has 4,096 at most


def print_note(words: str) -> None:
    """Print `words` on standard error, in itermon's name. Where they cannot be written, nobody wants them."""
    with contextlib.suppress(OSError):
        click.echo(harmless(f"itermon: {words}"), err=True)


def print_text(text: str) -> None:
    """Print lines, whatever is in them: nothing else in `cli/` writes to standard output."""
    click.echo(harmless(text))


def print_json(value: Any) -> None:
    """Print what msgspec can encode (structs, dicts, lists) as indented JSON."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    click.echo("".join(map(_escaped, text)) if _has_unprintable(text) else text)


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


def _has_unprintable(json: str) -> bool:
    return not json.replace("\n", "").isprintable()


def _escaped(char: str) -> str:
    """The same text as JSON may write it too: a terminal obeys some characters (U+009B is ESC [ to it)."""
    if char.isprintable() or char == "\n":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
