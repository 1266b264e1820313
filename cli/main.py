"""`itermon`: finds the command, and nothing else. Each command is a module of the same name.

A module is imported when its command is asked for (or listed), and imports what is heavy inside its function:
`itermon --help` costs the import of click and no more.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .. import __version__
from . import streams
from .command_names import COMMANDS, COMPLETE, EXAMPLES, ROOMS
from .exits import EXIT_CODES, INTERRUPTED, NO_INPUT, NoInputError
from .printing import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


class Commands(click.Group):
    """A group that imports a command when it is needed, and takes what is no command for a path to watch."""

    _failed = 0  # the exit code of the error that ends the command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in reading order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; `None` if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(
            f".{ROOMS.get(cmd_name, 'commands')}.{cmd_name}", __package__
        ).command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`itermon train.log` and `itermon --ascii train.log` are `itermon watch ...`."""
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if not args and _is_on_a_terminal():
            if not _can_choose():
                _say_how_to_begin(ctx)
            args = [COMMANDS[0]]
        if args and args[0] not in COMMANDS and args[0] not in own:
            args = [COMMANDS[0], *args]
        return super().parse_args(ctx, args)

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        """Run it, and end with its exit code, which is ours to choose: click's own differ from version to version.

        It is called itermon, whatever its file is called: the name stands in help and in errors.
        """
        streams.open_closed()
        streams.write_anything()
        self._failed = 0
        try:
            code = self._run(sys.argv[1:] if args is None else args)
        except OSError as error:
            code = streams.code_of_unwritten(error, self._failed)
        raise SystemExit(code)

    def _run(self, args: Sequence[str]) -> int:
        if instruction := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete

            return shell_complete(self, {}, "itermon", COMPLETE, instruction)
        try:
            with self.make_context("itermon", list(args)) as ctx:
                self.invoke(ctx)
        except click.ClickException as error:
            self._failed = error.exit_code
            error.show()
            return error.exit_code
        except click.exceptions.Exit as end:
            return end.exit_code
        except (KeyboardInterrupt, click.Abort):
            streams.say("")  # behind the ^C of the terminal
            return INTERRUPTED
        return 0

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. What its error quotes (paths, names, options) is harmless by the time it is printed."""
        try:
            return self._invoke(ctx)
        except click.ClickException as error:
            error.message = harmless(error.message)  # type: ignore[misc] # final, and there is no other place for all
            raise

    def _invoke(self, ctx: click.Context) -> object:
        """Run the command. A file that cannot be opened, in whatever place, gets one line that names it."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.filename is None:
                raise
            raise NoInputError(f"{error.filename}: {error.strerror}.") from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """A command or an option; or the path that `itermon PATH` is short for."""
        found = super().shell_complete(ctx, incomplete)
        if found or incomplete.startswith("-"):
            return found
        from .commands.completion import runs_and_files

        return runs_and_files(ctx, self.params[0], incomplete)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples and exit codes, as lists."""
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in EXIT_CODES.items()])


def _is_on_a_terminal() -> bool:
    from .screen import can_draw

    return can_draw()


def _can_choose() -> bool:
    """Is there any run to choose?"""
    from .home.screen import can_show

    return can_show()


def _say_how_to_begin(ctx: click.Context) -> NoReturn:
    """Who has no run yet gets six lines instead of all of the help, which is longer than a screen."""
    formatter = ctx.make_formatter()
    with formatter.section("No run yet, and no training log of a known format in this folder. Begin with"):
        formatter.write_dl((*EXAMPLES, ("itermon --help", "all commands")))
    click.echo(formatter.getvalue(), nl=False)
    ctx.exit(NO_INPUT)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Watch a training run: is it healthy, why was that iteration slow, when is it done, how fast can it be?

    `itermon PATH` watches a training log; `itermon` alone lists the runs, and the logs of this
    folder, to choose from.
    A path that is also the name of a command is written ./NAME.
    """
