"""`itermon run`: starts a training, keeps its output, watches it; leaving never ends it."""

from __future__ import annotations

import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...words import clipped
from ..exits import NotALogError, NotWrittenError
from ..notices.channels import notify_options
from ..options import run_options, screen_options
from ..printing import print_note

_DIES_AT_ONCE_S = 1.0
"""A command that does not exist, or that cannot import something, has mostly ended by then."""

_MOST_SAID = 200  # characters

if TYPE_CHECKING:
    from ...events import Config
    from ...launch.launch import Launched
    from ..options import ScreenOptions


@click.command(name="run", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--hooks", is_flag=True, help="exact times from inside: switch itermon's hooks on in its Pythons")
@click.option("--name", help="what the run is called; the script's name if not given")
@click.option("--detach", is_flag=True, help="start it and do not watch")
@screen_options
@notify_options
@run_options
def command(
    arguments: tuple[str, ...],
    settings: list[Config],
    *,
    hooks: bool,
    name: str | None,
    detach: bool,
    screen: ScreenOptions,
) -> None:
    """Start a training and watch it: itermon run --hooks -- python train.py --batch_size=16

    The training runs on its own: leaving the screen, closing the terminal or Ctrl-C here do not end it. Its output
    is kept as a log, and `itermon attach` finds it again. With --hooks, evaluations, checkpoints, data waits and
    compilations are timed from inside, and no line of the script changes. Once the training has ended, its exit
    code is that of this command.
    """
    from ...launch.launch import LaunchError, NoPlaceError, launch

    asked: list[int] = []

    def leave(number: int, _frame: object) -> None:
        asked.append(128 + number)
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):  # they end the viewer: it then says that the training goes on
        signal.signal(number, leave)
    try:
        launched = launch(name or _name(arguments), arguments, hooks=hooks)
    except NoPlaceError as error:
        raise NotWrittenError(str(error)) from None
    except LaunchError as error:
        raise click.ClickException(str(error)) from None
    try:
        if detach:
            launched.wait(_DIES_AT_ONCE_S)
        else:
            _watch(launched, settings, screen, asked, hooks=hooks)
    finally:
        _goodbye(launched)


def _watch(
    launched: Launched, settings: list[Config], screen: ScreenOptions, asked: list[int], *, hooks: bool
) -> None:
    """On the screen; where there can be none, the report once it has ended. Not if it was `asked` to leave."""
    from ...collectors.machine import machine_sources
    from ...collectors.runs.launched import LaunchedSource
    from ...collectors.settings import ConfiguredSource
    from ..screen import can_draw, show

    if asked:  # while these were imported: some libraries catch whatever is raised in their own imports
        sys.exit(asked[0])
    drawn = can_draw()
    if not drawn:
        launched.wait()
    note = f"started (pid {launched.pid}): its hooks report from the first step on. Output: {launched.log}"
    source = ConfiguredSource(LaunchedSource(launched.log, note if hooks else ""), settings)
    samplers = partial(machine_sources, pid=launched.pid, checkpoints=source.checkpoints)
    try:
        show(source, screen, samplers=samplers, look_at=str(launched.pid))
    except NotALogError as nothing:  # a training that prints no iteration may have done all that it was to do
        nothing.show()


def _goodbye(launched: Launched) -> None:
    """Say how it stands. A training that has ended gives its exit code."""
    code = launched.exit_code()
    if code is None:
        print_note(f"the training goes on (pid {launched.pid}). Watch it again: itermon attach {launched.name}")
        print_note(f"its output: {launched.log}")
        return
    if not code:
        print_note(f"the training has ended with exit code 0; its output: {launched.log}")
        return
    said = launched.last_line().removeprefix("itermon: ")
    print_note(
        f"the training has ended with exit code {code}" + (f": {clipped(said, _MOST_SAID)}" if said else "")
    )
    print_note(f"its output: {launched.log}")
    raise SystemExit(code)


def _name(arguments: tuple[str, ...]) -> str:
    """Of the script, if there is one: `python train.py` is called train."""
    scripts = [argument for argument in arguments if argument.endswith(".py")]
    return Path(scripts[0]).stem if scripts else Path(arguments[0]).name
