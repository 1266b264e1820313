"""The keys, as data: from this table the screens take their bindings, the footer its words, the help its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from textual.binding import Binding, BindingType

from .drawing.lines import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .drawing.lines import Line

WATCH, LOG, REPLAY, ALWAYS = "watch", "log", "replay", "always"
GROUPS = {WATCH: "The chart", LOG: "The log", REPLAY: "A replay", ALWAYS: "Everywhere"}
"""The groups of the watch screen, with their headings in the help."""

APP = "app"
"""Those that count whatever stands on the screen, before any other."""

TEXT_PAGE, PLAN_PAGE, LOG_PAGE = "text page", "plan page", "log page"
"""Those of the pages: each names its own at its edge."""


class Key(msgspec.Struct, frozen=True):
    """One thing a key does. `keys` are Textual's names; `shown` is how a person writes them.

    `action` is a method of the screen, as Textual writes it; `{key}` in it is the key that was pressed.
    Without a label it is not in the footer, without a help text its neighbour in the list speaks for it.
    """

    action: str
    keys: tuple[str, ...]
    shown: str = ""
    label: str = ""
    help: str = ""
    group: str = WATCH


KEYS = (
    Key("help", ("question_mark", "f1"), "?", "help", "This list; any key goes back.", ALWAYS),
    Key("pan(-1)", ("left",), "←→", "pan", "Earlier or later iterations; at the newest they are followed again."),
    Key("pan(1)", ("right",)),
    Key(
        "zoom(0.5)",
        ("plus", "equals_sign"),
        "+-",
        "zoom",
        "Half or twice as many, about the cursor or the newest.",
    ),
    Key("zoom(2.0)", ("minus",)),
    Key("scale", ("s",), "s", "scale", "Two bands (the break hides what lies between), linear, logarithmic."),
    Key(
        "find_spike(-1)",
        ("N", "slash"),
        "/",
        "find spike",
        "The newest spike or change of level, then earlier ones, and why.",
    ),
    Key("find_spike(1)", ("n",), "n", "next", "The spike or change of level after the cursor."),
    Key("plan", ("p",), "p", "plan", "What if: another accumulation, batch or cadence: time, cost, tokens."),
    Key("compare", ("c",), "c", "compare", "This run next to the one given with --compare: speed, causes, loss."),
    Key("log", ("l",), "l", "log", "The text of the log, at the cursor's iteration or its end; / searches.", LOG),
    Key("close_evidence", ("escape",), "esc", "", "Close the evidence."),
    Key("pause", ("space",), "space", "pause", "Stop the replay's clock, or let it run.", REPLAY),
    Key("step", ("full_stop",), ".", "step", "One iteration further.", REPLAY),
    Key("slower", ("left_square_bracket",), "[]", "speed", "Half or twice as fast.", REPLAY),
    Key("faster", ("right_square_bracket",), group=REPLAY),
    Key("jump({key})", tuple("0123456789"), "0-9", "jump", "To 0 %, 10 % ... 90 % of the recording.", REPLAY),
    Key("redraw", ("ctrl+l",), "ctrl+l", "", "Draw everything again, after something else wrote here.", ALWAYS),
    Key("app.quit", ("q",), "q", "quit", "Leave. The training goes on: nothing here touches it.", ALWAYS),
    Key("quit", ("ctrl+c",), group=APP),
    Key("scroll(-1)", ("up",), "↑↓", "scroll", group=TEXT_PAGE),
    Key("scroll(1)", ("down",), group=TEXT_PAGE),
    Key("scroll_page(-1)", ("pageup",), group=TEXT_PAGE),
    Key("scroll_page(1)", ("pagedown",), group=TEXT_PAGE),
    Key("first", ("home",), group=TEXT_PAGE),
    Key("last", ("end",), group=TEXT_PAGE),
    Key("choose(-1)", ("up",), "↑↓", "choose", group=PLAN_PAGE),
    Key("choose(1)", ("down",), group=PLAN_PAGE),
    Key("halve", ("left",), "←→", "halve, double", group=PLAN_PAGE),
    Key("double", ("right",), group=PLAN_PAGE),
    Key("undo", ("backspace", "delete"), "backspace", "undo", group=PLAN_PAGE),
    Key("close", ("escape",), "esc", "back", group=PLAN_PAGE),
    Key("scroll(-1)", ("up",), "↑↓", "scroll", group=LOG_PAGE),
    Key("scroll(1)", ("down",), group=LOG_PAGE),
    Key("scroll_page(-1)", ("pageup",), group=LOG_PAGE),
    Key("scroll_page(1)", ("pagedown",), group=LOG_PAGE),
    Key("first", ("home",), group=LOG_PAGE),
    Key("begin_search", ("slash",), "/", "find", group=LOG_PAGE),
    Key("find_next", ("n",), "n", "next", group=LOG_PAGE),
    Key("last", ("end",), "end", "follow", group=LOG_PAGE),
)


def bindings(*groups: str) -> list[BindingType]:
    """What a screen with these groups of keys gives Textual."""
    return [
        Binding(pressed, key.action.format(key=pressed), key.label, show=False, priority=key.group == APP)
        for key in KEYS
        if key.group in groups
        for pressed in key.keys
    ]


def pressed_in(group: str) -> frozenset[str]:
    """Textual's names of the keys in a group."""
    return frozenset(pressed for key in KEYS if key.group == group for pressed in key.keys)


def group_of(action: str) -> str | None:
    """The group of the watch screen that has an action, by its name without arguments; `None` if none has."""
    return next((k.group for k in KEYS if k.group in GROUPS and k.action.partition("(")[0] == action), None)


def hint(group: str) -> str:
    """The keys of a page in one line: `↑↓ scroll  / find`."""
    return "  ".join(f"{key.shown} {key.label}" for key in KEYS if key.group == group and key.label)


def footer(groups: Iterable[str], cells: int) -> Line:
    """As many keys as fit, those of `groups`; help and quit always."""
    shown = [k for k in KEYS if k.label and k.group in groups]
    while True:
        spans: list[tuple[str, str]] = []
        for key in shown:
            spans += [(f" {key.shown}", "key"), (f" {key.label} ", "label")]
        if cells_of(tuple(spans)) <= cells or len(shown) <= 2:
            return tuple(spans)
        shown.remove(next(k for k in reversed(shown) if k.group != ALWAYS))
