"""The canvas writes differences past the compositor, and waits where nobody reads the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyte
import pytest
from screen_states import states
from textual.app import App

from itermon.events import Batch, SourceState
from itermon.tui.app import Monitor
from itermon.tui.drawing import lines
from itermon.tui.drawing.theme import theme_for
from itermon.tui.watched import Watched

if TYPE_CHECKING:
    from fed_app import Link


@pytest.fixture
def painted_by_textual(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    updates: list[object] = []
    monkeypatch.setattr(App, "_display", lambda _app, _screen, update: updates.append(update))
    return updates


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


async def test_the_first_screen_is_painted_once_and_by_us(link: Link, painted_by_textual: list[object]) -> None:
    app = monitor()
    app.watched.session.take(Batch(states()["healthy"].batches[0].events, state=SourceState.LIVE))
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        assert [text for text in link.written if "find spike" in text] == link.written[:1]
        assert sum(len(text.encode()) for text in link.written) < 40_000
    assert painted_by_textual == []


@pytest.mark.parametrize("again", ["ctrl+l", "another size", "back from a page", "after Ctrl-Z"])
async def test_everything_is_painted_again_where_it_may_be_gone(link: Link, again: str) -> None:
    app = monitor()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        if again == "back from a page":
            await pilot.press("question_mark")
            await pilot.pause()
        link.written.clear()
        if again == "another size":
            await pilot.resize_terminal(81, 24)
        elif again == "after Ctrl-Z":
            app.draw_all()
        else:
            await pilot.press("ctrl+l" if again == "ctrl+l" else "escape")
        await pilot.pause()
        shown = [lines.text(row) for row in app.watch_screen.canvas._lines]
        screen = pyte.Screen(len(shown[0]), 24)
        screen.reset_mode(7, private=True)
        pyte.Stream(screen).feed("".join(link.written))
        assert list(screen.display) == shown
