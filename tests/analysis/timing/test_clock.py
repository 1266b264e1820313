"""Wall time between iterations: what is a gap, what is an iteration without a line."""

from itertools import accumulate
from math import nan

import pytest

from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.analysis.timing.clock import Clock
from itermon.events import GAP, Iteration, RunInfo


def ticked(
    iterations: list[Iteration], *, restarts: tuple[int, ...] = (), resolution_s: float = 0.02
) -> tuple[Clock, list[float]]:
    columns = Columns()
    columns.extend(iterations)
    clock = Clock(columns)
    gaps = [
        clock.tick(p, 1.0, resolution_s, restarted=p in restarts)
        for p, i in enumerate(iterations)
        if i.at_s is not None
    ]
    return clock, gaps


def line(index: int, at_s: float | None, duration_s: float = 1.0) -> Iteration:
    return Iteration(index, duration_s, at_s=at_s)


def test_the_first_time_begins_the_clock_and_measures_nothing() -> None:
    clock, gaps = ticked([line(0, None), line(1, 100.0)])
    assert (gaps, clock.first, clock.last, clock.wall_s) == ([0.0], 1, 1, 0.0)


@pytest.mark.parametrize(
    ("index", "gap_s"),
    [(20, 80.0), (1, 99.0), (0, 99.0), (21, 99.0)],  # what is resumed may have made any number of them
)
def test_a_process_that_prints_each_twentieth_has_made_twenty_at_its_first_row(index: int, gap_s: float) -> None:
    rows = [line(20, 100.0), line(40, 120.0), line(index, 220.0)]
    _, gaps = ticked(rows, restarts=(2,))
    assert gaps[2] == pytest.approx(gap_s)
    alone = ticked([line(20, 100.0), line(index, 200.0)], restarts=(1,))[1][1]
    assert alone == pytest.approx(gap_s), "the first printed no other row"
    means = [Iteration(i.index, 1.0, at_s=i.at_s, averaged_over=20) for i in rows]
    assert ticked(means, restarts=(2,))[1][2] == pytest.approx(80.0), "their mean has them all"


def test_a_first_row_at_19_of_each_twentieth_that_counts_from_0_has_nineteen_before_it() -> None:
    _, gaps = ticked([line(19, 100.0), line(39, 120.0), line(19, 220.0)], restarts=(2,))
    assert gaps[2] == pytest.approx(80.0), "0 to 18, and its own second"


@pytest.mark.parametrize(("passed_s", "gap_s"), [(1.0, 0.0), (1.2, 0.0), (1.26, 0.26), (11.0, 10.0)])
def test_more_than_a_quarter_of_an_iteration_is_a_gap(passed_s: float, gap_s: float) -> None:
    clock, gaps = ticked([line(0, 100.0), line(1, 100.0 + passed_s)])
    assert gaps[1] == pytest.approx(gap_s)
    assert (clock.wall_s, clock.spent_s) == (pytest.approx(passed_s), 1.0)
    assert clock.gap_s + clock.between_s == pytest.approx(passed_s - 1.0)


