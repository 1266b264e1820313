"""Each rule of `wall_time.py` by numbers that a person adds up: the clock and the causes are given."""

from __future__ import annotations

from math import nan
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from simulated_runs import watched

from itermon.analysis import wall_time
from itermon.analysis.causes.ledger import Times
from itermon.analysis.causes.tally import Tally
from itermon.analysis.findings import LedgerRow
from itermon.analysis.record.spans import Note
from itermon.analysis.timing.trainings import Within
from itermon.analysis.wall.passed import unseen_between
from itermon.events import (
    CHECKPOINT,
    COMPILE,
    DATA,
    DRAIN,
    EVALUATION,
    Event,
    Iteration,
    Phases,
    RunInfo,
    SpanEnd,
    Strength,
)


def tally(inside_s: float = 0.0, outside_s: float = 0.0) -> Tally:
    found = Tally()
    found.inside_s, found.outside_s = inside_s, outside_s
    return found


def clock(**given: Any) -> SimpleNamespace:
    nothing = {
        "first": None,
        "last": None,
        "wall_s": 0.0,
        "spent_s": 0.0,
        "gap_s": 0.0,
        "between_s": 0.0,
        "counts_twice": False,
        "unseen": 0,
        "at": None,
    }
    return SimpleNamespace(**{**nothing, **given})


def fake(events: list[Event], of_clock: SimpleNamespace | None = None, **given: Any) -> Any:
    """A run of these events, with the clock and whatever else is given; causes between two positions by them."""
    real = watched(events).intake
    labels = SimpleNamespace(
        timing=SimpleNamespace(clock=of_clock or clock(), baseline=None, settled_at=lambda _: 0, within=Within()),
        tally_between=lambda first, last: tally(4.0, 100.0 * first + last),
    )
    names = ("columns", "starts", "info", "spans", "telemetry", "totals", "gpu_phases", "repeats", "end_of_file")
    parts = {name: getattr(real, name) for name in names}
    return SimpleNamespace(**{**parts, "labels": labels, **given})


def times_of(run: Any, of: Tally | None = None, after_s: float = 0.0) -> Times:
    return wall_time.times_of_run(run, run.labels, of or tally(), after_s)


def every_second(count: int = 5) -> list[Event]:
    """Iterations 0, 2, 4, ... of 2 s: one between any two was not printed."""
    return [Iteration(2 * i, 2.0) for i in range(count)]


@pytest.mark.parametrize(
    ("notes", "last_s", "gap_s"),
    [
        ([], 1_000.0, 0.0),
        ([(2.0, None), (None, None)], nan, 2.0),
        ([(2.0, None), (None, None)], 1_000.0, 2.0),
        ([(2.0, 1_007.0)], 1_000.0, 7.0),
        ([(9.0, 1_007.0)], 1_000.0, 9.0),
        ([(2.0, None)], -5.0, 5.0),
        ([], -5.0, 5.0),
    ],
)
def test_what_came_after_the_last_iteration_lasts_as_long_as_it_says_or_as_its_clock_shows(
    notes: list[tuple[float | None, float | None]], last_s: float, gap_s: float
) -> None:
    found = [Note(CHECKPOINT, Strength.HOOK, 3, duration_s, at_s) for duration_s, at_s in notes]
    at_s = None if last_s != last_s or last_s < 0 else last_s
    run = fake([Iteration(i, 1.0, at_s=at_s) for i in range(3)])
    run.spans = SimpleNamespace(trailing=lambda *_: found)
    if last_s < 0:
        run.columns.time_at = lambda _: last_s
    case = wall_time.after_the_last(run)
    assert (case.duration_s, case.clean_s, case.gap_s, case.notes) == (0.0, 0.0, gap_s, found)


def test_without_iterations_there_are_no_times() -> None:
    assert times_of(fake([])) == Times(0.0, iterations=0)
    assert wall_time.after_the_last(fake([])).gap_s == 0.0


@pytest.mark.parametrize(("timed", "wall_s"), [(0, 0.0), (2, 0.0), (3, 4 * 2.0 + 3 * 2.0)])
def test_what_some_of_the_iterations_took_is_not_the_time_of_all(timed: int, wall_s: float) -> None:
    """Iterations 0, 2, 4, 6, of which the last ones have no time."""
    run = fake([Iteration(2 * i, 2.0 if i < timed else None) for i in range(4)])
    assert times_of(run) == Times(wall_s, 4, unseen=3, untimed=int(wall_s > 0))


def test_the_first_row_of_a_process_whose_time_nobody_could_tell_took_the_usual() -> None:
    run = fake([Iteration(i, 2.0 if i else None) for i in range(4)])
    assert times_of(run) == Times(8.0, 4, untimed=1)


