"""A stretch of a run as columns: nothing that sticks out is lost."""

from functools import cache
from itertools import pairwise
from random import Random

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis import chart
from itermon.analysis.chart import ChartColumn, finder, not_resumed
from itermon.analysis.run import Run
from itermon.events import (
    Iteration,
    SpanEnd,
)

WINDOWS = ((0, 19_999, 100), (63, 64, 3), (1_000, 19_998, 7), (64, 127, 1), (5, 5, 80), (3_137, 16_000, 280))


@pytest.mark.parametrize("window", WINDOWS)
def test_no_spike_is_lost_at_any_zoom_and_columns_follow_each_other(window: tuple[int, int, int]) -> None:
    random = Random(3)
    durations = [random.random() + 1 for _ in range(20_000)]
    first, last, columns = window
    made = watched(plain(durations)).chart(first, last, columns)
    assert (made[0].first, made[-1].last) == (first, last)
    assert len(made) <= columns
    assert all(left.last + 1 == right.first for left, right in pairwise(made))
    for column in made:
        assert column.slowest_s == max(durations[column.first : column.last + 1])
        assert column.loss == pytest.approx(3.0)


@cache
def stalled(share: float, count: int = 12_000) -> tuple[list[float], Run]:
    """A run of 0.1 s an iteration, of which a share stalls for two to five times as long."""
    random = Random(11)
    durations = times(count, base_s=0.1, noise=0.03)
    slow = sorted(random.sample(range(100, count), round(share * count)))
    for position in slow:
        durations[position] *= random.uniform(2, 5)
    return durations, watched(plain(durations))


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("span", [100, 700, 12_000])
def test_no_stall_moves_the_band_which_consists_of_times_that_iterations_have(share: float, span: int) -> None:
    durations, run = stalled(share)
    slow = {*run.intake.labels.timing.slow.position}
    for first in (0, 12_000 - span, (12_000 - span) // 3):
        for column in run.chart(first, first + span - 1, 80):
            part = range(column.first, column.last + 1)
            clean = sorted(durations[p] for p in part if p not in slow)
            assert column.spikes == len(part) - len(clean)
            if not clean:
                assert (column.low_s, column.median_s, column.high_s) == (None, None, None)
                continue
            assert {column.low_s, column.median_s, column.high_s} <= {*clean}
            if len(part) <= 128:
                shown = (clean[0], clean[(len(clean) - 1) // 2], clean[-1])
                assert (column.low_s, column.median_s, column.high_s) == shown
            assert clean[-1] < 0.15


def test_the_band_of_many_iterations_leaves_out_the_odd_ones_but_no_level() -> None:
    durations = times(9_000, base_s=0.1, noise=0.01)
    durations[8_000:] = [1.1 * d for d in durations[8_000:]]
    for odd in range(0, 9_000, 199):
        durations[odd] = 0.02  # a batch that was skipped: one in a block
    (whole,) = watched(plain(durations)).chart(0, 8_999, 1)
    assert whole.low_s == pytest.approx(0.097, abs=0.002)
    assert whole.high_s == pytest.approx(0.1125, abs=0.002)


def test_labels_that_change_later_change_the_columns_that_were_drawn_before() -> None:
    durations = [*times(250, base_s=0.1), *times(150, base_s=0.13, seed=2)]
    whole = watched(plain(durations))
    run = watched(plain(durations[:1]))
    seen = []
    for n, duration_s in enumerate(durations[1:], 1):
        run.apply([Iteration(n, duration_s, 3.0)])
        seen.append(run.chart(0, n, 1)[0])
    assert run.chart(0, 399, 2) == whole.chart(0, 399, 2)
    assert max(c.spikes for c in seen) > 5, "slow, as long as the level is the old one"
    assert seen[-1].spikes == 0
    assert seen[-1].high_s == pytest.approx(0.132, abs=0.001)


def test_a_column_says_which_iterations_it_holds_and_what_slowed_the_slowest_first() -> None:
    durations = times(400)
    durations[150] += 1.0
    events = [
        e if not isinstance(e, Iteration) else Iteration(2 * e.index, e.duration_s) for e in plain(durations)
    ]
    events.insert(181, SpanEnd("evaluation", iteration=360, duration_s=5.0))
    run = watched(events)
    first, second, third, fourth = run.chart(0, 399, 4)
    assert [(c.first, c.last) for c in (first, second, third, fourth)] == [
        (0, 99),
        (100, 199),
        (200, 299),
        (300, 399),
    ]
    assert (second.first_index, second.last_index, second.spikes, second.loss) == (200, 398, 2, None)
    assert second.causes == ("unexplained", "evaluation")
    assert (first.spikes, first.causes) == (0, ())
    assert run.chart(180, 180, 10)[0].causes == ("evaluation",)
    assert [(c.first, c.last) for c in run.chart(100, 10_000, 100)][-1] == (397, 399)


def test_there_is_no_chart_of_nothing() -> None:
    run = watched(plain(times(5)))
    assert run.chart(3, 2, 10) == []
    assert run.chart(5, 9, 10) == []
    assert run.chart(0, 4, 0) == []
    assert [c.first for c in run.chart(4, 9, 1)] == [4]


def test_an_evaluation_before_an_iteration_leaves_it_in_the_band() -> None:
    durations = times(200)
    events = plain(durations)
    for position in range(180, 20, -10):
        events.insert(position + 1, SpanEnd("evaluation", iteration=position, duration_s=5.0))
    (column,) = watched(events[1:]).chart(100, 100, 1)
    assert (column.spikes, column.low_s, column.slowest_s) == (1, durations[100], durations[100])


def column(first_index: int, last_index: int) -> ChartColumn:
    return ChartColumn(0, 0, first_index, last_index, None, None, None)


def test_a_column_that_says_no_more_has_no_spikes() -> None:
    assert column(0, 9).spikes == 0


@pytest.mark.parametrize(
    ("columns", "so"),
    [
        ([], True),
        ([(0, 9)], True),
        ([(0, 9), (10, 19)], True),
        ([(0, 9), (9, 19)], False),
        ([(0, 9), (10, 19), (5, 29)], False),
        ([(0, 9), (5, 19), (20, 29)], False),
    ],
)
def test_nothing_is_resumed_where_each_column_begins_behind_the_one_before(
    columns: list[tuple[int, int]], so: bool
) -> None:
    assert not_resumed([column(*ends) for ends in columns]) is so


def test_an_iteration_done_again_is_found_where_it_was_done_last() -> None:
    """0-9, 10-19, 30-39; from a restart 15-24, 25-34; from another 25-26, 27-34."""
    ends = [(0, 9), (10, 19), (30, 39), (15, 24), (25, 34), (25, 26), (27, 34)]
    find = finder([column(*each) for each in ends])
    places = {0: 0, 9: 0, 10: 1, 14: 1, 15: 3, 24: 3, 25: 5, 26: 5, 27: 6, 34: 6, 35: 2, 39: 2}
    assert {index: find(index) for index in places} == places
    assert (find(-1), find(40), finder([])(0)) == (None, None, None)
    assert finder([column(5, 5), column(5, 5)])(5) == 1


@pytest.mark.parametrize(
    ("first", "stop", "columns", "asked", "edges"),
    [
        (5, 26, 10, 3, [5, 8, 12, 16, 20, 24, 26]),
        (4, 24, 5, 4, [4, 8, 12, 16, 20, 24]),
        (0, 41, 5, 9, [0, 12, 24, 36, 41]),
        (7, 8, 5, 1, [7, 8]),
    ],
)
def test_columns_are_whole_blocks_but_for_the_first_and_the_last(
    monkeypatch: pytest.MonkeyPatch, first: int, stop: int, columns: int, asked: int, edges: list[int]
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(chart, "size_for", lambda count: sizes.append(count) or 4)
    assert chart._edges(first, stop, columns) == edges
    assert sizes == [asked]
