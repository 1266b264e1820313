"""The home screen's list: what is sorted, marked, compared, and deleted only after a yes."""

from itermon.events import Severity
from itermon.reports.run_line import RunLine
from itermon.tui.drawing.theme import theme_for
from itermon.tui.pages.runs_page import Choice, Deletion
from itermon.tui.picker import Looked, Picker


def choice(name: str, *, loss: float | None = None, severity: Severity = Severity.INFO) -> Choice:
    return Choice(f"{name}.1", name, "finished", RunLine(loss=loss, said="so", severity=severity))


FOUND = [choice("b", loss=3.0), choice("a", severity=Severity.ERROR), choice("c", loss=2.0)]


class Home(Picker):
    def __init__(self) -> None:
        self.deleted: list[tuple[str, ...]] = []
        self.problem = ""
        deletion = Deletion(self.ask, self.do)
        super().__init__(lambda: Looked(FOUND), "all runs", theme_for(2), deletion=deletion, clock=lambda: 0.0)

    def ask(self, keys: object) -> tuple[str, bool]:
        return (f"delete {keys}?", True) if keys != ("a.1",) else ("a still runs", False)

    def do(self, keys: object) -> str:
        self.deleted.append(tuple(keys))  # type: ignore[call-overload]
        return self.problem

    @property
    def text(self) -> str:
        strips = self.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    @property
    def names(self) -> list[str]:
        return [row.key[0] for row in self._page.rows]


async def test_a_key_sorts_by_the_next_thing() -> None:
    app = Home()
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        orders = {}
        for _ in range(7):
            await pilot.press("ctrl+o")
            orders[app._page._order] = "".join(app.names)
        assert orders == {
            "name": "abc",
            "left": "bac",
            "time/iter": "bac",
            "loss": "cba",
            "cost": "bac",
            "trouble": "abc",
            "newest": "bac",
        }
        assert "sorted by newest" in app.text


async def test_two_that_are_marked_are_compared_and_one_is_opened() -> None:
    app = Home()
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "tab")
        assert "* b" in app.text
        assert "enter compares the two" in app.text
        await pilot.press("enter")
    assert app.chosen == ("b.1", "a.1")
    app = Home()
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "up", "tab", "enter")
    assert app.chosen == ("a.1",), "marked twice is not marked"


async def test_nothing_is_deleted_without_a_yes() -> None:
    app = Home()
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        for answer in ("n", "enter", "escape", "q"):
            await pilot.press("ctrl+x")
            assert "delete ('b.1',)?" in app.text
            await pilot.press(answer)
            assert "nothing was deleted" in app.text
        assert (app.deleted, app._exit) == ([], False)
        await pilot.press("ctrl+x", "y")
        assert app.deleted == [("b.1",)]
        assert "1 run deleted" in app.text
        assert app.names == ["a", "c"]
        await pilot.press("home", "ctrl+x", "y")
        assert "a still runs" in app.text
        assert len(app.deleted) == 1


async def test_what_could_not_be_deleted_stays_and_is_said() -> None:
    app = Home()
    app.problem = "no permission"
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+x", "y")
        assert "no permission" in app.text
        assert app.names == ["b", "a", "c"]


async def test_a_list_to_choose_from_has_none_of_these_keys() -> None:
    app = Picker(lambda: Looked(FOUND), "which?", theme_for(2))
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "ctrl+x", "ctrl+o", "down", "enter")
    assert app.chosen == ("a.1",)
