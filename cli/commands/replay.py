"""`itermon replay PATH`: an old log or a recording, as if it were live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ..options import Number, read_options, screen_options
from .completion import runs_and_files

if TYPE_CHECKING:
    from ...collectors.source import Source
    from ..options import ScreenOptions
    from ..sources import OpenOptions

_SHIPPED = Path(__file__).parents[2] / "launch"


class Sample(NamedTuple):
    """A recording that ships with itermon: what it is, in a title and in a sentence, and how fast to play it."""

    path: Path
    title: str
    words: str
    speed: float


SAMPLES = {
    # 12.4 hours in a minute and a half. Made by bench/real_sample.py.
    "rtx3090": Sample(
        _SHIPPED / "rtx3090_run.jsonl.gz",
        "sample: a real run on an RTX 3090",
        "a real training of GPT-2 on an RTX 3090, 12.4 hours, of public data (MIT licence)",
        500.0,
    ),
    # What the trainer of `itermon demo` recorded of itself: 46 s on one core of a virtual machine, without a GPU.
    "demo": Sample(
        _SHIPPED / "demo_run.jsonl", "sample: the demo's trainer, on a CPU", "the demo's trainer, on a CPU", 5.0
    ),
}
"""By name; the first is played where none is named."""

_DEFAULT = next(iter(SAMPLES))
_SPEED = 50.0


@click.command(name="replay")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=runs_and_files)
@click.option(
    "--sample",
    type=click.Choice(list(SAMPLES)),
    is_flag=False,
    flag_value=_DEFAULT,
    metavar="[NAME]",
    help="play a recording that ships with itermon: "
    + "; ".join(f"{name}, {one.words}" for name, one in SAMPLES.items())
    + f"; {_DEFAULT} if no name is given",
)
@click.option(
    "--speed",
    type=Number(min=0, min_open=True),
    help=f"how much faster than it was; {_SPEED:.0f} if not given, "
    + ", ".join(f"{one.speed:.0f} of {name}" for name, one in SAMPLES.items()),
)
@screen_options
@read_options
def command(
    paths: tuple[str, ...],
    options: OpenOptions,
    *,
    speed: float | None,
    sample: str | None,
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

    if bool(paths) is bool(sample):
        raise click.UsageError("Which log or recording? itermon replay PATH, or --sample")
    shipped = SAMPLES[sample] if sample else None
    logs = [str(shipped.path)] if shipped else logs_of(paths, None, options.run)

    def opened() -> Source:
        source = open_sources(logs, options)
        source.title = shipped.title if shipped else source.title
        return source

    if not can_draw():
        show(opened(), screen)
        return
    replay = ReplaySource(opened, speed=speed or (shipped.speed if shipped else _SPEED))
    show(replay, screen, replay=replay)
