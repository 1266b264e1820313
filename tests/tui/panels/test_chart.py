"""The timing chart keeps what sticks out, names it, and shows 1 % where it matters."""

import pytest

from itermon.analysis.chart import ChartColumn
from itermon.analysis.findings import Shift
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    UNEXPLAINED,
    WARMUP,
)
from itermon.tui.drawing import lines
from itermon.tui.drawing.scale import (
    LINEAR,
    LOG,
    TWO_BAND,
    band_around,
    nice,
)
from itermon.tui.panels.chart import (
    GUTTER,
    Grid,
    timing_chart,
    wanted_columns,
)


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


def texts(
    columns: list[ChartColumn], width: int = 80, rows: int = 14, clean: float = 21.0, **kwargs: object
) -> list[str]:
    return [lines.text(line) for line in timing_chart(columns, clean, width, rows, **kwargs)]  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(80, 14), (40, 8), (150, 30), (31, 4), (12, 2)])
@pytest.mark.parametrize("scale", [TWO_BAND, LINEAR, LOG])
def test_a_chart_has_exactly_its_size(size: tuple[int, int], scale: str) -> None:
    made = timing_chart(a_run(), 21.0, *size, scale=scale)
    assert len(made) == size[1]
    assert {lines.width(line) for line in made} == {size[0]}


def test_an_empty_run_is_an_empty_chart() -> None:
    assert {lines.width(line) for line in timing_chart([], None, 60, 8)} == {60}
    unknown = ChartColumn(first=0, last=0, first_index=0, last_index=0, low_s=None, high_s=None, median_s=None)
    assert len(timing_chart([unknown], None, 60, 8)) == 8


def test_every_spike_has_its_letter_and_the_slowest_its_seconds() -> None:
    shown = "\n".join(texts(a_run()))
    for mark in ("W 44.0 s", "EC 84.0 s", "? 30.0 s"):
        assert mark in shown


def test_no_spike_is_lost_when_a_column_holds_a_thousand_iterations() -> None:
    columns = [column(i, 0.17, size=1000) for i in range(100)]
    columns[33] = column(33, 0.17, CHECKPOINT, size=1000, high=5.9)
    plot = texts(columns, clean=0.17)
    upper = plot[: next(i for i, t in enumerate(plot) if "╌" in t)]
    marks = [t[GUTTER + Grid.of(100, 80).cell(33)] for t in upper]
    assert "C" in marks
    assert "█" in marks


def test_one_percent_of_jitter_is_visible_beside_a_spike_of_four_times() -> None:
    columns = [column(i, 21.0 * (1.01 if i % 20 == 10 else 1.0)) for i in range(140)]
    columns[70] = column(70, 84.0, EVALUATION)
    plot = texts(columns, rows=16)
    breaks = next(i for i, t in enumerate(plot) if "╌" in t)
    jitter = {row for row in range(breaks + 1, 15) if plot[row][GUTTER + 15] not in " "}
    level = {row for row in range(breaks + 1, 15) if plot[row][GUTTER + 2] not in " "}
    assert jitter - level, "1 % above the level stands in another row"


def test_the_band_stands_still_while_the_numbers_breathe() -> None:
    bands = {band_around(a_run(), 21.0 + 0.001 * i) for i in range(10)}
    assert len(bands) == 1


def test_the_axis_names_round_iterations_where_they_are() -> None:
    columns = [column(i, 1.0, size=10) for i in range(100)]
    axis = texts(columns)[-1]
    assert axis[GUTTER] == "0"
    grid = Grid.of(100, 80)
    number = next(w for w in axis.split() if w != "0")
    assert axis.index(number) - GUTTER == grid.cell(int(number.replace(",", "")) // 10)


def test_the_axis_of_a_log_that_prints_every_hundredth_has_numbers() -> None:
    columns = [
        ChartColumn(first=i, last=i, first_index=i * 100, last_index=i * 100, low_s=1, high_s=1, median_s=1)
        for i in range(60)
    ]
    assert len(texts(columns)[-1].split()) >= 3


def test_a_resumed_run_has_its_numbers_twice() -> None:
    columns = [column(i, 1.0) for i in [*range(60), *range(30, 90)]]
    numbers = texts(columns, width=140)[-1].split()
    assert len(numbers) > len(set(numbers)) or sorted(map(int, numbers)) != list(map(int, numbers))


def test_a_change_of_level_has_an_arrow_and_its_figure_where_it_was() -> None:
    columns = [column(i, 21.0 if i < 70 else 23.1) for i in range(120)]
    plot = texts(columns, shifts=(Shift(70, 21.0, 23.1, position=70),))
    (row,) = [line for line in plot if "↑" in line]
    assert row.index("↑ 10.0 %") == GUTTER + Grid.of(120, 80).cell(70)


def test_an_arrow_finds_its_place_in_the_densest_chart() -> None:
    columns = [column(i, 1.0, size=50, high=3.0) for i in range(140)]
    plot = "".join(texts(columns, rows=6, scale=LINEAR, shifts=(Shift(5_000, 3.0, 1.0, position=5_000),)))
    assert plot.count("↓") == 1


def test_a_change_outside_the_window_has_no_arrow() -> None:
    assert "↑" not in "".join(texts(a_run(), shifts=(Shift(900, 21.0, 23.1, position=900),)))


def test_the_cursor_stands_under_its_column() -> None:
    axis = texts(a_run(), cursor=50)[-1]
    assert axis.index("▲") == GUTTER + Grid.of(120, 80).cell(50)


def test_few_iterations_fill_the_width() -> None:
    assert Grid.of(10, 80).cell(9) >= 60
    assert wanted_columns(80) == 2 * (80 - GUTTER)


@pytest.mark.parametrize(("step", "rounded"), [(0.03, 0.05), (1, 1), (1.2, 2), (2.1, 2.5), (7, 10), (260, 500)])
def test_nice_steps(step: float, rounded: float) -> None:
    assert nice(step) == pytest.approx(rounded)
