"""The page that shows another run beside this one."""

import pytest
from fed_app import Fed, fed
from screen_states import states

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_another_run_stands_beside_this_one_once_it_has_been_read() -> None:
    read = []
    app = Fed(states()["healthy"].batches, other=lambda: read[0] if read else None)
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        await pilot.press("c")
        await pilot.pause()
        assert "reading the other run" in app.text
        read.append(states()["finished"].run())
        app._frame()
        await pilot.pause()
        assert "normal iteration" in app.text


async def test_without_another_run_the_page_says_how_to_give_one() -> None:
    app = fed("healthy")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("c")
        await pilot.pause()
        assert "--compare" in app.text
