"""The help lists the keys of the page that it is opened on, those of the mouse too, and goes back there."""

import pytest
from fed_app import Fed
from log_in_memory import LogInMemory
from screen_states import states

from itermon.tui import keys
from itermon.tui.drawing import lines
from itermon.tui.pages.help_page import help_text

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.parametrize(
    ("opens", "said", "unsaid"),
    [
        ("l", ["To the first line", "The line with it below", "pgup"], ["Two bands", "MFU"]),
        ("p", ["Half or twice of it", "As the run has it"], ["Two bands", "first line"]),
        ("c", ["esc", "Find an action by its name"], ["Two bands", "first line"]),
    ],
)
async def test_a_page_has_a_help_of_its_own(opens: str, said: list[str], unsaid: list[str]) -> None:
    app = Fed(states()["healthy"].batches, log=LogInMemory(500))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press(opens)
        await pilot.pause()
        before = app.rows[0]
        await pilot.press("question_mark")
        await pilot.pause()
        assert all(words in app.text for words in [*said, "ctrl+z", "ctrl+c"])
        assert not any(words in app.text for words in unsaid)
        await pilot.press("question_mark")
        await pilot.pause()
        assert app.rows[0] == before


def test_every_key_with_a_help_is_in_the_help_of_its_screen() -> None:
    for groups in (keys.GROUPS, *((page, keys.PAGES) for page in (keys.TEXT_PAGE, keys.PLAN_PAGE, keys.LOG_PAGE))):
        text = "\n".join(map(lines.text, help_text(groups, 200)))
        assert all(key.help in text for key in keys.KEYS if key.group in (*groups, keys.APP))
    assert "click" in "\n".join(map(lines.text, help_text(keys.GROUPS, 80)))
