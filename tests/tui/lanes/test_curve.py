"""A curve over the axis: joined values, gaps where none is known, an axis of possible values."""

from __future__ import annotations

from math import inf, nan

from itermon.reports.scale import Band
from itermon.tui.drawing.lines import text
from itermon.tui.lanes.axis import Grid
from itermon.tui.lanes.curve import curve, held


def test_values_are_joined_and_unknown_ones_are_a_gap() -> None:
    dots = curve(Grid.of(8, 4), [0.0, 1.0, None, nan, inf, None, 0.0, 0.0], Band(0.0, 1.0), 1, "loss")
    assert text(dots.lines()[0]) == "\u28f8  \u28c0"


def test_a_value_is_held_until_the_next_one() -> None:
    assert held([None, 1.0, None, 2.0, None]) == [None, 1.0, 1.0, 2.0, 2.0]
