"""The keys, as data: from this table the screens take their bindings, the footer its words, the help its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .drawing.lines import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType

    from .drawing.lines import Line

WATCH, LOG, STACKS, REPLAY, MOUSE, ALWAYS = "watch", "log", "stacks", "replay", "mouse", "always"
GROUPS = {
    WATCH: "The chart",
    LOG: "The log",
    STACKS: "The stacks",
    REPLAY: "A replay",
    MOUSE: "The mouse",
    ALWAYS: "Everywhere",
}
"""The groups of the watch screen, with their headings in the help."""

APP = "app"
"""Those that count whatever stands on the screen, before any other."""

PAGES, TEXT_PAGE, PLAN_PAGE, LOG_PAGE = "pages", "text page", "plan page", "log page"
STACKS_PAGE, LIST_PAGE, PICKER, HOME, FLEET = "stacks page", "list page", "picker", "home", "fleet"
HEADINGS = GROUPS | {
    TEXT_PAGE: "This page",
    PLAN_PAGE: "The plan",
    LOG_PAGE: "The log's text",
    STACKS_PAGE: "The stacks",
    LIST_PAGE: "The list",
    HOME: "All runs",
    PICKER: "The runs",
    FLEET: "The ranks",
    PAGES: "Every page",
    APP: "Whatever stands here",
}
"""The groups in the order of the help: the watch screen's, then each page's own, then what all pages have."""


class Key(msgspec.Struct, frozen=True):
    """One thing a key does. `keys` are Textual's names; `shown` is how a person writes them.

    `action` is a method of the screen, as Textual writes it (`app.` before it: of the app); `{key}` in it is the
    key that was pressed. Of the mouse there are no keys, and `action` is the method that hears of it.
    Without a label it is not in the footer, without a help text its neighbour in the list speaks for it,
    and without a name it is not in the palette.
    """

    action: str
    keys: tuple[str, ...]
    shown: str = ""
    label: str = ""
    help: str = ""
    group: str = WATCH
    name: str = ""


KEYS = (
    Key("app.help", ("question_mark", "f1"), "?", "help", "This list; any key goes back.", ALWAYS, "help"),
    Key(
        "pan(-1)",
        ("left",),
        "←→",
        "pan",
        "Earlier or later iterations; at the newest they are followed again.",
        name="earlier iterations",
    ),
    Key("pan(1)", ("right",), name="later iterations"),
    Key("oldest", ("home",), "home", "", "From the oldest iteration on.", name="oldest iterations"),
    Key("newest", ("end",), "end", "", "The newest iterations, and on with them.", name="follow the newest"),
    Key(
        "zoom(0.5)",
        ("plus", "equals_sign"),
        "+-",
        "zoom",
        "Half or twice as many, about the cursor or the newest.",
        name="fewer iterations (zoom in)",
    ),
    Key("zoom(2.0)", ("minus",), name="more iterations (zoom out)"),
    Key("pause", ("space",), "space", "pause", "Stop the replay's clock, or let it run.", REPLAY, "pause, go on"),
    Key(
        "find_spike(-1)",
        ("slash", "N"),
        "/",
        "find spike",
        "The newest spike or change of level, then earlier ones, and why; so does N.",
        name="earlier spike or change of level",
    ),
    Key(
        "find_spike(1)",
        ("n",),
        "n",
        "next",
        "The spike or change of level after the cursor.",
        name="later spike or change of level",
    ),
    Key(
        "log",
        ("l",),
        "l",
        "log",
        "The text of the log, at the cursor's iteration or its end; / searches.",
        LOG,
        "the log's text",
    ),
    Key(
        "stacks",
        ("S",),
        "S",
        "stack",
        "Where it stands, in its own code: as its hooks saw it, or as it is seen from outside.",
        STACKS,
        "stack: where it stands",
    ),
    Key("step", ("full_stop",), ".", "step", "One iteration further.", REPLAY, "one iteration further"),
    Key("slower", ("left_square_bracket",), "[]", "speed", "Half or twice as fast.", REPLAY, "half as fast"),
    Key("faster", ("right_square_bracket",), group=REPLAY, name="twice as fast"),
    Key(
        "jump(-1)",
        ("pageup",),
        "pgup pgdn",
        "jump",
        "A tenth of the recording back or on.",
        REPLAY,
        "a tenth of the recording back",
    ),
    Key("jump(1)", ("pagedown",), group=REPLAY, name="a tenth of the recording on"),
    Key("verdict", ("v",), "v", "verdict", "The verdict in full.", name="the verdict in full"),
    Key(
        "enlarge(1)",
        ("tab",),
        "tab",
        "enlarge",
        "The next lane or panel by itself, through all of them; esc shows everything.",
        name="enlarge the next part",
    ),
    Key("enlarge(-1)", ("shift+tab",)),
    Key(
        "enlarge_number({key})",
        tuple("123456789"),
        "1-9",
        "",
        "The first, second ... of them by itself; the same again, or 0: everything.",
        name="enlarge part {key}",
    ),
    Key("enlarge_number(0)", ("0",), name="show all parts"),
    Key(
        "enlarge_or_not",
        ("enter",),
        "enter",
        "",
        "The chart by itself, or the evidence while it is open; again: everything.",
        name="enlarge the chart or the evidence",
    ),
    Key(
        "lanes",
        ("m",),
        "m",
        "metrics",
        "All that this source sends, as lanes over the iterations: which to show. The choice is kept.",
        name="metrics: lanes over the iterations",
    ),
    Key(
        "plan", ("p",), "p", "plan", "What if: another batch or cadence: time, cost, tokens.", name="plan: what if"
    ),
    Key("incidents", ("i",), "i", "incidents", "What happened: stalls, broken losses, ends.", name="incidents"),
    Key(
        "scale",
        ("s",),
        "s",
        "scale",
        "Two bands (the break hides what lies between), linear, logarithmic.",
        name="next scale of the chart",
    ),
    Key(
        "compare",
        ("c",),
        "c",
        "compare",
        "This run next to the one given with --compare: speed, causes, loss.",
        name="compare with another run",
    ),
    Key("copy", ("y",), "y", "copy", "Copy the verdict, or the evidence while it is open.", name="copy"),
    Key(
        "close_evidence",
        ("escape",),
        "esc",
        "",
        "All parts again; then close the evidence; then the list of runs.",
        name="close it",
    ),
    Key(
        "on_click", (), "click", help="Put the cursor on that iteration, and say why it took so long.", group=MOUSE
    ),
    Key("on_mouse_scroll_up", (), "wheel", help="Half or twice as many iterations.", group=MOUSE),
    Key("app.palette", ("ctrl+p",), "ctrl+p", "palette", "Find an action by its name.", ALWAYS),
    Key("redraw", ("ctrl+l",), "ctrl+l", "", "Draw all of it again, if others wrote here.", ALWAYS, "draw again"),
    Key("app.quit", ("q",), "q", "quit", "Leave. The training goes on: nothing here touches it.", ALWAYS, "quit"),
    Key(
        "suspend", ("ctrl+z",), "ctrl+z", "", "Back to the shell; `fg` there comes back.", APP, "stop; fg goes on"
    ),
    Key("leave(130)", ("ctrl+c",), "ctrl+c", "", "Leave, from a page too.", APP),
    Key("scroll(-1)", ("up",), "↑↓", "scroll", "Up or down; pgup and pgdn by a screenful.", TEXT_PAGE, "up"),
    Key("scroll(1)", ("down",), group=TEXT_PAGE, name="down"),
    Key("scroll_page(-1)", ("pageup",), group=TEXT_PAGE, name="a screenful up"),
    Key("scroll_page(1)", ("pagedown",), group=TEXT_PAGE, name="a screenful down"),
    Key("first", ("home",), "home", "", "To the top.", TEXT_PAGE, "to the top"),
    Key("last", ("end",), "end", "", "To the end.", TEXT_PAGE, "to the end"),
    Key("choose(-1)", ("up",), "↑↓", "choose", "The setting above or below.", PLAN_PAGE, "the setting above"),
    Key("choose(1)", ("down",), group=PLAN_PAGE, name="the setting below"),
    Key("halve", ("left",), "←→", "halve, double", "Half or twice of it.", PLAN_PAGE, "halve"),
    Key("double", ("right",), group=PLAN_PAGE, name="double"),
    Key("undo", ("backspace", "delete"), "backspace", "undo", "As the run has it.", PLAN_PAGE, "undo"),
    Key("scroll(-1)", ("up",), "↑↓", "scroll", "Up or down; pgup and pgdn by a screenful.", LOG_PAGE, "up"),
    Key("scroll(1)", ("down",), group=LOG_PAGE, name="down"),
    Key("scroll_page(-1)", ("pageup",), group=LOG_PAGE, name="a screenful up"),
    Key("scroll_page(1)", ("pagedown",), group=LOG_PAGE, name="a screenful down"),
    Key("first", ("home",), "home", "", "To the first line.", LOG_PAGE, "to the first line"),
    Key("begin_search", ("slash",), "/", "find", "Find a text in the lines; nothing: again.", LOG_PAGE, "find"),
    Key("find_next", ("n",), "nN", "next", "The line with it below; N the one above.", LOG_PAGE, "find below"),
    Key("find_before", ("N",), group=LOG_PAGE, name="find above"),
    Key("last", ("end",), "end", "follow", "To the end, and on with it.", LOG_PAGE, "follow the end"),
    Key("look", ("S",), "S", "look", "Look at its processes, now.", STACKS_PAGE, "look now"),
    Key("choose(-1)", ("up", "ctrl+p"), "↑↓", "choose", "A row up or down; pgup, pgdn: a screenful.", LIST_PAGE),
    Key("choose(1)", ("down", "ctrl+n"), group=LIST_PAGE),
    Key("choose_page(-1)", ("pageup",), group=LIST_PAGE),
    Key("choose_page(1)", ("pagedown",), group=LIST_PAGE),
    Key("first", ("home",), "home", "", "The first row; end the last.", LIST_PAGE),
    Key("last", ("end",), group=LIST_PAGE),
    Key("open", ("enter",), "enter", "open", "Take the row that is marked.", LIST_PAGE),
    Key("erase", ("backspace", "delete"), "backspace", "", "The last character; ctrl+u all of them.", LIST_PAGE),
    Key("erase_all", ("ctrl+u",), group=LIST_PAGE),
    Key("mark_run", ("tab",), "tab", "mark", "Mark the run; enter compares two that are marked.", HOME),
    Key(
        "sort",
        ("ctrl+o",),
        "ctrl+o",
        "sort",
        "By what they are sorted next: age, name, time left, time, loss, cost, trouble.",
        HOME,
    ),
    Key(
        "delete_runs",
        ("ctrl+x",),
        "ctrl+x",
        "delete",
        "Delete the marked runs' recordings, or this one's: you are asked first.",
        HOME,
    ),
    Key("leave", ("q",), "q", "quit", "Leave, as esc does, while nothing is typed.", PICKER),
    Key("close", ("escape",), "esc", "back", "Leave.", LIST_PAGE),
    Key("choose(-1)", ("up",), "↑↓", "choose", "The rank above or below; pgup and pgdn by a screenful.", FLEET),
    Key("choose(1)", ("down",), group=FLEET),
    *(Key(f"choose_page({by})", (key,), group=FLEET) for key, by in (("pageup", -1), ("pagedown", 1))),
    Key("first", ("home",), "home", "", "The rank on top, whichever that is.", FLEET, "the rank on top"),
    Key("open", ("enter",), "enter", "open", "This rank's own screen, over ssh.", FLEET, "open this rank"),
    Key(
        "order",
        ("o",),
        "o",
        "order",
        "The map by lateness, by name, or by stage.",
        FLEET,
        "the map by lateness, by name, by stage",
    ),
    Key("close", ("escape",), "esc", "runs", "The other runs.", FLEET, "the other runs"),
    Key("app.help", ("f1",), "F1", "help", "This list; any key goes back.", LIST_PAGE),
    Key("app.help", ("question_mark", "f1"), "?", "help", "This list; any key goes back.", PAGES, "help"),
    Key("app.palette", ("ctrl+p",), "ctrl+p", "palette", "Find an action by its name.", PAGES),
    Key("redraw", ("ctrl+l",), "ctrl+l", "", "Draw all of it again, if others wrote here.", PAGES, "draw again"),
    Key("close", ("escape",), "esc", "back", "Go back; so does any key that is not named here.", PAGES, "back"),
)

_ALWAYS_SHOWN = ("app.help", "app.quit", "close")
_LAST_TO_GO = "app.palette"
"""Of the line of keys where it is short: it leads to all others."""


def bindings(*groups: str) -> list[BindingType]:
    """What a screen with these groups of keys gives Textual."""
    from textual.binding import Binding  # noqa: PLC0415 - the line of keys is drawn before Textual is there

    return [
        Binding(pressed, key.action.format(key=pressed), key.label, show=False, priority=key.group == APP)
        for key in KEYS
        if key.group in groups
        for pressed in key.keys
    ]


def pressed_in(*groups: str) -> frozenset[str]:
    """Textual's names of the keys in these groups, and of those that always count."""
    return frozenset(pressed for key in KEYS if key.group in (*groups, APP) for pressed in key.keys)


