"""The screen, with the sources that feed it; where there can be no screen, the report."""

from __future__ import annotations

import os
import sys
import time
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from . import runs
from .piped import piped_in
from .reading import print_report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.run import Run
    from ..collectors.runs.replay import ReplaySource
    from ..collectors.source import Feed, Source
    from ..tui.watched import Watched
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
    samplers: Callable[[], Sequence[Source]] = tuple,
    replay: ReplaySource | None = None,
    other: Callable[[], Run | str | None] | None = None,
    look_at: str = "",
    from_home: bool = False,
) -> None:
    """Show `source` until the person leaves; where there can be no screen, print its report.

    Args:
        samplers: makes the sources of this machine's samples, once the first screen is there.
        replay: what the keys of a replay control, if `source` is one.
        other: gives the run to compare with, or why there is none; `None` while it is still being read.
        look_at: what the processes belong to that the key S looks at, as `itermon stack` takes it; "": none here.
        from_home: it was opened from the list of all runs, and esc goes back there: then this returns.

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
    feed.add(source)  # it reads while the screen is still being imported
    from ..tui.watched import BACK, Extras, Watched

    own: dict[str, Any] = {"replay": replay, "other": other, "log": lambda: source.text, "from_home": from_home}
    extras = partial(Extras, **own, **_looks(look_at, feed))
    try:
        with screen.told(source.title) if screen.told else nullcontext() as notices:
            code = _watch(Watched(source.title, extras=extras(notices=notices)), feed, samplers, screen)
    finally:
        feed.stop()
    if code == BACK:
        return
    raise SystemExit(pipe.outlive(code) if pipe else code)


def _looks(look_at: str, feed: Feed) -> dict[str, Any]:
    """How the processes on this machine are looked at; nothing where there are none."""
    if not look_at:
        return {}
    return {"look": partial(runs.look_at, look_at), "on_hang": OnHang(feed, partial(runs.ranks_at, look_at))}


class OnHang:
    """Asks while a run hangs where its ranks stand, in a thread, and once a minute at most.

    What `look` finds comes through `feed`, as everything that is known of the run.
    """

    EVERY_S = 60.0

    def __init__(
        self, feed: Feed, look: Callable[[], Source], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._feed, self._look, self._clock = feed, look, clock
        self._due_s = float("-inf")

    def __call__(self) -> None:
        """It hangs."""
        now_s = self._clock()
        if now_s >= self._due_s:
            self._due_s = now_s + self.EVERY_S
            self._feed.add(self._look())


def _watch(watched: Watched, feed: Feed, samplers: Callable[[], Sequence[Source]], screen: ScreenOptions) -> int:
    """The first screen as soon as it can be, and the app behind it. Returns the exit code."""
    from ..tui import preferences
    from ..tui.drawing import terminal
    from ..tui.early import early_screen
    from ..tui.view import View

    theme = terminal.theme(preferences.chosen_theme(screen.theme), ascii_only=screen.ascii_only)
    view = View(curves=preferences.load().lanes)
    with early_screen(watched, feed.wait, theme, view) as painted:
        for sampler in samplers():
            feed.add(sampler)
        from ..tui.app import watch
    return watch(watched, feed.drain, theme, view, painted=painted, mouse=screen.mouse)
