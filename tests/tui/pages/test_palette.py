"""The palette does what it lists, on the page that it was opened on."""

import pytest
from fed_app import Fed, fed
from log_in_memory import LogInMemory
from screen_states import states

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_an_action_is_found_by_its_name_and_done() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p", *"scale")
        await pilot.pause()
        assert "what to do" in app.rows[0]
        assert " ▶ s       next scale of the chart" in app.text
        await pilot.press("enter")
        await pilot.pause()
        assert app.watch_screen.view.scale == "linear"
        assert "iteration time" in app.text
        await pilot.press("ctrl+p", *"what if", "enter")
        await pilot.pause()
        assert "plan: what if" in app.rows[0]
        await pilot.press("escape", "ctrl+p", "escape")
        await pilot.pause()
        assert "iteration time" in app.text, "nothing was taken, and nothing done"


async def test_a_page_has_its_own_and_a_source_only_what_it_has() -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("l", "ctrl+p", *"first line", "enter")
        await pilot.pause()
        assert "1 of 500" in app.text
        await pilot.press("escape", "ctrl+p", *"jump")
        await pilot.pause()
        assert "no row has that in it" in app.text
