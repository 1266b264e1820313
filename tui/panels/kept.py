"""What the panels drew last: while only the clock moves, those that show no clock stand as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...reports.rows.ledger import StandingRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..drawing.lines import Block
    from ..scene import Scene, Still
    from .panel import Panel, Size
    from .tiling import Placed


class Kept:
    """The panels of one screen: where they stand, and what each has drawn.

    Drawing all of them took 40 ms for a million iterations, twice a second.
    """

    def __init__(self, standing_rows: StandingRows | None = None) -> None:
        self.standing_rows = standing_rows or StandingRows()
        self.placed: Sequence[Placed] = ()
        self._of: tuple[Still, tuple[int, int]] | None = None
        self._drawn: dict[tuple[Panel, Size], Block] = {}

    def holds(self, scene: Scene, size: tuple[int, int]) -> bool:
        """Does what is kept still count? Where not, it is forgotten: the panels have to be placed anew."""
        of, before = (scene.still, size), self._of
        if of == before:
            return True
        self._of = of
        if before is None or before[0].run_alone != of[0].run_alone:
            self._drawn.clear()
        for panel, at in [key for key in self._drawn if key[0].shows_view]:
            del self._drawn[panel, at]
        return False

    def draw(self, panel: Panel, scene: Scene, size: Size) -> Block:
        """What `panel` shows now."""
        if panel.shows_clock:
            return panel.draw(scene, size)
        key = panel, size
        if key not in self._drawn:
            self._drawn[key] = panel.draw(scene, size)
        return self._drawn[key]
