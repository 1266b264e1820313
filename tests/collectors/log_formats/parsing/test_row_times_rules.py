"""What a row of one step, and none at all, say of what its time is of."""

import pytest

from itermon.collectors.log_formats.counting.single_steps import Row
from itermon.collectors.log_formats.parsing.row_times import Meaning, RowTimes, TimeColumn, stands_for
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, SpanEnd


def times_of_rows() -> RowTimes:
    """Of a log whose column `time` was seen to be that of each row."""
    times = RowTimes()
    for seconds in (2.5, 2.25):
        times._time.see(seconds, anew=False)
    return times


def test_a_first_row_whose_rate_says_one_step_is_a_witness_against_a_row_that_fits_nothing() -> None:
    times = times_of_rows()
    assert times.of({"time_s": 2.0, "steps_per_s": 0.5}, Row(place=1))["duration_s"] == 2.0
    assert times.of({"time_s": 3.0, "steps_per_s": 1.0}, Row(10, place=11))["duration_s"] == 3.0
    assert times.of({"time_s": 3.0, "steps_per_s": 1.0}, Row(10, place=21))["duration_s"] == 1.0


@pytest.mark.parametrize(("rate", "each_s", "steps"), [(1.0, 1.0, 2), (5.0, 0.2, 10)])
def test_a_first_row_whose_rate_says_several_steps_is_of_these(rate: float, each_s: float, steps: int) -> None:
    found = times_of_rows().of({"time_s": 2.0, "steps_per_s": rate}, Row(place=1))
    assert (found["duration_s"], found["averaged_over"]) == (each_s, steps)


def test_a_time_before_any_row_is_of_nobody_knows_how_many_steps_where_rows_are_of_several() -> None:
    times = times_of_rows()
    assert times.of({"time_s": 2.0}, Row()) == {"duration_s": 2.0}
    assert times.of({"time_s": 2.0}, Row(10)) == {}
    assert times.of({"time_s": 2.0}, Row()) == {}
    assert times.of({"time_s": 2.0}, Row(1)) == {"duration_s": 2.0}


@pytest.mark.parametrize(("each_epoch", "meaning"), [(1, Meaning.EACH), (4, Meaning.CLOCK)])
def test_a_clock_that_begins_anew_with_each_epoch_has_several_rows_in_it(
    each_epoch: int, meaning: Meaning
) -> None:
    """Where each row is another epoch's, what rises and falls is the time of the row."""
    column = TimeColumn()
    for row in range(20):
        column.see(40.0 + 3 * (row % each_epoch) + 0.3 * (row % 4), anew=row % each_epoch == 0)
    assert column.meaning is meaning


@pytest.mark.parametrize(
    ("first_s", "single_s", "duration_s"),
    [
        (3.0, 0.5, 0.5),  # rows of one step take as long: it is the time of a step
        (3.0, 0.05, None),  # a tenth: it is that of ten
        (0.05, 0.5, None),  # the first one took a tenth: an evaluation may be in the other
        (3.0, 2.0, None),
        (3.0, 0.0, None),
    ],
)
def test_rows_of_one_step_say_what_the_time_of_several_is_of(
    first_s: float, single_s: float, duration_s: float | None
) -> None:
    times = times_of_rows()
    assert times.of({"time_s": first_s}, Row(place=0)) == {"duration_s": first_s}
    for place in range(10, 60, 10):
        assert times.of({"time_s": 0.5}, Row(10, place=place)) == {}
    assert times.of({"time_s": single_s}, Row(1, place=51)) == {"duration_s": single_s}
    assert times.of({"time_s": 0.5}, Row(10, place=61)).get("duration_s") == duration_s


def test_what_rows_of_one_step_said_is_learnt() -> None:
    taught, times = times_of_rows(), times_of_rows()
    for steps, place in ((0, 0), (10, 10), (10, 20), (10, 30), (10, 40), (1, 41)):
        taught.of({"time_s": 0.5}, Row(steps, place=place))
    times.learn(taught)
    assert times.of({"time_s": 0.5}, Row(10, place=10)) == {"duration_s": 0.5}


