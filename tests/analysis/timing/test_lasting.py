"""Changes of level that lasted, and those that passed."""

from math import nan

import pytest
from simulated_runs import NANOGPT, plain, times, watched

from itermon.analysis.findings import Shift
from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.analysis.timing.lasting import borne_out, lasting, lately, longest_s, soon
from itermon.events import Iteration


def shift(index: int, before_s: float, after_s: float) -> Shift:
    return Shift(index=index * 10, before_s=before_s, after_s=after_s, position=index)


def test_a_level_that_holds_until_now_lasts() -> None:
    assert lasting([shift(100, 1.0, 1.2)], 1.21) == (shift(100, 1.0, 1.2),)


def test_a_level_that_came_back_leaves_no_trace() -> None:
    assert lasting([shift(100, 1.0, 1.2), shift(150, 1.2, 1.01)], 1.0) == ()


def test_a_level_that_came_back_in_steps_leaves_no_trace() -> None:
    assert lasting([shift(100, 1.0, 1.2), shift(150, 1.2, 1.5), shift(200, 1.5, 1.02)], 1.0) == ()


def test_a_long_slow_stretch_stays_after_its_end() -> None:
    there_and_back = [shift(100, 1.0, 1.2), shift(3_000, 1.2, 1.0)]
    assert lasting(there_and_back, 1.0) == tuple(there_and_back)


def test_a_level_that_crept_back_leaves_no_trace() -> None:
    assert lasting([shift(100, 1.0, 1.06)], 1.01) == ()
    assert lasting([shift(100, 1.0, 1.06), shift(900, 1.01, 1.5)], 1.5) == (shift(900, 1.01, 1.5),)


def test_steps_in_one_direction_all_last() -> None:
    stairs = [shift(100, 1.0, 1.2), shift(200, 1.2, 1.5), shift(300, 1.5, 1.9)]
    assert lasting(stairs, 1.9) == tuple(stairs)


@pytest.mark.parametrize("second", [0.5, 2.0])
def test_another_process_with_another_speed_is_no_change_of_level(second: float) -> None:
    run = Run()
    run.apply([Iteration(index=i, duration_s=1.0) for i in range(200)])
    run.apply([Iteration(index=i, duration_s=second) for i in range(200)])
    level = run.findings().level
    assert level.clean_s == second
    assert level.shifts == ()


def test_a_change_is_dated_after_the_one_before_it() -> None:
    run = Run()
    times = [1.0] * 300 + [1.3] * 40 + [1.0] * 300 + [1.5] * 300
    run.apply([Iteration(index=i, duration_s=t) for i, t in enumerate(times)])
    assert [(s.index, s.before_s, s.after_s) for s in run.findings().level.shifts] == [(640, 1.0, 1.5)]
    assert [s.index for s in run.intake.timing.shifts] == [300, 340, 640]


@pytest.mark.parametrize(
    ("shifts", "clean_s", "kept"),
    [
        ([(100, 1.0, 2.0)], 1.5, [100]),  # half of the way is kept
        ([(100, 1.0, 2.0)], 1.49, []),
        ([(100, 2.0, 1.0)], 1.5, [100]),
        ([(100, 1.0, 1.0)], 1.0, []),
        ([(100, 1.0, 2.0), (300, 1.4, 3.0)], 3.0, [300]),
        ([(100, 1.0, 2.0), (300, 1.6, 3.0)], 3.0, [100, 300]),
        ([(100, 1.0, 2.0), (300, 2.0, 4.0), (900, 2.5, 5.0)], 5.0, [100, 900]),  # the newest crept back
        ([(100, 1.0, 2.0), (355, 2.0, 1.25)], 1.25, []),  # within a quarter of the way, and soon
        ([(100, 1.0, 2.0), (355, 2.0, 1.26)], 1.26, [100, 355]),
        ([(100, 1.0, 2.0), (356, 2.0, 1.0)], 1.0, [100, 356]),
        ([(100, 1.0, 2.0), (200, 2.0, 4.0), (300, 4.0, 2.0)], 2.0, [100]),
        ([(100, 1.0, 2.0), (200, 2.0, 4.0), (400, 4.0, 8.0), (500, 8.0, 4.0)], 4.0, [100, 200]),
        ([(100, 1.0, 2.0)], None, [100]),
    ],
)
def test_what_kept_half_of_its_way_and_did_not_soon_come_back_lasts(
    shifts: list[tuple[int, float, float]], clean_s: float | None, kept: list[int]
) -> None:
    assert [one.position for one in lasting([shift(*each) for each in shifts], clean_s)] == kept


@pytest.mark.parametrize(
    ("at", "usual_s"),
    [((1_000, 1_300), 1.0), ((300, 1_500), 0.8), ((300, 600), 1.0)],  # the first of equals
)
def test_what_is_usual_is_the_level_that_held_longest(at: tuple[int, int], usual_s: float) -> None:
    down, up = at
    assert longest_s([shift(down, 1.0, 0.8), shift(up, 0.8, 0.9)]) == usual_s
    assert longest_s([shift(down, 1.0, 0.8)]) == 1.0


