"""A list to choose from: marked by arrows, narrowed by typing, and its mark stays on its row."""

import pytest
from textual.app import App

from itermon.tui.drawing.theme import theme_for
from itermon.tui.pages.list_page import ListPage, Row


class Fruits(ListPage):
    def __init__(self, names: list[str]) -> None:
        super().__init__(theme_for(2), "fruits", {"name": 0, "colour": 1})
        self.set(names)
        self.taken: list[str] = []

    def set(self, names: list[str]) -> None:
        self.rows = [Row(name, ((name, ""), ("red" if "e" in name else "green", ""))) for name in names]

    def take(self, key: str) -> None:
        self.taken.append(key)


class Shown(App[None]):
    def __init__(self, page: ListPage) -> None:
        super().__init__()
        self.page = page

    def get_default_screen(self) -> ListPage:
        return self.page

    @property
    def rows(self) -> list[str]:
        return ["".join(segment.text for segment in strip) for strip in self.screen._compositor.render_strips()]

    @property
    def marked(self) -> str:
        return next((row.split()[2] for row in self.rows if "▶" in row), "")


MANY = [f"apple{n:02}" for n in range(50)]


async def test_arrows_move_the_mark_and_enter_takes_its_row() -> None:
    app = Shown(Fruits(MANY))
    async with app.run_test(size=(40, 12)) as pilot:
        app.page.draw()
        await pilot.pause()
        assert app.marked == "apple00"
        await pilot.press("down", "down", "up", "enter")
        await pilot.press("end", "enter", "up", "pageup", "enter", "home", "up", "enter")
        await pilot.pause()
        assert app.page.taken == ["apple01", "apple49", "apple41", "apple00"]
        assert {len(row) for row in app.rows} == {40}


async def test_typing_narrows_it_and_the_mark_is_on_the_first_that_matches() -> None:
    app = Shown(Fruits(["banana", "cherry", "kiwi", "quince"]))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("R", "E", "D")
        await pilot.pause()
        assert app.marked == "cherry"
        assert "2 of 4" in app.rows[0]
        await pilot.press("space", "q")
        await pilot.pause()
        assert app.marked == "quince", "every word has to be there, in any column"
        await pilot.press("x", "enter")
        await pilot.pause()
        assert "no row has that in it" in "".join(app.rows)
        await pilot.press("backspace", "ctrl+u", "enter")
        assert app.page.taken == ["banana"]


@pytest.mark.parametrize("now", [["new", "banana", "kiwi"], ["new", "newer", "kiwi", "banana"]])
async def test_the_mark_stays_on_its_row_when_others_come_and_go(now: list[str]) -> None:
    fruits = Fruits(["banana", "cherry", "kiwi"])
    app = Shown(fruits)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("end")
        fruits.set(now)
        fruits.draw()
        await pilot.pause()
        assert app.marked == "kiwi"
        fruits.set(["banana"])
        fruits.draw()
        await pilot.press("enter")
        assert fruits.taken == ["banana"]


async def test_a_click_takes_the_row_under_it_and_none_beside_the_rows() -> None:
    fruits = Fruits(MANY)
    app = Shown(fruits)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("end")
        await pilot.pause()
        at = next(number for number, row in enumerate(app.rows) if "apple47" in row)
        await pilot.click(offset=(8, at))
        await pilot.click(offset=(8, 1))
        assert fruits.taken == ["apple47"]


async def test_any_size_is_filled() -> None:
    app = Shown(Fruits(MANY))
    async with app.run_test(size=(40, 12)) as pilot:
        for size in ((1, 1), (3, 2), (8, 4), (200, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert [len(row) for row in app.rows] == [size[0]] * size[1]
