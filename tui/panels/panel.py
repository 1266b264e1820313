"""What a panel is: a rectangle of the watch screen. It says how much room it needs, and draws itself.

To add one: a module here with a subclass, and its name at its place in `layout.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ..drawing.lines import block

if TYPE_CHECKING:
    from ..drawing.lines import Block, Line
    from ..scene import Scene


class Size(NamedTuple):
    """Cells of the terminal, a panel's frame included."""

    columns: int
    rows: int


class Panel(ABC):
    """One rectangle of the watch screen.

    name: how the reader calls it; it stands in the frame.
    smallest: with less than this it is not shown.
    worth: where there is no room for all, those of the least worth go first.
    """

    name: ClassVar[str]
    smallest: ClassVar[Size]
    worth: ClassVar[int]

    def is_shown(self, scene: Scene) -> bool:  # noqa: ARG002 - for those that are not always
        """Whether it has something to show now.

        Args:
            scene: The findings of this frame, and where the reader looks.

        Returns:
            True unless a panel says otherwise: what is not known is shown as a reason, not as a gap.
        """
        return True

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - for those that need to know
        """The size that it makes use of.

        Args:
            scene: As above.
            space: What there is, for this panel and its neighbours together.

        Returns:
            At most `space`. In a direction where it wants all of it, it shares with the others that do;
            by default it does in both.
        """
        return space

    @abstractmethod
    def draw(self, scene: Scene, size: Size) -> Block:
        """Draw it, its frame included.

        Args:
            scene: As above.
            size: What it got: at least `smallest`, unless it stands alone.

        Returns:
            Exactly `size.rows` lines of `size.columns` cells.
        """

    def line(self, scene: Scene, columns: int) -> Line:
        """All of it in one line, for a screen without room for its rectangle.

        Args:
            scene: As above.
            columns: The cells there are; a longer line is cut.

        Raises:
            NotImplementedError: It has no such line, and is not placed as one.
        """
        raise NotImplementedError(f"{self.name} cannot be a line: {scene.found.name}, {columns} columns")


class AsLine(Panel):
    """Another panel, in one line."""

    smallest = Size(1, 1)

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self.name, self.worth = panel.name, panel.worth  # type: ignore[misc]

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """One line."""
        return Size(space.columns, 1)

    def draw(self, scene: Scene, size: Size) -> Block:
        """The panel's line."""
        return block([self._panel.line(scene, size.columns)], *size)


def side_columns(space: Size) -> int:
    """The width of a panel at the side of the chart, by that of the screen; within that side all of it."""
    if space.columns <= 44:
        return space.columns
    return 36 if space.columns < 160 else 44


def lower_size(space: Size) -> Size:
    """The size of the panels under the chart: a third of the height, within reason."""
    return Size(space.columns, max(8, min(14, space.rows // 3)))