@pytest.mark.parametrize(("passed_s", "gap_s"), [(2.0, 0.0), (3.0, 2.5)])
def test_two_ticks_between_two_trainings_are_no_pause(passed_s: float, gap_s: float) -> None:
    """Stamps of whole seconds, and rows of half a second: the last row has no time of its own, but the level."""
    columns = Columns()
    columns.extend([Iteration(n, at_s=100.0 + n // 2) for n in range(21)])
    columns.begin_process()
    columns.extend([Iteration(0, at_s=110.0 + passed_s)])
    clock = Clock(columns)
    gaps = [clock.tick(p, 0.5, 1.0, restarted=p == 21) for p in (*range(0, 21, 2), 21)]
    assert gaps[-1] == pytest.approx(gap_s)


@pytest.mark.parametrize(
    ("launched_s", "gap_s"), [(None, 90.0), (194.0, 94.0), (180.0, 90.0), (99.0, 90.0), (201.0, 90.0)]
)
def test_the_first_iteration_of_a_process_took_no_longer_than_since_its_first_line(
    launched_s: float | None, gap_s: float
) -> None:
    columns = Columns()
    columns.extend([Iteration(0, 10.0, at_s=100.0)])
    columns.begin_process()
    columns.extend([Iteration(0, at_s=200.0)])
    columns.launched = {} if launched_s is None else {1: launched_s}
    clock = Clock(columns)
    assert [clock.tick(p, 10.0, 0.02, restarted=p == 1) for p in (0, 1)] == [0.0, gap_s]


def test_stamps_of_whole_seconds_need_more_than_a_second() -> None:
    assert ticked([line(0, 100.0), line(1, 101.9)], resolution_s=1.0)[1][1] == 0.0
    assert ticked([line(0, 100.0), line(1, 102.1)], resolution_s=1.0)[1][1] == pytest.approx(1.1)
    assert ticked([line(0, 100.0), line(1, 102.0, 0.98)], resolution_s=1.0)[1][1] == 0.0, "its digits hide as much"
    assert ticked([line(0, 100.0), line(10, 111.9)], resolution_s=1.0)[1][1] == 0.0, "two, without a line of each"


def test_iterations_without_a_line_take_what_the_level_says_until_three_intervals_are_known() -> None:
    lines = [line(10 * i, 100.0 + 12.0 * i) for i in range(5)]
    lines.append(line(50, 100.0 + 12.0 * 4 + 42.0))
    clock, gaps = ticked(lines)
    assert gaps[1] == pytest.approx(12.0 - 1.0 - 9 * 1.0)  # by the level
    assert gaps[3] == pytest.approx(2.0)
    assert gaps[4] == 0.0  # by the three intervals before
    assert gaps[5] == pytest.approx(30.0)
    assert clock.unseen == 5 * 9
    assert clock.between_s == 0.0


def test_what_an_iteration_without_a_line_takes_is_known_after_three_calm_intervals() -> None:
    def lines(count: int) -> list[Iteration]:
        return [line(10 * i, 100.0 + (1.0 + 9 * 1.02) * i) for i in range(count)]

    assert ticked(lines(3))[0].unseen_s is None
    assert ticked(lines(4))[0].unseen_s == pytest.approx(1.02)


def test_the_gap_between_two_processes_is_all_that_no_iteration_took() -> None:
    clock, gaps = ticked([line(90, 100.0), line(40, 130.0), line(41, 131.0)], restarts=(1,))
    assert gaps == [0.0, 29.0, 0.0]
    assert (clock.unseen, clock.gap_s) == (0, 29.0)


def test_a_process_that_began_before_the_last_one_ended_has_no_negative_gap() -> None:
    clock, gaps = ticked([line(90, 100.0), line(40, 100.8)], restarts=(1,))
    assert gaps == [0.0, 0.0]
    assert clock.gap_s == 0.0


def test_a_clock_that_was_set_back_measures_nothing() -> None:
    clock, gaps = ticked([line(0, 100.0), line(1, 50.0), line(2, 51.0)])
    assert (gaps, clock.wall_s, clock.spent_s) == ([0.0, 0.0, 0.0], 1.0, 1.0)


@pytest.mark.parametrize(("passed_s", "wall_s"), [(4.9, 0.0), (5.1, 5.1)])
def test_lines_that_come_twice_as_fast_as_they_were_made_are_no_clock(passed_s: float, wall_s: float) -> None:
    lines = [line(0, 100.0), *(line(i, None) for i in range(1, 10)), line(10, 100.0 + passed_s)]
    assert ticked(lines, resolution_s=0.0)[0].wall_s == pytest.approx(wall_s)


def test_lines_of_one_moment_are_one_interval() -> None:
    lines = [line(i, 100.0) for i in range(40)] + [line(40 + i, 140.0) for i in range(40)]
    clock, gaps = ticked(lines, resolution_s=1.0)
    assert (clock.first, clock.last) == (39, 79)
    assert (clock.wall_s, clock.spent_s) == (40.0, pytest.approx(40.0))
    assert (clock.gap_s, clock.between_s) == (pytest.approx(0.0), pytest.approx(0.0))
    assert sum(gaps) == pytest.approx(0.0)


def test_what_the_lines_of_a_moment_do_not_explain_stays_a_gap() -> None:
    lines = [line(0, 100.0), line(1, 130.0), line(2, 130.0), line(3, 130.0), line(4, 131.0)]
    clock, gaps = ticked(lines, resolution_s=1.0)
    assert gaps == [0.0, 29.0, -1.0, -1.0, 0.0]
    assert (clock.wall_s, clock.spent_s, clock.gap_s) == (31.0, 4.0, 27.0)


def test_lines_without_a_line_between_are_learnt_once_a_moment() -> None:
    lines = [line(0, 100.0)]
    for i in range(1, 5):
        lines += [line(20 * i - 10, 100.0 + 20.0 * i), line(20 * i, 100.0 + 20.0 * i)]
    clock, _ = ticked(lines, resolution_s=1.0)
    assert clock.unseen == 4 * 18
    assert clock.unseen_s == pytest.approx(1.0)


def test_another_clock_begins_anew() -> None:
    columns = Columns()
    columns.extend([Iteration(i, 1.0, at_s=100.0 + i, elapsed_s=float(i)) for i in range(3)])
    clock = Clock(columns)
    for position in (0, 1):
        clock.tick(position, 1.0, 1.0, restarted=False)
    clock.read(columns.elapsed_at)
    assert clock.tick(2, 1.0, 1.0, restarted=False) == 0.0
    assert clock.wall_s == 1.0


def test_an_iteration_that_a_later_mean_holds_is_no_end_of_an_interval() -> None:
    columns = Columns()
    columns.extend([line(0, 100.0), Iteration(4, at_s=101.0, averaged_over=0), line(20, 120.0)])
    assert list(Clock(columns).stamped(0, 3)) == [0, 2]


def test_what_passed_in_less_than_a_second_counts_as_what_it_is() -> None:
    clock, _ = ticked([line(0, 100.0, 0.25), line(1, 100.5, 0.25)])
    assert (clock.wall_s, clock.spent_s, clock.between_s + clock.gap_s) == (0.5, 0.25, 0.25)
    assert ticked([line(0, 100.0, 0.25), line(1, 99.5, 0.25)])[0].wall_s == 0.0


class Given:
    """Columns of iterations of 1 s with these numbers, at these times; the first ones may have no time."""

    def __init__(self, at_s: list[float], index: list[int] | None = None, timed_from: int = 0) -> None:
        self.at_s, self.index, self.timed_from = at_s, index or [*range(len(at_s))], timed_from
        self.averaged_over: list[int] = []
        self.uncounted: dict[int, int] = {}

    def time_at(self, position: int) -> float:
        return self.at_s[position]

    def spent_s(self, first: int, last: int) -> float:
        return float(last - first + 1)

    def passed(self, first: int, last: int) -> int:
        return last - first + 1

    def untimed_between(self, first: int, last: int) -> int:
        return 0


def clocked(
    given: Given, positions: list[int], *, level: float = 1.0, resolution_s: float = 0.02
) -> tuple[Clock, list[float]]:
    clock = Clock(given)  # type: ignore[arg-type]
    return clock, [clock.tick(position, level, resolution_s, restarted=False) for position in positions]


@pytest.mark.parametrize(
    ("passed_s", "resolution_s", "gap_s"),
    [(1.25, 0.02, 0.0), (1.5, 0.02, 0.5), (1.5, 0.5, 0.0), (1.5, 0.25, 0.5), (-5.0, 0.02, 0.0), (-0.5, 0.02, 0.0)],
)
def test_more_than_a_quarter_of_the_level_and_than_the_clock_tells_is_a_gap(
    passed_s: float, resolution_s: float, gap_s: float
) -> None:
    clock, gaps = clocked(Given([100.0, 100.0 + passed_s]), [0, 1], resolution_s=resolution_s)
    assert gaps == [0.0, gap_s]
    assert clock.wall_s == max(0.0, passed_s)
    assert clock.last == 1


@pytest.mark.parametrize(
    ("passed_s", "resolution_s", "counted"), [(0.48, 0.02, True), (0.4, 0.02, False), (0.5, 0.0, True)]
)
def test_lines_that_come_faster_than_they_were_made_had_waited(
    passed_s: float, resolution_s: float, counted: bool
) -> None:
    clock, gaps = clocked(Given([100.0, 100.0 + passed_s]), [0, 1], resolution_s=resolution_s)
    assert gaps == [0.0, 0.0]
    assert (clock.wall_s > 0) is counted


def test_iterations_without_a_line_take_what_the_others_take() -> None:
    """Every second is printed; each interval has 1 s of its own and 1 s of the other."""
    given = Given([100.0 + 2.0 * n for n in range(9)], [2 * n for n in range(9)])
    clock, gaps = clocked(given, [*range(9)])
    assert (gaps, clock.unseen, clock.unseen_s, clock.between_s) == ([0.0] * 9, 8, 1.0, 0.0)
    given.at_s[8] += 0.29  # a quarter of the level, and 3 % for each that was not printed
    assert clocked(given, [*range(9)])[1][-1] == pytest.approx(0.29)
    given.at_s[8] -= 0.02
    assert clocked(given, [*range(9)])[1][-1] == 0.0


def test_what_passes_behind_an_epochs_end_tells_nothing_of_an_iteration() -> None:
    """Five lines in a row, then three iterations without one and an evaluation of 60 s."""
    index, at_s = [0], [100.0]
    for _ in range(6):
        for apart, passed_s in ((1, 1.0), (1, 1.0), (1, 1.0), (1, 1.0), (4, 64.0)):
            index.append(index[-1] + apart)
            at_s.append(at_s[-1] + passed_s)
    clock, gaps = clocked(Given(at_s, index), [*range(31)])
    assert gaps == [0.0, *[0.0, 0.0, 0.0, 0.0, 60.0] * 6]
    assert clock.unseen == 18


def test_what_an_iteration_without_a_line_takes_is_told_by_the_newest_thirty_two() -> None:
    def of(*others_s: float) -> tuple[Clock, list[float]]:
        at_s = [*accumulate((1.0 + other_s for other_s in others_s), initial=100.0)]
        return clocked(Given(at_s, [2 * n for n in range(len(at_s))]), [*range(len(at_s))])

    assert of(*[1.0] * 40, *[2.0] * 20)[1] == [0.0] * 41 + [1.0] * 16 + [0.0] * 4  # their median
    assert of(*[1.0] * 40, *[1.125] * 31)[0].unseen_s == 1.0 + 0.125 * 31 / 32  # their mean
    assert of(*[1.0] * 40, *[1.125] * 32)[0].unseen_s == 1.125


@pytest.mark.parametrize("gap_s", [0.9, 12.0])
def test_no_gap_is_what_intervals_with_iterations_without_a_line_differ_by(gap_s: float) -> None:
    at_s = [*accumulate((*[10.0, 10.4] * 12, 10.2 + gap_s), initial=100.0)]
    _, gaps = clocked(Given(at_s, [10 * n for n in range(len(at_s))]), [*range(len(at_s))])
    assert gaps == [0.0] * 25 + [pytest.approx(gap_s * (gap_s > 1))]


def test_from_where_a_time_is_known_positions_are_stamped() -> None:
    given = Given([nan, nan, 5.0, nan, 7.0], timed_from=2)
    clock = Clock(given)  # type: ignore[arg-type]
    assert [*clock.stamped(0, 5)] == [2, 4]
    assert [*clock.stamped(3, 5)] == [4]
    clock.read(lambda position: [1.0, nan, 3.0, nan, nan][position])
    assert [*clock.stamped(0, 5)] == [0, 2]


def test_numbers_that_step_back_hide_nothing() -> None:
    clock, gaps = clocked(Given([100.0, 101.0, 102.0], [5, 5, 6]), [0, 1, 2])
    assert (gaps, clock.unseen) == ([0.0] * 3, 0)


@pytest.mark.parametrize(("passed_s", "gap_s"), [(2.0, 0.0), (2.2, 0.0), (5.0, 3.0)])
def test_an_iteration_whose_time_nobody_says_takes_no_less_than_is_normal(passed_s: float, gap_s: float) -> None:
    columns = Columns()
    columns.extend([Iteration(0, 1.0, elapsed_s=10.0), Iteration(1), Iteration(2, elapsed_s=10.0 + passed_s)])
    clock = Clock(columns)
    clock.read(columns.elapsed_at)
    gaps = [clock.tick(position, 1.0, 0.02, restarted=False) for position in (0, 2)]
    assert gaps == [0.0, pytest.approx(gap_s)]
    assert clock.unseen == 0


@pytest.mark.parametrize(("uncounted", "gap_s"), [(0, 15.0), (10, 15.0), (15, 0.0), (19, 0.0)])
def test_iterations_that_nobody_counted_may_have_taken_what_is_too_much(uncounted: int, gap_s: float) -> None:
    given = Given([0.0, 1.0, 17.0])
    given.uncounted = {2: uncounted} if uncounted else {}
    assert clocked(given, [0, 1, 2])[1] == [0.0, 0.0, gap_s]


def test_what_passed_since_the_first_line_is_not_that_lines_which_has_no_time() -> None:
    assert ticked([Iteration(0, at_s=100.0), line(1, 103.0)])[1] == [0.0, pytest.approx(2.0)]


def test_what_iterations_without_a_line_took_is_told_once_whether_their_lines_came_together_or_not() -> None:
    lines = [line(10 * n, 100.0 + 10.0 * n) for n in range(4)]
    clock, gaps = ticked([*lines, line(39, 139.4), line(40, 139.4)])
    assert (clock.unseen_s, clock.unseen, gaps) == (pytest.approx((3 * 9.0 + 7.4) / 35), 35, [0.0] * 6)


def test_what_a_row_takes_more_than_those_beside_it_is_no_gap_where_one_clock_tells_of_both() -> None:
    """14 s by the rows before, 17 s by its own stamps of whole seconds: nothing else measured an iteration."""
    passed_s = [15, 13, 13, 15, 14, 15, 16, 17, 20, 17, 17, 19] + [19, 23, 21, 19] * 20
    run = Run()
    run.apply([RunInfo(clock="log")])
    run.apply([Iteration(500 * n, at_s=1e9 + at_s) for n, at_s in enumerate(accumulate(passed_s))])
    assert GAP not in {row.cause for row in run.findings(spikes=None).ledger}


@pytest.mark.parametrize(("left_s", "gap"), [(60.0, False), (200.0, True)])
def test_what_iterations_took_that_nobody_counted_is_training_and_no_gap(left_s: float, *, gap: bool) -> None:
    """Epochs of 300 and some: rows of each hundredth, and nothing says how many follow the last of them."""
    rows, at_s = [], 1e9
    for epoch in range(8):
        at_s += left_s * (epoch > 0)
        for row in range(4):
            at_s += 100.0 * (row > 0)
            rows.append(Iteration(301 * epoch + 100 * row, 1.0, at_s=at_s, uncounted=99 * (row == 0 < epoch)))
    run = Run()
    run.apply([RunInfo(clock="log"), *rows])
    assert (GAP in {row.cause for row in run.findings(spikes=None).ledger}) is gap


@pytest.mark.parametrize(("at_s", "back"), [(39.0, True), (41.0, False), (102.0, False)])
def test_a_clock_that_steps_back_by_more_than_a_minute_is_known(*, at_s: float, back: bool) -> None:
    clock, _ = ticked([line(0, 100.0), line(1, 101.0), line(0, at_s)], restarts=(2,))
    assert clock.steps_back is back
