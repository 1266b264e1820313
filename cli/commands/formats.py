"""`itermon formats`: which logs can be read, and a format of one's own tried on a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..exits import NOT_A_LOG
from ..printing import harmless, print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.log_formats.base import LogFormat

_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="print JSON")


@click.group(name="formats", invoke_without_command=True)
@_AS_JSON
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List the log formats, and what the time in each includes; `test` tries one on a log.

    A format of one's own is a TOML file in ~/.config/itermon/formats:

    \b
      name = "my trainer"
      time_includes = ["evaluation"]
      [[line]]
      kind = "iteration"
      pattern = '^\\[(?P<iteration>\\d+)\\] loss=(?P<loss>N) dt=(?P<duration>N)ms'
      units = { duration = "ms" }

    N as the whole of a group stands for a number. Kinds: iteration, evaluation, checkpoint, checkpoint_written,
    config, known.
    """
    if context.invoked_subcommand is None:
        _list(as_json=as_json)


@command.command("test")
@click.argument("format_", metavar="FORMAT")
@click.argument("log", type=_EXISTING)
@_AS_JSON
def test(format_: str, log: Path, *, as_json: bool) -> None:
    """Show what FORMAT (a TOML file, or a name from the list) reads of LOG, what it does not, and why."""
    from ...collectors.log_formats.check_format import trial

    found = trial(_format(format_), log)
    if as_json:
        _print_json(found)
    else:
        for line in found.text():
            click.echo(harmless(line))
    if not found.iterations:
        sys.exit(NOT_A_LOG)


@command.command("recognise")
@click.argument("log", type=_EXISTING)
@_AS_JSON
def recognise(log: Path, *, as_json: bool) -> None:
    """Show as which format LOG is taken, how much of it that reads, and what came next."""
    from ...collectors.log_formats.check_format import recognition

    found = recognition(log)
    if as_json:
        name = found.format and found.format.name
        _print_json(
            {"format": name, "coverage": found.coverage, "own_lines": found.owned, "lines": found.lines,
             "iterations": found.iterations, "runners_up": found.runners_up}
        )  # fmt: skip
    else:
        click.echo(harmless(f"{log}: {found.label}"))
        if found.format:
            own = f"{found.owned:,} of {found.lines:,} lines looked at are its own"
            click.echo(f"  {own}, {found.iterations:,} of them iterations")
        for one in found.runners_up:
            click.echo(
                f"  next best: {one.format}, {one.coverage:.1%} of the lines, {one.iterations:,} iterations"
            )
    if found.format is None:
        sys.exit(NOT_A_LOG)


def _list(*, as_json: bool) -> None:
    from ...collectors.log_formats.registry import all_formats
    from ...collectors.log_formats.user_formats import folder, user_formats

    own = user_formats()
    formats = all_formats()
    if as_json:
        rows = [{"name": one.name, "about": one.about, "time_includes": one.time_includes} for one in formats]
        _print_json({"formats": rows, "own": [one.name for one in own.formats], "problems": own.problems})
        return
    width = max(len(one.name) for one in formats)
    for one in formats:
        click.echo(f"{one.name:<{width}}  {one.about}")
    click.echo(
        f"\nFormats of your own are read from {folder()} ({len(own.formats)} there); itermon formats --help"
    )
    for problem in own.problems:
        print_note(f"not read: {problem}")


def _format(text: str) -> LogFormat:
    from ...collectors.log_formats.registry import all_formats
    from ...collectors.log_formats.user_formats import UserFormatError, read_format

    if text.endswith(".toml") or Path(text).is_file():
        try:
            return read_format(Path(text))
        except UserFormatError as error:
            raise click.ClickException(str(error)) from None
    formats = all_formats()
    for one in formats:
        if one.name.lower() == text.lower():
            return one
    raise click.BadParameter(f"{text}: neither a .toml file nor one of {_names(formats)}", param_hint="FORMAT")


def _names(formats: Sequence[LogFormat]) -> str:
    return ", ".join(one.name for one in formats)


def _print_json(what: Any) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(what), indent=2))
