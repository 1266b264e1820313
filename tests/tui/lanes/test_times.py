"""The timing chart keeps what sticks out, names it, and shows 1 % where it matters."""

import pytest

from itermon.analysis.chart import ChartColumn
from itermon.analysis.findings import Level, Shift
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    UNEXPLAINED,
    WARMUP,
    Witness,
)
from itermon.tui.drawing import lines
from itermon.tui.drawing.scale import (
    LINEAR,
    LOG,
    TWO_BAND,
    band_around,
    nice,
)
from itermon.tui.lanes.axis import Axis, Grid, Margins
from itermon.tui.lanes.times import level_lines, timing_chart


def column(n: int, seconds: float, *causes: str, size: int = 1, high: float | None = None) -> ChartColumn:
    return ChartColumn(
        first=n * size,
        last=n * size + size - 1,
        first_index=n * size,
        last_index=n * size + size - 1,
        low_s=seconds,
        high_s=high or seconds,
        median_s=seconds,
        spikes=1 if causes else 0,
        causes=causes,
    )


def a_run(n: int = 120) -> list[ChartColumn]:
    columns = [column(i, 21.0 + 0.05 * (i % 3 - 1)) for i in range(n)]
    columns[0] = column(0, 44.0, WARMUP)
    columns[50] = column(50, 84.0, EVALUATION_AND_CHECKPOINT)
    columns[90] = column(90, 30.0, UNEXPLAINED)
    return columns


CELLS = 71
LEFT = 9


def axis_of(columns: list[ChartColumn], cells: int = CELLS, *, named: bool = False) -> Axis:
    return Axis(columns, Grid.of(len(columns), cells), Margins(LEFT, 0), names_causes=named)


def texts(
    columns: list[ChartColumn],
    cells: int = CELLS,
    rows: int = 13,
    clean: float = 21.0,
    *,
    named: bool = False,
    **kwargs: object,
) -> list[str]:
    chart = timing_chart(axis_of(columns, cells, named=named), clean, rows, **kwargs)  # type: ignore[arg-type]
    return [lines.text(line) for line in chart]


@pytest.mark.parametrize("size", [(80, 14), (40, 8), (150, 30), (31, 4), (12, 2), (9, 1)])
@pytest.mark.parametrize("scale", [TWO_BAND, LINEAR, LOG])
def test_a_chart_has_exactly_its_size(size: tuple[int, int], scale: str) -> None:
    made = timing_chart(axis_of(a_run(), size[0]), 21.0, size[1], scale=scale)
    assert len(made) == size[1]
    assert {lines.width(line) for line in made} == {LEFT + size[0]}


def test_an_empty_run_is_an_empty_chart() -> None:
    assert {lines.width(line) for line in timing_chart(axis_of([]), None, 8)} == {LEFT + CELLS}
    unknown = ChartColumn(first=0, last=0, first_index=0, last_index=0, low_s=None, high_s=None, median_s=None)
    assert len(timing_chart(axis_of([unknown]), None, 8)) == 8


def test_every_spike_has_its_letter_and_the_slowest_its_seconds() -> None:
    shown = "\n".join(texts(a_run()))
    for mark in ("W 44.0 s", "EC 84.0 s", "? 30.0 s"):
        assert mark in shown


def test_where_lanes_name_the_causes_the_chart_has_only_seconds() -> None:
    shown = "\n".join(texts(a_run(), named=True))
    assert "84.0 s" in shown
    assert not {"W", "E", "C", "?"} & {*shown}


def test_no_spike_is_lost_when_a_column_holds_a_thousand_iterations() -> None:
    columns = [column(i, 0.17, size=1000) for i in range(100)]
    columns[33] = column(33, 0.17, CHECKPOINT, size=1000, high=5.9)
    plot = texts(columns, clean=0.17)
    upper = plot[: next(i for i, t in enumerate(plot) if "╌" in t)]
    marks = [t[LEFT + Grid.of(100, CELLS).cell(33)] for t in upper]
    assert "C" in marks
    assert "█" in marks


def test_one_percent_of_jitter_is_visible_beside_a_spike_of_four_times() -> None:
    columns = [column(i, 21.0 * (1.01 if i % 20 == 10 else 1.0)) for i in range(140)]
    columns[70] = column(70, 84.0, EVALUATION)
    plot = texts(columns, rows=16)
    breaks = next(i for i, t in enumerate(plot) if "╌" in t)
    jitter = {row for row in range(breaks + 1, 15) if plot[row][LEFT + 15] not in " "}
    level = {row for row in range(breaks + 1, 15) if plot[row][LEFT + 2] not in " "}
    assert jitter - level, "1 % above the level stands in another row"


def test_the_band_stands_still_while_the_numbers_breathe() -> None:
    bands = {band_around(a_run(), 21.0 + 0.001 * i) for i in range(10)}
    assert len(bands) == 1


def test_a_change_of_level_has_an_arrow_and_its_figure_where_it_was() -> None:
    columns = [column(i, 21.0 if i < 70 else 23.1) for i in range(120)]
    plot = texts(columns, shifts=(Shift(70, 21.0, 23.1, position=70),))
    (row,) = [line for line in plot if "↑" in line]
    assert row.index("↑ 10.0 %") == LEFT + Grid.of(120, CELLS).cell(70)


def test_an_arrow_finds_its_place_in_the_densest_chart() -> None:
    columns = [column(i, 1.0, size=50, high=3.0) for i in range(140)]
    plot = "".join(texts(columns, rows=6, scale=LINEAR, shifts=(Shift(5_000, 3.0, 1.0, position=5_000),)))
    assert plot.count("↓") == 1


def test_a_change_outside_the_window_has_no_arrow() -> None:
    assert "↑" not in "".join(texts(a_run(), shifts=(Shift(900, 21.0, 23.1, position=900),)))


@pytest.mark.parametrize(("step", "rounded"), [(0.03, 0.05), (1, 1), (1.2, 2), (2.1, 2.5), (7, 10), (260, 500)])
def test_nice_steps(step: float, rounded: float) -> None:
    assert nice(step) == pytest.approx(rounded)


@pytest.mark.parametrize(
    ("witnesses", "shown"),
    [
        ((Witness.PRINTED,), "~1.50 s"),
        ((Witness.RATE, Witness.STAMPS), "1.50 s"),
        ((Witness.HOOKS,), "1.50 s"),
        ((), "1.50 s"),
    ],
)
def test_a_level_of_one_witness_is_marked(witnesses: tuple[Witness, ...], shown: str) -> None:
    (first, *_) = level_lines(Level(1.5, witnesses=witnesses))
    assert lines.text(first).split() == ["usual", *shown.split()]


def test_without_a_level_nothing_is_said_of_it() -> None:
    assert level_lines(Level()) == []