@pytest.mark.parametrize(
    ("of", "known", "wall_s", "gap_s"),
    [
        (tally(), 0, 10.0 + 4 * 2.0, 0.0),
        (tally(), 1, 10.0 + 3 * 2.0, 0.0),
        (tally(), 6, 10.0, 0.0),
        (tally(4.0), 0, 10.0 + 4 * 1.2, 0.0),
        (tally(12.0), 0, 10.0, 0.0),
        (tally(0.0, 2.5), 4, 10.0 + 2.5, 2.5),
        (tally(0.0, -1.0), 4, 10.0, 0.0),
    ],
)
def test_without_a_clock_iterations_that_were_not_printed_take_what_the_others_take(
    of: Tally, known: int, wall_s: float, gap_s: float
) -> None:
    found = times_of(fake(every_second(), clock(unseen=known)), of)
    assert found == Times(pytest.approx(wall_s), 5, pytest.approx(gap_s), unseen=4)


@pytest.mark.parametrize(("averaged", "wall_s"), [((1, 0), 1.0 + 6 * 1.0), ((0, 0), 0.0)])
def test_rows_that_stand_for_no_iteration_are_not_divided_by(averaged: tuple[int, int], wall_s: float) -> None:
    first, second = averaged
    held = [Iteration(n, 1.0, averaged_over=second) for n in (5, 6)]
    run = fake([Iteration(0, 1.0, averaged_over=first), *held])
    assert times_of(run).wall_s == wall_s


def test_a_clock_measures_from_its_first_stamp_and_what_is_outside_before_and_after_it_is_added() -> None:
    of_clock = clock(first=2, wall_s=7.0, spent_s=6.0, gap_s=0.5, between_s=0.25, unseen=3)
    found = times_of(fake(every_second(), of_clock), tally(0.0, 50.0), after_s=3.0)
    outside_s = 0 * 100 + 2 + 3.0
    assert found.wall_s == pytest.approx(7.0 + (10.0 - 6.0) + 1 * 2.0 + outside_s)
    assert found.gap_s == pytest.approx(0.5 + 0.25 + outside_s)


@pytest.mark.parametrize(
    ("wall_s", "spent_s", "cut_s", "whole_s", "gap_s"),
    [(8.0, 9.5, 1.0, 9.5, -0.5), (8.0, 9.5, 5.0, 10, 0.0), (12.0, 9.0, 1.0, 13, 3.0), (0.0, 9.0, 1.0, 1.0, -9.0)],
)  # fmt: skip
def test_what_bars_cut_off_is_added_as_far_as_the_iterations_took_longer(
    wall_s: float, spent_s: float, cut_s: float, whole_s: float, gap_s: float
) -> None:
    run = fake([Iteration(i, 1.0, elapsed_s=float(i)) for i in range(10)])
    run.columns.cut_off_s, run.columns.of_whole_seconds, at = cut_s, False, run.columns.elapsed_at
    run.columns.cut_off_first_s = 0.0
    run.labels.timing.clock = clock(wall_s=wall_s, spent_s=spent_s, between_s=wall_s - spent_s, at=at)
    assert times_of(run) == Times(pytest.approx(whole_s), 10, pytest.approx(gap_s))
    run.labels.timing.clock.between_s = 0.0  # the clock's missing seconds are of iterations without a line
    assert times_of(run).gap_s == pytest.approx(0.0)
    run.labels.timing.clock.at = run.columns.time_at
    assert times_of(run).wall_s == pytest.approx(wall_s + 10.0 - spent_s if spent_s < 10 else wall_s)


def test_waits_after_the_last_iteration_count_and_those_without_a_time_do_not() -> None:
    events: list[Event] = [RunInfo(clock="hook"), *(Iteration(i, 1.0, data_wait_s=0.1) for i in range(10))]
    waits = [SpanEnd(DATA, None, 10, 2.0), SpanEnd(DATA, None, 10, None)]
    assert times_of(fake([*events, *waits])).waited_s == pytest.approx(10 * 0.1 + 2.0)


@pytest.mark.parametrize(
    ("long_at", "waited_s"),
    [
        ((0, 40, 80, 120), 4 * 3.0 + 16 * 0.1 + 16 * 0.1 / 20 * 180),  # once an epoch
        ((0, 40, 80), (3 * 3.0 + 17 * 0.1) * 200 / 20),  # too few to know
        ((0, 10, 80, 120), (4 * 3.0 + 16 * 0.1) * 200 / 20),  # by chance
        ((), 20 * 0.1 * 200 / 20),
    ],
)
def test_what_is_waited_once_an_epoch_is_not_waited_by_iterations_without_a_line(
    long_at: tuple[int, ...], waited_s: float
) -> None:
    """Each tenth of 200 iterations is printed."""
    events: list[Event] = [Iteration(i, 4.0, data_wait_s=3.0 if i in long_at else 0.1) for i in range(0, 200, 10)]
    columns = fake(events).columns
    run = SimpleNamespace(columns=columns, telemetry=SimpleNamespace(newest=list), gpu_phases=None, starts=[0])
    assert wall_time._waited_s(run, 0, 19, 180) == pytest.approx(waited_s, rel=1e-4)  # type: ignore[arg-type]


