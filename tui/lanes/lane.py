"""What a lane is: some rows over the axis of iterations. It says how many it needs, and draws them.

To add one: a module here with a subclass, and its name at its place in `panels/iterations.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis


class Lane(ABC):
    """Some rows of the panel of iterations.

    name: how the reader calls it; it stands in the line above it, where there is one.
    smallest: with fewer rows than this it is not shown.
    worth: where there is no room for all, those of the least worth go first.
    """

    name: ClassVar[str]
    smallest: ClassVar[int]
    worth: ClassVar[int]

    def is_shown(self, scene: Scene) -> bool:  # noqa: ARG002 - for those that are not always
        """Whether it has something to show now.

        Args:
            scene: The findings of this frame, and where the reader looks.

        Returns:
            True unless a lane says otherwise.
        """
        return True

    def wanted(self, scene: Scene, rows: int) -> int:  # noqa: ARG002 - for those that need to know
        """The rows that it makes use of.

        Args:
            scene: As above.
            rows: What there is, for all lanes together.

        Returns:
            At most `rows`; by default all of them, shared with the others that want all.
        """
        return rows

    def heading(self, scene: Scene, axis: Axis) -> Line:  # noqa: ARG002 - for those that say more
        """What stands in the line above it.

        Args:
            scene: As above.
            axis: Where the iterations stand.

        Returns:
            Its name, with its newest figures where `axis` has no room for them beside it.
        """
        return ((self.name, "title"),)

    @abstractmethod
    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """Draw it.

        Args:
            scene: As above.
            axis: Where the iterations stand.
            rows: What it got: at least `smallest`.

        Returns:
            Exactly `rows` lines, made by `axis.row`.

        Raises:
            Nothing: what is not known is a dash. An exception here ends the program, as one of any widget does.
        """
