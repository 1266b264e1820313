"""What a row of one step, and none at all, say of what its time is of."""

import pytest

from itermon.collectors.log_formats.parsing.row_times import Meaning, Row, RowTimes, TimeColumn


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
