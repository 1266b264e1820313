"""Findings of a run, as one structure: each part fits the others."""

from __future__ import annotations

import pytest
from simulated_runs import nanogpt, plain, times, watched

from itermon.analysis.findings import Activity, Findings
from itermon.analysis.wall.totals import UNCLOCKED
from itermon.events import (
    COMPILE,
    EVALUATION,
    TRAINING,
    ClockKind,
    Config,
    Dropped,
    End,
    EndOfFile,
    EndReason,
    Event,
    Iteration,
    Message,
    OtherRows,
    PrintedLoss,
    RunInfo,
    SpanEnd,
    Total,
    Witness,
)

DONE = Message("Training complete", line=130, ending=EndReason.FINISHED)
WHOLE: list[Event] = [Config(max_iterations=100), *(Iteration(i, 1.0, loss=2.0) for i in range(100))]
OLD = EndOfFile(1e9, 2e9)


def clocked(count: int, **info: object) -> list[Event]:
    """Iterations of 1 s, each with its time."""
    return [
        RunInfo(clock=ClockKind.LOG, **info),  # type: ignore[arg-type]
        *(Iteration(i, 1.0, 3.0, at_s=1_000.0 + i) for i in range(count)),
    ]


def test_of_a_run_without_events_nothing_is_known() -> None:
    found = watched([]).findings()
    assert (found.progress.iteration, found.progress.wall_s, found.level.clean_s) == (None, None, None)
    assert (found.now.activity, found.ledger, found.spikes) == (Activity.NOTHING_YET, (), ())


def test_progress_counts_what_was_seen_passed_and_dropped() -> None:
    events = [Config(max_iterations=200), *plain(times(50))[:-10], Iteration(99, 0.2), Dropped(7, "marks")]
    progress = watched(events).findings().progress
    assert (progress.first_iteration, progress.iteration, progress.max_iterations) == (0, 99, 200)
    assert (progress.iterations_seen, progress.iterations_unseen) == (100, 59)
    assert (progress.fraction, progress.restarts, progress.dropped) == (99 / 200, 0, 7)


@pytest.mark.parametrize(
    ("first", "seen", "before"),
    [(0, 91, 0), (1, 91, 0), (10, 100, 9), (50, 91, 0)],  # the last one was resumed, nobody knows where
)
@pytest.mark.parametrize("timed", [False, True])
def test_a_row_of_every_tenth_stands_for_ten_iterations(first: int, seen: int, before: int, timed: bool) -> None:
    rows = [Iteration(first + 10 * n, 1.0 if timed else None, loss=2.0) for n in range(10)]
    progress = watched([RunInfo(), *rows]).findings().progress
    assert (progress.iterations_seen, progress.iterations_before) == (seen, before)
    assert progress.iterations_in_wall == seen - before


@pytest.mark.parametrize(
    ("index", "resumed", "more"), [(10, False, 10), (5, False, 5), (25, False, 1), (25, True, 1)]
)
def test_so_does_the_only_row_of_another_training(index: int, resumed: bool, more: int) -> None:
    rows = [Iteration(10 + 10 * n, loss=2.0) for n in range(10)]
    events = [RunInfo(), *rows, RunInfo(resumed=resumed), Iteration(index, loss=2.0)]
    assert watched(events).findings().progress.iterations_seen == 100 + more


@pytest.mark.parametrize(("apart", "total", "seen"), [(10, 90, 90), (10, 100, 91), (1, 9, 10)])
def test_a_row_at_the_number_of_all_that_are_counted_from_0_is_no_further_iteration(
    apart: int, total: int, seen: int
) -> None:
    rows = [Iteration(apart * n, loss=2.0) for n in range(10)]
    progress = watched([Config(max_iterations=total), RunInfo(), *rows]).findings().progress
    assert (progress.iterations_seen, progress.newest_seen) == (seen, seen)
    progress = watched([Config(max_iterations=total), RunInfo(), *rows, RunInfo(), *rows]).findings().progress
    assert (progress.iterations_seen, progress.newest_seen) == (2 * seen, seen)


def test_the_wall_time_is_the_ledgers_and_its_clock_is_named() -> None:
    found = watched(clocked(100)).findings(now_s=1_100.0)
    assert (found.progress.clock, found.progress.last_event_at_s) == (ClockKind.LOG, 1_099.0)
    assert found.progress.wall_s == pytest.approx(sum(row.seconds for row in found.ledger))
    assert watched(plain(times(100))).findings().progress.clock is None


