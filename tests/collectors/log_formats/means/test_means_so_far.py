"""Means since an epoch began, in whole units."""

from __future__ import annotations

from itertools import pairwise

import pytest

from itermon.collectors.log_formats.means.means_so_far import (
    MeansSoFar,
    PrintedMeans,
    SoFar,
    Spent,
    may_be_means,
)
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo


def stretches(each_ms, batches, places):
    """Where stretches end whose time is known, and what a step of each takes, by means in whole milliseconds."""
    means, found, before = MeansSoFar(), [], 0
    for done in places:
        seconds = means.since(done, batches, Spent(done * each_ms(done) / 1000, done / 2000))
        if seconds is not None:
            found.append((done, round(seconds / (done - before), 4)))
            before = done
    return found


def test_a_mean_that_rises_by_its_last_digit_is_no_slow_step():
    assert stretches(lambda n: 24 if n > 95 else 23, 100, range(5, 101, 5)) == [(100, 0.024)]


def test_stretches_are_long_enough_for_the_last_one_of_the_epoch():
    found = stretches(lambda _: 300, 90, range(5, 91, 5))
    assert {each_s for _, each_s in found} == {0.3}
    assert found[-1][0] == 90
    assert min(after - before for (before, _), (after, _) in pairwise([(0, 0), *found])) == 10


def test_the_mean_of_a_whole_epoch_is_told_as_rough_as_it_is():
    assert stretches(lambda _: 2, 100, (50, 100)) == [(100, 0.002)]


def test_nothing_passes_where_no_step_is_new_or_the_sum_falls():
    means = MeansSoFar()
    assert means.since(50, 100, Spent(5.0, 0.0)) == 5.0
    assert means.since(50, 100, Spent(6.0, 0.0)) is None
    assert means.since(100, 100, Spent(4.0, 0.0)) is None
    means.begin()
    assert means.since(50, 100, Spent(5.0, 0.0)) == 5.0


def told(times, printed=None, *, digits=4, every=10, of_all=False, most=10**6):
    """What rows tell, whose time is that of the newest step or `printed`."""
    so_far = SoFar()
    return [
        so_far.between(n, f"{sum(times[:n]) / n:.{digits}f}", printed or times[n - 1], of_all=of_all, most=most)
        for n in range(every, len(times) + 1, every)
    ]


def test_a_step_that_waited_between_two_rows_is_in_the_mean_of_its_row_alone() -> None:
    assert told([0.5] * 25 + [5.0] + [0.5] * 14) == [None, None, (pytest.approx(0.95, abs=1e-3), 10), None]


def test_rows_of_an_epoch_whose_length_nobody_knows_are_told_by_its_means() -> None:
    assert told([0.5, 0.625] * 15, most=0) == [None, (0.5625, 10), (0.5625, 10)]
    assert told([0.5, 0.625] * 15, most=0, digits=1) == [None, None, None]


def test_what_the_last_digits_of_the_means_leave_open_tells_nothing() -> None:
    assert told([0.5] * 2005 + [1.5] + [0.5] * 4, digits=2)[-1] is None
    assert told([0.5] * 2005 + [50.0] + [0.5] * 4, digits=3)[-1] == (pytest.approx(5.45, abs=0.2), 10)


def test_where_a_median_is_printed_the_mean_says_more_as_long_as_it_is_exact() -> None:
    found = told([0.5] * 8_000, 0.49, of_all=True)
    assert found[1] == (pytest.approx(0.5), 10)
    assert found[-1] is None
    assert told([0.5] * 15 + [60.0] + [0.5] * 4, 0.5, of_all=True) == [None, None]  # an evaluation, as a rule


@pytest.mark.parametrize("mean", ["nan", "inf", "9" * 400, "x", ""])
def test_no_number_tells_nothing(mean: str) -> None:
    so_far = SoFar()
    assert [so_far.between(10 * n, said, 0.5) for n, said in enumerate(("0.5", mean, "0.5"), 1)] == [None] * 3


@pytest.mark.parametrize(
    ("before", "now", "may"),
    [
        ((100, 5.25), (105, 4.25), False),
        ((100, 5.25), (105, 5.0), True),
        ((100, 2.5), (200, 1.5), True),
        ((0, 5.0), (10, 0.5), True),
        ((100, 0.5), (50, 0.1), True),
        ((100, -2.5), (105, -4.5), True),
    ],
)
def test_losses_of_one_batch_each_cannot_be_means_of_all_so_far(
    before: tuple[float, float], now: tuple[float, float], *, may: bool
) -> None:
    assert may_be_means(before, now) is may


