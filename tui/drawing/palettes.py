"""The colours, by the name of what they are for: on a dark background, on a light one, the terminal's own 16."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events import CAUSES

if TYPE_CHECKING:
    from collections.abc import Mapping


class Palette(msgspec.Struct, frozen=True):
    """Colours as Rich writes them, `background` with them; "" is the terminal's own.

    hues: of the causes, by the colour in their table. The name of a cause is the name of its style.
    """

    background: str
    colours: Mapping[str, str]
    hues: Mapping[str, str]

    def definitions(self) -> dict[str, str]:
        """Of every style."""
        return dict(self.colours) | {cause.name: self.hues[cause.colour] for cause in CAUSES.values()}


DARK = Palette(
    background="#0f1319",
    colours={
        "": "#d5dae1",
        "dim": "#7d8796",
        "label": "#9aa5b5",
        "value": "bold #f2f5f9",
        "border": "#465062",
        "track": "#2b323d",
        "title": "bold #9ecbff",
        "accent": "#79b8ff",
        "good": "#7ee2a8",
        "warn": "#ffcf70",
        "bad": "bold #ff7b7b",
        "key": "bold #9ecbff",
        "chart": "#5fb3f9",
        "axis": "#7d8798",
        "loss": "#b8a5ff",
        "validation": "bold #ffcf70",
        "cursor": "reverse bold #f2f5f9",
    },
    hues={
        "blue": "#5fb3f9",
        "orange": "#ff9e64",
        "violet": "#c3a6ff",
        "yellow": "#ffcf70",
        "lilac": "#e8b4d8",
        "pink": "#ff8fab",
        "green": "#a8d672",
        "red": "bold #ff6b6b",
        "rose": "#f78fd0",
        "grey": "#8b95a7",
        "scarlet": "bold #ff7b7b",
    },
)

LIGHT = Palette(
    background="#fcfcfa",
    colours={
        "": "#24292f",
        "dim": "#656d76",
        "label": "#505861",
        "value": "bold #0b0f14",
        "border": "#b3bcc6",
        "track": "#d8dee4",
        "title": "bold #0550ae",
        "accent": "#0860ca",
        "good": "#17712f",
        "warn": "#8a5a00",
        "bad": "bold #c11f2b",
        "key": "bold #0550ae",
        "chart": "#1d68b5",
        "axis": "#656d76",
        "loss": "#6f42c1",
        "validation": "bold #8a5a00",
        "cursor": "reverse bold #0b0f14",
    },
    hues={
        "blue": "#1d68b5",
        "orange": "#ad4600",
        "violet": "#7a45d8",
        "yellow": "#8a5a00",
        "lilac": "#94407f",
        "pink": "#a82470",
        "green": "#44700d",
        "red": "bold #c11f2b",
        "rose": "#b01f72",
        "grey": "#656d76",
        "scarlet": "bold #c11f2b",
    },
)

ANSI = Palette(
    background="",
    colours={
        "": "",
        "dim": "",
        "label": "",
        "value": "bold",
        "border": "blue",
        "track": "blue",
        "title": "bold cyan",
        "accent": "cyan",
        "good": "green",
        "warn": "yellow",
        "bad": "bold red",
        "key": "bold cyan",
        "chart": "bright_blue",
        "axis": "",
        "loss": "bright_magenta",
        "validation": "bold yellow",
        "cursor": "reverse bold",
    },
    hues={
        "blue": "bright_blue",
        "orange": "red",
        "violet": "magenta",
        "yellow": "yellow",
        "lilac": "bright_magenta",
        "pink": "bright_red",
        "green": "green",
        "red": "bold red",
        "rose": "bright_magenta",
        "grey": "cyan",
        "scarlet": "bold bright_red",
    },
)
"""No grey: bright black is the background of Solarized. Modifiers stay where there is no colour at all."""

PALETTES = {"dark": DARK, "light": LIGHT, "ansi": ANSI}
