"""`itermon PATH`: the screen. Where there can be none, the report."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..options import (
    column_option,
    machine_options,
    run_options,
    screen_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...analysis.run import Run
    from ...collectors.log_formats.base import LogFormat
    from ...collectors.runs.replay import ReplaySource
    from ...collectors.source import Source
    from ...events import Config
    from ..options import Machine


def _no_json(_context: click.Context, _parameter: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click's way
    if asked:
        raise click.UsageError("the screen is for persons; as JSON: itermon report PATH --json")


@click.command(name="watch")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@screen_options
@click.option("--json", is_flag=True, hidden=True, expose_value=False, callback=_no_json)
@click.option("--wait", is_flag=True, help="the file is not there yet: wait for it")
@click.option("--compare", "other", metavar="PATH", help="another run, for the page of the key c")
@machine_options
@column_option
@run_options
def command(
    paths: tuple[str, ...],
    settings: list[Config],
    machine: Machine,
    formats: Sequence[LogFormat] | None,
    *,
    wait: bool,
    other: str | None,
    ascii_only: bool,
    mouse: bool,
) -> None:
    """Watch a training log, live (`itermon PATH` is short for it).

    PATH is a log file, a directory (the newest log in it) or - for standard input; without PATH, --pid finds the
    log that a process writes. Several (train.out train.err) are files of one run: the iterations come from one of
    them, messages and evaluations from all; or they are the recordings of its ranks. The files are only read:
    nothing that itermon does can disturb the trainer. Where the output is a pipe or the terminal is too simple for
    a screen, the report is printed instead.
    """
    from ..finding import logs_of
    from ..sources import STANDARD_INPUT, open_sources, open_stream

    logs = logs_of(paths, machine.pid)
    if logs == [STANDARD_INPUT]:
        show(open_stream(settings, formats), ascii_only=ascii_only, mouse=mouse)
        return
    source = open_sources(logs, settings, follow=can_draw(), wait=wait, formats=formats)
    beside = machine.sources(log=logs[0], checkpoints=source.checkpoints)
    show(source, beside, other=_read_beside(other) if other else None, ascii_only=ascii_only, mouse=mouse)


def _read_beside(path: str) -> Callable[[], Run | None]:
    """Read another run while the screen is up; what is returned gives it once it has been read."""
    from threading import Thread

    from ..sources import open_source
    from .report import read_to_the_end

    source = open_source(path, [], follow=False)
    read: list[Run] = []
    Thread(target=lambda: read.append(read_to_the_end(source)), name="itermon other run", daemon=True).start()
    return lambda: read[0] if read else None


def show(
    source: Source,
    beside: Sequence[Source] = (),
    *,
    replay: ReplaySource | None = None,
    other: Callable[[], Run | None] | None = None,
    ascii_only: bool,
    mouse: bool,
) -> None:
    """`source` on the screen until the person leaves; where there can be no screen, its report.

    `beside` are the sources of this machine's samples; `replay` is what the keys of a replay control,
    `other` the run to compare with.
    """
    if not can_draw():
        from .report import print_report

        print_report(source, as_json=False, check=False)
        return
    from ...collectors.source import Feed

    feed = Feed()
    feed.add(source)  # it reads while the screen is still being imported
    for sampling in beside:
        feed.add(sampling)
    from ...tui.app import watch

    try:
        code = watch(
            feed.drain,
            title=source.title,
            replay=replay,
            other=other,
            log=source.text,
            ascii_only=ascii_only,
            mouse=mouse,
        )
    finally:
        feed.stop()
    raise SystemExit(code)


def can_draw() -> bool:
    """Is there a terminal on which a screen can be drawn, and that has keys to leave it again?"""
    simple = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
    return (
        all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) and not simple
    )  # it draws on stderr
