"""What speaks of the time that passed, and whether the iteration times can be true beside it."""

from __future__ import annotations

from array import array
from math import nan

import pytest
from simulated_runs import watched

from itermon.analysis.findings import TimeWitness
from itermon.analysis.record.columns import Columns
from itermon.analysis.timing.witnesses import (
    Moments,
    Unseen,
    agrees,
    apart_s,
    confirmed_by_rows,
    witnesses,
    words_of,
)
from itermon.events import ClockKind, Event, Iteration, RunInfo, Total, Witness


def spoken(
    iterations: list[Iteration],
    *,
    starts: tuple[int, ...] = (0,),
    clock: ClockKind | None = None,
    totals: tuple[Total, ...] = (),
    unseen_s: float = 0.0,
) -> tuple[TimeWitness, ...]:
    columns = Columns()
    columns.extend(iterations)
    return witnesses(columns, starts, clock, totals, Unseen(unseen_s))


@pytest.mark.parametrize(
    ("seconds", "iterations_s", "result"),
    [
        (100.0, 100.0, True),
        (100.0, 105.0, True),
        (100.0, 105.1, False),  # the iterations take longer than the time that passed
        (100.0, 10.0, True),  # nine tenths were stops, which happens
        (100.0, 9.9, False),  # no run stops so much: another unit, or a part of the iteration
        (20.0, 22.0, True),  # two roundings to a second
        (20.0, 22.1, False),
        (9.9, 99.0, None),  # too short to say
        (100.0, 0.0, None),
    ],
)
def test_more_may_pass_than_the_iterations_take_but_not_less(
    seconds: float, iterations_s: float, result: bool | None
) -> None:
    assert agrees(seconds, iterations_s) is result


def test_stamps_and_an_elapsed_time_speak_from_their_first_moment_to_their_last() -> None:
    lines = [Iteration(i, 2.0, at_s=1000.0 + 2.5 * i, elapsed_s=7.0 + 2.0 * i) for i in range(11)]
    stamps, elapsed = spoken(lines, clock=ClockKind.LOG)
    assert stamps == TimeWitness(Witness.STAMPS, 25.0, 20.0, 0, 10, agrees=True)
    assert elapsed == TimeWitness(Witness.ELAPSED, 20.0, 20.0, 0, 10, agrees=True)


def test_a_bar_that_begins_anew_goes_on() -> None:
    lines = [Iteration(i, 2.0, elapsed_s=2.0 * (i % 5 + 1)) for i in range(10)]
    (elapsed,) = spoken(lines)
    assert (elapsed.seconds, elapsed.iterations_s) == (18.0, 18.0)


def test_what_was_never_printed_counts_at_its_usual_time() -> None:
    lines = [Iteration(10 * i, 1.0, elapsed_s=10.0 * i) for i in range(5)]
    (elapsed,) = spoken(lines, unseen_s=1.0)
    assert (elapsed.seconds, elapsed.iterations_s) == (40.0, 40.0)


def test_each_process_has_its_own_stretch() -> None:
    lines = [Iteration(i, 1.0, at_s=100.0 + i) for i in range(20)]
    lines += [Iteration(i, 1.0, at_s=9000.0 + i) for i in range(20)]
    (stamps,) = spoken(lines, starts=(0, 20), clock=ClockKind.LOG)
    assert (stamps.seconds, stamps.iterations_s) == (38.0, 38.0)


def test_a_total_speaks_of_the_whole_run_and_only_where_each_process_has_one() -> None:
    lines = [Iteration(i, 1.0) for i in range(20)]
    (total,) = spoken(lines, totals=(Total(30.0, "train_runtime"),))
    assert total == TimeWitness(Witness.TOTAL, 30.0, 20.0, origin="train_runtime", agrees=True)
    assert words_of(total) == "the printed total (train_runtime)"
    assert spoken(lines, starts=(0, 10), totals=(Total(30.0),)) == ()
    tens = [Iteration(10 * i, 1.0) for i in (0, 1, 2, 3, 4, 0, 1)]
    (total,) = spoken(tens, starts=(0, 5), totals=(Total(30.0), Total(40.0)), unseen_s=1.0)
    assert (total.seconds, total.iterations_s) == (70.0, 7 + 4 * 9 + 9), "what was not printed counts, too"


def test_without_a_moment_nothing_is_said() -> None:
    assert spoken([Iteration(0, 1.0), Iteration(1, 1.0)], clock=ClockKind.LOG) == ()
    assert spoken([Iteration(0, 1.0, at_s=5.0)], clock=ClockKind.LOG) == ()


