"""The one axis: where iterations stand, what is left and right of them, and the cursor through all lanes."""

from __future__ import annotations

import pytest

from itermon.analysis.chart import ChartColumn
from itermon.tui.drawing.lines import text, width
from itermon.tui.lanes.axis import Axis, Grid, Margins


def columns(*starts: int, size: int = 1) -> list[ChartColumn]:
    return [
        ChartColumn(
            first=at * size,
            last=at * size + size - 1,
            first_index=at * size,
            last_index=at * size + size - 1,
            low_s=1.0,
            high_s=1.0,
            median_s=1.0,
        )
        for at in starts
    ]


def axis_of(shown: list[ChartColumn], cells: int = 71, cursor: int | None = None) -> Axis:
    grid = Grid.of(len(shown), cells)
    return Axis(shown, grid, Margins(9, 5), None if cursor is None else grid.cell(cursor))


def test_the_axis_names_round_iterations_where_they_are() -> None:
    axis = axis_of(columns(*range(100), size=10))
    numbers = text(axis.iterations())
    assert numbers[9] == "0"
    number = next(w for w in numbers.split() if w != "0")
    assert numbers.index(number) - 9 == axis.grid.cell(int(number.replace(",", "")) // 10)


def test_the_axis_of_a_log_that_prints_every_hundredth_has_numbers() -> None:
    shown = [
        ChartColumn(first=i, last=i, first_index=i * 100, last_index=i * 100, low_s=1, high_s=1, median_s=1)
        for i in range(60)
    ]
    assert len(text(axis_of(shown).iterations()).split()) >= 3


@pytest.mark.parametrize(("first", "count"), [(1, 49), (0, 1), (3, 2), (7, 20), (49_987, 60)])
def test_a_few_iterations_have_a_number_too(first: int, count: int) -> None:
    numbers = text(axis_of(columns(*range(first, first + count)), cells=40).iterations()).split()
    assert numbers
    assert all(first <= int(number.replace(",", "")) < first + count for number in numbers)


def test_a_resumed_run_has_its_numbers_twice() -> None:
    numbers = text(axis_of(columns(*range(60), *range(30, 90)), cells=131).iterations()).split()
    assert len(numbers) > len(set(numbers)) or sorted(map(int, numbers)) != list(map(int, numbers))


def test_the_cursor_stands_under_its_column() -> None:
    axis = axis_of(columns(*range(120)), cursor=50)
    assert text(axis.iterations()).index("▲") == 9 + axis.grid.cell(50)


def test_the_cursor_goes_through_every_lane_and_hides_nothing() -> None:
    axis = axis_of(columns(*range(71)), cursor=30)
    blank, drawn = axis.row((), ()), axis.row((), (("━" * 71, "training"),))
    assert text(blank)[9 + 30] == "│"
    assert text(drawn)[9 + 30] == "━"
    assert [part for part, style in drawn if style == "value"] == ["━"]
    assert {width(blank), width(drawn)} == {9 + 71 + 5}


def test_few_iterations_fill_the_width() -> None:
    assert Grid.of(10, 71).cell(9) >= 60


@pytest.mark.parametrize("width", [38, 47, 48, 71, 72, 78, 198])
def test_margins_leave_most_of_the_width_to_the_lanes(width: int) -> None:
    margins = Margins.of(width)
    assert sum(margins) <= 0.53 * width
    assert (margins.right > 0) == (width >= 48)
    assert margins.has_figures == (width >= 72)
