"""What iterations without a line waited for data."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.analysis.timing.waits import (
    _are_alike,
    may_have_waited_more,
    may_hide_waits,
    share_of_epochs,
    unseen_s,
    waited_by_all,
)
from itermon.events import DATA, Iteration, RunInfo


@pytest.mark.parametrize(
    ("long_at", "count", "last", "regular"),
    [
        ((0, 10, 20, 30), 40, 39, True),
        ((0, 10, 20), 40, 39, False),
        ((0, 10, 20, 30, 40, 55), 60, 59, True),  # four of five are alike
        ((0, 10, 20, 30, 45), 60, 59, False),
        ((0, 10, 20, 30, 45), 60, 44, True),  # what comes later does not count
        ((0, 10, 20, 30), 40, 29, False),
        ((10, 25, 903, 1_000, 2_000, 3_000, 4_000), 5_000, 4_999, True),  # nor what is far back
        ((10, 25, 904, 1_000, 2_000, 3_000, 4_000), 5_000, 4_999, False),
    ],
)
def test_four_long_waits_that_are_equally_far_apart_are_those_of_epochs(
    long_at: tuple[int, ...], count: int, last: int, regular: bool
) -> None:
    rows = [Iteration(n, 4.0, data_wait_s=3.0 if n in long_at else 0.5) for n in range(count)]
    columns = watched([*rows]).intake.columns
    waits = columns.data_wait_s[max(0, last - 4_095) : last + 1]
    share = sum(wait_s for wait_s in waits if wait_s == 3.0) / sum(waits)
    assert share_of_epochs(columns, last) == (pytest.approx(share) if regular else 0.0)


def waits_of(waits: list[float | None], each_s: float = 1.0) -> float:
    """Seconds waited by 100 iterations for each of these rows."""
    rows = [Iteration(100 * n, each_s, data_wait_s=wait_s) for n, wait_s in enumerate(waits)]
    return waited_by_all(watched([*rows]).intake.columns, 0, len(rows) - 1, 99 * (len(rows) - 1))


def test_a_few_long_waits_of_printed_iterations_are_not_those_of_all_others() -> None:
    assert waits_of([0.01] * 16 + [50.0, 0.01, 0.01, 60.0], 4.0) == pytest.approx(0.18 + 0.009 * 1881), (
        "what is longer than its iteration is no part of it"
    )
    assert waits_of([0.5] * 20) == pytest.approx(0.5 * 1901), "the usual one waits as much"
    assert waits_of([50.0, None, None] * 8) == 0.0, "most rows do not tell"


@pytest.mark.parametrize(("long", "count"), [(1, 4), (3, 48), (4, 48)])
def test_long_waits_of_few_rows_stand_for_themselves(long: int, count: int) -> None:
    """A loader's first batch of 19.8 s says nothing of iterations that were not printed, which waited 10 ms."""
    waited_s = waits_of([19.8 if n in (0, 2, 3, 17)[:long] else 0.01 for n in range(count)], 22.0)
    each_s = 0.01 if long < 4 else (4 * 19.8 + 44 * 0.01) / 48
    rows_s = long * 19.8 + (count - long) * 0.01
    assert waited_s == pytest.approx(rows_s + 99 * (count - 1) * each_s)


def test_a_wait_that_is_longer_than_its_iteration_is_no_part_of_it() -> None:
    rows = [Iteration(n, 0.4, data_wait_s=wait_s) for n, wait_s in enumerate((1.6, 0.4, 0.42, 0.1))]
    known = watched([*rows]).intake.columns.data_wait_s
    assert [wait_s == wait_s for wait_s in known] == [False, True, True, True]


