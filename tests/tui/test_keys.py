"""The table of keys is what the screens do: every action is there, and a key does one thing."""

import pytest

from itermon.tui import keys
from itermon.tui.app import Monitor
from itermon.tui.drawing import lines
from itermon.tui.fleet.screen import FleetScreen
from itermon.tui.pages.list_page import ListPage
from itermon.tui.pages.log_page import LogPage
from itermon.tui.pages.page import Page, TextPage
from itermon.tui.pages.plan_page import PlanPage
from itermon.tui.pages.runs_page import RunsPage
from itermon.tui.pages.stacks_page import StacksPage
from itermon.tui.watch_screen import WatchScreen


@pytest.mark.parametrize("key", keys.KEYS, ids=lambda key: f"{key.group} {key.action}")
def test_every_action_is_one_of_its_screen(key: keys.Key) -> None:
    pages: dict[str, type[Page]] = {page.group: page for page in (TextPage, PlanPage, LogPage, ListPage)}
    runs = {keys.PICKER: RunsPage, keys.HOME: RunsPage, keys.FLEET: FleetScreen}
    others = {keys.PAGES: Page, keys.STACKS_PAGE: StacksPage, **runs}
    where: type[object] = (pages | others).get(key.group, WatchScreen)
    action = f"action_{key.action.partition('(')[0]}" if key.keys else key.action
    if key.action.startswith("app.") or key.group == keys.APP:
        where, action = Monitor, action.replace("app.", "")
    assert callable(getattr(where, action, None))


@pytest.mark.parametrize(
    "groups",
    [
        {*keys.GROUPS, keys.APP},
        *({page, keys.PAGES, keys.APP} for page in (keys.TEXT_PAGE, keys.PLAN_PAGE, keys.LOG_PAGE)),
        {keys.STACKS_PAGE, keys.TEXT_PAGE, keys.PAGES, keys.APP},
        {keys.LIST_PAGE, keys.PICKER, keys.APP},
        {keys.FLEET, keys.ALWAYS, keys.APP},
    ],
    ids=lambda g: "+".join(sorted(g)),
)
def test_a_key_does_one_thing(groups: set[str]) -> None:
    pressed = [name for key in keys.KEYS if key.group in groups for name in key.keys]
    assert len(pressed) == len(set(pressed))


def test_a_binding_gives_its_action_the_key_that_was_pressed() -> None:
    actions = {binding.key: binding.action for binding in keys.bindings(keys.REPLAY, keys.WATCH)}  # type: ignore[union-attr]
    assert actions["pageup"] == "jump(-1)"
    assert actions["space"] == "pause"
    assert actions["7"] == "enlarge_number(7)"
    assert "q" not in actions


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_footer_fits_and_always_has_help_and_quit(width: int) -> None:
    line = keys.footer(keys.GROUPS, width)
    assert "?" in lines.text(line)
    assert "quit" in lines.text(line)
    assert lines.width(line) <= width
    assert ("palette" in lines.text(line)) is (width >= 40), "it leads to the others"


def test_a_page_names_its_keys() -> None:
    plan = lines.text(keys.footer((keys.PLAN_PAGE, keys.PAGES), 120))
    assert plan == " ↑↓ choose  ←→ halve, double  backspace undo  ? help  ctrl+p palette  esc back "
    assert lines.text(keys.footer((keys.LOG_PAGE, keys.PAGES), 80)).startswith(" ↑↓ scroll  / find  nN next")


def test_the_palette_has_every_key_that_does_something_of_its_own() -> None:
    groups = (keys.WATCH, keys.REPLAY, keys.ALWAYS)
    listed = keys.named(groups)
    assert ("←", "earlier iterations", "pan(-1)") in listed
    assert ("7", "enlarge part 7", "enlarge_number(7)") in listed
    assert ("ctrl+z", "stop; fg goes on", "app.suspend") in listed
    assert len({action for _, _, action in listed}) == len(listed)
    actions = {action.removeprefix("app.").partition("(")[0] for _, _, action in listed}
    keyed = {key.action.removeprefix("app.").partition("(")[0] for key in keys.KEYS if key.group in groups}
    assert keyed - actions == {"palette"}, "it stands open"
