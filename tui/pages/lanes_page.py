"""Which lanes stand over the iterations: all that this source can show, to choose from; kept for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...reports.scalar_words import amount, called
from .list_page import ListPage, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...analysis.findings import Scalar
    from ..drawing.lines import Block
    from ..drawing.theme import Theme

_COLUMNS = {"": 0, "lane": 0, "newest": 1, "least": 2, "most": 2}


class LanesPage(ListPage):
    """A row for each; Enter shows its lane, or takes it away again.

    Args:
        theme: How it looks.
        found: Gives what there is: names with newest, least and most.
        chosen: Gives the names of the lanes that are shown.
        show_or_hide: Shows the lane of a name, or takes it away.
    """

    def __init__(
        self,
        theme: Theme,
        found: Callable[[], Sequence[Scalar]],
        chosen: Callable[[], Sequence[str]],
        show_or_hide: Callable[[str], None],
    ) -> None:
        super().__init__(theme, "lanes over the iterations: enter shows or hides, esc goes back", _COLUMNS)
        self._found_scalars, self._chosen, self._show_or_hide = found, chosen, show_or_hide
        self.empty = "this source gives nothing but times and losses"

    def lines(self, size: tuple[int, int]) -> Block:
        """The rows as they are now."""
        chosen = self._chosen()
        self.rows = [_row(one, shown=one.name in chosen) for one in self._found_scalars()]
        return super().lines(size)

    def take(self, key: str) -> None:
        """Show the lane of this name, or no longer."""
        self._show_or_hide(key)
        self.draw()


def _row(one: Scalar, *, shown: bool) -> Row:
    values = (amount(one.name, value) for value in (one.newest, one.least, one.most))
    mark = ("●", "good") if shown else ("○", "dim")
    return Row(one.name, (mark, (called(one.name), ""), *((value, "label") for value in values)))
