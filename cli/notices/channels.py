"""The channels that a person has set up, and the words for one who has none."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...notices.channel import Channel
    from ...notices.commands import Command
    from ...notices.on_screen import OnScreen
    from ...notices.settings import Settings
    from ..options import ScreenOptions

_GOODBYE_S = 3.0

HOW = """\
Write a line for each channel into {path} (chmod 600), or into $ITERMON_NOTIFY:
  ntfy https://ntfy.sh/TOPIC
  slack https://hooks.slack.com/services/...
  discord https://discord.com/api/webhooks/...
  json https://HOST/PATH token=TOKEN
  apprise mailto://...      (pip install 'itermon[notify]')
  terminal                  (or terminal osc9, osc777, osc99, bell where it is not known)
  quiet 22:00-07:00"""


def settings() -> Settings:
    """What the person's file and environment say. Raises `click.ClickException`."""
    from ...notices.settings import SettingsError, load

    try:
        return load(os.environ)
    except SettingsError as error:
        raise click.ClickException(str(error)) from None


def own_terminal(protocol: str | None) -> Channel | None:
    """The terminal that this process writes to, if there is one."""
    from ...notices.terminals import this_terminal
    from ...notices.to_terminal import TerminalChannel, write_to_own

    if not sys.stderr.isatty():
        return None
    return TerminalChannel(this_terminal(protocol or ""), write_to_own)


def commands(on: Sequence[tuple[str, str]]) -> list[Command]:
    """Those of `--on KINDS COMMAND`. Raises `click.BadParameter`."""
    from shutil import which

    from ...notices.commands import Command

    found = []
    for number, (kinds, line) in enumerate(on, 1):
        try:
            argv = tuple(shlex.split(line))
        except ValueError as error:
            raise click.BadParameter(f"{line}: {error}", param_hint="--on") from None
        if not argv or which(argv[0]) is None:
            raise click.BadParameter(f"{line}: no such command", param_hint="--on")
        name = "--on" if len(on) == 1 else f"--on {number}"
        found.append(Command(name, argv, _kinds(kinds)))
    return found


def _kinds(text: str) -> frozenset[str]:
    from ...analysis.incidents.kinds import KINDS
    from ...notices.commands import EVERY
    from ...words import did_you_mean

    kinds = frozenset(filter(None, text.lower().replace(" ", "").split(",")))
    known = (*KINDS, EVERY, "test")
    for kind in sorted(kinds.difference(known)):
        near = did_you_mean(kind, known)
        raise click.BadParameter(f"{kind!r} is none of {', '.join(known)}{near}", param_hint="--on")
    if not kinds:
        raise click.BadParameter("name the kinds, or all", param_hint="--on")
    return kinds


def every_channel(found: Settings, on: Sequence[tuple[str, str]]) -> list[Channel]:
    """The terminal, if there is one, what was set up, and the commands. Raises `click.BadParameter`."""
    terminal = own_terminal(found.terminal)
    return [*([terminal] if terminal else []), *found.channels, *commands(on)]


def on_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for a command of the person's. The command gets it as `on`, see `commands`."""
    return click.option(
        "--on",
        nargs=2,
        multiple=True,
        metavar="KINDS COMMAND",
        help="run COMMAND for messages of these kinds (failed,finished), or all: it gets JSON on its input",
    )(command)


@contextlib.contextmanager
def _told(found: Settings, commands: Sequence[Command], title: str) -> Iterator[OnScreen]:
    """Who tells of the run on the screen. Afterwards what waits is delivered, and the terminal is as it was."""
    from ...notices.channel import NotDeliveredError
    from ...notices.on_screen import OnScreen
    from ...notices.telling import About
    from ...notices.terminals import this_terminal
    from ...notices.to_terminal import write_to_own

    about = About(title, os.path.basename(title) or title, os.uname().nodename)  # noqa: PTH119 - a title
    told = OnScreen(about, this_terminal(found.terminal or ""), [*found.channels, *commands], found.quiet)
    try:
        yield told
    finally:
        with contextlib.suppress(NotDeliveredError):
            write_to_own(told.close(_GOODBYE_S))


def notify_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--notify` and `--on`. The command gets them in its `screen` (`ScreenOptions`)."""

    @wraps(command)
    def with_notices(
        *, notify: bool, on: tuple[tuple[str, str], ...], screen: ScreenOptions, **arguments: Any
    ) -> Any:
        from ..screen import can_draw

        if (notify or on) and not can_draw():
            raise click.UsageError("--notify and --on need a screen here; without one: itermon guard")
        told = partial(_told, settings(), commands(on)) if notify or on else None
        return command(screen=screen._replace(told=told), **arguments)

    about = "tell of the run while the screen is up: by this terminal, and the channels of `itermon notify`"
    return click.option("--notify", is_flag=True, help=about)(on_option(with_notices))


def how() -> str:
    """How channels are set up."""
    from ...notices.settings import file_of

    return HOW.format(path=file_of(os.environ))
