"""The app of many ranks: it shows what the server says, and why there is no news, and is left with a rank."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from made_fleet import COURSE, READING

from itermon.tui.drawing.theme import theme_for
from itermon.tui.fleet.app import FleetApp

if TYPE_CHECKING:
    from itermon.events.fleet import FleetCourse, FleetReading

pytestmark = pytest.mark.usefixtures("unhurried")


class Shown(FleetApp):
    def __init__(self, note: str = "") -> None:
        self.answer: tuple[FleetReading, FleetCourse] | OSError = (READING, COURSE)
        super().__init__(self._answer, "http://prom:9090", theme_for(2), every_s=3_600.0, note=note)

    def _answer(self) -> tuple[FleetReading, FleetCourse]:
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer

    @property
    def text(self) -> str:
        rows = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in rows)


async def test_a_rank_is_chosen() -> None:
    app = Shown()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "rank 3 on host-3: late." in app.text
        await pilot.press("enter")
    assert app.chosen is not None
    assert (app.chosen.rank, app.closed, app.return_code) == ("3", False, 0)


@pytest.mark.parametrize(("key", "closed"), [("q", False), ("escape", True)])
async def test_it_is_left_or_the_other_runs_are_asked_for(key: str, closed: bool) -> None:
    app = Shown()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await pilot.pause()
    assert (app.chosen, app.closed) == (None, closed)


async def test_what_was_known_stays_while_the_server_does_not_answer() -> None:
    app = Shown(note="rank 1: nowhere")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "rank 1: nowhere" in app.text
        app.answer = OSError("http://prom:9090: no answer within 10 s")
        app.begin()
        await pilot.pause()
        assert "no news: http://prom:9090: no answer within 10 s" in app.text
        assert "rank 3 on host-3: late." in app.text


async def test_the_help_knows_its_keys() -> None:
    app = Shown()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert "This rank's own screen" in app.text


@pytest.mark.parametrize(("took_s", "pause_s"), [(0.5, 15.0), (8.0, 32.0)])
async def test_a_server_that_works_long_for_an_answer_is_asked_less_often(
    took_s: float, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Shown()
    app._every_s = None
    clock = iter((0.0, took_s))
    monkeypatch.setattr("itermon.tui.fleet.app.time", SimpleNamespace(monotonic=lambda: next(clock)))
    app._look()
    assert app._pause_s() == pause_s
