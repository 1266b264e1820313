"""Stops that lines tell of, in rows that are no slower than others: what the slower ones took says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from simulated_runs import times, watched

from itermon.analysis.findings import Cause, LedgerRow, Spike
from itermon.analysis.verdict.stop_costs import costs
from itermon.analysis.wall.hidden_stops import with_saves_elsewhere, without_hidden, without_their_causes
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    TRAINING,
    ClockKind,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
    Witness,
)

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings
    from itermon.events import Event

INFO = RunInfo(source_format="a log", clock=ClockKind.LOG)


def a_day_of(each_s: float, *, told_every: int = 1, slow_every: int = 8, timed: bool = False) -> Findings:
    """200 rows of ten iterations and about 20 s by their stamps; at some a line tells of an evaluation.

    One in `slow_every` takes `each_s` more.
    """
    events: list[object] = [INFO]
    at_s = 1_700_000_000.0
    for n, row_s in enumerate(times(200, base_s=20.0, noise=0.004), 1):
        at_s += row_s + (each_s if n % slow_every == 0 else 0.0)
        if n % told_every == 0:
            events.append(SpanEnd(EVALUATION, at_s=at_s - 0.5, duration_s=each_s if timed else None))
        events.append(Iteration(10 * n, loss=0.5, at_s=at_s))
    return watched(events).findings(spikes=None)  # type: ignore[arg-type]


def test_where_most_rows_with_a_stop_are_as_fast_as_others_the_slow_ones_tell_of_none() -> None:
    found = a_day_of(2.0, told_every=2)
    assert found.progress.evaluations == 100
    assert found.progress.hidden_stops == (EVALUATION,)
    assert [row.cause for row in found.ledger] == [TRAINING]
    assert found.ledger[0].share == pytest.approx(1)
    assert not [one for one in found.spikes if any(c.kind == EVALUATION for c in one.causes)]
    assert not costs(found)
    assert any("how long evaluations take" in said for said in found.verdict.unknowable)


@pytest.mark.parametrize(
    "given",
    [
        {"told_every": 8},  # each one told is seen
        {"each_s": 30.0, "told_every": 2},  # so long a stop hides in no row
    ],
)
def test_a_stop_that_is_seen_where_it_is_told_keeps_its_time(given: dict[str, float]) -> None:
    found = a_day_of(**{"each_s": 2.0, **given})  # type: ignore[arg-type]
    assert not found.progress.hidden_stops
    assert EVALUATION in {row.cause for row in found.ledger}


def by_whole_seconds(stop_s: float, *, timed: bool = False) -> Findings:
    """400 rows of about 1.6 s by a clock of whole seconds; behind every fifth a line tells of an evaluation."""
    events: list[Event] = [replace(INFO, time_includes=(EVALUATION,))]
    spent_s = shown_s = 0.0
    for n, row_s in enumerate(times(400, base_s=1.6, noise=0.004), 1):
        spent_s += row_s + (stop_s if n % 5 == 0 else 0.0)
        if n % 5 == 0:
            events.append(SpanEnd(EVALUATION, duration_s=stop_s if timed else None))
        took_s, shown_s = int(spent_s) - shown_s, float(int(spent_s))
        events.append(Iteration(n, took_s, loss=0.5, elapsed_s=shown_s, witness=Witness.ELAPSED))
    return watched(events).findings(spikes=None)


@pytest.mark.parametrize(
    ("stop_s", "timed", "hidden"),
    [(0.5, False, True), (1.5, False, True), (9.0, False, False), (0.5, True, False)],
)
def test_a_clock_of_whole_seconds_tells_of_no_stop_that_is_as_short(
    stop_s: float, *, timed: bool, hidden: bool
) -> None:
    found = by_whole_seconds(stop_s, timed=timed)
    assert (found.progress.hidden_stops == (EVALUATION,)) is hidden
    assert any(one.cause == EVALUATION for one in found.ledger) is not hidden
    assert not (hidden and found.spikes)


def test_a_warm_up_with_an_evaluation_in_it_says_nothing_of_the_others() -> None:
    events: list[object] = [INFO]
    at_s = 1_700_000_000.0
    for n, row_s in enumerate(times(200, base_s=20.0, noise=0.004), 1):
        at_s += row_s + (60.0 if n == 1 else 0.0)
        if n % 10 == 1:
            events.append(SpanEnd(EVALUATION, at_s=at_s - 0.5))
        events.append(Iteration(10 * n, loss=0.5, at_s=at_s))
    found = watched(events).findings(spikes=None)  # type: ignore[arg-type]
    assert found.progress.evaluations == 20
    assert [row.cause for row in found.ledger] == [TRAINING]


def test_stops_that_say_their_time_are_not_hidden() -> None:
    assert not a_day_of(2.0, told_every=2, timed=True).progress.hidden_stops


def test_a_kind_of_which_nobody_tells_is_not_hidden() -> None:
    assert CHECKPOINT not in a_day_of(2.0, told_every=2).progress.hidden_stops


def test_without_a_clock_nothing_is_said_of_what_the_times_hold() -> None:
    events = [RunInfo(), *(Iteration(n, 0.2, 3.0) for n in range(100))]
    events[1:1] = [SpanEnd(EVALUATION, iteration=n) for n in range(0, 100, 5)]  # type: ignore[list-item]
    assert not watched(events).findings().progress.hidden_stops  # type: ignore[arg-type]


def test_a_row_that_was_long_for_a_hidden_stop_is_not_told_for_the_rest() -> None:
    rest = Cause("unexplained", 0.002, Strength.GUESS, "")
    stop = Cause(CHECKPOINT, 3.0, Strength.LOG, "")
    spike = Spike(index=1, position=1, duration_s=3.01, clean_s=0.008, causes=(stop, rest))
    assert without_their_causes([spike], [CHECKPOINT]) == ()
    mostly = replace(spike, duration_s=9.0, causes=(stop, replace(rest, seconds=5.0)))
    assert [one.causes for one in without_their_causes([mostly], [CHECKPOINT])] == [mostly.causes[1:]]


@pytest.mark.parametrize(("saves", "at_least"), [(40, False), (51, False), (52, True), (400, True)])
def test_saves_beside_evaluations_are_a_least_where_many_more_were_told_of(saves: int, at_least: bool) -> None:
    rows = (
        LedgerRow(TRAINING, 90.0, 0.9, 4_000),
        LedgerRow(EVALUATION_AND_CHECKPOINT, 10.0, 0.1, 40, rough=True),
    )
    assert [row.at_least for row in with_saves_elsewhere(rows, saves)] == [False, at_least]
    alone = (*rows, LedgerRow(CHECKPOINT, 1.0, 0.01, 360))
    assert not any(row.at_least for row in with_saves_elsewhere(alone, 400)), "each has its time"


@pytest.mark.parametrize(
    ("hidden", "left"),
    [
        ([CHECKPOINT], [TRAINING, EVALUATION, EVALUATION_AND_CHECKPOINT]),
        ([EVALUATION], [TRAINING, CHECKPOINT]),
        ([EVALUATION, CHECKPOINT], [TRAINING]),
    ],
)
def test_an_evaluation_beside_a_save_is_seen_though_saves_alone_are_not(
    hidden: list[str], left: list[str]
) -> None:
    rows = tuple(
        LedgerRow(kind, 25.0, 0.25, 4) for kind in (TRAINING, EVALUATION, EVALUATION_AND_CHECKPOINT, CHECKPOINT)
    )
    assert [row.cause for row in without_hidden(rows, hidden)] == left


def test_untimed_saves_are_in_printed_times_that_hold_them_and_are_all_that_is_known() -> None:
    events: list[object] = [RunInfo(source_format="a log", time_includes=(CHECKPOINT,))]
    for n, row_s in enumerate(times(12, base_s=0.5, noise=0.004), 1):
        events += [SpanEnd(CHECKPOINT, iteration=100 * n), Iteration(100 * n, row_s, 0.5, averaged_over=100)]
    assert watched(events).findings(spikes=None).progress.hidden_stops == (CHECKPOINT,)  # type: ignore[arg-type]
    events[0] = RunInfo(source_format="a log")
    assert watched(events).findings(spikes=None).progress.hidden_stops == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("apart", [True, False])
def test_stops_that_lie_beside_the_times_by_the_words_of_their_source_are_not_hidden_in_them(
    *, apart: bool
) -> None:
    events: list[Event] = [RunInfo(source_format="a log", clock=ClockKind.LOG)]
    for n in range(1, 61):
        events += [
            Iteration(100 * n, 0.01, averaged_over=100, at_s=1_700_000_000.0 + 1.2 * n),
            SpanEnd(CHECKPOINT, iteration=100 * n + 1, apart=apart),
        ]
    assert watched(events).findings().progress.hidden_stops == (() if apart else (CHECKPOINT,))


@pytest.mark.parametrize(("slow_every", "hidden"), [(50, True), (8, False)])
def test_a_few_long_rows_tell_of_no_stop_where_most_rows_with_one_are_as_fast_as_others(
    slow_every: int, hidden: bool
) -> None:
    """Four of a hundred may have been long by anything else; twenty-five were so by no chance."""
    found = a_day_of(30.0, told_every=2, slow_every=slow_every)
    assert (found.progress.hidden_stops == (EVALUATION,)) is hidden
    assert any(one.cause == EVALUATION for one in found.ledger) is not hidden


def test_without_a_clock_times_hold_the_stops_that_their_source_says_are_in_them() -> None:
    """Each row has one, so that none shows."""
    events: list[Event] = [RunInfo(time_includes=(EVALUATION, CHECKPOINT))]
    for n in range(1, 60):
        events += [SpanEnd(CHECKPOINT, iteration=10 * n), Iteration(10 * n, 0.6, averaged_over=10)]
    assert watched(events).findings().progress.hidden_stops == (CHECKPOINT,)


@pytest.mark.parametrize(("at_row", "held"), [(30, True), (1, False), (61, False)])
def test_the_only_evaluation_of_a_run_is_in_the_time_of_training_where_no_row_shows_it(
    at_row: int, *, held: bool
) -> None:
    events: list[Event] = [INFO]
    for n in range(1, 61):
        if n == at_row:
            events.append(SpanEnd(EVALUATION))
        events.append(Iteration(n, 1.0 + 0.001 * (n % 3), loss=0.5, at_s=1_700_000_000.0 + n))
    events += [SpanEnd(EVALUATION)] * (at_row > 60)
    assert watched(events).findings().progress.hidden_stops == ((EVALUATION,) if held else ())


def test_a_stop_behind_the_last_row_does_not_show_what_those_in_the_rows_took() -> None:
    """Each row but the first holds an evaluation and a save, or two; another one of both comes behind them all."""
    events: list[Event] = [RunInfo(clock="log", time_includes=(EVALUATION, CHECKPOINT))]
    for n in range(1, 11):
        at_s = 1_000.0 + 10.0 * n
        events += [Iteration(20 * n, 0.025 if n == 1 else 0.5, loss=0.5, at_s=at_s, averaged_over=20)]
        events += [SpanBegin(EVALUATION, None, 20 * n + 1), SpanEnd(CHECKPOINT, at_s + 8, 20 * n + 1)]
        events += [SpanEnd(EVALUATION, at_s + 8, 20 * n + 1, values={"mIoU": 0.5})]
        events += [SpanBegin(CHECKPOINT, at_s + 9, 20 * n + 1)] * (n % 2)
    found = watched(events).findings()
    assert found.level.clean_s is None
    assert found.progress.hidden_stops == (EVALUATION, CHECKPOINT)


@pytest.mark.parametrize(("rows_a_time", "hidden"), [(1, False), (16, True)])
def test_of_times_that_are_of_many_rows_each_two_long_ones_may_be_so_by_chance(
    rows_a_time: int, *, hidden: bool
) -> None:
    """Two of 320 rows were as long as no other, and eight held a stop: of twenty times that may be chance."""
    events: list[Event] = [RunInfo(clock="log", time_includes=(EVALUATION,))]
    at_s = last_s = 1_000.0
    for n in range(1, 321):
        at_s += 1.0 + (20.0 if n in (160, 240) else 0.0)
        ends = n % rows_a_time == 0
        if n % 80 == 0 or n % 70 == 0:
            events.append(SpanEnd(EVALUATION, iteration=n))
        spent_s = (at_s - last_s) / rows_a_time if ends else None
        last_s = at_s if ends else last_s
        over = rows_a_time if ends else 0
        events.append(Iteration(n, spent_s, loss=0.5, averaged_over=over, witness=Witness.ELAPSED, elapsed_s=at_s))
    found = watched(events).findings()
    assert (found.progress.hidden_stops == (EVALUATION,)) is hidden
