"""The keys, as data: they drive what a key does, the footer and the help screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .drawing.lines import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .drawing.lines import Line

WATCH, LOG, REPLAY, ALWAYS = "watch", "log", "replay", "always"
GROUPS = {WATCH: "The chart", LOG: "The log", REPLAY: "A replay", ALWAYS: "Everywhere"}


class Key(msgspec.Struct, frozen=True):
    """One thing a key does. `keys` are Textual's names; `shown` is how a person writes them.

    Without a label it is not in the footer, without a help text its neighbour in the list speaks for it.
    """

    id: str
    keys: tuple[str, ...]
    shown: str = ""
    label: str = ""
    help: str = ""
    group: str = WATCH


KEYS = (
    Key("help", ("question_mark", "f1"), "?", "help", "This list; any key goes back.", ALWAYS),
    Key("pan_left", ("left",), "←→", "pan", "Earlier or later iterations; at the newest they are followed again."),
    Key("pan_right", ("right",)),
    Key(
        "zoom_in", ("plus", "equals_sign"), "+-", "zoom", "Half or twice as many, about the cursor or the newest."
    ),
    Key("zoom_out", ("minus",)),
    Key("scale", ("s",), "s", "scale", "Two bands (the break hides what lies between), linear, logarithmic."),
    Key(
        "previous_spike",
        ("N", "slash"),
        "/",
        "find spike",
        "The newest spike or change of level, then earlier ones, and why.",
    ),
    Key("next_spike", ("n",), "n", "next", "The spike or change of level after the cursor."),
    Key("plan", ("p",), "p", "plan", "What if: another accumulation, batch or cadence: time, cost, tokens."),
    Key("compare", ("c",), "c", "compare", "This run beside the one given with --compare: speed, causes, loss."),
    Key("log", ("l",), "l", "log", "The text of the log, at the cursor's iteration or its end; / searches.", LOG),
    Key("close", ("escape",), "esc", "", "Close the evidence."),
    Key("pause", ("space",), "space", "pause", "Stop the replay's clock, or let it run.", REPLAY),
    Key("step", ("full_stop",), ".", "step", "One iteration further.", REPLAY),
    Key("slower", ("left_square_bracket",), "[]", "speed", "Half or twice as fast.", REPLAY),
    Key("faster", ("right_square_bracket",), group=REPLAY),
    Key("jump", tuple("0123456789"), "0-9", "jump", "To 0 %, 10 % ... 90 % of the recording.", REPLAY),
    Key("redraw", ("ctrl+l",), "ctrl+l", "", "Draw everything again, after something else wrote here.", ALWAYS),
    Key("quit", ("q", "ctrl+c"), "q", "quit", "Leave. The training goes on: nothing here touches it.", ALWAYS),
)


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


def action_of(pressed: str) -> str | None:
    """The id of what a key does."""
    return next((k.id for k in KEYS if pressed in k.keys), None)