def test_the_ninety_fifth_percentile_is_of_normal_iterations() -> None:
    found = watched(nanogpt(times(400, base_s=0.2))).findings()
    assert found.level.clean_s == pytest.approx(0.2, rel=0.01)
    assert 0.2 < (found.level.p95_s or 0.0) < 0.21
    assert found.ledger[0].cause == TRAINING


def test_a_run_past_the_end_of_its_settings_says_whose_settings_are_wrong() -> None:
    def why(last: int, epoch: int | None = None) -> str:
        settings = Config(max_iterations=last, iterations_per_epoch=epoch, origin="train.py")
        found = watched([settings, *plain(times(100))]).findings()
        assert found.progress.max_iterations is None
        assert found.unknown["eta"] == found.unknown["progress.max_iterations"]
        return found.unknown["eta"]

    assert why(50) == "it is past the 50 iterations of its settings (train.py): give the right --max-iters"
    assert "past the 1 iteration of" in why(1)
    assert why(50, 50) == "one pass has 50 iterations; itermon cannot read how many passes: give --max-iters"
    several = "itermon cannot read how many passes: give --max-iters"
    assert why(50, 51) == f"one pass has about 51 iterations; {several}"
    assert why(50, 60).startswith("it is past the 50 iterations")


@pytest.mark.parametrize("others", [OtherRows(40, 9, 7), OtherRows(against="lines count to epoch 9")])
def test_where_other_lines_train_a_bar_is_not_said_to_be_a_pass(others: OtherRows) -> None:
    settings = Config(max_iterations=50, iterations_per_epoch=50, origin="log line 3")
    found = watched([settings, *plain(times(100)), others]).findings()
    reason = (
        "the 50 iterations of a bar may be of an evaluation: lines that itermon cannot read tell of a training"
    )
    assert found.progress.max_iterations is None
    assert found.unknown["progress.max_iterations"] == reason


def test_a_run_that_said_its_end_has_ended_and_its_eta_is_frozen() -> None:
    found = watched([Config(max_iterations=400), *clocked(100), End(EndReason.FAILED, at_s=1_100.0)]).findings()
    assert (found.ended, found.now.activity, found.now.estimated) == (EndReason.FAILED, Activity.ENDED, False)
    assert found.eta.frozen == "the run has ended (failed)"


def test_all_spikes_or_the_newest_few() -> None:
    durations = [5.0 if i % 50 == 49 else 0.2 for i in range(400)]
    run = watched(plain(durations))
    every = run.findings(spikes=None).spikes
    assert [spike.index for spike in every] == list(range(49, 400, 50))
    assert run.findings(spikes=2).spikes == every[-2:]
    often = watched(plain([5.0 if i % 20 == 19 else 0.2 for i in range(1_200)]))
    assert (len(often.findings(spikes=None).spikes), len(often.findings().spikes)) == (60, 50)


def test_where_no_row_has_a_time_the_eta_does_not_speak_of_some() -> None:
    rows = [Iteration(10 * i, loss=1.0) for i in range(20)]
    found = watched([Config(max_iterations=400), *rows]).findings()
    assert found.unknown["eta"] == "no iteration time is known yet"


def test_without_iteration_times_there_is_no_witness_of_them() -> None:
    untimed = watched([*(Iteration(10 * i, loss=1.0) for i in range(20)), Total(300.0)]).findings()
    assert (untimed.level.witnesses, [one.agrees for one in untimed.witnesses]) == ((), [None])
    assert watched([Iteration(i, 1.0) for i in range(20)]).findings().level.witnesses == (Witness.PRINTED,)


@pytest.mark.parametrize(("clock", "witness"), [("log", Witness.STAMPS), ("arrival", Witness.ARRIVAL)])
def test_times_between_lines_are_by_what_stands_in_them_or_by_when_they_came(clock: str, witness: Witness) -> None:
    rows = [Iteration(n, at_s=1_000.0 + n) for n in range(30)]
    assert watched([RunInfo(clock=clock), *rows]).findings().level.witnesses == (witness,)


