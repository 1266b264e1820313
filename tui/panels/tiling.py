"""Divides the screen among panels: below each other, next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..drawing.sharing import Need, share_out
from .panel import Panel, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..scene import Scene


class Rect(NamedTuple):
    """A part of the screen: its left column, its top row, its size."""

    x: int
    y: int
    size: Size


class Placed(NamedTuple):
    """A panel and where it stands."""

    panel: Panel
    rect: Rect


class Group:
    """Parts that share a rectangle. It needs what its worthiest part needs: the others may go."""

    smallest: Size
    worth: int
    fills_what_is_left = False

    def __init__(self, *parts: Part) -> None:
        self.parts = parts
        worthiest = max(parts, key=lambda part: part.worth)
        self.smallest, self.worth = worthiest.smallest, worthiest.worth

    def shown(self, scene: Scene) -> list[Part]:
        """Those that have something to show."""
        return [part for part in self.parts if part.is_shown(scene)]

    def is_shown(self, scene: Scene) -> bool:
        """Whether any of them has; one that only fills what others leave needs another beside it."""
        return not all(part.fills_what_is_left for part in self.shown(scene))

    def wanted(self, scene: Scene, space: Size) -> Size:
        """What they make use of together, at most `space`."""
        raise NotImplementedError

    def place(self, scene: Scene, rect: Rect) -> Iterator[Placed]:
        """Each panel with its rectangle."""
        raise NotImplementedError


class Stack(Group):
    """Below each other, the first on top."""

    def wanted(self, scene: Scene, space: Size) -> Size:
        """The columns of the widest, the rows of all."""
        wanted = [part.wanted(scene, space) for part in self.shown(scene)]
        return Size(max(w.columns for w in wanted), min(space.rows, sum(w.rows for w in wanted)))

    def place(self, scene: Scene, rect: Rect) -> Iterator[Placed]:
        """Each with the full width."""
        space, y = rect.size, rect.y
        wanted = {part: part.wanted(scene, space).rows for part in self.shown(scene)}
        taken = sum(rows for part, rows in wanted.items() if not part.fills_what_is_left)
        shown = [p for p in wanted if not p.fills_what_is_left or taken + p.smallest.rows <= space.rows]
        needs = [Need(part.smallest.rows, _unless_all(wanted[part], space.rows), part.worth) for part in shown]
        for part, rows in zip(shown, share_out(space.rows, needs), strict=True):
            if rows:
                yield from _place(part, scene, Rect(rect.x, y, Size(space.columns, rows)))
            y += rows


class Row(Group):
    """Next to each other, the first at the left."""

    def wanted(self, scene: Scene, space: Size) -> Size:
        """The columns of all, the rows of the tallest."""
        wanted = [part.wanted(scene, space) for part in self.shown(scene)]
        return Size(min(space.columns, sum(w.columns for w in wanted)), max(w.rows for w in wanted))

    def place(self, scene: Scene, rect: Rect) -> Iterator[Placed]:
        """Each with the full height."""
        space, x = rect.size, rect.x
        needs = [
            Need(part.smallest.columns, _unless_all(part.wanted(scene, space).columns, space.columns), part.worth)
            for part in self.shown(scene)
        ]
        for part, columns in zip(self.shown(scene), share_out(space.columns, needs), strict=True):
            if columns:
                yield from _place(part, scene, Rect(x, rect.y, Size(columns, space.rows)))
            x += columns


Part = Panel | Group


def _place(part: Part, scene: Scene, rect: Rect) -> Iterator[Placed]:
    if isinstance(part, Panel):
        yield Placed(part, rect)
    else:
        yield from part.place(scene, rect)


def _unless_all(wanted: int, space: int) -> int | None:
    return None if wanted >= space else wanted