def test_iterations_without_a_row_are_like_the_rows_beside_them_and_not_like_a_slow_stretch() -> None:
    """Where a mean so far shows a slow stretch, its row stands for all of it."""
    alone = [Iteration(100 * n, 0.5, data_wait_s=0.001) for n in range(20)]
    slow = [Iteration(100 * n, 1.25, data_wait_s=0.75, averaged_over=100) for n in range(20, 24)]
    columns = watched([*alone, *slow]).intake.columns
    assert unseen_s(columns, 0, 23) == 0.5
    assert waited_by_all(columns, 0, 23, 1_881) == pytest.approx(300.0 + 0.02 + 1.881)
    assert unseen_s(watched([*alone]).intake.columns, 0, 19) is None
    assert unseen_s(watched([*slow]).intake.columns, 0, 3) is None


def test_a_row_speaks_for_as_many_iterations_as_are_behind_it() -> None:
    """The last row of an epoch stands near the one before it, and its batches are loaded already."""
    places = [(100 * n + at, 2.0 if at < 100 else 0.5) for n in range(10) for at in (45, 90, 100)]
    rows = [Iteration(index, each_s, averaged_over=5) for index, each_s in places]
    unseen = 10 * 40 * 2.0 + 9 * 40 * 2.0 + 10 * 5 * 0.5  # nothing is known of those before the first row
    columns = watched([*rows]).intake.columns
    assert unseen_s(columns, 0, 29) == pytest.approx(unseen / (10 * 40 + 9 * 40 + 10 * 5))


@pytest.mark.parametrize(("told", "share"), [(20, 1.0), (10, 1.0), (9, 9 / 20)])
def test_means_that_do_not_tell_their_waits_waited_as_the_others_before_them(told: int, share: float) -> None:
    """Late in a long epoch a mean so far has too few digits for it; of most of all time nobody guesses."""
    places = [(20 * epoch + n, n < told) for epoch in range(4) for n in range(20)]
    waits_s = [0.25 if epoch < 2 else 0.75 for epoch in range(4) for _ in range(20)]
    rows = [
        Iteration(10 * n, 1.0, data_wait_s=wait_s if tells else None, averaged_over=10)
        for (n, tells), wait_s in zip(places, waits_s, strict=True)
    ]
    columns = watched([*rows]).intake.columns
    assert waited_by_all(columns, 0, 79, 0) == pytest.approx(share * 10 * sum(waits_s), rel=0.1)


def test_a_loader_that_waits_now_and_then_makes_iterations_without_a_row_wait_as_the_rows_on_average() -> None:
    """The first of an epoch, far slower than the others, stands for itself."""
    rows = [
        Iteration(100 * n, 7.0, data_wait_s=6.0)
        if n % 10 == 0
        else Iteration(100 * n, 0.5, data_wait_s=0.25 if n % 3 == 0 else 0.0625, averaged_over=20)
        for n in range(40)
    ]
    each_s = sum(one.data_wait_s for one in rows if one.duration_s == 0.5) / 36
    columns = watched([*rows]).intake.columns
    assert waited_by_all(columns, 0, 39, 3_000) == pytest.approx(4 * 6.0 + 20 * 36 * each_s + 3_000 * each_s)


def test_a_few_rows_that_stand_alone_are_no_sample_of_what_no_row_is_of() -> None:
    rows = [Iteration(100 * n, 8.0 if n == 20 else 1.0, averaged_over=1 if n == 20 else 100) for n in range(1, 41)]
    assert unseen_s(watched([*rows]).intake.columns, 0, 39) is None


@pytest.mark.parametrize(
    ("long_at", "turn", "bound"),
    [
        ((9, 21, 30), 100, True),  # a few, by chance
        ((9, 18, 27, 36), 100, True),  # regular ones, which need not be all: rows come at equal distances
        ((9, 18, 27, 36), 101, False),  # each of them out of turn: an epoch's first iteration has a row
        ((0,), 100, False),  # the training's first batch
        ((), 100, False),
    ],
)
def test_a_few_long_waits_between_rows_that_leave_most_out_make_their_sum_a_bound(
    long_at: tuple[int, ...], turn: int, bound: bool
) -> None:
    index, rows = 0, []
    for n in range(48):
        index += (turn if n in long_at else 100) if n else 0
        rows.append(Iteration(index, 3.0, data_wait_s=0.75 if n in long_at else 0.0625))
    columns = watched([*rows]).intake.columns
    assert may_have_waited_more(columns, 0, 47, index - 47) is bound
    assert not may_have_waited_more(columns, 0, 47, 0), "no iteration is without a row"


