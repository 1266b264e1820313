"""`itermon replay PATH`: an old log or a recording, as if it were live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .exits import NoInputError
from .options import run_options, screen_options

if TYPE_CHECKING:
    from ..events import Config

NO_SAMPLE = (
    "no recording ships with this version: one has to come from a real GPU (bench/gpu_proof.py makes it there), "
    "and none is made up. `itermon demo` trains a small model right here."
)


@click.command(name="replay")
@click.argument("path", required=False)
@click.option("--sample", is_flag=True, help="play a recording that ships with itermon")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=50.0,
    show_default=True,
    help="how much faster than it was",
)
@screen_options
@run_options
def command(
    path: str | None, settings: list[Config], *, speed: float, sample: bool, ascii_only: bool, mouse: bool
) -> None:
    """Play an old log or a recording as if it were live.

    Space stops the clock, . goes one iteration further, [ and ] change the speed, 0 to 9 jump to a tenth of the
    file. A log without time stamps has no clock: its time is then the sum of its iteration times, and called so.
    """
    from ..collectors.replay import ReplaySource
    from ..collectors.settings import WithSettings
    from .sources import check_readable, open_source
    from .watch import can_draw, show

    if sample:
        raise NoInputError(NO_SAMPLE)
    if path is None:
        raise click.UsageError("Which log or recording? itermon replay PATH")
    if not can_draw():
        show(open_source(path, settings, follow=False), ascii_only=ascii_only, mouse=mouse)
        return
    check_readable(path)
    replay = ReplaySource(Path(path), speed=speed)
    show(WithSettings(replay, settings), replay=replay, ascii_only=ascii_only, mouse=mouse)
