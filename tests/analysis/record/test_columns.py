"""The iterations as columns: what was not measured is nan, and sums do not depend on batches."""

from array import array
from itertools import accumulate
from math import isnan, nan
from random import Random

import pytest

from itermon.analysis.record import columns as columns_module
from itermon.analysis.record.columns import BLOCK, LEAST_S, MOST_S, Columns
from itermon.events import Iteration, Iterations, PrintedLoss, Witness


def columns_of(*iterations: Iteration) -> Columns:
    columns = Columns()
    columns.extend([*iterations])
    return columns


def block(*indices: int) -> Iterations:
    return Iterations(array("q", indices), *(array("d", [v] * len(indices)) for v in (1.0, 3.0, 0.4)))


def test_a_block_after_others_leaves_what_it_does_not_say_unknown() -> None:
    columns = columns_of(Iteration(0, 1.0, at_s=9.0, data_wait_s=0.1, averaged_over=70_000))
    columns.extend(block(1))
    columns.extend([Iteration(2, 1.0, at_s=12.0, data_wait_s=0.2)])
    assert [columns.time_at(p) for p in range(3)] == pytest.approx([9.0, nan, 12.0], nan_ok=True)
    assert list(columns.data_wait_s) == pytest.approx([0.1, nan, 0.2], nan_ok=True)
    assert list(columns.averaged_over) == [70_000, 1, 1]
    assert [columns.averaged_at(p) for p in range(3)] == [70_000, 1, 1]


def test_times_of_day_take_no_memory_before_the_first_one_comes() -> None:
    columns = columns_of(*(Iteration(i, 1.0) for i in range(100)))
    assert (columns.clocked, len(columns.at_s)) == (False, 0)
    columns.extend([Iteration(100, 1.0, at_s=1_000.0)])
    assert (columns.clocked, len(columns.at_s)) == (True, 1)
    assert [columns.time_at(p) for p in (0, 99, 100)] == pytest.approx([nan, nan, 1_000.0], nan_ok=True)


def test_waits_that_begin_late_are_unknown_before() -> None:
    columns = columns_of(Iteration(0, 1.0), Iteration(1, 1.0))
    columns.extend([Iteration(2, 1.0, data_wait_s=0.5), Iteration(3, 1.0)])
    assert list(columns.data_wait_s) == pytest.approx([nan, nan, 0.5, nan], nan_ok=True)


@pytest.mark.parametrize("duration_s", [0.0, -1.0, 1e-10, 1e10, float("inf"), nan, None])
def test_a_time_that_no_iteration_can_have_is_not_known(duration_s: float | None) -> None:
    columns = columns_of(Iteration(0, 1.0), Iteration(1, duration_s), Iteration(2, 1e-9))
    assert isnan(columns.duration_s[1])
    assert [columns.duration_s[0], columns.duration_s[2]] == [1.0, 1e-9]
    assert columns.spent_s(0, 2) == pytest.approx(1.0 + 1e-9)


def test_a_time_that_is_not_printed_comes_from_two_times_of_day() -> None:
    columns = columns_of(
        Iteration(10, at_s=100.0),
        Iteration(11, at_s=102.0),
        Iteration(21, at_s=107.0),
        Iteration(22, 0.25, at_s=108.0),
        Iteration(22, at_s=109.0),
        Iteration(23, at_s=109.0),
        Iteration(24, 0.5, at_s=109.0),
        Iteration(25, at_s=111.0),  # a part of what passed until then was printed
    )
    assert list(columns.duration_s) == pytest.approx([nan, 2.0, 0.5, 0.25, nan, nan, 0.5, nan], nan_ok=True)
    assert list(columns.averaged_over) == [1, 1, 10, 1, 1, 1, 1, 1]


