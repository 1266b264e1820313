"""A lane for anything else that the source sends, or that was measured of the GPUs: those the reader chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.chart_curves import MACHINE
from ...reports.scalar_words import amount, called
from ...reports.scale import whole_band
from .curve import curve, held, over
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart_curves import Curve
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis

_NAME, _VALUE = 9, 11  # cells, at the right of the lane


class ScalarLane(Lane):
    """One curve. A scalar that comes now and then holds its value until the next; what was measured has gaps."""

    smallest = 3
    worth = 4

    def __init__(self, curve_name: str) -> None:
        self.curve_name = curve_name
        self.name = called(curve_name)  # type: ignore[misc]

    def wanted(self, scene: Scene, rows: int) -> int:  # noqa: ARG002 - a lane's signature
        """An eighth of the height."""
        return max(self.smallest, rows // 8)

    def heading(self, scene: Scene, axis: Axis) -> Line:
        """Its name, the newest value where there is no place for it beside the curve, and where there are more."""
        drawn = scene.curve(self.curve_name, axis.columns)
        newest = () if axis.margins.has_figures else ((f" {amount(self.curve_name, drawn.newest)}", "value"),)
        return ((self.name, "title"), *newest, (" · m: more", "dim"))

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """The curve from its least to its greatest value; what the GPUs did from zero on, and each dip in it."""
        drawn = scene.curve(self.curve_name, axis.columns)
        measured = self.curve_name in MACHINE.values()
        right = self._figures(drawn, axis)
        band = whole_band([*drawn.values, *drawn.lows], from_zero=measured)
        if band is None:
            beside = [*right, *[()] * rows]
            return [axis.row((), (), beside[row]) for row in range(rows)]
        dots = curve(axis.grid, drawn.values if measured else held(drawn.values), band, rows, "accent")
        for number, (low, value) in enumerate(zip(drawn.lows, drawn.values, strict=False)):
            if low is not None and value is not None:
                bottom, top = (round(band.share(one) * (4 * rows - 1)) for one in (low, value))
                dots.column(number * axis.grid.dots, bottom, top, "accent")
        lines = over(axis, dots, band, right, say=lambda value: amount(self.curve_name, value))
        if not axis.headed and not axis.margins.has_figures:
            lines[1] = axis.row(((f" {self.name}", "label"),), dots.lines()[1])
        return lines

    def _figures(self, drawn: Curve, axis: Axis) -> Sequence[Line]:
        """The newest, the least and the greatest of all, in a line each."""
        if not axis.margins.has_figures:
            return ()
        named = (("newest", drawn.newest, "value"), ("least", drawn.least, ""), ("most", drawn.most, ""))
        lines: list[Line] = [] if axis.headed else [((f"  {self.name}", "label"),)]
        for name, value, style in named:
            said = amount(self.curve_name, value)
            lines.append(((f"  {name:<{_NAME}}", "label"), (f"{said:>{_VALUE}}", style)))
        return lines


def chosen_lanes(scene: Scene) -> list[Lane]:
    """Those that the reader chose and this source has; without a choice the GPUs' power."""
    return [ScalarLane(name) for name in scene.chosen_curves]