def rows_of(each_s, printed, *, every=20, start=0, stop_at=None, stop_s=0.0, waits=None):
    """Rows of a log with stamps of whole seconds, each with the time that `printed` says of all steps' times so far."""
    at_s, rows, since = 1_000_000.0, [RunInfo(time_includes=("data",))], []
    for n in range(1, 20 * every + 1):
        since.append(each_s(n))
        at_s += since[-1] + (stop_s if n == stop_at else 0.0)
        if n % every == 0:
            wait_s = None if waits is None else round(waits(n), 4)
            row = Iteration(start + n, round(printed(since, n), 4), at_s=float(int(at_s)), data_wait_s=wait_s)
            rows.append(row)
    return rows


def read_by(events):
    """What is told of rows, whose times were looked at before."""
    means = PrintedMeans(ahead=True)
    for event in events:
        means.of([event])
    means.again()
    found = [event for one in events for event in means.of([one])]
    assert sum(isinstance(event, Message) for event in found) == means.are_so_far, "it is said once"
    return [event for event in found if isinstance(event, Iteration | RunInfo)]


def slow_at_first(n):
    return 5.0 if n <= 10 else 1.5


def test_a_mean_of_all_steps_so_far_is_no_rows_own_time():
    events = rows_of(
        slow_at_first, lambda times, _: sum(times) / len(times), start=60_000, waits=lambda n: 4.0 / n
    )
    info, first, *others = read_by(events)
    assert {"evaluation", "checkpoint", "data"} == {*info.time_includes}
    assert (first.duration_s, first.averaged_over, first.data_wait_s) == (3.25, 20, None)
    assert {(row.duration_s, row.data_wait_s) for row in others} == {(None, None)}


def test_rows_faster_than_the_clock_tells_are_told_by_longer_stretches():
    rows = rows_of(lambda n: 6.0 if n == 1 else 0.4, lambda since, n: sum(since) / n, every=1)
    found = [row for row in read_by(rows) if isinstance(row, Iteration)]
    assert [row.duration_s for row in found[1:]] == [None] * (len(found) - 1)


def test_a_mean_so_far_that_was_divided_by_the_steps_between_two_rows_is_found():
    """Slow at first: the time of a row, as it stands, is more what two steps took than what one did."""
    lines, spent_s = [], 0.0
    for n in range(1, 301):
        spent_s += 10.0 if n == 1 else 0.47
        if n % 2 == 0:
            clock = f"10:{int(spent_s) // 60:02d}:{int(spent_s) % 60:02d}"
            lines.append(
                f"2025-01-31 {clock} | INFO | step: {n}; training loss = {4 / n:.4f}; Time {spent_s / n:.4f}"
            )
    reader = LogReader()
    events = [*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]
    rows = [event for event in events if isinstance(event, Iteration)]
    assert len(rows) == 150
    assert {row.duration_s for row in rows[1:]} == {None}


def test_waits_that_are_the_rows_own_stay():
    events = rows_of(
        slow_at_first, lambda times, _: sum(times) / len(times), waits=lambda n: 0.8 if n < 21 else 0.02
    )
    assert {row.data_wait_s for row in read_by(events)[2:]} == {0.02}


@pytest.mark.parametrize("stop_s", [0.0, 300.0])
def test_the_time_of_the_steps_between_two_rows_is_their_own(stop_s):
    events = rows_of(slow_at_first, lambda times, _: sum(times[-20:]) / 20, stop_at=130, stop_s=stop_s)
    assert read_by(events) == events


def test_the_newest_steps_time_is_no_mean_so_far():
    events = rows_of(lambda n: 1.5 + (n * 7919 % 13) / 13, lambda times, _: times[-1])
    assert read_by(events) == events


def test_means_that_begin_anew_with_each_epoch_are_told_by_the_first_one():
    def of_its_epoch(times, n):
        mine = times[(n - 1) // 200 * 200 :]
        return sum(mine) / len(mine)

    events = rows_of(lambda n: 60.0 if n % 200 == 1 else 1.5, of_its_epoch, every=10)
    assert {row.duration_s for row in read_by(events)[2:]} == {None}


def means_of_ten(*starts, singles=False):
    """Processes whose first row stands ten iterations behind their start."""
    rows = []
    for start in starts:
        rows.append(RunInfo())
        for n in range(1, 8):
            over = 1 if n == 1 or singles else 10
            rows.append(Iteration(start + 10 * n, 11.0 if n == 1 else 2.0, averaged_over=over))
    return rows


def test_the_first_row_of_means_is_one_of_as_many_iterations() -> None:
    found = [row.averaged_over for row in read_by(means_of_ten(0, 500)) if isinstance(row, Iteration)]
    assert found == [10] * 14


FEW = [one for part in (means_of_ten(0)[:3], means_of_ten(0)) for one in part]
"""Of a process of two rows nobody knows it, and the one behind it is read as that one."""


@pytest.mark.parametrize("events", [means_of_ten(0, singles=True), means_of_ten(5), means_of_ten(-10), FEW])
def test_a_first_row_of_which_that_is_not_sure_stands_for_itself(events) -> None:
    assert read_by(events) == events