def columns(before: list[float], after: list[float], stamped_s: tuple[float, float] | None = None) -> Columns:
    """Rows of one iteration each; by their stamps one takes the given seconds before and after the change."""
    made, rows, at_s = Columns(), [], 1_000.0
    for index, duration_s in enumerate([*before, *after]):
        if stamped_s:
            at_s += stamped_s[index >= len(before)]
        rows.append(Iteration(index, duration_s, at_s=at_s if stamped_s else None))
    made.extend(rows)
    return made


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([1.0] * 40, [1.2] * 40, True),
        ([1.0] * 30 + [1.2] * 10, [1.2] * 40, True),  # a quarter may be as long already
        ([1.0] * 29 + [1.2] * 11, [1.2] * 40, False),
        ([1.0] * 40, [1.2] * 30 + [1.0] * 10, True),  # or as short still
        ([1.0] * 40, [1.2] * 29 + [1.0] * 11, False),
        ([1.0] * 10 + [1.2] * 30, [1.2] * 40, False),  # it had risen before
        ([1.0] * 40, [1.2] * 15 + [1.0] * 25, False),  # it soon was what it had been
        ([1.3] * 40, [1.2] * 40, False),  # it fell, if anything
        ([1.0] * 40, [1.08] * 40, False),  # not half of what is told
        ([1.0] * 7, [1.0] * 40, True),  # too few speak against it
    ],
)
def test_what_lies_on_both_sides_bears_a_change_out(before: list[float], after: list[float], told: bool) -> None:
    one = shift(len(before), 1.0, 1.2)
    assert borne_out([one], columns(before, after), 0) == [one] * told


@pytest.mark.parametrize(("stamped_s", "told"), [((1.5, 1.8), True), ((1.5, 1.5), False), (None, True)])
def test_where_the_stamps_say_that_nothing_changed_no_change_is_told(
    stamped_s: tuple[float, float] | None, told: bool
) -> None:
    one = shift(40, 1.0, 1.2)
    assert borne_out([one], columns([1.0] * 40, [1.2] * 40, stamped_s), 0) == [one] * told


def test_each_change_is_looked_at_between_its_neighbours() -> None:
    there, back = shift(40, 1.0, 1.5), shift(50, 1.5, 1.0)
    made = columns([1.0] * 40, [1.5] * 10 + [1.0] * 60)
    assert borne_out([there, back], made, 0) == [there, back]


@pytest.mark.parametrize("stamped", [range(40), range(40, 80)])
def test_where_the_rows_of_one_side_alone_have_stamps_these_do_not_speak(stamped: range) -> None:
    made = Columns()
    each_s = [1.0] * 40 + [1.2] * 40
    made.extend([Iteration(n, d, at_s=1_000.0 + n if n in stamped else None) for n, d in enumerate(each_s)])
    assert borne_out([shift(40, 1.0, 1.2)], made, 0) == [shift(40, 1.0, 1.2)]


@pytest.mark.parametrize(
    ("after_s", "found_s", "told"),
    [(1.5, 1.25, True), (1.5, 1.24, False), (1.07, 1.0625, True), (1.06, 1.04, False)],
)
def test_both_sides_differ_by_half_of_what_is_told_and_by_a_twentieth(
    after_s: float, found_s: float, told: bool
) -> None:
    one = shift(40, 1.0, after_s)
    assert borne_out([one], columns([1.0] * 40, [found_s] * 40), 0) == [one] * told
    stamped = columns([1.0] * 40, [after_s] * 40, (1.0, found_s))
    assert borne_out([one], stamped, 0) == [one] * told, "and so do their stamps"


def test_a_level_that_a_few_rows_had_was_none_and_each_of_them_is_told_as_slow() -> None:
    durations = [*times(40, noise=0.02), *(2 * d for d in times(8, noise=0.02, seed=3)), *times(12, noise=0.02)]
    found = watched(plain(durations)).findings(spikes=None)
    assert found.level.shifts == ()
    assert {*range(40, 48)} <= {spike.index for spike in found.spikes}


@pytest.mark.parametrize(("every", "since", "until"), [(1, 936, 1_064), (2, 936, 1_064), (3, 872, 1_128)])
def test_where_few_rows_have_a_time_more_of_them_are_looked_at(every: int, since: int, until: int) -> None:
    rows = [nan if n % every else 1.0 for n in range(2_000)]
    assert (lately(rows, 0, 1_000)[0], 1_000 + len(soon(rows, 1_000, 2_000))) == (since, until)
    assert lately(rows, 990, 1_000) == (990, rows[990:1_000]), "and none before the first one that counts"
    assert soon(rows, 1_000, 1_010) == rows[1_000:1_010]


def test_a_change_is_found_by_the_rows_with_a_time_however_few_of_them_have_one() -> None:
    took = [None if n % 40 else 1.0 + (n >= 4_000) for n in range(8_000)]
    rows = (Iteration(n, each_s, averaged_over=40 if each_s else 0) for n, each_s in enumerate(took))
    findings = watched([NANOGPT, *rows]).findings()
    (shift,) = findings.level.shifts
    assert (shift.position, shift.before_s, shift.after_s, findings.level.clean_s) == (4_000, 1.0, 2.0, 2.0)
    assert not findings.spikes
    (incident,) = findings.incidents
    assert incident.evidence == ("1.00 s in the 51 rows before it, 2.00 s in the 52 since.",)
