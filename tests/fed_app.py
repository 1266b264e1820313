"""The whole app, fed by hand: its clock stands still, and what it shows is asked for as text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from screen_states import NOW_S, states

from itermon.tui.app import Monitor
from itermon.tui.drawing.theme import theme_for
from itermon.tui.watched import Extras, Watched

if TYPE_CHECKING:
    from itermon.events import Batch


class Fed(Monitor):
    """The app, fed by hand, under a clock that stands still; `rows` is what it shows."""

    def __init__(self, batches: list[Batch], **extras: object) -> None:
        self.waiting = list(batches)
        if (log := extras.get("log")) is not None:
            extras["log"] = lambda: log
        self.time_s = NOW_S
        super().__init__(
            Watched("train.log", clock=lambda: self.time_s, extras=Extras(**extras)),  # type: ignore[arg-type]
            lambda most: [self.waiting.pop(0) for _ in range(min(most, len(self.waiting)))],
            theme_for(1 << 24),
        )

    @property
    def rows(self) -> list[str]:
        return ["".join(segment.text for segment in strip) for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)


class Link:
    """A terminal that takes what is written, until it stalls."""

    usable = True
    stalled = False
    written: list[str]

    def __init__(self) -> None:
        self.written = []

    def __call__(self, app: Monitor) -> Link:
        return self

    def write(self, text: str) -> None:
        self.written.append(text)


async def until_seen(app: Fed, words: str) -> None:
    """What another thread finds comes a moment later."""
    for _ in range(6_000):
        if words in app.text:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{words!r} was never seen")


def fed(name: str) -> Fed:
    return Fed(states()[name].batches)
