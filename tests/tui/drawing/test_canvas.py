"""The canvas writes differences past the compositor, and waits where nobody reads the terminal."""

from __future__ import annotations

import pytest
from screen_states import states

from itermon.events import Batch, SourceState
from itermon.tui.app import Monitor
from itermon.tui.drawing import canvas, lines
from itermon.tui.drawing.theme import theme_for
from itermon.tui.watched import Watched


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


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> Link:
    made = Link()
    monkeypatch.setattr(canvas, "DirectOutput", made)
    return made


def monitor() -> Monitor:
    watched = Watched(clock=lambda: states()["healthy"].now_s)
    return Monitor(watched, lambda _: [], theme_for(1 << 24))


async def test_a_stalled_link_gets_nothing_and_then_all_it_missed_at_once(link: Link) -> None:
    app = monitor()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.draw()
        link.written.clear()
        link.stalled = True
        for batch in states()["healthy"].batches:
            app.watched.session.take(batch)
            app.draw()
        assert link.written == []
        link.stalled = False
        app.draw()
        assert len(link.written) == 1
        assert "1,247" in link.written[0]


async def test_an_unchanged_screen_writes_nothing(link: Link) -> None:
    app = monitor()
    app.watched.session.take(Batch(states()["healthy"].batches[0].events, state=SourceState.LIVE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.draw()
        link.written.clear()
        app.draw()
        assert link.written == []


async def test_after_ctrl_l_textual_paints_everything_again(link: Link) -> None:
    app = monitor()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.watch_screen.canvas.redraw()
        link.written.clear()
        app.draw()
        assert link.written == []
        shown = app.watch_screen.canvas.render_lines(app.watch_screen.canvas.region)
        assert ["".join(s.text for s in strip) for strip in shown] == [
            lines.text(row) for row in app.watch_screen.canvas._lines
        ]
