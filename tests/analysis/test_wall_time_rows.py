"""Iterations without a row: before the first, between two, and the one that a row behind the last is not.

And what lasts between two rows, or behind the last.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis import wall_time
from itermon.analysis.record.spans import Note
from itermon.events import (
    DATA,
    EVALUATION,
    TRAINING,
    ClockKind,
    Config,
    Event,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
    Total,
    Witness,
)


@pytest.mark.parametrize(
    ("indices", "wall_s"),
    [((0, 3), 4.0), ((0, 4), None), ((0, 4, 8), 9.0)],  # of three times those between them are told
)
def test_of_two_times_no_more_iterations_than_have_one_are_told(indices: tuple[int, ...], wall_s: float) -> None:
    assert watched([Iteration(i, 1.0) for i in indices]).findings().progress.wall_s == wall_s


def test_what_lasts_between_bars_is_in_none_of_their_clocks_and_in_that_of_the_day() -> None:
    columns = watched([Iteration(n, 1.0) for n in range(5)]).intake.columns
    notes = {
        at: (Note(EVALUATION, Strength.LOG, duration_s=took_s, apart=True),) for at, took_s in ((1, 2.0), (3, 5.0))
    }
    run: Any = SimpleNamespace(
        columns=columns,
        spans=SimpleNamespace(positions=[1, 3], by_position=notes, apart_s=7.0),
        info=RunInfo(),
    )
    for first, at, between_s in (
        (1, columns.elapsed_at, 5.0),
        (0, columns.elapsed_at, 7.0),
        (1, columns.time_at, 0.0),
    ):
        clock: Any = SimpleNamespace(first=first, at=at)
        assert wall_time._between_bars_s(run, clock) == between_s
    nothing: Any = SimpleNamespace(first=None, at=columns.elapsed_at)
    assert wall_time._between_bars_s(run, nothing) == 0.0


def test_what_lasts_between_bars_is_wall_time_and_so_is_what_lasts_behind_the_last() -> None:
    events: list[Event] = [RunInfo(clock="log")]
    for epoch in range(3):
        events += [Iteration(25 * epoch + i, 1.0, elapsed_s=float(i)) for i in range(1, 26)]
        events.append(SpanEnd(EVALUATION, iteration=25 * epoch + 26, duration_s=7.0, apart=True))
    found = watched(events).findings()
    assert found.progress.wall_s == pytest.approx(3 * 25 + 3 * 7)
    assert {row.cause: row.seconds for row in found.ledger} == pytest.approx({TRAINING: 75.0, EVALUATION: 21.0})


def test_a_clock_of_the_log_that_runs_through_it_holds_what_lasted_between_its_epochs() -> None:
    events: list[Event] = [RunInfo(clock="log", undescribed=True)]
    for epoch in range(3):
        events += [Iteration(25 * epoch + i, 1.0, elapsed_s=32.0 * epoch + i) for i in range(1, 26)]
        events.append(SpanEnd(EVALUATION, iteration=25 * epoch + 26, duration_s=7.0, apart=True))
    assert watched(events).findings().progress.wall_s == pytest.approx(3 * 25 + 3 * 7, abs=1)


def test_behind_epochs_that_each_contain_an_evaluation_the_last_one_is_no_row() -> None:
    events: list[Event] = [RunInfo(time_includes=(EVALUATION,), clock="log")]
    for n in range(40):
        events += [SpanEnd(EVALUATION, 10.0 * n, n), Iteration(n, 10.0 + 0.1 * (n % 3), at_s=10.0 * n)]
    found = watched([*events, SpanEnd(EVALUATION, 450.0, 40, 60.0)]).findings()
    assert [row.cause for row in found.ledger] == [TRAINING]
    assert found.ledger[0].seconds == found.progress.wall_s
    assert (found.progress.wall_s or 0.0) > 450.0


def test_bars_of_less_than_a_second_say_nothing_against_the_times_of_their_iterations() -> None:
    """Four bars of four iterations: each shows `00:00` to its end, but one that has just reached `00:01`."""
    rows = [Iteration(n + 1, 0.225, elapsed_s=1.0 if n == 3 else 0.0) for n in range(16)]
    found = watched([RunInfo(), *rows]).findings(spikes=None)
    (training,) = [row for row in found.ledger if row.cause == TRAINING]
    assert (found.progress.wall_s, training.seconds) == (pytest.approx(3.6), pytest.approx(3.6))


@pytest.mark.parametrize(
    ("index", "first_s", "wall_s"),
    [(1, 140.0, 4_890 + 140), (0, 300.0, 4_890 + 300), (1, 301.0, 4_890), (1, 30.0, 4_890), (7, 140.0, 4_890)],
)
def test_a_clock_that_began_with_the_training_has_the_first_row_in_it(
    index: int, first_s: float, wall_s: float
) -> None:
    """Fifty rows, 100 s apart but two that are 95: later ones may be as far from the first, which says less."""
    clock_s = [first_s + 100.0 * n - 5.0 * (n > 10) - 5.0 * (n > 20) for n in range(50)]
    took_s = [None, *(after - before for before, after in pairwise(clock_s))]
    rows = [
        Iteration(index + n, took, elapsed_s=at_s, witness=Witness.ELAPSED)
        for n, (took, at_s) in enumerate(zip(took_s, clock_s, strict=True))
    ]
    assert watched([RunInfo(), *rows]).findings(spikes=None).progress.wall_s == pytest.approx(wall_s)


@pytest.mark.parametrize(("minutes", "taken"), [(8, True), (9, False)])
def test_a_total_that_hardly_any_iteration_took_is_of_something_else(minutes: int, *, taken: bool) -> None:
    """Ten seconds of iterations: `training finished for 60min`, of a model of hours, is not how long it took."""
    rows = [Iteration(n, 1.0) for n in range(10)]
    run = watched([RunInfo(), *rows, Total(60.0 * minutes)])
    found = run.findings(spikes=None)
    assert (found.progress.wall_s, len(found.witnesses)) == ((60.0 * minutes, 1) if taken else (10.0, 0))


def test_from_row_to_row_of_an_unknown_script_nothing_behind_the_last_row_counts() -> None:
    """Another program may have written it: a test, or what draws the curves."""
    rows: list[Event] = [Iteration(n, 1.0, at_s=100.0 + n, witness=Witness.STAMPS) for n in range(30)]
    later = SpanEnd(EVALUATION, 9_000.0, 29, told=True)
    for undescribed, wall_s in ((True, 29.0), (False, 8_900.0)):
        run = watched([RunInfo(clock=ClockKind.LOG, undescribed=undescribed), *rows, later])
        assert run.findings().progress.wall_s == pytest.approx(wall_s)


def stamped(*trainings: tuple[float, ...]) -> Any:
    """A log of a script that nobody described, whose trainings have their rows at these times of day."""
    info = RunInfo(source_format="generic", clock=ClockKind.LOG, undescribed=True)
    events: list[Event] = [info]
    for times in trainings:
        events += [info] if len(events) > 1 else []
        events += [Iteration(i, 10.0, at_s=at_s, witness=Witness.STAMPS) for i, at_s in enumerate(times)]
    return watched(events).findings().progress


def test_what_two_wrote_in_turns_is_no_longer_than_from_the_oldest_to_the_newest_time() -> None:
    rows = tuple(1_000.0 + 10 * n for n in range(12))
    assert stamped(rows, tuple(t + 1_000 for t in rows)).wall_s == pytest.approx(1_110, abs=12)
    assert stamped(rows, tuple(t - 500 for t in rows)).wall_s == pytest.approx(220, abs=22), "another was appended"
    assert stamped(rows, rows, rows).wall_s is None


@pytest.mark.parametrize(("total", "evaluation_s"), [(1_000, 29.0), (990, 29.0), (5_000, None)])
def test_behind_the_last_iteration_counted_from_0_none_runs(total: int, evaluation_s: float | None) -> None:
    """Where others are to come, those of the next row may have run before the evaluation."""
    rows = [Iteration(n, 1.0, at_s=1_000.0 + n, averaged_over=10) for n in range(0, 1_000, 10)]
    rows[-1] = Iteration(total - 1 if total < 5_000 else 990, 1.0, at_s=1_990.0, averaged_over=10)
    info = RunInfo(source_format="a log", clock=ClockKind.LOG)
    end = SpanEnd(EVALUATION, at_s=1_990.0 + 29.0)
    run = watched([info, Config(origin="log", max_iterations=total), *rows, end])
    gap_s = wall_time.after_the_last(run.intake).gap_s
    assert gap_s == evaluation_s if evaluation_s else gap_s < 20.0


def test_means_that_overlap_do_not_make_a_run_longer_than_its_stamps() -> None:
    """Each row's time is a mean of many iterations: five of six take 7.2 s, the sixth little."""
    at_s, took_s = [1000.0], [7.2] * 5 + [1.2]
    for n in range(1, 200):
        at_s.append(at_s[-1] + took_s[n % 6])
    rows = [Iteration(n, 6.2, at_s=one, data_wait_s=5.7) for n, one in enumerate(at_s)]
    found = watched([RunInfo(clock="log", time_includes=(DATA,)), *rows]).findings()
    assert found.progress.wall_s == pytest.approx(at_s[-1] - at_s[0] + 6.2, rel=0.01)
    shares = {row.cause: row.share for row in found.ledger}
    assert shares[DATA] == pytest.approx(0.92, abs=0.02)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_of_evaluations_that_alone_have_a_time_the_usual_one_and_the_longest_are_told() -> None:
    seconds = [30.0, 40.0, 30.0, 30.0, 800.0]
    events: list[Event] = [RunInfo()]
    for n, s in enumerate(seconds):
        events += [Iteration(2 * n), Iteration(2 * n + 1), SpanEnd(EVALUATION, iteration=2 * n + 2, duration_s=s)]
    events.append(Total(5_000.0))
    found = watched(events).findings()
    (row,) = (one for one in found.ledger if one.cause == EVALUATION)
    assert (row.least_s, row.usual_s, row.most_s) == (30.0, 30.0, 800.0)


def test_rows_without_a_time_took_what_the_others_took() -> None:
    printed = [Iteration(n, None if n % 600 == 300 else 2.0) for n in range(100, 6_100, 100)]
    progress = watched([RunInfo(), *printed]).findings().progress
    assert progress.wall_s == pytest.approx(2.0 * 5_901, rel=0.001)