def test_of_a_run_that_was_killed_half_way_predictions_are_judged_by_what_was_left() -> None:
    events: list[Event] = [RunInfo(), Config(max_iterations=400), *(Iteration(i, 1.0) for i in range(200))]
    for more in ((), (End("lost"),)):
        scores = watched([*events, *more]).findings().eta.scores
        assert scores
        assert [score.error for score in scores] == pytest.approx([0.0] * len(scores), abs=0.02)


@pytest.mark.parametrize(("iteration", "count"), [(0, None), (1, 1), (2, 1)])
def test_what_the_first_iteration_of_another_process_compiles_is_compiled_for_the_first_time(
    iteration: int, count: int | None
) -> None:
    info = RunInfo(clock="hook", time_includes=(COMPILE,))
    second: list[Event] = [Iteration(i, 1.0) for i in range(3)]
    second.insert(iteration, SpanEnd(COMPILE, None, iteration, 15.0, "hook"))
    found = watched([info, *(Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(50)), info, *second]).findings()
    assert (found.recompiled.count if found.recompiled else None) == count


@pytest.mark.parametrize(("every", "wall_s"), [(10, None), (1, 100.0)])
def test_what_a_few_iterations_took_is_not_the_wall_time_of_all(every: int, wall_s: float | None) -> None:
    run = watched([RunInfo(), *(Iteration(i, 1.0 if i % every == 0 else None, loss=1.0) for i in range(100))])
    found = run.findings()
    assert (found.progress.wall_s, bool(found.ledger)) == (wall_s, wall_s is not None)


def test_iterations_of_the_newest_training_are_counted_as_those_of_all() -> None:
    """Rows of every tenth, from 10 on: 100 iterations, and after them 50."""
    rows = [(RunInfo(), *(Iteration(n, loss=1.0) for n in range(10, last, 10))) for last in (110, 60)]
    progress = watched([event for training in rows for event in training]).findings().progress
    assert (progress.trainings, progress.iterations_seen, progress.newest_seen) == (2, 150, 50)


@pytest.mark.parametrize(("rows", "wall_s"), [(2, None), (3, 37.0)])
def test_what_two_rows_took_is_not_the_wall_time_of_all_between_them(rows: int, wall_s: float | None) -> None:
    run = watched([RunInfo(), *(Iteration(1 + 18 * n, 1.0, loss=1.0) for n in range(rows))])
    assert run.findings().progress.wall_s == wall_s


def test_an_evaluation_before_a_row_that_crosses_into_the_next_epoch_is_no_time_of_that_row() -> None:
    """Batches 0, 10, 20 of each epoch, of 1 s, and 40 s until the next one's batch 0, of nobody knows how many."""
    events: list[Event] = [RunInfo(clock=ClockKind.LOG, time_includes=(EVALUATION,))]
    for epoch in range(4):
        at_s = 1_000.0 + 60.0 * epoch
        if epoch:
            events.append(SpanEnd(EVALUATION, at_s, 21 * epoch))
        events.append(Iteration(21 * epoch, at_s=at_s, witness=Witness.STAMPS))
        events += [
            Iteration(21 * epoch + n, 1.0, at_s=at_s + n, averaged_over=10, witness=Witness.STAMPS)
            for n in (10, 20)
        ]
    found = watched(events).findings()
    ledger = {row.cause: (row.count, round(row.seconds)) for row in found.ledger}
    assert ledger[EVALUATION] == (3, 117)  # 39 s each: one iteration is known to lie in them
    assert (found.level.clean_s, found.progress.wall_s) == (1.0, 200.0)


def test_of_several_processes_without_a_clock_the_sum_is_no_wall_time() -> None:
    def found(*second: Event) -> Findings:
        return watched([RunInfo(), *(Iteration(n, 1.0, 2.0) for n in range(30)), *second]).findings()

    again = (RunInfo(), *(Iteration(n, 1.0, 2.0) for n in range(20)))
    assert found().progress.wall_s == 30.0
    assert (found(*again).progress.wall_s, found(*again).progress.trainings) == (None, 2)
    assert found(*again).unknown["progress.wall_s"] == UNCLOCKED
    assert "progress.wall_s" not in found().unknown


def test_a_number_of_iterations_that_was_passed_is_of_something_else() -> None:
    events = [Config(max_iterations=5, block_size=64), *plain(times(50))]
    found = watched(events).findings()
    assert (found.config.max_iterations, found.config.block_size) == (None, 64)
    assert "past the 5 iterations" in found.unknown["progress.max_iterations"]


