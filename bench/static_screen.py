"""A Textual app that shows one text and nothing else: the least that a screen costs, for `start_screen.py`."""

from __future__ import annotations

import shutil

from textual.app import App, ComposeResult
from textual.widgets import Static

LAST_WORD = "the last word"


class StaticScreen(App[None]):
    """As many cells of text as the terminal has."""

    CSS = "Static { width: 100%; height: 100%; }"

    def compose(self) -> ComposeResult:
        """One text: numbers from edge to edge, so that no cell is blank."""
        columns, rows = shutil.get_terminal_size()
        lines = ["".join(f"{(row * columns + x) % 10}" for x in range(columns)) for row in range(rows)]
        lines[-1] = lines[-1][: -len(LAST_WORD)] + LAST_WORD
        yield Static("\n".join(lines))


if __name__ == "__main__":
    StaticScreen().run()
