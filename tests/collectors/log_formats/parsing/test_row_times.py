"""Whether a column of seconds is the time of each row or a clock: its values say so."""

import pytest

from itermon.collectors.log_formats.counting.single_steps import Row
from itermon.collectors.log_formats.parsing.row_times import MOST, Meaning, RowTimes, TimeColumn
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo, Severity, Witness


def meaning(*values, named=Meaning.UNKNOWN, anew=()):
    column = TimeColumn(named)
    for place, value in enumerate(values):
        column.see(value, anew=place in anew)
    return column.meaning


def read(lines):
    return LogReader().feed("".join(f"{line}\n" for line in lines).encode())


def times(events):
    return [(e.index, e.duration_s, e.averaged_over) for e in events if isinstance(e, Iteration)]


@pytest.mark.parametrize(
    ("values", "is_a"),
    [
        ((1.5, 3.1, 4.5, 6.2, 7.5, 9.1, 10.5), Meaning.CLOCK),
        ((1.5, 3.1, 4.5, 6.2, 7.5, 9.1), Meaning.UNKNOWN),  # five rises
        ((1.5, 1.4), Meaning.EACH),
        ((1.25, 1.25), Meaning.EACH),  # for now
        ((1.25, 1.25, 1.5), Meaning.UNKNOWN),  # ... it may be a clock of few digits
        ((2.3, 2.3, 2.3, 2.4, 2.4, 2.5, 2.5, 2.6, 2.7, 2.8, 2.9, 4.7, 4.7, 4.8), Meaning.CLOCK),
        ((16.2, 16.8, 16.8, 17.4, 17.4, 18.0, 18.0, 18.6), Meaning.UNKNOWN),
        ((1.25,) * 5 + (1.5,) * 20, Meaning.EACH),
        ((12.0, 12.0), Meaning.UNKNOWN),  # whole seconds of a clock, or twice the same time
        (tuple(6000.5 + 7.25 * n for n in range(13)), Meaning.CLOCK),  # a log that is cut at its front
        (tuple(6000.5 + 7.25 * n for n in range(12)), Meaning.UNKNOWN),
        (tuple(6.0 + n for n in range(7)), Meaning.CLOCK),  # it has doubled
        (tuple(6.5 + n for n in range(7)), Meaning.UNKNOWN),  # it has not
        (tuple(0.0 + 0.1 * n for n in range(7)), Meaning.CLOCK),  # from 0 on
        (tuple(1.5 - 1 / n for n in range(1, 40)), Meaning.UNKNOWN),  # a running mean
        (tuple(n // 4 for n in range(40)), Meaning.CLOCK),  # a clock in whole seconds
        (tuple(n // 9 for n in range(33)), Meaning.CLOCK),  # it grew three times in so many rows
        (tuple(n // 16 for n in range(40)), Meaning.UNKNOWN),  # twice
        ((3.0,) * (MOST + 1), Meaning.EACH),
        ((3.0,) * MOST, Meaning.UNKNOWN),
    ],
)
def test_a_column_that_only_grows_is_a_clock(values, is_a):
    assert meaning(*values) is is_a


def test_a_clock_may_begin_anew_with_an_epoch_and_not_within_it():
    values = [1.5, 3.0, 4.75] * 4
    assert meaning(*values, anew=(3, 6, 9)) is Meaning.CLOCK
    assert meaning(*values) is Meaning.EACH
    assert meaning(1.25, 1.25, anew=(1,)) is Meaning.UNKNOWN


def test_a_name_counts_until_the_values_contradict():
    assert meaning(9.5, named=Meaning.CLOCK) is Meaning.CLOCK
    assert meaning(9.5, 8.25, named=Meaning.CLOCK) is Meaning.EACH


def test_the_first_rows_of_an_old_log_are_understood_by_the_later_ones():
    events = read(
        f"Epoch 1, Step {25 * n}, total used time {7.25 * n} (s), avg loss so far is 0.5" for n in range(1, 9)
    )
    assert times(events) == [(25 * n, pytest.approx(0.29), 25) for n in range(1, 9)]  # the first 25, too
    assert {e.witness for e in events if isinstance(e, Iteration)} == {Witness.ELAPSED}
    assert [e.elapsed_s for e in events if isinstance(e, Iteration)] == [7.25 * n for n in range(1, 9)]
    assert "evaluation" in next(e for e in reversed(events) if isinstance(e, RunInfo)).time_includes


def test_of_lines_that_come_one_by_one_nothing_is_said_before_it_is_known():
    reader = LogReader()
    seen = [reader.feed(f"step {n} loss 2.5 time {1.5 * n}\n".encode(), at_s=1e9 + 1.5 * n) for n in range(1, 12)]
    elapsed = [e.elapsed_s for events in seen for e in events if isinstance(e, Iteration)]
    assert elapsed == [None] * 6 + [1.5 * n for n in range(7, 12)]
    assert {d for _, d, _ in times(e for events in seen for e in events)} <= {None, 1.5}


def test_a_time_beside_rows_of_several_steps_is_of_one_or_of_all():
    line = "2025-03-02 06:{:02d}:00,000 iteration {} | loss 2.5 | time {}"
    assert times(read(line.format(n, 10 * n, 59 + n % 2) for n in range(1, 6)))[1:] == [
        (10 * n, pytest.approx((59 + n % 2) / 10), 10) for n in range(2, 6)
    ]
    assert times(read(line.format(n, 10 * n, 5.5 + n % 2 / 4) for n in range(1, 6)))[1:] == [
        (10 * n, 5.5 + n % 2 / 4, 1) for n in range(2, 6)
    ]


def test_without_stamps_nobody_knows_and_nothing_is_said():
    assert {
        d for _, d, _ in times(read(f"iteration {10 * n} | loss 2.5 | time {59 + n % 2}" for n in range(1, 6)))
    } == {None}


def test_a_unit_that_the_stamps_contradict_is_not_believed():
    events = read(
        f"2025-03-02 06:{n:02d}:00,000 iteration {n} | loss 2.5 | time {900.5 + n % 2}" for n in range(1, 6)
    )
    assert times(events)[1:] == [(n, 60.0, 1) for n in range(2, 6)]


@pytest.mark.parametrize(
    ("said", "duration_s"),
    [
        ("1.25 it/sec", 0.8),
        ("2.5 it/s", 0.4),
        ("4.0 iter/s", 0.25),
        ("0.5 s/it", 0.5),
        ("0.21 sec/batch", 0.21),
        ("250 ms/batch", 0.25),
        ("ms/batch 12.50", 0.0125),
        ("2.64s per iter", 2.64),
        ("0.21 sec/batch, 4.76 steps/sec", 0.21),
        ("609.7 examples/sec; 0.21 sec/batch", 0.21),
        ("step_time: 350ms", 0.35),
        ("Time 0.125 (0.5)", 0.125),
    ],
)
def test_rates_and_times_are_read_with_their_units(said, duration_s):
    events = read(f"Global Step:    {n}, loss =  2.5 ({said})" for n in range(8, 12))
    assert [d for _, d, _ in times(events)] == [pytest.approx(duration_s)] * 4


def test_a_time_and_a_rate_that_contradict_each_other_are_both_left_out_and_told():
    events = read(f"step {n} loss 2.5 step_time: 0.5 1.25 it/s" for n in range(1, 5))
    assert {d for _, d, _ in times(events)} == {None}
    (warning,) = (e.text for e in events if isinstance(e, Message) and e.level is Severity.WARNING)
    assert "0.5 s and 1.25 steps/s" in warning


def test_the_rate_of_steps_is_no_time_of_an_epoch():
    assert {d for _, d, _ in times(read(f"Epoch {n} loss: 2.5 1.25 it/s" for n in range(1, 6)))} == {None}
    events = read(f"Epoch {n} loss: 2.5 epoch time: 0:02:1{n}" for n in range(1, 6))
    assert [d for _, d, _ in times(events)] == [120.0 + 10 + n for n in range(1, 6)]


def test_a_date_is_no_time():
    events = read(
        f"[epoch:{n}/9] [loss:0.5] [Time:[2022-08-28 00:0{n}:40]] [total time:0:00:5{n % 2}]" for n in (1, 2, 3)
    )
    assert [d for _, d, _ in times(events)] == [51.0, 50.0, 51.0]


def test_two_rises_tell_nothing():
    found = RowTimes()
    assert [found.of({"time_s": n}, Row(1)) for n in (1.5, 2.5, 4.0)] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("each_s", "passed_s", "found"),
    [
        (1.0, 2.9, 1), (0.5, 2.1, 0), (0.5, 1.9, 1), (4.2, 3.0, 1), (4.4, 3.0, 0), (10.0, 10.0, 1), (0.1, 0.0, 1),
    ],
)  # fmt: skip
def test_a_time_fits_what_passed_within_whole_seconds_an_evaluation_and_a_tenth(
    each_s: float, passed_s: float, found: int
) -> None:
    assert bool(RowTimes()._of_row(each_s, 1, passed_s, None, by_epoch=False)) == bool(found)


def test_between_a_time_of_the_row_and_one_of_each_step_the_row_goes_before() -> None:
    """One row fits as the time of ten steps, the next as that of one: the whole is the smaller claim."""
    times = RowTimes()
    assert times._of_row(10.0, 10, 10.0, None, by_epoch=False) == {"duration_s": 1.0, "averaged_over": 10}
    assert times._of_row(1.0, 10, 10.0, None, by_epoch=False) == {"duration_s": 0.1, "averaged_over": 10}
    assert times._of_row(1.0, 10, 10.0, None, by_epoch=False) == {"duration_s": 1.0}


@pytest.mark.parametrize(
    ("steps", "by_epoch", "each_s", "alone"),
    [
        (1, False, 100.0, True),
        (1, False, 100.5, False),  # it may be milliseconds
        (1, True, 5000.0, True),
        (0, False, 2.0, True),  # the first row of all
        (2, False, 2.0, False),
    ],
)
def test_without_a_clock_a_time_counts_where_each_row_is_a_step(
    steps: int, by_epoch: bool, each_s: float, alone: bool
) -> None:
    assert bool(RowTimes()._of_row(each_s, steps, None, None, by_epoch=by_epoch)) == alone


def test_after_rows_of_several_steps_a_first_row_is_not_taken_for_one_step() -> None:
    times = RowTimes()
    for steps in (10, 10, 1):
        times._of_row(2.0, steps, None, None, by_epoch=False)
    assert times._of_row(2.0, 0, None, None, by_epoch=False) == {}
    times._of_row(2.0, 1, None, None, by_epoch=False)
    assert times._of_row(2.0, 0, None, None, by_epoch=False) == {"duration_s": 2.0}
    times._of_row(2.0, 2, None, None, by_epoch=False)
    assert times._of_row(2.0, 0, None, None, by_epoch=False) == {}


def test_a_rate_is_that_of_the_row_between_it_and_the_one_before() -> None:
    assert RowTimes().of({"steps_per_s": 4.0}, Row(10)) == {
        "duration_s": 0.25,
        "averaged_over": 10,
        "witness": Witness.RATE,
    }
    assert RowTimes().of({"steps_per_s": 4.0}, Row(0))["averaged_over"] == 1
    assert RowTimes().of({"steps_per_s": 0.0}, Row(1)) == {}


def test_what_a_person_chose_is_held_against_no_rate() -> None:
    assert RowTimes().of({"duration_s": 0.5, "steps_per_s": 9.0, "step_s": 7.0}, Row(1)) == {"duration_s": 0.5}


@pytest.mark.parametrize(
    ("step_s", "rate", "agree"),
    [
        (0.5, 2.0, True),
        (0.5, 2.1, True),
        (0.5, 2.2, False),
        (0.01, 60.0, True),
        (0.01, 200.0, False),
        (0.0, 5.0, True),
    ],
)
def test_a_time_and_a_rate_agree_within_what_two_decimals_show(step_s: float, rate: float, agree: bool) -> None:
    assert bool(RowTimes().of({"step_s": step_s, "steps_per_s": rate}, Row(1))) == agree


def test_one_row_that_contradicts_after_one_that_agreed_is_a_slip() -> None:
    times = RowTimes()
    rows = [(0.5, 2.0), (0.5, 9.0), (0.5, 9.0), (0.5, 2.0)]
    assert [bool(times.of({"step_s": s, "steps_per_s": r}, Row(1))) for s, r in rows] == [True, True, False, True]
    assert times.contradiction()
    assert not times.contradiction()


def test_a_known_column_is_each_steps_whatever_its_values() -> None:
    times = RowTimes(known=True)
    assert [times.of({"time_s": n}, Row(10, 30.0)) for n in (1.5, 3.5)] == [
        {"duration_s": 1.5},
        {"duration_s": 3.5},
    ]


def test_what_other_rows_told_is_taken_over_where_nothing_is_known_yet() -> None:
    other, mine, late = RowTimes(), RowTimes(), RowTimes()
    for _ in range(3):
        other.of({"step_s": 0.5}, Row(1))
        other._of_row(1.0, 10, 10.0, None, by_epoch=False)
    mine.learn(other)
    assert mine._of_row(10.0, 10, 10.0, None, by_epoch=False) == {"duration_s": 10.0}
    late._of_row(10.0, 10, 10.0, None, by_epoch=False)
    late.learn(other)
    assert late._of_row(10.0, 10, 10.0, None, by_epoch=False) == {"duration_s": 1.0, "averaged_over": 10}


def test_a_rate_of_all_steps_so_far_makes_the_time_a_clock():
    rows = [f"step: {n}, time: {8.25 * n:.3f}, speed: {1 / 8.25:.3f} steps/s, loss: 2.5" for n in range(1, 41)]
    before = [
        f"step: {n}, time: 0.0{30 + n % 3}, speed: {1000 / (30 + n % 3):.3f} steps/s, loss: 2.5"
        for n in range(1, 41)
    ]
    found = times(read([*before, *rows]))
    assert [d for _, d, _ in found[:40]] == [(30 + n % 3) / 1000 for n in range(1, 41)]
    assert [d for _, d, _ in found[42:]] == [pytest.approx(8.25, rel=1e-3)] * 38


def test_a_rate_of_the_rows_own_steps_leaves_the_time_that_of_the_row():
    rows = [
        f"step: {100 * n}, time: {49.5 + n % 3}, speed: {100 / (49.5 + n % 3):.3f} steps/s, loss: 2.5"
        for n in range(1, 9)
    ]
    assert [d for _, d, _ in times(read(rows))][1:] == [
        pytest.approx((49.5 + n % 3) / 100, rel=1e-3) for n in range(2, 9)
    ]


def test_the_first_row_is_of_as_many_steps_as_its_time_and_its_rate_say():
    rows = ((100, 48.5, 2.062), (200, 44.5, 2.247), (300, 45.0, 2.222))
    events = read(f"step: {n}, loss: 2.5, time: {s:.3f}, speed: {rate:.3f} steps/s" for n, s, rate in rows)
    assert times(events) == [(n, pytest.approx(s / 100), 100) for n, s, _ in rows]
    alone = read(f"step: {n}, loss: 2.5, time: 2.500, speed: 0.400 steps/s" for n in (1, 2, 3))
    assert times(alone) == [(n, 2.5, 1) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("values", "is_a"),
    [
        ((136.0, 307.0, 478.0, 648.0, 819.0, 134.0, 305.0), Meaning.CLOCK),  # a process that began anew
        ((136.0, 307.0, 478.0, 648.0, 325.0), Meaning.EACH),  # three rises, one fall
        ((136.0, 307.0, 478.0, 648.0, 324.0), Meaning.CLOCK),  # to half
        ((136.0, 307.0, 134.0), Meaning.EACH),
        ((136.0, 307.0, 478.0, 134.0), Meaning.CLOCK),
        ((136.0, 307.0, 478.0, 134.0, 305.0, 133.0), Meaning.EACH),
        ((1.5, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5), Meaning.EACH),
        ((1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 1.0), Meaning.EACH),
    ],
)
def test_a_column_that_is_called_a_clock_may_begin_anew(values, is_a) -> None:
    column = TimeColumn(Meaning.CLOCK)
    for value in values:
        column.see(value, anew=False)
    assert column.meaning is is_a


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([(300, 60.0), (600, 61.5), (900, 58.5)], [0.2, 0.205, 0.195]),  # the last of each epoch
        ([(150, 30.0), (300, 60.0), (450, 31.0), (600, 62.0), (750, 29.0)], [None] * 5),  # epochs of several rows
    ],
)
def test_what_has_elapsed_in_each_epoch_is_the_time_of_its_steps(rows, found) -> None:
    times, pupil = RowTimes(), RowTimes()
    told = []
    for reader in (pupil, times):
        last = 0
        for place, elapsed_s in rows:
            anew = len(rows) < 4 or place % 300 == 150
            row = Row(place - last if last else 0, None, anew=anew, by_epoch=False, place=place)
            told.append(reader.of({"elapsed_s": elapsed_s}, row).get("duration_s"))
            last = place
        times.learn(pupil)
    assert told[len(rows) :] == found
    own = found[0] is not None
    assert times.named("loss = l, elapsed = e") == f"loss = l, {'time of a row' if own else 'elapsed'} = e"
    assert times.of_part({"elapsed_s": 9.0}) == ({"spent_s": 9.0} if own else {})