def first_time(*clock_s: float, every: int = 1, start: int = 1) -> tuple[float | None, int]:
    """Of rows with a clock: what the first took, and of how many steps it is the mean."""
    rows = [f"Ep {start + n * every}: Loss 2.5 | {seconds}s" for n, seconds in enumerate(clock_s)]
    events = LogReader().feed("".join(f"{row}\n" for row in rows).encode())
    first = next(event for event in events if isinstance(event, Iteration))
    return first.duration_s, first.averaged_over


@pytest.mark.parametrize(
    ("shown_s", "took_s"), [(210.7, 210.7), (100.1, 100.1), (99.9, None), (599.9, 599.9), (601.0, None)]
)
def test_a_clock_that_begins_with_the_first_row_shows_what_that_took(shown_s: float, took_s: float | None) -> None:
    clock_s = [round(shown_s + 200 * n, 1) for n in range(14)]
    assert first_time(*clock_s)[0] == took_s


def test_a_first_row_of_several_steps_is_their_mean() -> None:
    clock_s = [round(200.0 * n + 0.5, 1) for n in range(1, 15)]
    assert first_time(*clock_s, every=10, start=10) == (20.05, 10)
    assert first_time(*clock_s, every=10, start=30) == (None, 1)  # others came before it


def test_rows_that_are_counted_from_0_have_a_first_one_too() -> None:
    assert first_time(*[round(200.0 * n + 0.5, 1) for n in range(1, 15)], start=0) == (200.5, 1)


SENTENCES = "Epoch {n} trained with loss: 0.5. The running time is {t}.\nEpoch {n} evaluated with loss: 0.75. The running time is {e}.\n"
TOOK, EVALUATED = (40.5, 41.25, 40.75, 41.5), (6.5, 6.25, 6.75, 6.5)


@pytest.mark.parametrize(
    ("train", "evaluated", "known"),
    [
        (TOOK, EVALUATED, (TOOK, EVALUATED)),
        (TOOK, [each + 6 for each in TOOK], (TOOK, [None] * 4)),  # it counts from the epoch's begin, perhaps
        ((40.5, 90.5, 140.5, 190.5), (50.5, 100.5, 150.5, 200.5), ([None] * 4, [None] * 4)),  # a clock, perhaps
    ],
)
def test_a_sentence_tells_an_epochs_time_and_its_evaluations_where_neither_is_a_clock(
    train: tuple[float, ...], evaluated: tuple[float, ...], known: tuple
) -> None:
    reader = LogReader()
    text = "".join(SENTENCES.format(n=n, t=train[n], e=evaluated[n]) for n in range(4))
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    rows = [one.duration_s for one in events if isinstance(one, Iteration)]
    assert (rows, [one.duration_s for one in events if isinstance(one, SpanEnd)]) == tuple(map(list, known))


def test_what_an_evaluation_took_is_less_than_its_epoch() -> None:
    times = RowTimes()
    assert times.of_evaluation(None) is None
    assert [times.of_evaluation(seconds) for seconds in (6.5, 6.25)] == [None, None]  # no row of an epoch yet
    for seconds in (40.5, 40.25):
        times.of({"time_s": seconds}, Row(1, by_epoch=True))
    assert [times.of_evaluation(seconds) for seconds in (6.5, 40.25)] == [6.5, None]


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        (range(0, 500, 50), Meaning.UNKNOWN),
        (range(50, 500, 50), Meaning.CLOCK),
        ([n * 50.5 for n in range(10)], Meaning.CLOCK),
        ([0, 50, 101, *range(150, 500, 50)], Meaning.CLOCK),
        (range(10), Meaning.CLOCK),
    ],
    ids=["a count", "it may be a clock", "with a fraction", "uneven", "seconds"],
)
def test_no_clock_goes_from_zero_in_the_same_whole_numbers(values: list[float], meaning: Meaning) -> None:
    column = TimeColumn()
    for value in values:
        column.see(value, anew=False)
    assert column.meaning is meaning