def test_an_entry_that_a_later_mean_holds_stands_for_no_iteration_and_gets_no_time() -> None:
    columns = columns_of(
        Iteration(10, at_s=100.0),
        Iteration(12, at_s=101.0, averaged_over=0),
        Iteration(14, at_s=102.0, averaged_over=0),
        Iteration(20, 0.5, at_s=105.0, averaged_over=10),
    )
    assert list(columns.averaged_over) == [1, 0, 0, 10]
    assert (columns.passed(1, 3), columns.spent_s(0, 3)) == (10, 5.0)


def test_an_iteration_without_a_time_leaves_what_the_times_rest_on() -> None:
    columns = columns_of(Iteration(1, 0.5, witness=Witness.ELAPSED), Iteration(2))
    assert columns.witness is Witness.ELAPSED


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_lines_of_one_flush_share_the_time_between_two_flushes(batch: int) -> None:
    """Forty iterations of 0.4 s arrive at once every 16 s: none of them took 16 s."""
    events = [Iteration(n, 16.0, at_s=1000.0 + n // 40 * 16, witness=Witness.STAMPS) for n in range(200)]
    columns = Columns()
    for start in range(0, len(events), batch):
        columns.extend(events[start : start + batch])
    known = [(n, d, columns.averaged_at(n)) for n, d in enumerate(columns.duration_s) if d == d]
    assert known == [(40, 0.4, 40), (80, 0.4, 40), (120, 0.4, 40), (160, 0.4, 40)]
    assert (columns.passed(0, 199), columns.spent_s(0, 199)) == (200, pytest.approx(64.0))


def test_stamps_of_whole_seconds_give_no_short_iteration_a_whole_second() -> None:
    columns = columns_of(*(Iteration(n, at_s=float(1000 + int(n * 0.4))) for n in range(100)))
    durations = [d for d in columns.duration_s if d == d]
    assert durations[-20:] == pytest.approx([0.4] * 20, rel=0.03)
    assert columns.spent_s(0, 99) / (columns.passed(0, 99) - 1) == pytest.approx(0.4, abs=0.01)


def test_the_first_of_a_later_batch_is_measured_from_the_last_of_the_one_before() -> None:
    columns = columns_of(Iteration(0, at_s=100.0))
    columns.extend([Iteration(1, at_s=103.0)])
    assert columns.duration_s[1] == 3.0


def test_sums_count_means_as_often_as_they_stand_for_iterations() -> None:
    random = Random(4)
    means = [random.randint(1, 5) for _ in range(5 * BLOCK)]
    durations = [random.choice([None, 1.0, 0.5]) for _ in means]
    columns = columns_of(
        *(Iteration(i, d, averaged_over=n) for i, d, n in zip(accumulate(means), durations, means, strict=True))
    )
    for first, last in ((0, 319), (0, 63), (1, 63), (64, 127), (63, 64), (10, 300), (5, 5), (128, 319)):
        part = [(d or 0.0) * n for d, n in zip(durations, means, strict=True)][first : last + 1]
        assert columns.spent_s(first, last) == pytest.approx(sum(part))
        assert columns.passed(first, last) == sum(means[first : last + 1])


def test_without_means_each_entry_is_one_iteration() -> None:
    columns = columns_of(*(Iteration(i, 0.5) for i in range(200)))
    assert (columns.passed(10, 19), columns.averaged_at(3), len(columns.averaged_over)) == (10, 1, 0)
    assert columns.spent_s(3, 150) == pytest.approx(74.0)
    assert columns_of(Iteration(0, None), Iteration(1, 0.5)).spent_s(0, 0) == 0.0


def test_a_mean_over_more_than_fits_is_kept_as_the_most_that_fits() -> None:
    assert columns_of(Iteration(2**33, 1.0, averaged_over=2**33)).averaged_at(0) == 2**32 - 1


def test_losses_that_are_no_number_are_counted_and_the_newest_row_of_them_begins_after_a_number() -> None:
    columns = columns_of(Iteration(5, 1.0, 3.0), Iteration(6, 1.0, bad_loss="nan"), Iteration(7, 1.0, 3.0))
    assert (columns.not_finite, columns.bad_losses.first, columns.bad_losses.since) == (1, 1, 1)
    columns.extend([Iteration(8, 1.0, bad_loss="inf"), Iteration(9, 1.0, bad_loss="nan")])
    assert (columns.not_finite, columns.bad_losses.first, columns.bad_losses.since) == (3, 1, 3)
    assert columns.newest_not_finite == 4


def test_a_printed_loss_is_set_once() -> None:
    columns = columns_of(Iteration(0, 1.0), Iteration(1, 1.0, 2.0), Iteration(2, 1.0))
    assert columns.set_loss(0, PrintedLoss(0, loss=3.5))
    assert not columns.set_loss(0, PrintedLoss(0, loss=9.0))
    assert not columns.set_loss(1, PrintedLoss(1, loss=9.0))
    assert not columns.set_loss(2, PrintedLoss(2, bad_loss="nan"))
    assert list(columns.loss) == pytest.approx([3.5, 2.0, nan], nan_ok=True)
    assert (columns.not_finite, columns.bad_losses.first, columns.newest_not_finite) == (1, 2, 2)


def test_iterations_that_passed_are_counted_whatever_the_batches_and_what_a_later_mean_holds() -> None:
    means = [1 if i % 7 else 3 for i in range(300)]
    lines = [Iteration(i, 1.0, averaged_over=n) for i, n in enumerate(means)]
    whole, grown = Columns(), Columns()
    whole.extend(lines)
    for line in lines:
        grown.extend([line])
    for columns in (whole, grown):
        for first, last in ((0, 299), (1, 298), (63, 64), (64, 127), (70, 70), (5, 4), (0, 63)):
            assert columns.passed(first, last) == sum(means[first : last + 1])
    whole._stand_for_none(range(70, 75), 300, [])
    whole.extend([Iteration(300, 1.0)])
    assert whole.passed(0, 299) == sum(means) - sum(means[70:75])


@pytest.mark.parametrize(
    ("spent", "shown"),
    [
        ((48, 44, 44, 46), [48, 92, 136, 182]),  # bars that are seen at their ends alone
        ((60, 9, 12), [60, 69, 81]),
    ],
)
def test_a_clock_that_shows_what_its_iterations_took_began_anew(spent: tuple[int, ...], shown: list[int]) -> None:
    bars = [Iteration(55 * n, s / 55, averaged_over=55, elapsed_s=s) for n, s in enumerate(spent, 1)]
    columns = columns_of(*bars)
    assert [columns.elapsed_at(n) for n in range(len(spent))] == shown


def test_a_clock_that_stands_still_within_its_second_runs_on() -> None:
    columns = columns_of(*(Iteration(n, 0.5, elapsed_s=float(n // 2)) for n in range(1, 6)))
    assert [columns.elapsed_at(n) for n in range(5)] == [0.0, 1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("means", "usual"),
    [
        ([1, 1, 1], (1, True)),
        ([1, *[50] * 20], (50, True)),
        ([15, 14, 15, 15, 7, 15, 16], (15, False)),
        ([0, 0, 3, 0, 0, 3], (3, True)),  # those without a time of their own are no means
        ([0], (1, True)),
        ([10] * 300 + [20] * 300, (20, True)),  # the newest tell
    ],
)
def test_of_how_many_iterations_the_times_are_means(means: list[int], usual: tuple[int, bool]) -> None:
    columns = Columns()
    columns.extend([Iteration(n, 1.0 if over else None, averaged_over=over) for n, over in enumerate(means)])
    assert columns.usually_averaged(0, len(means) - 1) == usual
    assert Columns().usually_averaged(0, -1) == (1, True)


def test_of_more_lines_at_once_than_a_block_can_hold_the_newest_ten_thousand_share_the_time() -> None:
    columns = columns_of(*(Iteration(i, at_s=100.0) for i in range(15_000)))
    columns.extend([Iteration(15_000, at_s=101.0)])
    assert columns.duration_s[-1] == 1e-4


def test_a_clock_that_is_a_little_late_begins_nothing_anew() -> None:
    """Several ranks draw their bars through each other: the line of one may be a second old."""
    shown = [8.0, 9.0, 7.0, 9.0, 10.0, 4.0]
    columns = columns_of(*(Iteration(n, 0.5, elapsed_s=s) for n, s in enumerate(shown)))
    assert [columns.elapsed_at(n) for n in range(6)] == [8.0, 9.0, 9.0, 9.0, 10.0, 14.0]


@pytest.mark.parametrize(
    ("before_s", "back_s", "at_s"),
    [(5.0, 4.5, 5.0), (5.0, 4.0, 9.0), (6.0, 5.0, 6.0), (9.0, 7.0, 9.0), (9.0, 6.9, 15.9), (3.0, 2.5, 5.5)],
)
def test_late_is_what_goes_back_two_seconds_at_most_once_four_have_passed(
    before_s: float, back_s: float, at_s: float
) -> None:
    columns = columns_of(*(Iteration(n, 0.5, elapsed_s=s) for n, s in enumerate((before_s, back_s))))
    assert columns.elapsed_at(1) == pytest.approx(at_s)


def test_what_passed_between_two_processes_is_no_iterations_time() -> None:
    columns = Columns()
    columns.extend([Iteration(i, None, at_s=1000.0 + i) for i in range(10)])
    columns.begin_process()
    columns.extend([Iteration(i, None, at_s=9000.0 + i) for i in range(10, 13)])
    assert [d for d in columns.duration_s if d == d] == [1.0] * 11
    assert columns.duration_s[10] != columns.duration_s[10]


def test_columns_stay_empty_until_something_has_a_value_and_begin_at_nothing() -> None:
    columns = Columns()
    assert (columns.untimed, columns.timed_from, columns.process_from, columns.clocked) == (0, 0, 0, False)
    columns.extend([Iteration(0, 1.0), Iteration(1, None), Iteration(2, None)])
    assert columns.untimed == 2
    assert [len(column) for column in (columns.data_wait_s, columns.elapsed_s, columns.averaged_over)] == [0] * 3
    assert isnan(columns.elapsed_at(0))


def test_what_begins_late_is_unknown_before_and_counted_as_one() -> None:
    columns = columns_of(Iteration(0, 1.0), Iteration(1, 1.0))
    columns.extend([Iteration(2, 1.0, elapsed_s=3.0, averaged_over=5), Iteration(3, None)])
    columns.extend([Iteration(4, 1.0, elapsed_s=5.0)])
    assert list(columns.elapsed_s) == pytest.approx([nan, nan, 3.0, nan, 5.0], nan_ok=True)
    assert list(columns.averaged_over) == [1, 1, 5, 1, 1]


@pytest.mark.parametrize(
    ("shown", "went_on"),
    [
        ([(6.0, 6.0), (10.0, 10.0)], 10.0),  # as far as twice what the clock moved and two seconds more
        ([(7.0, 7.0), (11.0, 11.0)], 18.0),
        ([(20.0, 20.0), (22.0, 20.0)], 42.0),  # a second and a twentieth of it beside what it took
        ([(20.0, 20.0), (22.1, 20.0)], 22.1),
        ([(20.0, 20.0), (18.0, 20.0)], 38.0),
        ([(100.0, 0.5), (100.5, 0.5)], 100.5),
        ([(10.0, 1.0), (2.0, 1.0)], 12.0),
        ([(0.7, 0.7), (0.5, 0.5), (0.5, 0.5), (0.6, 0.6)], 2.3),  # bars of one step, by a clock of tenths
        ([(0.5, 0.5), (1.1, 0.6), (1.6, 0.5)], 1.6),
    ],
)
def test_a_clock_of_bars_goes_on_where_each_shows_what_it_took(
    shown: list[tuple[float, float]], went_on: float
) -> None:
    columns = columns_of(*(Iteration(i, took, elapsed_s=at) for i, (at, took) in enumerate(shown)))
    assert columns.elapsed_s[-1] == pytest.approx(went_on)


@pytest.mark.parametrize(
    ("averaged", "first", "last", "usual"),
    [
        ([1, 2, 3, 4], 0, 3, (3, False)),
        ([1, 1, 1, 9], 0, 2, (1, True)),
        ([7, 1, 1, 1], 0, 0, (7, True)),
        ([7, 1, 1, 1], 1, 3, (1, True)),
        ([0, 0, 5, 0], 0, 3, (5, True)),
        ([0, 0], 0, 1, (1, True)),
        ([4] * 9 + [1], 0, 9, (4, True)),
        ([4] * 8 + [1], 0, 8, (4, False)),
    ],
)
def test_nine_in_ten_say_of_how_many_a_time_is_the_mean(
    averaged: list[int], first: int, last: int, usual: tuple[int, bool]
) -> None:
    columns = columns_of()
    columns.averaged_over = array("H", averaged)
    assert columns.usually_averaged(first, last) == usual


def test_only_the_newest_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "_AVERAGES", 2)
    columns = columns_of()
    for averaged, usual in (([5, 5, 1, 1], (1, True)), ([5, 5, 1, 3], (3, False))):
        columns.averaged_over = array("H", averaged)
        assert columns.usually_averaged(0, 3) == usual


@pytest.mark.parametrize("means", [1, 3])
def test_sums_of_any_part_are_those_of_its_entries(means: int) -> None:
    """Across blocks, at their edges and within one."""
    taken = [(1.0 + i % 7, None if i % 5 == 0 else 0.25 * (i % 3)) for i in range(300)]
    columns = columns_of(
        *(Iteration(i, took, data_wait_s=wait, averaged_over=means) for i, (took, wait) in enumerate(taken))
    )
    edges = (0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 299)
    for first in edges:
        for last in (edge for edge in edges if edge >= first):
            part = taken[first : last + 1]
            assert columns.spent_s(first, last) == pytest.approx(means * sum(took for took, _ in part))
            assert columns.waited_s(first, last) == pytest.approx(means * sum(wait or 0.0 for _, wait in part))
            assert columns.passed(first, last) == means * len(part)


def test_no_entries_stand_for_no_iterations() -> None:
    columns = columns_of(*(Iteration(i, 1.0) for i in range(5)))
    assert [columns.passed(*part) for part in ((1, 0), (3, 1), (2, 2))] == [0, 0, 1]
    columns.extend([])
    assert len(columns) == 5


def test_what_no_iteration_can_take_is_not_measured() -> None:
    assert isnan(columns_of(Iteration(0, MOST_S)).duration_s[0])
    found = columns_of(*(Iteration(i, d) for i, d in enumerate([LEAST_S, LEAST_S / 2, 0.0, 1.0])))
    assert list(found.duration_s) == pytest.approx([LEAST_S, nan, nan, 1.0], nan_ok=True, abs=0)


def test_a_line_without_a_stamp_ends_no_search_for_the_next_one() -> None:
    columns = columns_of(Iteration(0, None, at_s=10.0), Iteration(1, None), Iteration(2, None, at_s=14.0))
    assert columns.duration_s[2] == 2.0
    assert list(columns.averaged_over) == [1, 0, 2]


def test_a_clock_goes_on_where_a_mean_holds_all_since_its_beginning() -> None:
    held = [Iteration(n, averaged_over=0, elapsed_s=1.5 * n) for n in range(10)]
    columns = columns_of(*held, Iteration(10, 1.5, averaged_over=10, elapsed_s=15.0), Iteration(11))
    assert ([columns.elapsed_at(n) for n in (1, 9, 10)], columns.untimed) == ([1.5, 13.5, 15.0], 1)