def group_of(action: str) -> str | None:
    """The group of the watch screen that has an action, by its name without arguments; `None` if none has."""
    return next((k.group for k in KEYS if k.group in GROUPS and k.action.partition("(")[0] == action), None)


def named(groups: Iterable[str]) -> list[tuple[str, str, str]]:
    """What the palette lists: each key that has a name, as a person writes it, its name and its action."""
    wanted = [group for group in HEADINGS if group in (*groups, APP)]
    rows = []
    for key in (k for group in wanted for k in KEYS if k.group == group and k.name):
        for pressed in key.keys if "{key}" in key.name else key.keys[:1]:
            owner = "app." if key.group == APP else ""
            rows.append((written(pressed), key.name.format(key=pressed), owner + key.action.format(key=pressed)))
    return rows


def written(pressed: str) -> str:
    """Textual's name of a key as a person writes it: `question_mark` is `?`."""
    from textual.keys import format_key  # noqa: PLC0415 - as above

    named_otherwise = {"backspace": "backspace", "enter": "enter"}
    return named_otherwise.get(pressed) or format_key(pressed)


def footer(groups: Iterable[str], cells: int) -> Line:
    """As many keys as fit, those of `groups`; help and the way out always."""
    shown = [k for k in KEYS if k.label and k.group in groups]
    while True:
        spans: list[tuple[str, str]] = []
        for key in shown:
            spans += [(f" {key.shown}", "key"), (f" {key.label} ", "label")]
        less = [k for k in shown if k.action not in _ALWAYS_SHOWN]
        if cells_of(tuple(spans)) <= cells or not less:
            return tuple(spans)
        shown.remove(next((key for key in reversed(less) if key.action != _LAST_TO_GO), less[-1]))