def test_each_training_waits_by_its_own_rows() -> None:
    """The first one waits 1 s in each iteration, of which a tenth is printed; ten times as many do not wait."""
    first = [Iteration(10 * i, 4.0, data_wait_s=1.0) for i in range(20)]
    second = [Iteration(100 * i, 4.0, data_wait_s=0.0) for i in range(20)]
    run = watched([RunInfo(), *first, RunInfo(), *second])
    ((waits, _),) = [(row.seconds, row.cause) for row in run.findings().ledger if row.cause == DATA]
    assert waits == pytest.approx(191.0, rel=0.02)


@pytest.mark.parametrize(
    ("level_s", "busy_s", "waited_s"),
    [(None, 0.5, 0.0), (2.0, 0.0, 0.0), (2.0, 1.5, 5.0), (2.0, 0.2, 6.0), (2.0, 3.0, 0.0)],
)
def test_beside_a_gpu_only_what_it_does_not_use_is_lost(
    level_s: float | None, busy_s: float, waited_s: float
) -> None:
    """Of 10 iterations of 2 s each waits 0.6 s."""
    events: list[Event] = [*(Iteration(i, 2.0, data_wait_s=0.6) for i in range(10))]
    phases = [Phases(i, {"forward": busy_s, "before_step": 9.0}) for i in range(10)]
    run = fake([*events, *phases], telemetry=SimpleNamespace(newest=lambda: ["a GPU"]))
    run.labels.timing.baseline = None if level_s is None else SimpleNamespace(level=level_s)
    assert times_of(run).waited_s == pytest.approx(waited_s)


@pytest.mark.parametrize(
    ("first_s", "other_s", "apart"),
    [(4.0, 0.01, True), (4.0, 0.0, True), (0.3, 0.1, True), (0.29, 0.1, False), (0.09, 0.0, False)],
)
def test_what_first_batches_took_is_told_apart_where_it_is_much_and_longer_than_the_others(
    first_s: float, other_s: float, apart: bool
) -> None:
    """Of two processes of 10 iterations each, in 20 s."""
    waits = [first_s if i % 10 == 0 else other_s for i in range(20)]
    run = fake([Iteration(i, 10.0, data_wait_s=wait_s) for i, wait_s in enumerate(waits)], starts=[0, 10])
    row = LedgerRow(DATA, sum(waits), sum(waits) / 20, 20)
    expected = LedgerRow(DATA, pytest.approx(2 * first_s), pytest.approx(first_s / 10), 2)
    assert wall_time.first_waits(run, [row]) == (expected if apart else None)
    assert wall_time.first_waits(run, [replace(row, estimated=True)]) is None
    assert wall_time.first_waits(run, []) is None


@pytest.mark.parametrize(
    ("position", "warmup", "again"),
    [(0, 0, False), (1, 0, True), (1, 2, False), (2, 2, True), (10, 2, False), (11, 2, True), (12, 0, True)],
)
def test_what_is_compiled_after_the_beginning_of_a_process_is_compiled_again(
    position: int, warmup: int, again: bool
) -> None:
    run = fake([], starts=[0, 10], spans=SimpleNamespace(compiled=[(position, 6.0)]))
    run.labels.timing.settled_at = lambda _: warmup
    assert wall_time.recompiled(run, 24.0) == (LedgerRow(COMPILE, 6.0, 0.25, 1) if again else None)
    assert wall_time.recompiled(run, 0.0) is None


def test_writing_beside_the_training_is_a_row_of_its_own() -> None:
    run = fake([], spans=SimpleNamespace(drains=2, drained_s=10.0))
    assert wall_time.drained(run, 40.0) == LedgerRow(DRAIN, 10.0, 0.25, 2)
    assert wall_time.drained(run, 0.0) is None
    run.spans.drains = 0
    assert wall_time.drained(run, 40.0) is None


