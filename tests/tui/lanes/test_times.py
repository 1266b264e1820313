"""The timing chart keeps what sticks out, names it, and shows 1 % where it matters."""

import re
from random import Random

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis.chart import ChartColumn
from itermon.analysis.findings import Findings, Level, Shift
from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    UNEXPLAINED,
    WARMUP,
    ClockKind,
    Iteration,
    RunInfo,
    Witness,
)
from itermon.reports.scale import (
    LINEAR,
    LOG,
    TWO_BAND,
    band_around,
)
from itermon.tui.drawing import lines
from itermon.tui.lanes.axis import Axis, Grid, Margins
from itermon.tui.lanes.times import TimesLane, level_lines, timing_chart
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View


def column(n: int, seconds: float, *causes: str, size: int = 1, high: float | None = None) -> ChartColumn:
    clean = None if causes and size == 1 else seconds
    return ChartColumn(
        first=n * size,
        last=n * size + size - 1,
        first_index=n * size,
        last_index=n * size + size - 1,
        low_s=clean,
        high_s=clean,
        median_s=clean,
        slowest_s=high or seconds,
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


def dots_of(line: str, column: int) -> set[int]:
    """Which of the four rows of dots of a cell are set in a dot column, 0 is the lowest."""
    cell = ord(line[LEFT + column // 2]) - 0x2800
    bits = (0x40, 0x04, 0x02, 0x01) if column % 2 == 0 else (0x80, 0x20, 0x10, 0x08)
    return {row for row, bit in enumerate(bits) if cell > 0 and cell & bit}


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("count", [120, 300, 2_500])
def test_the_band_shows_no_time_that_no_iteration_of_the_column_has(share: float, count: int) -> None:
    random = Random(4)
    durations = times(count, base_s=0.1, noise=0.02)
    for position in random.sample(range(70, count), round(share * count)):
        durations[position] *= random.uniform(2, 5)
    run = watched(plain(durations))
    columns = run.chart(0, count - 1, 2 * CELLS)
    band, rows = band_around(columns, 0.1), 13
    assert band is not None
    assert band.high < 0.15
    plot = texts(columns, rows=rows, clean=0.1)
    lower = plot[next(i for i, t in enumerate(plot) if "╌" in t) + 1 :]
    slow, top = {*run.intake.labels.timing.slow.position}, 4 * len(lower) - 1
    for number, column in enumerate(columns):
        drawn = {4 * (len(lower) - 1 - r) + dot for r, line in enumerate(lower) for dot in dots_of(line, number)}
        part = {p: round(band.share(durations[p]) * top) for p in range(column.first, column.last + 1)}
        clean = {dot for p, dot in part.items() if p not in slow}
        if clean and column.first < column.last:
            assert {min(drawn), max(drawn)} <= clean
        elif clean:  # joined to the one before
            assert clean <= {min(drawn), max(drawn)}
        else:
            assert drawn == {*range(max(part.values()) + 1)}


def test_a_spike_stands_behind_the_clean_iterations_where_there_is_no_break() -> None:
    columns = [column(i, 1.0, size=10) for i in range(100)]
    columns[40] = column(40, 1.0, CHECKPOINT, size=10, high=8.0)
    for scale in (LINEAR, LOG):
        plot = texts(columns, clean=1.0, scale=scale, named=True)
        reach = [i for i, line in enumerate(plot) if dots_of(line, 40)]
        others = {i for i, line in enumerate(plot) for n in (10, 60) if dots_of(line, n)}
        assert len(others) == 1
        assert reach == [*range(reach[0], max(others) + 1)]
        assert len(reach) > 5
        assert "8.00 s" in plot[reach[0] - 1]


def test_few_iterations_are_drawn_at_their_own_times_and_joined() -> None:
    plot = texts([column(i, 1.0 + 0.1 * (i % 2)) for i in range(10)], clean=1.0)
    runs = [[r for r, line in enumerate(plot) if dots_of(line, x)] for x in range(3 * Grid.of(10, CELLS).dots)]
    dots = Grid.of(10, CELLS).dots
    assert len({tuple(r) for r in runs[1:dots]}) == 1
    assert runs[2 * dots + 1] == runs[1] != runs[dots + 1]
    assert {len(r) for x, r in enumerate(runs) if x % dots} == {1}
    assert len(runs[dots]) > 3, "joined"


@pytest.mark.parametrize("scale", [TWO_BAND, LINEAR, LOG])
@pytest.mark.parametrize("named", [True, False])
def test_the_seconds_of_two_spikes_never_touch_and_the_slowest_have_theirs(scale: str, named: bool) -> None:
    for seed in range(20):
        random = Random(seed)
        columns = [column(i, 0.1, size=9) for i in range(2 * CELLS)]
        for n in random.sample(range(2 * CELLS), 25):
            columns[n] = column(n, 0.1, CHECKPOINT, size=9, high=0.5 + random.random() / 4)
        plot = texts(columns, clean=0.1, scale=scale, named=named)
        said = [m.group() for line in plot for m in re.finditer(r"[^ ]+( ms)+[^ ]*", line[LEFT:])]
        assert all(re.fullmatch(r"\d+ ms", text) for text in said)
        slowest = max(c.slowest_s for c in columns if c.slowest_s)
        assert not named or f"{1e3 * slowest:.0f} ms" in said


def test_a_spike_at_the_right_end_has_its_seconds_at_its_left() -> None:
    columns = [column(i, 1.0) for i in range(2 * CELLS)]
    columns[-1] = column(2 * CELLS - 1, 9.0, CHECKPOINT)
    assert texts(columns, clean=1.0, named=True)[0].endswith("9.00 s")


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
    (first, *_) = level_lines(Findings(level=Level(1.5, witnesses=witnesses)))
    assert lines.text(first).split() == ["usual", *shown.split()]


def test_without_a_level_nothing_is_said_of_it() -> None:
    assert level_lines(Findings()) == []


@pytest.mark.parametrize(
    ("means", "width", "said"),
    [
        ([1] * 40, 120, "iteration time"),
        ([50] * 40, 120, "iteration time · each the mean of 50 iterations"),
        ([14, 15, 15, 16] * 10, 120, "iteration time · each the mean of about 15 iterations"),
        ([50] * 40, 50, "iteration time · means of 50 · 1.00 s"),
    ],
)
def test_values_that_are_means_say_so(means: list[int], width: int, said: str) -> None:
    run = Run()
    run.apply([Iteration(15 * n, 1.0, averaged_over=over) for n, over in enumerate(means)])
    scene = Scene(run, run.findings(), Standing(), View())
    assert lines.text(TimesLane().heading(scene, Axis.of(scene, width))).replace("~", "") == said
    near = Scene(run, run.findings(), Standing(), View(span=20))
    noun = "iterations" if means[0] == 1 else "values"
    assert f" · 20 {noun}" in lines.text(TimesLane().heading(near, Axis.of(near, width)))


@pytest.mark.parametrize(("named", "said"), [(True, ["1.20 s"]), (False, ["1.10 s", "1.20 s"])])
def test_seconds_in_a_chart_without_a_break_are_of_iterations_that_are_slow_themselves(
    named: bool, said: list[str]
) -> None:
    columns = [column(i, 1.0, size=9) for i in range(100)]
    before = column(30, 1.1, EVALUATION, size=9)  # an evaluation stood before one of them
    columns[30], columns[60] = before, column(60, 1.0, EVALUATION, size=9, high=1.2)
    plot = texts(columns, clean=1.0, named=named, scale=LINEAR)
    assert sorted(re.findall(r"\d\.\d\d s", "".join(line[LEFT:] for line in plot))) == said


@pytest.mark.parametrize("width", [80, 120])
def test_times_that_a_clock_contradicts_are_not_drawn(width: int) -> None:
    run = Run()
    head = RunInfo(clock=ClockKind.LOG)
    run.apply([head, *(Iteration(50 * n, 2.0, 3.0, at_s=1e9 + 9.0 * n) for n in range(1, 200))])
    scene = Scene(run, run.findings(), Standing(), View())
    assert TimesLane().wanted(scene, 20) == 4, "the losses have the others"
    assert TimesLane().wanted(Scene(run, Findings(), Standing(), View()), 20) == 20
    axis = Axis.of(scene, width)
    assert lines.text(TimesLane().heading(scene, axis)) == "iteration time · not known"
    drawn = [lines.text(line).strip(" ┊") for line in TimesLane().draw(scene, axis, 9)]
    assert len(drawn) == 9
    said = " ".join(filter(None, drawn))
    assert said.startswith("No time is sure: the printed times, taken for all iterations, add up to ")
    assert said.endswith(".")
