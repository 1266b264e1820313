"""A curve over the axis: joined values, gaps where none is known, an axis of possible values."""

from __future__ import annotations

from math import inf, nan

import pytest

from itermon.reports.scale import Band
from itermon.tui.drawing.lines import text
from itermon.tui.lanes.axis import Grid
from itermon.tui.lanes.curve import curve, held, settled_band, whole_band


def test_values_are_joined_and_unknown_ones_are_a_gap() -> None:
    dots = curve(Grid.of(8, 4), [0.0, 1.0, None, nan, inf, None, 0.0, 0.0], Band(0.0, 1.0), 1, "loss")
    assert text(dots.lines()[0]) == "\u28f8  \u28c0"


def test_what_is_never_negative_has_an_axis_that_is_not() -> None:
    band = settled_band([0.001, 0.5, 0.9])
    assert band is not None
    assert band.low >= 0


def test_a_reward_may_be_negative() -> None:
    band = settled_band([-3.0, -1.0])
    assert band is not None
    assert band.low < -3.0


def test_the_fall_at_the_beginning_does_not_flatten_the_rest() -> None:
    band = settled_band([100.0, *[3.0 - i / 100 for i in range(99)]])
    assert band is not None
    assert band.high < 4


@pytest.mark.parametrize("values", [[], [None], [nan, inf]])
def test_without_values_there_is_no_band(values: list[float | None]) -> None:
    assert settled_band(values) is None


def test_a_whole_band_ends_at_values_that_there_were_or_at_zero() -> None:
    assert whole_band([0.25, None, 1.0, float("nan")]) == Band(0.25, 1.0)
    assert whole_band([600.0, 700.0], from_zero=True) == Band(0.0, 700.0)
    assert whole_band([-2.0, -2.0]) == Band(-2.0, 0.0)
    assert whole_band([0.5]) == Band(0.0, 0.5)
    assert whole_band([0.0]) == Band(0.0, 1.0)
    assert whole_band([None]) is None


def test_a_value_is_held_until_the_next_one() -> None:
    assert held([None, 1.0, None, 2.0, None]) == [None, 1.0, 1.0, 2.0, 2.0]