@pytest.mark.parametrize(
    ("first", "last", "of_clock", "stamps", "wall_s", "gap_s", "unseen"),
    [
        (0, 2, False, 0.0, 6.0 + 2 * (6 - 4) / 3 + 2, 2.0, 2),
        (1, 2, False, 0.0, 4.0 + 2 * 0.0 + 102, 102.0, 2),
        (2, 4, False, 0.0, 6.0 + 3 * (6 - 4) / 3 + 204, 204.0, 3),
        (2, 4, True, 3.0, 9.0, 204.0, 3),
        (2, 4, True, 2.0, 6.0, 204.0, 3),
        (2, 4, True, 1.5, 6.0 + 3 * (6 - 4) / 3 + 204, 204.0, 3),
        (2, 4, False, 3.0, 6.0 + 3 * (6 - 4) / 3 + 204, 204.0, 3),
        (0, 2, True, 3.0, 6.0 + 2 * (6 - 4) / 3 + 2, 2.0, 2),
    ],
)
def test_a_part_takes_what_its_clock_says_or_the_sum_of_what_is_in_it(
    monkeypatch: pytest.MonkeyPatch,
    first: int,
    last: int,
    of_clock: bool,
    stamps: float,
    wall_s: float,
    gap_s: float,
    unseen: int,
) -> None:
    """Of every second iteration of 2 s; its causes took 4 s inside, and 100 * first + last outside."""
    monkeypatch.setattr(wall_time, "_ledger", lambda _, __, times, ___, part: (times, part))
    run = fake([Iteration(2 * i, 2.0, at_s=1_000.0 + stamps * i if stamps else None) for i in range(5)])
    run.labels.timing.clock = clock(first=0 if of_clock else None)
    found: Any = wall_time.ledger_of_part(run, first, last)
    times, part = found
    assert (times.wall_s, times.gap_s) == (pytest.approx(wall_s), gap_s)
    assert (times.iterations, times.unseen, part) == (last - first + 1, unseen, (first, last))


def test_a_part_of_which_all_was_printed_has_gaps_where_its_clock_shows_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = fake([Iteration(i, 2.0, at_s=1_000.0 + 90.0 * i) for i in range(5)], clock(first=0))
    monkeypatch.setattr(wall_time, "_ledger", lambda _, __, times, *___: times)
    of_part: Any = wall_time.ledger_of_part(run, 1, 2)
    assert (of_part.wall_s, of_part.gap_s) == (180.0, 176.0)
    of_part = wall_time.ledger_of_part(run, 2, 2)
    assert (of_part.wall_s, of_part.gap_s) == (90.0, 202.0)


def test_the_whole_run_is_its_first_to_its_last_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall_time, "_ledger", lambda *given: given[-1])
    monkeypatch.setattr(wall_time, "without_noise", lambda rows, evaluated, **_: rows)
    monkeypatch.setattr(wall_time, "in_holes", lambda *_: False)
    run = fake(every_second())
    assert wall_time.ledger_of_run(run, run.labels, Times(1.0, 1), tally()) == (0, 4)


@pytest.mark.parametrize(
    ("first", "last", "unseen"),
    [(0, 5, 2 + 4), (0, 2, 2), (1, 4, 1 + 2), (3, 5, 4), (3, 7, 4 + 99), (2, 3, 0), (2, 2, 0)],
)
def test_nothing_is_unseen_from_one_process_to_the_next(first: int, last: int, unseen: int) -> None:
    """0, 2, 4 of one process; 100, 103, 106 of the next, and a third that is later."""
    index = [0, 2, 4, 100, 103, 106, 400, 500]
    run = fake([Iteration(i, 1.0) for i in index], starts=[0, 3, 6])
    assert unseen_between(run, first, last) == unseen


def test_what_steps_back_within_a_process_hides_nothing() -> None:
    run = fake([Iteration(5, 1.0, averaged_over=1), Iteration(6, 1.0, averaged_over=9)])
    assert unseen_between(run, 0, 1) == 0


@pytest.mark.parametrize(("each", "means"), [(1, 1), (20, 1), (20, 20)])
def test_iterations_without_a_line_wait_as_those_that_were_printed(each: int, means: int) -> None:
    """A log of every twentieth, with the time of that one or the mean of all: half of it waits."""
    run = watched([Iteration(each * n, 0.2, data_wait_s=0.1, averaged_over=means) for n in range(1, 101)])
    rows = {row.cause: row for row in run.findings().ledger}
    assert rows[DATA].share == pytest.approx(0.5, rel=0.01)
    assert rows[DATA].count == pytest.approx(each * 100, abs=each)
    assert rows[DATA].estimated is (each > means)


def test_an_iteration_that_saved_as_well_was_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall_time, "_ledger", lambda *_: ())
    monkeypatch.setattr(wall_time, "without_noise", lambda _rows, evaluated, **_: evaluated())
    spans = [SpanEnd(kind, iteration=at) for at, kind in ((2, EVALUATION), (2, CHECKPOINT), (3, CHECKPOINT))]
    run = watched([*(Iteration(i, 1.0) for i in range(3)), *spans[:2], Iteration(3, 1.0), spans[2]]).intake
    assert wall_time.ledger_of_run(run, run.labels, Times(1.0, 1), tally()) == 1
