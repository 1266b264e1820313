"""`itermon formats`: which logs can be read, and a format of one's own tried on a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...opening import create
from ...words import did_you_mean, percent, plural
from ..exits import NOT_A_LOG, NotALogError, NotWrittenError
from ..options import ExistingFile
from ..printing import print_json, print_note, print_text

if TYPE_CHECKING:
    from ...collectors.log_formats.base import LogFormat

_NO_HOME = "$XDG_CONFIG_HOME/itermon/formats"  # set it: this user has no home
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="print JSON")


@click.group(name="formats", invoke_without_command=True)
@_AS_JSON
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List the log formats, and what the time in each includes.

    A format of one's own is a TOML file: `new` writes one to begin with, `groups` lists the names that the groups
    of its patterns may have, `test` tries it on a log, `recognise` says as which format a log is taken.

    \b
      itermon formats new "my trainer"
      itermon formats test my_trainer.toml train.log
    """
    if context.invoked_subcommand is None:
        _list(as_json=as_json)


@command.command("new")
@click.argument("name")
@click.option(
    "--toml", "language", flag_value="toml", default=True, help="a TOML file, without code (the default)"
)
@click.option("--python", "language", flag_value="python", help="a module for itermon itself")
@click.option(
    "--to", type=click.Path(file_okay=False, path_type=Path), help="folder to write to (default: this one)"
)
def new(name: str, language: str, to: Path | None) -> None:
    """Write the beginning of a format called NAME: a file that works, with comments that say what to change."""
    from ...collectors.log_formats.skeletons import python_skeleton, stem_of, toml_skeleton
    from ...collectors.log_formats.user_formats import folder

    text, suffix = (python_skeleton(name), ".py") if language == "python" else (toml_skeleton(name), ".toml")
    path = (to or Path()) / f"{stem_of(name)}{suffix}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(create(path), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{path} exists already: nothing is overwritten") from None
    except OSError as error:
        raise NotWrittenError(f"{path}: {error.strerror or error}") from None
    print_text(f"{path} is written. Change its lines and its example, then:")
    if language == "python":
        print_text("  move it below collectors/log_formats/frameworks/, and run the tests: nothing else is needed")
    else:
        print_text(f"  itermon formats test {path} train.log\n  mv {path} {folder() or _NO_HOME}/")


@command.command("groups")
@_AS_JSON
def groups(*, as_json: bool) -> None:
    """List the names that groups of a pattern may have, by kind of line, each with its unit and meaning."""
    from ...collectors.log_formats.parsing.vocabulary import KINDS, UNITS
    from ...collectors.log_formats.skeletons import vocabulary_table

    rows = vocabulary_table()
    if as_json:
        keys = ("kinds", "name", "unit", "meaning")
        print_json({"kinds": KINDS, "units": UNITS, "groups": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    for kind, meaning in KINDS.items():
        print_text(f"{kind}: {meaning}")
        for kinds, name, unit, what in rows:
            if kind in kinds.split(", "):
                print_text(f"  {name:<22} {unit:<11} {what}")
    print_text(
        "\nAny other result of an evaluation is called metric_NAME. A unit may stand behind a name, duration_ms:"
    )
    for quantity, units in UNITS.items():
        if units:
            print_text(f"  {quantity}: {', '.join(units)}")


@command.command("test")
@click.argument("format_", metavar="FORMAT")
@click.argument("log", type=ExistingFile(), required=False)
@_AS_JSON
def test(format_: str, log: Path | None, *, as_json: bool) -> None:
    """Show what FORMAT (a TOML file, or a name from the list) reads of LOG, what it does not, and why.

    Without LOG, its own examples are read, and what is not as they say is shown.
    """
    from ...collectors.log_formats.check_format import trial

    log_format = _format(format_)
    if log is None:
        _test_examples(log_format, as_json=as_json)
        return
    found = trial(log_format, log)
    if as_json:
        print_json(found)
    else:
        for line in found.text():
            print_text(line)
    if not found.iterations:
        sys.exit(NOT_A_LOG)


def _test_examples(log_format: LogFormat, *, as_json: bool) -> None:
    from ...collectors.log_formats.check_format import wrong_in_example

    wrong = [wrong_in_example(log_format, one, alone=True) for one in log_format.examples]
    if as_json:
        print_json({"format": log_format.name, "examples": len(wrong), "wrong": wrong})
    else:
        print_text(f"{log_format.name}: {len(wrong)} examples, {sum(map(bool, wrong))} of them not as they say")
        for line in (line for one in wrong for line in one):
            print_text(f"  {line}")
    if any(wrong) or not wrong:
        sys.exit(NOT_A_LOG)


@command.command("recognise")
@click.argument("log", type=ExistingFile())
@_AS_JSON
def recognise(log: Path, *, as_json: bool) -> None:
    """Show as which format LOG is taken, how much of it that reads, and what came next."""
    from ...collectors.log_formats.check_format import recognition

    found = recognition(log)
    if as_json:
        name = found.format and found.format.name
        print_json(
            {"format": name, "coverage": found.coverage, "own_lines": found.owned, "lines": found.lines,
             "iterations": found.iterations, "runners_up": found.runners_up}
        )  # fmt: skip
    else:
        print_text(f"{log}: {found.label}")
        if found.format:
            own = f"of {plural(found.lines, 'line')} looked at, {found.owned:,} are its own"
            print_text(f"  {own}, {found.iterations:,} of them iterations")
        for one in found.runners_up:
            own = f"{percent(one.coverage, 1)} of the lines, {plural(one.iterations, 'iteration')}"
            print_text(f"  next best: {one.format}, {own}")
    if found.format is None:
        sys.exit(NOT_A_LOG)


def _list(*, as_json: bool) -> None:
    from ...collectors.log_formats.registry import all_formats
    from ...collectors.log_formats.user_formats import folder, user_formats

    own = user_formats()
    formats = all_formats()
    if as_json:
        rows = [{"name": one.name, "about": one.about, "time_includes": one.time_includes} for one in formats]
        print_json({"formats": rows, "own": [one.name for one in own.formats], "problems": own.problems})
        return
    width = max(len(one.name) for one in formats)
    for one in formats:
        print_text(f"{one.name:<{width}}  {one.about}")
    print_text(
        f"\nFormats of your own are read from {folder() or _NO_HOME} ({len(own.formats)} there);"
        " itermon formats --help"
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
            raise NotALogError(str(error)) from None
    formats = all_formats()
    for one in formats:
        if one.name.lower() == text.lower():
            return one
    near = did_you_mean(text, (one.name for one in formats)) or "; itermon formats lists them"
    raise click.BadParameter(f"{text}: neither a .toml file nor the name of a format{near}", param_hint="FORMAT")
