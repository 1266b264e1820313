"""What must hold of rows before anything is said of them as one level."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from simulated_runs import NANOGPT, watched

from itermon.analysis.record.columns import Columns
from itermon.analysis.timing.alike import (
    are_of_one,
    away,
    is_between_two,
    left_out,
    means_of,
    middle_half,
    mostly_s,
    near,
    newest,
    nine_in_ten,
    settled,
    strays,
)
from itermon.events import EVALUATION, Event, Iteration, SpanEnd

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings


def columns(durations: list[float]) -> Columns:
    made = Columns()
    made.extend([Iteration(n, d) for n, d in enumerate(durations)])
    return made


def found(durations: list[float]) -> Findings:
    random = Random(1)
    noisy = [d * random.gauss(1, 0.005) for d in durations]
    return watched([NANOGPT, *(Iteration(n, d) for n, d in enumerate(noisy))]).findings()


@pytest.mark.parametrize(
    ("durations", "share"),
    [([], 1.0), ([0.9, 1.1], 1.0), ([0.89, 1.0, 1.11, 1.0], 0.5), ([float("nan"), 2.0], 0.0)],
)
def test_within_a_tenth_is_near(durations: list[float], share: float) -> None:
    assert near(durations, 1.0) == share


def test_what_is_told_of_one_by_one_is_no_stray() -> None:
    made = columns([9.0, 1.0, 5.0, 0.8])
    assert strays(made, 0, [], 1.0) == 0.75
    assert strays(made, 1, [2], 1.0) == 0.5
    assert strays(made, 1, [0, 2, 3], 1.0) == 0.0


@pytest.mark.parametrize(("behind", "share"), [(1_023, 1 / 1_024), (1_024, 0.0)])
def test_of_the_newest_thousand_rows_it_is_told_how_many_stray(behind: int, share: float) -> None:
    assert strays(columns([5.0] * 9 + [5.0] + [1.0] * behind), 0, [], 1.0) == pytest.approx(share)


@pytest.mark.parametrize(
    ("behind", "so"),
    [
        ([1.0] * 9 + [2.0], True),
        ([1.0] * 8 + [2.0] * 2, False),
        ([2.0] * 3, True),
        ([2.0] * 4, False),
        ([1.0] * 32 + [2.0] * 40, True),
    ],
)
def test_a_warm_up_ends_in_one_level(behind: list[float], so: bool) -> None:
    assert settled(columns([9.0, *behind, 5.0]), 1, [len(behind) + 1], 1.0) is so


def test_nine_in_ten_leave_one_in_twenty_out_on_either_side() -> None:
    def of(durations: list[float], first: int = 0) -> tuple[float, float, int] | None:
        return nine_in_ten(columns(durations), first, 1, lambda _: True)

    assert of([float(n) for n in range(100)]) == (39.0, 96.0, 64)
    assert of([float(n) for n in range(100)], 80) == (81.0, 98.0, 20)
    assert of([]) is None
    assert of([9.4, *(2.3 + n / 25 for n in range(15))]) == (pytest.approx(2.34), pytest.approx(2.86), 16)
    assert of([float(n) for n in range(1, 10)]) == (1.0, 9.0, 9)
    assert of([float(n) for n in range(1, 9)]) is None, "too few"
    assert of([3.0] * 50 + [3.3] * 50) is None, "too narrow"


def test_the_range_is_that_of_rows_that_are_alike_and_hold_no_stop() -> None:
    made = Columns()
    made.extend([Iteration(n, 9.0, averaged_over=3 if n == 5 else 10) for n in range(6)])
    made.extend([Iteration(n, 1.0 + n, averaged_over=10) for n in range(6, 18)])
    assert nine_in_ten(made, 0, 10, lambda n: n > 4) == (8.0, 17.0, 12)


@pytest.mark.parametrize("long", [8, 14, 30])
def test_of_levels_that_come_back_in_turns_none_is_said_to_hold(long: int) -> None:
    """Nothing is steady, has moved or has settled where two paces alternate."""
    for extra in range(0, 2 * long, max(3, long // 3)):
        all_of_them = found([(1.0, 1.35)[n // long % 2] for n in range(10 * long + extra)])
        said = " ".join((*all_of_them.verdict.opening, *all_of_them.verdict.evidence))
        assert "are steady" not in said, (long, extra)
        assert all_of_them.level.warmup_iterations == 0


def test_where_one_in_twelve_takes_less_not_all_times_are_steady() -> None:
    """Each twelfth is a fifth shorter: the median of the others hides it."""
    said = found([1.0 - 0.2 * (n % 12 == 0) for n in range(90)]).verdict
    assert "steady" not in " ".join((*said.opening, *said.evidence))


def test_times_that_are_all_alike_are_steady() -> None:
    assert "steady" in found([1.0] * 90).verdict.opening[-1] + found([1.0] * 90).verdict.headline


def test_the_newest_rows_are_all_but_those_that_are_told_of_one_by_one() -> None:
    made = columns([7.0, 9.0, 1.0, 5.0, float("nan"), 0.8, 2.0])
    assert newest(made, 0, 4, [3]) == [0.8, 1.0, 2.0, 9.0]
    assert newest(made, 5, 4, []) == [0.8, 2.0]
    assert newest(made, 0, 2, []) == [0.8, 2.0]


@pytest.mark.parametrize(("slow", "without"), [([], 0), ([20, 70, 90], 2), ([10], 0)])
def test_the_slow_ones_among_the_newest_rows_are_counted(slow: list[int], without: int) -> None:
    run = watched([NANOGPT, *(Iteration(n, 1.0 + n / 1000) for n in range(100))])
    assert left_out(run.intake.columns, 30, 64, slow) == without


def test_nineteen_in_twenty_are_of_rows_that_hold_a_short_evaluation_as_well() -> None:
    """The level leaves such means out, each fourth one, and no row tells of them: the 95 % hold them, too."""
    random = Random(1)
    events: list[Event] = []
    for n in range(1, 65):
        took_s = (1.1 if n % 4 == 0 else 1.0) * random.gauss(1, 0.005)
        events.append(Iteration(100 * n, took_s, averaged_over=100))
        events += [SpanEnd(EVALUATION, iteration=100 * n + 100)] * (n % 4 == 3)
    level = watched([NANOGPT, *events]).findings().level
    assert level.clean_s == pytest.approx(1.0, rel=0.01)
    assert level.p95_s == pytest.approx(1.1, rel=0.01)


@pytest.mark.parametrize(
    ("durations", "level_s", "one"),
    [
        ([1.0] * 58 + [1.6] * 6, 1.0, True),
        ([1.0] * 48 + [1.6] * 16, 1.0, False),  # a quarter are others
        ([1.0] * 58 + [1.6] * 6, 1.2, False),  # one, but another than is told
        ([0.011, 0.012, 0.013] * 20, 0.0117, True),  # printed to a digit
        ([1.6] * 60 + [1.0] * 64, 1.0, True),  # what was before does not matter
        ([1.0] * 8, 1.0, False),
    ],
)
def test_nearly_all_of_the_newest_rows_lie_near_one_time(
    durations: list[float], level_s: float, one: bool
) -> None:
    columns = Columns()
    columns.extend([Iteration(n, d) for n, d in enumerate(durations)])
    assert are_of_one(columns, 0, [], level_s) is one


def test_a_row_behind_iterations_that_nobody_counted_is_no_slow_one() -> None:
    """What it took longer may be theirs."""
    made = Columns()
    made.extend([Iteration(n, 5.0 if n % 10 == 0 else 1.0, uncounted=9 * (n % 10 == 0)) for n in range(60)])
    slow = [*range(0, 60, 10)]
    assert left_out(made, 0, 40, slow) == 0
    assert left_out(columns([5.0 if n % 10 == 0 else 1.0 for n in range(60)]), 0, 40, slow) == 4


@pytest.mark.parametrize(
    ("durations", "so"),
    [
        ([6.1, 6.4, 6.0, 6.3, 6.2, 4.1, 4.0, 4.2, 4.1, 4.0], True),  # a machine that others used at first
        ([6.1, 6.4, 6.0, 6.3, 5.2, 4.1, 4.0, 4.2, 4.1], False),  # one lies where their median does
        ([6.1, 6.4, 6.0, 6.3, 4.1, 4.0, 4.2, 4.1], False),  # few rows show nothing
        ([1.0, 1.1] * 10, False),  # so near that their middle is of both
        ([5.0 + n / 10 for n in range(20)], False),  # spread, and of no two groups
    ],
)
def test_a_median_that_no_row_takes_is_the_middle_between_two_levels(durations: list[float], so: bool) -> None:
    assert is_between_two(columns(durations), 0, []) == so


def test_some_times_are_of_one_iteration_and_rows_without_a_time_are_none() -> None:
    of_two = Columns()
    of_two.extend([Iteration(0, None), Iteration(2, 1.0, averaged_over=2), Iteration(4, 1.5, averaged_over=2)])
    assert 1 not in means_of(of_two, 0)
    of_two.extend([Iteration(5, 1.25)])
    assert 1 in means_of(of_two, 0)
    assert not means_of(columns([1.0, 2.0]), 0), "all are"


@pytest.mark.parametrize(
    ("rows", "so"),
    [
        ([(1, None), (50, 2.0), (50, 2.0)], False),  # the first row of a process has no time
        ([(50, 2.0), (1, None), (50, 2.0)], False),
        ([(10, 2.0), (50, 2.0), (50, 2.0)], True),
        ([(50, 2.0), (50, 2.0)], False),
        ([(1, 2.0), (1, None)], False),
    ],
)
def test_a_row_without_a_time_is_no_mean_of_another_number(rows: list[tuple[int, float | None]], so: bool) -> None:
    made = Columns()
    made.extend([Iteration(n, d, averaged_over=over) for n, (over, d) in enumerate(rows)])
    assert (len(means_of(made, 0)) > 1) is so


@pytest.mark.parametrize(("others", "usual_s"), [(16, 1.0), (17, None)])
def test_what_most_rows_take_is_told_where_no_more_than_a_quarter_take_something_else(
    others: int, usual_s: float | None
) -> None:
    rows = columns([*[9.0] * 30, *[1.0] * (64 - others), *[2.0] * others])
    assert mostly_s(rows, 0, 1, lambda _: True) == usual_s
    assert mostly_s(columns([1.0] * 8), 0, 1, lambda _: True) is None, "too few"


def test_what_lies_between_two_times_that_rows_take_in_turns_is_what_none_takes() -> None:
    assert mostly_s(columns([3.5, 4.0] * 32), 0, 1, lambda _: True) is None
    assert mostly_s(columns([3.75, 4.0, 4.0] * 22), 0, 1, lambda _: True) == 4.0


def test_the_middle_half_leaves_a_quarter_out_on_either_side() -> None:
    rows = columns([*[9.0] * 30, *(float(n) for n in range(1, 65))])
    assert middle_half(rows, 0, 1, lambda _: True) == (17.0, 48.0)
    assert middle_half(columns([1.0] * 8), 0, 1, lambda _: True) is None, "too few"


@pytest.mark.parametrize(("held", "so"), [(15, False), (16, True)])
def test_so_many_far_rows_in_a_row_are_another_level_however_long_ago(held: int, so: bool) -> None:
    rows = [1.0] * 600 + [0.85] * held + [1.0] * 1_400
    assert away(columns(rows), 0, [], 1.0) == (pytest.approx(held / (2_000 + held)), so)
    by_turns = [*[1.0] * 600, *[0.85, 1.2] * 16, *[1.0] * 1_400]
    assert away(columns(by_turns), 0, [], 1.0) == (pytest.approx(32 / 2_032), False), (
        "on either side by turns: noise"
    )
    assert away(columns(rows), 700, [], 1.0) == (0.0, False), "before a change nothing of it is told"


def test_of_very_many_rows_stretches_from_the_first_to_the_last_are_looked_at() -> None:
    rows = [0.8] * 3_000 + [1.0] * 27_000
    assert away(columns(rows), 0, [], 1.0).held
    assert away(columns(rows), 3_000, [], 1.0) == (0.0, False)
    assert away(columns([]), 0, [], 1.0) == (0.0, False)


def test_times_are_not_steady_since_a_change_where_another_level_held_for_a_while() -> None:
    rows = [2.0] * 200 + [1.0] * 300 + [0.87] * 20 + [1.0] * 1_200
    assert found(rows).verdict.headline.startswith("Most iteration times are alike")
    rows[500:520] = [1.0] * 20
    assert "steady since iteration 200" in found(rows).verdict.headline
