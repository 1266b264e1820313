"""Times by a clock of whole seconds: right over many rows, and what stands out still does."""

from __future__ import annotations

from itertools import pairwise
from math import nan

import pytest

from itermon.analysis.ticks import Ticks, digit, hidden_digit, last_digit, turning_digit

# The bounds as numbers of its own: from the code, a test would move with them.
COARSE, MOVED = 20, 4


def times(readings: list[float], steps: int = 1) -> list[float]:
    """What each row takes by the readings of its clock."""
    ticks = Ticks()
    found = []
    ticks.read(readings[0])
    for before, after in pairwise(readings):
        ticks.read(after)
        found.append(ticks.each(after - before, steps))
    return found


def cut(step_s: float, count: int) -> list[float]:
    return [float(int(step_s * n)) for n in range(count)]


@pytest.mark.parametrize("step_s", [0.4, 1.15, 3.4, 7.7, 12.3])
def test_rows_of_one_length_have_that_length(step_s: float) -> None:
    found = times(cut(step_s, 200))
    assert found[-1] == pytest.approx(step_s, rel=0.02)
    assert sorted(found)[100] == pytest.approx(step_s, rel=0.03)


def test_rows_of_several_steps_are_divided() -> None:
    assert times(cut(3.4, 200), steps=10)[-1] == pytest.approx(0.34, rel=0.02)


def test_a_stall_stands_for_itself_and_changes_nothing_after_it() -> None:
    readings = cut(3.4, 101) + [at + 30.0 for at in cut(3.4, 200)[101:]]
    found = times(readings)
    assert found[100] in {33.0, 34.0}
    assert found[99] == pytest.approx(3.4, rel=0.03)
    assert found[-1] == pytest.approx(3.4, rel=0.03)


def test_a_new_level_is_found_after_some_rows() -> None:
    slower = [340.0 + 9.6 * n for n in range(1, 101)]
    found = times(cut(3.4, 101) + [float(int(at)) for at in slower])
    assert found[99 + MOVED :] == pytest.approx([9.6] * (101 - MOVED), rel=0.06), "from the fourth row on"


def test_stalls_of_both_kinds_are_no_new_level() -> None:
    """Longer and shorter ones in turn: each ends what the other had begun."""
    readings, at = [0.0], 0.0
    for number in range(40):
        at += 5.0 if number < 20 else (18.0 if number % 2 else 1.0)
        readings.append(at)
    found = times(readings)
    assert found[20:] == [1.0 if number % 2 == 0 else 18.0 for number in range(20, 40)]


@pytest.mark.parametrize(
    ("readings", "tick_s"),
    [
        ([1000.0], 1.0),
        ([1000.0, 1000.25], 0.01),
        ([1000.0, 1000.125], 0.0),
        ([60.0, 120.0, 240.0, 300.0], 1.0),
        ([60.0, 120.0, 240.0, 300.0, 360.0], 60.0),  # minutes, once five readings say so
        ([60.0, 120.0, 240.0, 300.0, 361.0], 1.0),
        ([0.6, 1.2, 3.0, 4.2, 5.4], 0.6),  # hundredths of a minute
        ([0.1, 0.3], 0.1),
        ([0.001], 0.0),  # a thousandth of a second is none of adding numbers up
        ([0.0004, 0.0009, 0.0011, 0.0021, 0.0028], 0.0),  # nor none of a minute
        ([0.0, 1.0, 2.0, 3.0, 4.0], 1.0),
        ([1.7e9 + 0.1, 1.7e9 + 0.3], 0.1),
    ],
)
def test_how_fine_a_clock_is_its_readings_say(readings: list[float], tick_s: float) -> None:
    ticks = Ticks()
    for at_s in readings:
        ticks.read(at_s)
    assert ticks.tick_s == tick_s


def test_before_a_reading_nothing_is_known() -> None:
    ticks = Ticks()
    assert ticks.tick_s == 0.0
    assert (ticks.each(3.0, 2), ticks.told) == (1.5, 0)


def test_rows_on_both_sides_of_the_bound_are_of_one_kind() -> None:
    """20 and 21 s by turns take 20.5 s: without the longer ones a stretch would be short."""
    readings = [0.0]
    for n in range(40):
        readings.append(readings[-1] + 20 + n % 2)
    assert times(readings)[-1] == pytest.approx(20.5, abs=0.1)
    assert times([0.0, 18.0, 36.0, 61.5, 80.0])[2] == 25.5, "beside it, but of another length"
    assert times([0.0, 20.0, 46.0])[1] == 26.0, "not beside it"


