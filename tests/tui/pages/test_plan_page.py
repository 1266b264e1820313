"""The page of the plan: the arrow keys change it."""

import pytest
from fed_app import fed

pytestmark = pytest.mark.usefixtures("unhurried")


async def test_a_plan_is_changed_with_the_arrow_keys_and_taken_back() -> None:
    app = fed("healthy")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await pilot.press("p", "left", "left")
        await pilot.pause()
        assert "gradient accumulation       64 → 16" in app.text
        assert "262,144" in app.text
        await pilot.press("backspace")
        await pilot.pause()
        assert "→ 16" not in app.text
        await pilot.press("down", "up", "escape")
        await pilot.pause()
        assert "iteration time" in app.text
