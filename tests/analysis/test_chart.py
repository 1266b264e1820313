"""A stretch of a run as columns: nothing that sticks out is lost."""

from random import Random

import pytest
from simulated_runs import plain, times, watched

from itermon.events import (
    Iteration,
    SpanEnd,
)


def test_the_chart_keeps_every_extreme_at_every_zoom() -> None:
    random = Random(3)
    durations = [random.random() + 1 for _ in range(70_000)]
    run = watched(plain(durations))
    for first, last, columns in ((0, 69_999, 100), (63, 64, 3), (1_000, 69_998, 7), (64, 127, 1), (5, 5, 80)):
        made = run.chart(first, last, columns)
        assert made[0].first == first
        assert made[-1].last == last
        for column in made:
            part = durations[column.first : column.last + 1]
            assert (column.low_s, column.high_s) == (min(part), max(part))
            assert column.median_s == pytest.approx(sorted(part)[len(part) // 2], abs=0.06)
            assert column.loss == pytest.approx(3.0)


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
