"""`itermon replay PATH`: an old log or a recording, as if it were live."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..exits import NoInputError
from ..options import column_option, run_options, screen_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.log_formats.base import LogFormat
    from ...events import Config
    from ..options import ScreenOptions

NO_SAMPLE = (
    "no recording ships with this version: one has to come from a real GPU (bench/gpu_proof.py makes it there), "
    "and none is made up. `itermon demo` trains a small model right here."
)


@click.command(name="replay")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--sample", is_flag=True, help="play a recording that ships with itermon")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=50.0,
    show_default=True,
    help="how much faster than it was",
)
@screen_options
@column_option
@run_options
def command(
    paths: tuple[str, ...],
    settings: list[Config],
    formats: Sequence[LogFormat] | None,
    *,
    speed: float,
    sample: bool,
    screen: ScreenOptions,
) -> None:
    """Play an old log or a recording as if it were live; several PATHs are files of one run.

    Space stops the clock, . goes one iteration further, [ and ] change the speed, 0 to 9 jump to a tenth of the
    file. A log without time stamps has no clock: its time is then the sum of its iteration times, and called so.
    """
    from ...collectors.runs.replay import ReplaySource
    from ..finding import logs_of
    from ..screen import can_draw, show
    from ..sources import OpenOptions, open_sources

    if sample:
        raise NoInputError(NO_SAMPLE)
    if not paths:
        raise click.UsageError("Which log or recording? itermon replay PATH")
    opened = partial(open_sources, logs_of(paths, None), OpenOptions(settings, formats))
    if not can_draw():
        show(opened(), screen)
        return
    replay = ReplaySource(opened, speed=speed)
    show(replay, screen, replay=replay)
