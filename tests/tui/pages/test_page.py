"""What all pages do alike: they open, scroll, follow the size of the terminal and close."""

import pytest
from fed_app import Fed, fed
from log_in_memory import LogInMemory
from screen_states import states
from textual.events import Key

from itermon.tui import keys

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_help_lists_every_key_and_any_key_goes_back() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        for key in keys.KEYS:
            if key.help and key.group in (keys.WATCH, keys.ALWAYS):
                assert key.help.split(";")[0][:60] in app.text
        await pilot.press("x")
        await pilot.pause()
        assert "iteration time" in app.text


async def test_a_page_that_does_not_fit_scrolls() -> None:
    app = fed("healthy")
    async with app.run_test(size=(60, 14)) as pilot:
        await pilot.press("question_mark", "end")
        await pilot.pause()
        assert "not known; the reason" in app.text
        await pilot.press("home")
        await pilot.pause()
        assert "The chart" in app.text


async def test_a_letter_goes_back_from_a_page_and_ctrl_c_leaves_from_everywhere() -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("p", "q")
        await pilot.pause()
        assert "iteration time" in app.text
        await pilot.press("l", "slash", "ctrl+c")
        await pilot.pause()
        assert app._exit


@pytest.mark.parametrize("opens", ["question_mark", "p", "c", "l"])
async def test_a_page_that_gets_two_keys_at_once_closes_once(opens: str) -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(opens)
        await pilot.pause()
        for _ in range(2):  # as a key held down gives to a busy machine
            app.screen.post_message(Key("x", "x"))
        await pilot.pause()
        assert "iteration time" in app.text


async def test_a_page_is_drawn_anew_when_the_size_changes() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.resize_terminal(60, 14)
        await pilot.pause()
        assert {len(row) for row in app.rows} == {60}
        assert len(app.rows) == 14
        assert "help" in app.rows[0]
        await pilot.press("x")
        await pilot.pause()
        assert {len(row) for row in app.rows} == {60}
        assert "iteration time" in app.text
