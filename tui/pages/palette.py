"""The palette: every action that the screen below has, by its name, with its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .list_page import ListPage, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..drawing.theme import Theme


class Palette(ListPage):
    """`taken` is the action that was chosen, once the page is gone.

    Args:
        theme: How it looks.
        actions: Key, name and action of each.
    """

    def __init__(self, theme: Theme, actions: Sequence[tuple[str, str, str]]) -> None:
        super().__init__(theme, "what to do", {"key": 0, "action": 0})
        self.rows = [Row(action, ((key, "key"), (name, ""))) for key, name, action in actions]
        self.taken = ""

    def take(self, key: str) -> None:
        """Go back, and do it there."""
        self.taken = key
        self.action_close()