def test_a_change_of_level_has_held_since_it_came() -> None:
    run = watched(plain([*times(200), *times(100, base_s=0.4, seed=2)]))
    (shift,) = run.findings().level.shifts
    assert shift.held == 300 - shift.position


@pytest.mark.parametrize(
    ("last", "reason", "fraction"),
    [
        (50, EndReason.FINISHED, 1.0),
        (51, EndReason.FINISHED, 49 / 51),  # what the log says of its end makes no iterations
        (50, EndReason.LOST, 0.98),
        (70, EndReason.FINISHED, 0.7),
        (50, "", 0.98),
    ],
)
def test_a_run_that_finished_at_its_last_iteration_is_done_also_if_it_counts_from_zero(
    last: int, reason: str, fraction: float
) -> None:
    events = [Config(max_iterations=last), *(Iteration(n, 1.0, 2.0) for n in range(50))]
    progress = watched([*events, *([End(reason=EndReason(reason))] if reason else [])]).findings().progress
    assert (progress.iteration, progress.fraction) == (49, fraction)


@pytest.mark.parametrize(
    ("indices", "fraction"), [((19, 39, 59), 1.0), ((20, 40, 59), 59 / 60), ((19, 39), 39 / 60)]
)
def test_a_counter_of_each_twentieth_from_zero_is_done_at_one_less_than_the_total(
    indices: tuple[int, ...], fraction: float
) -> None:
    events = [
        Config(max_iterations=60),
        *(Iteration(n, 1.0, 2.0) for n in indices),
        End(reason=EndReason.FINISHED),
    ]
    assert watched(events).findings().progress.fraction == fraction


def test_a_run_that_is_finished_and_never_said_how_long_it_is_has_come_no_share_of_the_way() -> None:
    assert watched([*WHOLE[1:], DONE, OLD]).findings().progress.fraction is None


def test_the_last_row_of_an_older_form_is_no_end_and_its_loss_is_not_the_newest() -> None:
    assert watched([*WHOLE, OLD]).findings().ended == "finished"
    found = watched([*WHOLE, OtherRows(900, 900, 120, None, 1_100), OLD]).findings()
    assert (found.ended, found.losses.train) == ("unknown", None)
    assert "finished" not in {one.kind for one in found.incidents}


def test_words_of_an_end_with_hundreds_of_losses_behind_them_are_those_of_an_older_start() -> None:
    for message in (DONE, Message("Killed", "error", line=130, ending=EndReason.FAILED)):
        found = watched([*WHOLE[:50], message, OtherRows(900, 900, 120, None, 1_100), OLD]).findings()
        assert found.ended == "unknown"
        closing = watched([*WHOLE[:50], message, OtherRows(30, 30, 100, None, 131), OLD]).findings()
        assert closing.ended == message.ending


def test_where_headings_speak_against_the_rows_nothing_is_counted_and_the_verdict_says_why() -> None:
    why = "lines count on to epoch 100 behind the newest row"
    for end in ((), (DONE,)):
        found = watched([*WHOLE, *end, OtherRows(newest=1_100, against=why), OLD]).findings()
        assert (found.ended, found.losses.train, found.level.clean_s, found.ledger) == ("unknown", None, None, ())
        assert found.unknown["progress.restarts"] == found.unknown["eta"] == why
        assert "behind the newest row: itermon counts no iteration" in found.verdict.headline
        assert "itermon formats new" in found.verdict.next_step


@pytest.mark.parametrize(("undescribed", "best"), [(True, None), (False, 0.5)])
def test_no_loss_is_the_best_where_nobody_knows_what_began(undescribed: bool, best: float | None) -> None:
    """The counter goes far back, and no word says that what follows goes on from what was saved."""
    info = RunInfo(source_format="a log", undescribed=undescribed)
    rows = [[Iteration(10 * n, 1.0) for n in range(first, 20)] for first in (1, 4)]
    losses = [PrintedLoss(190, validation_loss=0.5), PrintedLoss(60, validation_loss=2.25)]
    newest = PrintedLoss(190, validation_loss=2.5)
    found = watched([info, *rows[0], losses[0], info, *rows[1], losses[1], newest]).findings()
    assert (found.progress.restarts, found.starts_known) == (1, not undescribed)
    assert (found.losses.best_validation, found.losses.validation) == (best, 2.5)