@pytest.mark.parametrize(
    ("rate", "row", "each_s"),
    [
        (0.05, Row(1, 19.0, place=2), None),  # 18 to 22 s, and the stamps know
        (0.04, Row(place=1), None),
        (0.04, Row(1, place=2), None),  # 22 to 29 s, and nobody knows
        (0.08, Row(1, place=2), 12.5),
        (0.0512, Row(1, 19.0, place=2), 1 / 0.0512),
        (0.25, Row(1, 4.0, place=2), 4.0),
    ],
)
def test_a_rate_of_one_digit_is_no_time(rate: float, row: Row, each_s: float | None) -> None:
    assert RowTimes().of({"steps_per_s": rate}, row).get("duration_s") == each_s


@pytest.mark.parametrize(("place", "over"), [(100, 100), (5_100, 1), (40, 1)])
def test_the_first_of_rows_with_a_rate_is_of_as_many_steps_as_the_others_if_it_counts_from_0(
    place: int, over: int
) -> None:
    times, pupil = RowTimes(), RowTimes()
    for steps in (100, 100, 15):
        pupil.of({"steps_per_s": 4.0}, Row(steps, place=place + steps))
    assert times.of({"steps_per_s": 4.0}, Row(place=place))["averaged_over"] == 1
    times.learn(pupil)
    assert times.of({"steps_per_s": 4.0}, Row(place=place))["averaged_over"] == over


@pytest.mark.parametrize(
    ("seconds", "steps", "usual", "passed_s", "over"),
    [
        (20.0, 100, 100, 20.0, 100),
        (20.0, 900, 100, 180.0, 100),
        (26.0, 900, 100, 180.0, 100),  # an evaluation is in it, too
        (20.0, 200, 100, 40.0, 100),
        (180.0, 900, 100, 180.0, 900),
        (2.0, 900, 100, 180.0, 900),
        (20.0, 900, 100, None, 900),
        (20.0, 900, 0, 180.0, 900),
    ],
)
def test_a_time_is_of_as_many_steps_as_usual_where_rows_before_it_were_cut_out(
    seconds: float, steps: int, usual: int, passed_s: float | None, over: int
) -> None:
    assert stands_for(seconds, steps, usual, passed_s) == over


def test_iterations_whose_rows_were_cut_out_took_what_others_took() -> None:
    times = times_of_rows()
    for place in (100, 200, 300):
        times.of({"time_s": 20.0}, Row(100, 20.0, place=place))
    found = times.of({"time_s": 20.0}, Row(900, 180.0, place=1_200))
    assert (found["duration_s"], found["averaged_over"]) == (0.2, 100)


def test_a_timer_in_rows_that_are_steps_apart_is_of_one_of_them_or_of_all() -> None:
    """Nothing tells which: no time of a step is told. A name that says so, or stamps, do."""

    def times(rows: list[str]) -> list[tuple[float | None, int]]:
        events = LogReader().feed("".join(f"{row}\n" for row in rows).encode())
        return [(e.duration_s, e.averaged_over) for e in events if isinstance(e, Iteration)]

    rows = [f"Epoch 1/4 Iteration {n} loss 0.5 timer {30 + n % 3 / 4}" for n in range(20, 240, 20)]
    assert times(rows) == [(None, 1)] * 11
    assert times([row.replace("timer", "step_time") for row in rows])[1] == (30.25, 1)
    stamped = [f"2024-03-01 10:{n // 2:02}:{n % 2 * 30:02} {row}" for n, row in enumerate(rows)]
    assert times(stamped)[3] == (30.5 / 20, 20)