def test_of_many_ticks_a_row_stands_for_itself() -> None:
    found = times([0.0, 21.0, 43.0, 64.0, 86.0])
    assert found == [21.0, 22.0, 21.0, 22.0]
    assert times([0.0, COARSE * 1.0, COARSE * 2.0 + 5]) == [20.0, 25.0]
    assert times([0.0, COARSE * 1.0, COARSE * 2.0 - 1]) == [20.0, 19.5], "twenty are not so many"


def test_rows_that_stand_for_themselves_have_shown_ticks_too() -> None:
    clock = Ticks()
    clock.read(1.0)
    assert clock.each(30.0, 1) == 30.0
    assert not clock.too_few


def test_whether_a_stretch_was_used_is_known() -> None:
    fine, coarse = Ticks(), Ticks()
    for ticks, readings in ((fine, [0.125, 1.375, 2.625]), (coarse, [0.0, 1.0, 3.0])):
        for before, after in pairwise(readings):
            ticks.read(before)
            ticks.read(after)
            ticks.each(after - before, 1)
    assert (fine.told > 0, coarse.told > 0) == (False, True)


def test_a_process_begins_with_nothing() -> None:
    ticks = Ticks()
    ticks.read(0.0)
    for _ in range(20):
        ticks.each(4.0, 1)
    ticks.begin()
    assert ticks.each(9.0, 1) == 9.0


def test_a_stretch_forgets() -> None:
    """After 400 ticks of 4 s rows, those of 4.6 s, which each alone might be 4 s as well, weigh more and more."""
    ticks = Ticks()
    ticks.read(0.0)
    for _ in range(200):
        ticks.each(4.0, 1)
    newer = [ticks.each(5.0 if n % 5 < 3 else 4.0, 1) for n in range(400)]
    assert newer[-1] == pytest.approx(4.6, rel=0.03)


def test_a_clock_that_ticked_a_few_times_says_too_little() -> None:
    clock = Ticks()
    for now_s in range(11):
        clock.read(float(now_s))
        if now_s:
            assert clock.each(1.0, 30) == pytest.approx(1 / 30)
            assert clock.too_few is (now_s < 10)


def after_ten(count: int = 10, took_s: float = 3.0) -> Ticks:
    """A clock of whole seconds that has shown so many rows of this length."""
    clock = Ticks()
    clock.read(0.0)
    for _ in range(count):
        clock.each(took_s, 1)
    return clock


@pytest.mark.parametrize(
    ("seconds", "steps", "each_s"),
    [
        (4.375, 1, 34.375 / 11),  # a tick, what the level is known to, and a tenth: 1.4 s more may be the same
        (4.5, 1, 4.5),
        (1.625, 1, 31.625 / 11),
        (1.5, 1, 1.5),
        (7.5, 2, 37.5 / 12),  # of two rows 1.2 s and a tenth of 6 s
        (8.0, 2, 4.0),
    ],
)
def test_what_may_be_as_long_as_the_rows_before_counts_with_them(
    seconds: float, steps: int, each_s: float
) -> None:
    assert after_ten().each(seconds, steps) == pytest.approx(each_s)


def test_one_row_alone_may_be_wrong_by_a_tick_as_the_next_may() -> None:
    assert after_ten(1).each(5.25, 1) == pytest.approx(8.25 / 2)
    assert after_ten(1).each(5.5, 1) == 5.5


@pytest.mark.parametrize(("rows", "each_s"), [(99, 401 / 100), (100, 405 / 101), (101, (202 + 5) / (50.5 + 1))])
def test_what_is_older_than_four_hundred_ticks_counts_half(rows: int, each_s: float) -> None:
    assert after_ten(rows, 4.0).each(5.0, 1) == pytest.approx(each_s)


def test_four_rows_that_differ_begin_a_stretch_of_their_own() -> None:
    clock = after_ten()
    assert [clock.each(seconds, 1) for seconds in (6.0, 7.0, 6.0, 7.0, 6.0)] == [6.0, 7.0, 6.0, 6.5, 6.4]
    clock = after_ten()
    assert [clock.each(seconds, 2) for seconds in (12.0, 13.0, 2.0, 12.0, 13.0, 12.0, 13.0)] == [
        *(6.0, 6.5, 1.0, 6.0, 6.5, 6.0, 6.25)
    ]
    clock = after_ten()
    assert [clock.each(seconds, 2) for seconds in (12.0, 13.0, 12.0, 2.0)] == [6.0, 6.5, 6.0, 1.0]


def test_a_clock_that_tells_the_times_of_few_iterations_alone_is_not_what_they_rest_on() -> None:
    ticks = Ticks()
    ticks.read(1.0)
    ticks.each(3.0, 10)
    assert (ticks.told, ticks.tells(99), ticks.tells(100)) == (10, True, False)