def test_moments_of_no_known_clock_are_no_witness() -> None:
    assert spoken([Iteration(i, 2.0, at_s=1000.0 + 2.5 * i) for i in range(11)]) == ()


def test_processes_before_the_first_moment_have_none() -> None:
    """The column of moments begins with the third process: the others stand before it."""
    unknown = [Iteration(i, 2.0) for i in range(20)]
    known = [Iteration(i, 2.0, at_s=1000.0 + 2.0 * i) for i in range(30)]
    starts, columns = (0, 10, 20), Columns()
    columns.extend(unknown)
    columns.extend(known)
    (stamps,) = witnesses(columns, starts, ClockKind.LOG, (), Unseen(0.0))
    assert stamps == TimeWitness(Witness.STAMPS, 58.0, 58.0, 0, 29, agrees=True)
    assert columns.timed_from == 20


def test_bars_of_whole_seconds_cut_off_what_is_less() -> None:
    """Two hundred epochs of 1.5 s, whose bars end at 00:01: 300 s passed, and nothing contradicts itself."""
    events: list[Event] = [RunInfo()]
    for i in range(1, 2_001):
        shown_s = float((i - 1) % 10 * 0.15 // 1)
        events.append(Iteration(i, 0.15, witness=Witness.RATE, elapsed_s=shown_s))
    findings = watched(events).findings()
    assert findings.progress.wall_s == pytest.approx(300, rel=0.01)
    assert findings.verdict.kind != "times-contradict"


def moments(*at_s: float, begin: int = 0) -> Moments:
    return Moments(array("d", at_s), begin)


@pytest.mark.parametrize(
    ("of", "start", "stop", "ends"),
    [
        (moments(1.0, 2.0, 3.0), 0, 3, (0, 2)),
        (moments(1.0, 2.0, 3.0), 1, 3, (1, 2)),
        (moments(1.0, 2.0, 3.0), 0, 2, (0, 1)),
        (moments(nan, 2.0, nan), 0, 3, (1, 1)),
        (moments(nan, nan), 0, 2, None),
        (moments(2.0, nan, 4.0, begin=5), 0, 8, (5, 7)),
        (moments(2.0, nan, 4.0, begin=5), 6, 8, (7, 7)),
        (moments(2.0, nan, 4.0, begin=5), 0, 5, None),
        (moments(2.0, nan, 4.0, begin=5), 0, 6, (5, 5)),
    ],
)
def test_a_process_is_measured_between_its_first_and_last_moment(
    of: Moments, start: int, stop: int, ends: tuple[int, int] | None
) -> None:
    assert of.ends(start, stop) == ends
    assert of.cut_off_s == 0.0


def test_a_moment_is_looked_for_in_a_thousand_entries_at_each_end() -> None:
    assert moments(*[nan] * 999, 5.0, *[nan] * 999).ends(0, 1_999) == (999, 999)
    assert moments(*[nan] * 1_000, 5.0, *[nan] * 999).ends(0, 2_000) is None
    assert moments(*[nan] * 999, 5.0, *[nan] * 1_000).ends(0, 2_000) is None


def test_each_process_has_roundings_of_its_own() -> None:
    """Seven short trainings in one file, by stamps of whole seconds: they were called a contradiction."""
    rows = [
        Iteration(1_000 * n, 0.0015, at_s=1_000.0 * k + n, averaged_over=1_000) for k in range(7) for n in range(5)
    ]
    (found,) = spoken(rows, starts=tuple(range(0, 35, 5)), clock=ClockKind.LOG)
    assert found.iterations_s > found.seconds + 2
    assert found.agrees


def test_what_an_earlier_training_did_not_print_took_what_it_printed() -> None:
    """A row each ten; the level, 5 s, is that of the newest training."""
    columns = Columns()
    columns.extend([Iteration(n, 1.0) for n in (0, 10, 20)] + [Iteration(n, 5.0) for n in (0, 10)])
    unseen = Unseen(5.0, since=3)
    assert unseen.seconds(columns, 0, 2) == 18.0
    assert unseen.seconds(columns, 3, 4) == 45.0
    assert Unseen(5.0).seconds(columns, 0, 2) == 90.0


@pytest.mark.parametrize(("each_s", "confirmed"), [(10.0, True), (10.2, True), (10.5, False), (9.5, False)])
@pytest.mark.parametrize("rows", [8, 9, 200])
def test_stamps_confirm_what_each_row_says_and_not_what_more_comes_with_each(
    each_s: float, confirmed: bool, rows: int
) -> None:
    """Where an evaluation comes with each epoch, both may be true, and yet the one is no witness of the other."""
    columns = Columns()
    columns.extend([Iteration(n, 10.0, at_s=1_000.0 + each_s * n + 90.0 * (n > 5)) for n in range(rows)])
    assert confirmed_by_rows(columns, 0, 10.0) is (confirmed or rows == 8)  # seven distances tell nothing
    assert apart_s(columns, 0, rows) == (None if rows == 8 else pytest.approx(each_s))


def test_without_stamps_nothing_speaks_against_the_rows() -> None:
    columns = Columns()
    columns.extend([Iteration(n, 10.0) for n in range(30)])
    assert confirmed_by_rows(columns, 0, 1.0)


@pytest.mark.parametrize(("each_s", "agree"), [(1.1875, True), (1.21875, False)])
def test_two_processes_may_be_wrong_by_two_roundings_more_and_no_more(each_s: float, agree: bool) -> None:
    """Each of them 10 s by its stamps: by their iterations 24 s together are still true."""
    rows = [Iteration(n, each_s, at_s=1_000.0 * k + n) for k in range(2) for n in range(11)]
    (found,) = spoken(rows, starts=(0, 11), clock=ClockKind.LOG)
    assert (found.seconds, found.agrees) == (20.0, agree)


def test_a_process_of_one_moment_says_nothing_and_the_next_one_does() -> None:
    rows = [Iteration(0, 2.0, at_s=900.0), *(Iteration(n, 2.0, at_s=1_000.0 + 2.0 * n) for n in range(11))]
    (found,) = spoken(rows, starts=(0, 1), clock=ClockKind.LOG)
    assert (found.seconds, found.iterations_s) == (20.0, 20.0)


@pytest.mark.parametrize(("epochs", "speaks"), [(1, True), (6, False)])
def test_a_clock_that_begins_anew_with_each_epoch_is_none_beside_stamps(epochs: int, speaks: bool) -> None:
    rows = [
        Iteration(
            10 * e + n, 20.0, at_s=1e6 + 300.0 * e + 20.0 * n, elapsed_s=20.0 * n + 1, witness=Witness.STAMPS
        )
        for e in range(epochs)
        for n in range(1, 10)
    ]
    columns = Columns()
    columns.extend(rows)
    columns.witness = Witness.STAMPS
    found = [one.name for one in witnesses(columns, (0,), ClockKind.LOG, (), Unseen(20.0))]
    assert (Witness.ELAPSED in found) == speaks


def epochs_of(*seconds: float) -> list[Event]:
    """Each a bar of its own of 20 iterations, of which the end alone is left, with a clock of whole seconds."""
    return [
        RunInfo(),
        *(
            Iteration(20 * n, took_s / 20, witness=Witness.RATE, averaged_over=20, elapsed_s=float(took_s // 1))
            for n, took_s in enumerate(seconds, 1)
        ),
    ]


def test_a_bar_of_a_second_behind_one_of_a_second_is_not_seen_to_begin() -> None:
    """00:01, 00:01, 00:02, 00:00: its clock goes back at few of them, and nothing contradicts itself."""
    findings = watched(epochs_of(*(1.5, 1.8, 2.4, 0.9, 0.9, 1.2, 3.5, 1.5) * 8)).findings()
    assert findings.progress.wall_s == pytest.approx(8 * 13.7, rel=0.02)
    assert findings.verdict.kind != "times-contradict"


def test_a_clock_that_cut_off_more_than_it_shows_confirms_nothing() -> None:
    findings = watched(epochs_of(*(1.9, 1.8, 0.9) * 16)).findings()
    assert [one.agrees for one in findings.witnesses if one.name == Witness.ELAPSED] in ([None], [])


@pytest.mark.parametrize(
    ("each_s", "seconds", "cut_off_s"),
    [
        (0.5, (5.0, 1.0, 2.0, 1.0), 2.0),
        (0.5, (5.5, 1.0, 2.0), 0.0),
        (1.5, (1.0, 1.0, 1.0), 3.5),
        (0.5, (0.0, 1.0, 1.0), 0.5),
    ],
)
def test_what_a_clock_cut_off_is_known_at_most(
    each_s: float, seconds: tuple[float, ...], cut_off_s: float
) -> None:
    columns = Columns()
    columns.extend([Iteration(n, each_s, elapsed_s=s) for n, s in enumerate(seconds)])
    assert columns.cut_off_s == cut_off_s
