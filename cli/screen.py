"""The screen, with the sources that feed it; where there can be no screen, the report."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .piped import piped_in
from .reading import print_report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.run import Run
    from ..collectors.runs.replay import ReplaySource
    from ..collectors.source import Source
    from .options import ScreenOptions


def can_draw() -> bool:
    """Is there a terminal on which a screen can be drawn, and that has keys to leave it again?"""
    simple = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
    terminals = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))  # it draws on stderr
    return terminals and not simple


def show(
    source: Source,
    screen: ScreenOptions,
    *,
    samplers: Sequence[Source] = (),
    replay: ReplaySource | None = None,
    other: Callable[[], Run | str | None] | None = None,
) -> None:
    """Show `source` until the person leaves; where there can be no screen, print its report.

    Args:
        samplers: the sources of this machine's samples.
        replay: what the keys of a replay control, if `source` is one.
        other: gives the run to compare with, or why there is none; `None` while it is still being read.

    Raises:
        SystemExit: the person has left (and whoever writes into a pipe has ended): 0, or 128 + the signal that
            ended the screen.
    """
    pipe = piped_in()
    if not can_draw():
        print_report(source)
        if pipe:
            pipe.tell()
        return
    from ..collectors.source import Feed

    feed = Feed()
    for one in (source, *samplers):
        feed.add(one)  # they read while the screen is still being imported
    from ..tui.app import watch
    from ..tui.watched import Extras

    try:
        code = watch(
            feed.drain,
            title=source.title,
            extras=Extras(replay=replay, other=other, log=lambda: source.text),
            scheme=screen.theme,
            ascii_only=screen.ascii_only,
            mouse=screen.mouse,
        )
    finally:
        feed.stop()
    raise SystemExit(pipe.outlive(code) if pipe else code)
