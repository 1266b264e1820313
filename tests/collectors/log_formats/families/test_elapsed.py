"""Iterations timed by a coarse clock: rows wait until it has moved on by twenty of its smallest steps."""

import pytest

from itermon.collectors.log_formats.families.elapsed import (
    ElapsedParser,
    clock_seconds,
    resolution,
    spoken_resolution,
    spoken_seconds,
)
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.events import Iteration, Message, Witness


def told(rows, resolution_s=1.0):
    parser = ElapsedParser()
    events = [
        event
        for index, elapsed_s in rows
        for event in parser.timed({"iteration": float(index)}, LogLine("", None), elapsed_s, resolution_s)
    ]
    return [
        (i.index, i.duration_s, i.averaged_over) for i in [*events, *parser.release()] if isinstance(i, Iteration)
    ]


def test_the_last_row_of_a_window_has_the_mean_of_all():
    rows = [(1, 1.0), (2, 1.0), (3, 2.0), (41, 21.0), (42, 22.0)]
    assert told(rows) == [(1, None, 1), (2, None, 0), (3, None, 0), (41, 0.5, 40), (42, None, 1)]


def test_an_exact_clock_times_each_row():
    assert told([(1, 1.0), (2, 1.5), (4, 2.5)], 0.0) == [(1, None, 1), (2, 0.5, 1), (4, 0.5, 2)]


def test_a_clock_or_a_counter_that_begins_again_ends_the_window_without_a_time():
    assert told([(1, 5.0), (2, 6.0), (3, 1.0), (4, 31.0)]) == [
        (1, None, 1),
        (2, None, 1),
        (3, None, 1),
        (4, 30.0, 1),
    ]
    assert told([(7, 5.0), (8, 6.0), (1, 7.0), (2, 37.0)]) == [
        (7, None, 1),
        (8, None, 1),
        (1, None, 1),
        (2, 30.0, 1),
    ]


def test_rows_without_the_clock_wait_for_one_that_has_it():
    assert told([(1, 5.0), (2, None), (3, 35.0)]) == [(1, None, 1), (2, None, 0), (3, 15.0, 2)]
    assert told([(1, None), (2, None)]) == [(1, None, 1), (2, None, 1)]


def test_rows_never_wait_without_end():
    assert len(told([(n, n / 1e6) for n in range(2500)])) == 2500
    parser = ElapsedParser()
    kept = 0
    for n in range(5000):
        parser.timed({"iteration": float(n)}, LogLine("", None), 1.0, 1.0)
        kept = max(kept, len(parser._held))
    assert kept < 1001


def test_such_a_time_says_what_it_rests_on():
    parser = ElapsedParser()
    parser.timed({"iteration": 1.0}, LogLine("", None), 1.0)
    (one,) = parser.timed({"iteration": 2.0}, LogLine("", None), 3.0)
    assert one.witness is Witness.ELAPSED


@pytest.mark.parametrize(
    ("text", "seconds", "step"),
    [
        ("50.1ms", 0.0501, 1e-4),
        ("1.25s", 1.25, 0.01),
        ("1m 2s", 62.0, 1.0),
        ("1d 2h 3m 4s", 93_784.0, 1.0),
        ("2 minutes and 3.5 seconds", 123.5, 0.1),
        ("1 hour, 2 minutes and 3.25 seconds", 3723.25, 0.01),
        ("823us", 823e-6, 1e-6),
        ("2 days", 172_800.0, 86_400.0),
        ("3h", 10_800.0, 3_600.0),
        ("5 min", 300.0, 60.0),
        ("1m" + " " * 197 + "2s", 60.0, 60.0),  # a time stands in two hundred characters
        ("1m" + " " * 196 + "2s", 62.0, 1.0),
        ("soon", None, 1.0),
    ],
)
def test_a_spoken_time_and_its_smallest_step(text, seconds, step):
    assert spoken_seconds(text) == (None if seconds is None else pytest.approx(seconds))
    assert spoken_resolution(text) == pytest.approx(step)


def test_a_clock_and_the_smallest_step_of_a_number():
    assert [clock_seconds(text) for text in ("02:40", "1:02:40", "x:1")] == [160.0, 3760.0, None]
    assert [resolution(text) for text in ("12", "1.25", "1.23e+03", "nan")] == [1.0, 0.01, 10.0, 1.0]


def test_a_window_is_twenty_of_the_smallest_steps():
    assert told([(1, 1.0), (2, 20.0), (3, 21.0)]) == [(1, None, 1), (2, None, 0), (3, 10.0, 2)]
    assert told([(1, 1.0), (2, 21.0), (3, 22.0)]) == [(1, None, 1), (2, 20.0, 1), (3, None, 1)]


def test_a_clock_may_step_back_by_its_smallest_step():
    assert told([(1, 10.0), (2, 9.0), (3, 40.0)]) == [(1, None, 1), (2, None, 0), (3, 15.0, 2)]
    assert told([(1, 10.0), (2, 8.5), (3, 40.0)]) == [(1, None, 1), (2, None, 1), (3, 31.5, 1)]


def test_a_thousand_rows_wait_and_no_more():
    parser = ElapsedParser()
    given = [len(parser.timed({"iteration": float(n)}, LogLine("", None), 1.0, 1.0)) for n in range(1_001)]
    assert given[1:] == [0] * 999 + [1_000]


def test_what_comes_after_a_row_that_waits_comes_behind_it():
    parser = ElapsedParser()
    assert parser.in_order([Message("first")]) == [Message("first")]
    parser.timed({"iteration": 1.0}, LogLine("", None), 1.0, 1.0)
    parser.timed({"iteration": 2.0}, LogLine("", None), 2.0, 1.0, [Message("own")])
    assert parser.in_order([Message("later")]) == []
    assert [type(one) for one in parser.release()] == [Iteration, Message, Message]
    (row, *words) = [*parser.timed({"iteration": 3.0}, LogLine("", None), 50.0, 1.0, [Message("x")])]
    assert isinstance(row, Iteration)
    assert words == [Message("x")]


def test_what_follows_a_row_that_waits_is_of_that_row():
    parser = ElapsedParser()
    assert parser.next_index is None
    places = []
    for n in (1.0, 50.0, 100.0):
        parser.timed({"iteration": n}, LogLine("", None), n / 50, 1.0)
        places.append(parser.next_index)
    assert places == [2, 51, 101]
