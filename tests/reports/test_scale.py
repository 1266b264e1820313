"""The scales: round values, each in its row, in one unit; a range that no spike moves."""

from itertools import pairwise
from math import inf, nan
from random import Random

import pytest

from itermon import words
from itermon.analysis.chart import ChartColumn
from itermon.reports.scale import (
    ROUND_S,
    Band,
    band_around,
    nice,
    round_step,
    round_values,
    settled_band,
    whole,
    whole_band,
)


def column(low_s: float | None, high_s: float | None, slowest_s: float | None) -> ChartColumn:
    return ChartColumn(
        first=0,
        last=9,
        first_index=0,
        last_index=9,
        low_s=low_s,
        high_s=high_s,
        median_s=low_s,
        slowest_s=slowest_s,
    )


@pytest.mark.parametrize(("step", "rounded"), [(0.03, 0.05), (1, 1), (1.2, 2), (2.1, 2.5), (7, 10), (260, 500)])
def test_nice_steps(step: float, rounded: float) -> None:
    assert nice(step) == pytest.approx(rounded)


@pytest.mark.parametrize(
    ("least", "step_s"),
    [(0.03, 0.05), (1, 1), (11, 20), (21, 30), (31, 60), (601, 1_200), (3_601, 7_200), (1e12, 5e5 * 86_400)],
)
def test_round_times_are_those_of_a_clock(least: float, step_s: float) -> None:
    assert round_step(least) == step_s


def bands() -> list[Band]:
    random, made = Random(3), []
    for _ in range(300):
        base_s = 10 ** random.uniform(-7, 5)
        wide = base_s * 10 ** random.uniform(-4, -0.5)
        slowest_s = base_s * 10 ** random.uniform(0.1, 3)
        columns = [column(base_s, base_s + wide, base_s + wide)] * 60 + [column(base_s, base_s + wide, slowest_s)]
        band = band_around(columns, base_s)
        made += [b for b in (band, whole(columns, log=False), whole(columns, log=True)) if b]
    return made


@pytest.mark.parametrize("rows", [3, 5, 9, 40])
def test_the_values_of_an_axis_are_round_apart_and_where_they_stand(rows: int) -> None:
    for band in bands():
        step_s, ticks = band.ticks(rows)
        assert len(ticks) >= 2
        places = [row for row, _ in ticks]
        assert all(below - above >= 2 for below, above in pairwise(places))
        assert step_s in ROUND_S or band.log
        for row, value in ticks:
            dot = round(band.share(value) * (4 * rows - 1))
            assert rows - 1 - dot // 4 == row
            assert band.low * (1 - 1e-9) <= value <= band.high * (1 + 1e-9)
            assert value in ROUND_S if band.log else value == pytest.approx(round(value / step_s) * step_s)


def test_no_two_values_of_an_axis_read_alike_and_each_fits_beside_it() -> None:
    for band in bands():
        step_s, ticks = band.ticks(40)
        shown = [words.axis_duration(v, step_s or v, v if band.log else band.high) for _, v in ticks]
        assert len({*shown}) == len(shown)
        assert max(map(len, shown)) <= 7
        assert band.log or len({text.split()[1] for text in shown}) == 1


@pytest.mark.parametrize("rows", [1, 2])
def test_there_is_no_room_for_the_values_of_so_few_rows(rows: int) -> None:
    assert all(band.ticks(rows)[1] == [] for band in bands())


def test_the_band_holds_the_clean_iterations_and_no_spike_moves_it() -> None:
    calm = [column(0.97 + 0.001 * i, 1.03, 1.03) for i in range(20)]
    band = band_around(calm, 1.0)
    assert band is not None
    assert band.low <= 0.97
    assert 1.03 <= band.high < 1.1
    spikes = [column(c.low_s, c.high_s, 40.0) for c in calm] + [column(None, None, 30.0)]
    assert band_around(spikes, 1.0) == band


def test_where_all_are_slow_the_band_is_theirs() -> None:
    band = band_around([column(None, None, 3.0), column(None, None, 4.0)], None)
    assert band is not None
    assert band.low < 3.0 < 4.0 < band.high
    assert band_around([column(None, None, None)], 1.0) is None
    assert band_around([], 1.0) is None


def test_a_scale_of_everything_begins_at_nothing_or_at_a_round_value() -> None:
    columns = [column(0.2, 0.25, 0.25), column(None, None, 70.0)]
    linear, log = whole(columns, log=False), whole(columns, log=True)
    assert linear is not None
    assert log is not None
    assert (linear.low, linear.high) == (0.0, 80.0)
    assert linear.ticks(12) == (20.0, [(11, 0.0), (8, 20.0), (5, 40.0), (3, 60.0), (0, 80.0)])
    assert (log.low, log.high) == (0.1, 120.0)
    assert [value for _, value in log.ticks(9)[1]] == [0.1, 1.0, 10.0, 60.0]
    assert whole([column(None, None, None)], log=False) is None


@pytest.mark.parametrize(
    ("low", "high", "most", "found"),
    [
        (21.4, 86.3, 1, (60.0, [60.0])),
        (21.4, 86.3, 2, (60.0, [60.0])),
        (21.4, 86.3, 3, (30.0, [30.0, 60.0])),
        (0.11, 0.94, 2, (0.5, [0.5])),
        (0.11, 0.13, 1, (0.02, [0.12])),
        (1.1, 1.15, 1, (0.05, [1.15])),
    ],
)
def test_the_spikes_have_a_round_value_or_a_few(
    low: float, high: float, most: int, found: tuple[float, list[float]]
) -> None:
    step_s, values = round_values(low, high, most)
    assert (step_s, values) == (found[0], pytest.approx(found[1]))


@pytest.mark.parametrize(
    ("most", "high"), [(1.1, 2.0), (2.0, 2.0), (2.02, 2.1), (2.5, 2.5), (2.51, 2.0), (80.0, 2.0)]
)
def test_what_lies_little_further_out_needs_no_axis_of_its_own(most: float, high: float) -> None:
    band = Band(1.0, 2.0, step_s=0.1).reaching(most)
    assert (band.low, band.high, band.step_s) == (1.0, pytest.approx(high), 0.1)


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


def test_marks_far_above_the_curve_widen_it_only_where_they_stay_there() -> None:
    curve = [3.0 - i / 100 for i in range(99)]
    assert settled_band(curve, [9.0, 3.0]) == settled_band(curve, [3.0])
    risen = settled_band(curve, [9.0, 10.0, 12.0])
    assert risen is not None
    assert risen.high >= 12.0


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
