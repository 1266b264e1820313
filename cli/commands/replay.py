"""`itermon replay PATH`: an old log or a recording, as if it were live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options import Number, read_options, screen_options
from .completion import runs_and_files

if TYPE_CHECKING:
    from ...collectors.source import Source
    from ..options import ScreenOptions
    from ..sources import OpenOptions

SAMPLE = Path(__file__).parents[2] / "launch" / "demo_run.jsonl"
"""What the trainer of `itermon demo` recorded of itself: 46 s on one core of a virtual machine, without a GPU."""

_SAMPLE_TITLE = "sample: the demo's trainer, on a CPU"
_SPEED, _SAMPLE_SPEED = 50.0, 5.0


@click.command(name="replay")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=runs_and_files)
@click.option(
    "--sample", is_flag=True, help="play a recording that ships with itermon: of the demo's trainer, on a CPU"
)
@click.option(
    "--speed",
    type=Number(min=0, min_open=True),
    help=f"how much faster than it was; {_SPEED:.0f} if not given, {_SAMPLE_SPEED:.0f} of the sample",
)
@screen_options
@read_options
def command(
    paths: tuple[str, ...],
    options: OpenOptions,
    *,
    speed: float | None,
    sample: bool,
    screen: ScreenOptions,
) -> None:
    """Play an old log or a recording as if it were live; several PATHs are files of one run.

    Space stops the clock, . goes one iteration further, [ and ] change the speed, page up and page down jump a
    tenth of it. A log without time stamps has no clock: its time is then the sum of its iteration times, and is
    called so.
    """
    from ...collectors.runs.replay import ReplaySource
    from ..finding import logs_of
    from ..screen import can_draw, show
    from ..sources import open_sources

    if bool(paths) is sample:
        raise click.UsageError("Which log or recording? itermon replay PATH, or --sample")
    logs = [str(SAMPLE)] if sample else logs_of(paths, None)

    def opened() -> Source:
        source = open_sources(logs, options)
        source.title = _SAMPLE_TITLE if sample else source.title
        return source

    if not can_draw():
        show(opened(), screen)
        return
    replay = ReplaySource(opened, speed=speed or (_SAMPLE_SPEED if sample else _SPEED))
    show(replay, screen, replay=replay)
