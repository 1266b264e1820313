"""Notices while a screen is up: it looks once a frame, and writes to its own terminal between two frames."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from ..events import Severity
from ..words import percent
from . import sequences
from .notifier import Notifier
from .to_terminal import TerminalChannel
from .told import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.findings import Findings, Incident
    from .channel import Channel
    from .telling import About
    from .terminals import Terminal

_TITLE_S = 10.0
"""Ghostty takes a bar away that was not renewed for 15 s."""

_MOST_WAITING = 50


class OnScreen:
    """Tells of the run that is on the screen: by the terminal that it is drawn on, and by `channels`.

    Args:
        about: The run.
        terminal: The one that the screen is drawn on.
        channels: Others.
        quiet: Begin and end, in minutes since midnight.
        clock: Unix time.
    """

    def __init__(
        self,
        about: About,
        terminal: Terminal,
        channels: Sequence[Channel],
        quiet: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._about, self._terminal, self._clock = about, terminal, clock
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        own = TerminalChannel(terminal, self._waiting.append)
        self._notifier = Notifier([own, *channels], Store(None, clock()), quiet, clock)
        self._notifier.start()
        self._title = ""
        self._due_s = 0.0

    def look(self, found: Findings) -> None:
        """Send what is to be said now; never blocks."""
        self._notifier.look(self._about, found)
        if (now_s := self._clock()) < self._due_s:
            return
        self._due_s = now_s + _TITLE_S
        standing = [one for one in found.incidents if not one.over]
        title = _title(found, standing)
        if title != self._title:
            self._waiting.append(("" if self._title else sequences.KEEP_TITLE) + self._terminal.pane_title(title))
            self._title = title
        bad = any(one.severity == Severity.ERROR for one in standing)
        bar = self._terminal.progress(None if found.ended else found.progress.fraction, bad=bad)
        if bar:
            self._waiting.append(bar)

    def to_write(self) -> str:
        """What the terminal gets now."""
        found = []
        while self._waiting:
            found.append(self._waiting.popleft())
        return "".join(found)

    @property
    def trouble(self) -> str:
        """What is wrong with a channel, in one line; "" if nothing is."""
        return next(iter(self._notifier.troubles), "")

    def close(self, patience_s: float) -> str:
        """Deliver what waits, for at most so long. Returns what leaves the terminal as it was found."""
        self._notifier.stop(patience_s)
        back = sequences.GIVE_TITLE_BACK if self._title else ""
        return back + self._terminal.progress(None)


def _title(found: Findings, standing: Sequence[Incident]) -> str:
    """`itermon 43 % · 17:20 · ok`: how far it is, when it is done, and what is wrong."""
    parts = []
    if found.progress.fraction is not None:
        parts.append(percent(found.progress.fraction, 0))
    if found.eta.finish_at_s is not None and not found.ended:
        parts.append(time.strftime("%H:%M", time.localtime(found.eta.finish_at_s)))
    parts.append(standing[-1].kind if standing else "ok")
    return f"itermon {' · '.join(parts)}"
