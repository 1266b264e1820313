"""Whether the printed time of a step is that of a row that is only counted."""

from __future__ import annotations

from itermon.collectors.log_formats.means.steps_of_rows import StepsOfRows


def told(passed_s: list[float], printed_s: float = 0.25) -> bool | None:
    steps, elapsed_s, own = StepsOfRows(), 0.0, None
    for one in passed_s:
        elapsed_s += one
        own = steps.see(printed_s, elapsed_s, None)
    return own


def test_a_clock_that_moves_on_by_a_step_s_time_says_that_each_row_is_a_step() -> None:
    assert told([0.25] * 5) is True
    assert told([0.25, 0.25, 8.0, 0.25, 0.25, 8.0, 0.25]) is True, "stops lie before a few rows"
    assert told([1.25] * 5) is False, "five steps a row"


def test_without_a_clock_or_with_few_of_its_ticks_nobody_can_say() -> None:
    assert told([0.25] * 3) is None
    steps = StepsOfRows()
    assert [steps.see(0.25, None, None) for _ in range(9)] == [None] * 9
    assert [steps.see(0.25, None, passed_s) for passed_s in (0.25, 0.26, 0.24)] == [None, None, True]


def test_a_coarse_clock_is_held_against_all_rows_of_its_tick() -> None:
    steps = StepsOfRows()
    assert [steps.see(0.25, float(n // 4), None) for n in range(16)][-1] is True
    assert [StepsOfRows().see(0.25, float(n // 2), None) for n in range(16)][-1] is None


def test_a_clock_that_begins_anew_goes_on_from_there() -> None:
    steps = StepsOfRows()
    assert [steps.see(0.25, shown, None) for shown in (0.5, 1.75, 3.0, 0.5, 1.75)][-1] is False


def test_what_other_rows_showed_is_known_from_the_first_one_on() -> None:
    steps, pupil = StepsOfRows(), StepsOfRows()
    for n in range(6):
        pupil.see(0.25, n * 0.25, None)
    steps.learn(pupil)
    assert steps.see(0.25, 0.25, None) is True
