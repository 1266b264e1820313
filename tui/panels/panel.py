"""What a panel is: a rectangle of the watch screen. It says how much room it needs, and draws itself.

To add one: a module here with a subclass, and its name at its place in `layout.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ..drawing.lines import block, fit, width

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
    fills_what_is_left: it stands only where its neighbours leave room, and never alone.
    shows_view: it draws from what the reader looks at too; the others from the whole run.
    shows_clock: it draws from `found.now`, `found.eta`, the verdict's headline or the time too; the others only
        from what has happened.
    """

    name: ClassVar[str]
    smallest: ClassVar[Size]
    worth: ClassVar[int]
    fills_what_is_left: ClassVar[bool] = False
    shows_view: ClassVar[bool] = True
    shows_clock: ClassVar[bool] = False

    def knows(self, scene: Scene) -> bool:  # noqa: ARG002 - for those that may not
        """Whether it has any value to show; without one a line with the reason does.

        Args:
            scene: The findings of this frame, and where the reader looks.
        """
        return True

    def is_worth_enlarging(self, scene: Scene) -> bool:  # noqa: ARG002 - for those that may not be
        """Whether it may have the screen to itself: it has a value to show, or in full why there is none.

        Args:
            scene: As above.
        """
        return True

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


class Boxed(Panel):
    """Another panel, at the side of the chart, while it knows anything."""

    def __init__(self, panel: Panel, columns: int) -> None:
        self._panel, self._columns = panel, columns
        self.name, self.worth = panel.name, panel.worth  # type: ignore[misc]
        self.fills_what_is_left = panel.fills_what_is_left  # type: ignore[misc]
        self.shows_view = panel.shows_view  # type: ignore[misc]
        self.smallest = Size(columns, panel.smallest.rows)  # type: ignore[misc]

    def is_shown(self, scene: Scene) -> bool:
        """While it knows anything."""
        return self._panel.is_shown(scene) and self._panel.knows(scene)

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its own rows, in the width of the side."""
        columns = min(self._columns, space.columns)
        return Size(columns, self._panel.wanted(scene, Size(columns, space.rows)).rows)

    def draw(self, scene: Scene, size: Size) -> Block:
        """The panel."""
        return self._panel.draw(scene, size)


class AsLine(Panel):
    """Another panel, in one line, while it knows anything."""

    smallest = Size(1, 1)

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self.name, self.worth = panel.name, panel.worth  # type: ignore[misc]

    def is_shown(self, scene: Scene) -> bool:
        """While it knows anything."""
        return self._panel.knows(scene)

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """One line."""
        return Size(space.columns, 1)

    def draw(self, scene: Scene, size: Size) -> Block:
        """The panel's line."""
        return block([self._panel.line(scene, size.columns)], *size)


class NotKnown(Panel):
    """What other panels do not know, in one line for all: why, and nothing where each knows something."""

    name = "not known"
    smallest = Size(1, 1)
    worth = 5

    def __init__(self, *panels: Panel) -> None:
        self._panels = panels

    def is_shown(self, scene: Scene) -> bool:
        """While any of them knows nothing; before the first iteration the verdict says what is awaited."""
        return scene.has_iterations and not all(panel.knows(scene) for panel in self._panels)

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """One line."""
        return Size(space.columns, 1)

    def draw(self, scene: Scene, size: Size) -> Block:
        """Their lines, one after the other."""
        silent = [panel for panel in self._panels if not panel.knows(scene)]
        *before, last = [panel.line(scene, size.columns // len(silent)) for panel in silent]
        cells = max(0, size.columns - sum(map(width, before)) - len(before))
        line = tuple(span for one in before for span in (*one, (" ", "")))
        return block([(*line, *fit(last, cells))], *size)