@pytest.mark.parametrize(("long_s", "words"), [(0.75, "at least"), (0.0625, "")])
def test_what_a_few_rows_waited_is_told_as_a_bound(long_s: float, words: str) -> None:
    waits = [long_s if n in (9, 21, 30) else 0.0625 for n in range(48)]
    found = watched(
        [RunInfo(), *(Iteration(100 * n, 1.0, data_wait_s=one) for n, one in enumerate(waits))]
    ).findings()
    (row,) = (one for one in found.ledger if one.cause == DATA)
    assert (row.at_least, row.each_is_known) == (bool(words), not words)
    said = " ".join(found.verdict.evidence)
    assert ("waiting for data at least" in said) is bool(words)
    assert ("×" in said) is (not words)


@pytest.mark.parametrize(
    ("each_s", "wait_s", "hidden"),
    [(1.5, None, True), (1.5, 0.5, False), (1.005, None, False), (0.9, None, False)],
)
def test_a_mean_that_took_long_and_does_not_tell_its_waits_may_hide_some(
    each_s: float, wait_s: float | None, hidden: bool
) -> None:
    usual = [Iteration(10 * n, 1.0, data_wait_s=0.1) for n in range(20)]
    long = Iteration(200, each_s, averaged_over=10, data_wait_s=wait_s)
    columns = watched([*usual, long]).intake.columns
    assert may_hide_waits(columns, 0, len(columns) - 1, 1.0, 2.0) is hidden
    assert not may_hide_waits(columns, 0, len(columns) - 1, 1.0, 0.0), (
        "where nothing was measured, nothing is a bound"
    )


@pytest.mark.parametrize(
    ("waits_s", "alike"),
    [([0.2, 0.25, 0.3, 2.0], True), ([0.0, 0.0, 0.01, 0.05, 0.03], False), ([0.0, 0.0, 0.0, 4.0], True)],
)
def test_waits_that_scatter_by_more_than_themselves_have_none_that_is_usual(
    waits_s: list[float], *, alike: bool
) -> None:
    assert _are_alike(waits_s) is alike


def epochs(each: int, every: int, *, first_s: float, others_s: float, count: int = 20) -> list[Iteration]:
    """Rows of means that begin anew with each epoch, the first of which waits longer."""
    return [
        Iteration(n * each + at, 0.5, data_wait_s=first_s if at == every else others_s, averaged_over=every)
        for n in range(count)
        for at in range(every, each + 1, every)
    ]


def test_what_waits_once_an_epoch_is_not_what_the_others_of_the_epoch_wait() -> None:
    alone = watched(epochs(196, 100, first_s=0.02, others_s=0.0)).intake.columns
    waited_s = alone.waited_s(0, 19)
    assert waited_by_all(alone, 0, 19, 19 * 96) == waited_s
    assert may_have_waited_more(alone, 0, 19, 19 * 96)
    several = watched(epochs(160, 50, first_s=0.1, others_s=0.01)).intake.columns
    waited_s = several.waited_s(0, 59)
    assert waited_by_all(several, 0, 59, 190) == pytest.approx(waited_s + 1.9)


def test_the_mean_of_the_newest_of_those_since_the_row_before_is_a_sample_of_them() -> None:
    rows = [Iteration(50 * n, 0.5, data_wait_s=0.02, averaged_over=10) for n in range(1, 21)]
    columns = watched([*rows]).intake.columns
    assert waited_by_all(columns, 0, 19, 760) == pytest.approx(columns.waited_s(0, 19) + 15.2)
    assert not may_have_waited_more(columns, 0, 19, 760)