@pytest.mark.parametrize(
    ("near", "own", "worth_s"),
    [
        ([8.0, 9.0, 8.0, 9.0, 8.0], 11.0, 1.0),
        ([8.0, 9.0, 9.0, 8.0, 8.0], 11.0, 0.0),  # what comes and goes once may be slow
        ([9.0, 9.0, 9.0, 8.0, 8.0], 9.0, 0.0),
        ([1.0, 2.0, 1.0, 2.0, 1.0], 2.0, 0.0),  # twice as long
        ([3.0, 4.0, 3.0, 4.0], 4.0, 1.0),
        ([2.0, 3.0, 2.0, 3.0], 3.0, 0.0),
        ([8.0, 8.0, 8.0, 8.0], 9.0, 0.0),
        ([8.0, 10.0, 8.0, 10.0], 10.0, 0.0),
        ([8.4, 8.5, 8.4, 8.5], 8.5, 0.0),  # to a hundredth of it
        ([0.8, 0.9, 0.8, 0.9], 0.9, 0.1),
        ([0.03, 0.04, 0.03, 0.04], 0.04, 0.01),
        ([8.0, 9.0, 8.0, 9.0], 8.123, 0.0),
        ([8.0, 9.123, 8.0, 9.0], 8.0, 0.0),
        ([8.0, 9.0, 8.0, 9.0], nan, 0.0),
        ([180.0, 240.0, 180.0, 240.0], 180.0, 60.0),
        ([0.004, 0.005, 0.004, 0.005], 0.005, 0.001),  # whole milliseconds
        ([0.004, 0.0052, 0.004, 0.005], 0.005, 0.0),
        ([180.0, 240.0, 180.0, 240.0], 0.05, 0.0),  # it is not printed in minutes
    ],
)
def test_what_the_last_printed_digit_is_worth_shows_where_two_of_it_are_usual(near, own, worth_s) -> None:
    assert last_digit(near, own) == worth_s


def test_rows_of_one_and_of_several_iterations_differ_alike() -> None:
    clock = after_ten()
    rows = [(6.0, 1), (18.0, 3), (7.0, 1), (18.0, 3)]
    assert [clock.each(*row) for row in rows] == [6.0, 6.0, 7.0, 49 / 8]


@pytest.mark.parametrize("tick_s", [60.0, 36.0, 6.0, 3.6, 1.0, 0.6, 0.1, 0.06, 0.01])
def test_clocks_show_minutes_hours_and_seconds_and_parts_of_them(tick_s: float) -> None:
    clock = Ticks()
    for number in (1, 2, 3, 5, 7, 11):
        clock.read(number * tick_s)
    assert clock.tick_s == tick_s


@pytest.mark.parametrize("steps", [1, 469])
def test_digits_that_come_by_turns_are_known_in_any_unit(steps: int) -> None:
    times_s = [whole / steps for whole in [14, 14, 13, 14] * 12 + [13] * 30]
    assert turning_digit(times_s) == pytest.approx(1 / steps)
    assert turning_digit([14 / steps] * 40 + [13 / steps] * 30) == 0.0, "once, and not by turns"
    assert turning_digit([whole / steps + n / 300 for n, whole in enumerate([14, 13] * 30)]) == 0.0


def test_of_means_in_any_unit_the_last_digit_is_known_by_those_of_the_same_process() -> None:
    """`4us/step` and `5us/step` of 700 samples a step, between processes whose steps have other times."""
    other, own = [0.0012, 0.00123] * 40, [0.0028] * 30 + [0.0035, 0.0028, 0.0035, 0.0028, 0.0035] + [0.0028] * 2
    times_s, process = [*other, *own, *other], (len(other), len(other) + len(own))
    assert hidden_digit(times_s, process[0] + 30, process, means=True) == pytest.approx(0.0007)
    assert hidden_digit(times_s, process[0] + 30, (0, len(times_s)), means=True) == 0.0
    assert hidden_digit([one / 7 for one in times_s], process[0] + 30, process, means=False) == 0.0


@pytest.mark.parametrize(
    ("times_s", "worth_s"),
    [
        ([23.0, 22.0, float("nan"), 24.0], 1.0),
        ([23.0, 22.5], 0.1),
        ([10.0, 10.0], 0.0),
        ([], 0.0),
        ([0.123456, 0.234567], 0.0),
    ],
)
def test_what_the_last_digit_is_worth_of_times_that_are_printed_alike(
    times_s: list[float], worth_s: float
) -> None:
    assert digit(times_s) == worth_s
