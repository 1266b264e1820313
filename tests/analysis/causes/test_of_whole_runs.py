"""The causes of the slow iterations of whole runs."""

import pytest
from seed_runs import run_a, run_c
from simulated_runs import NANOGPT, nanogpt, plain, times, watched

from itermon.analysis.causes.causes import Case, before
from itermon.analysis.causes.spikes import divided
from itermon.analysis.findings import Cause
from itermon.analysis.record.spans import Note
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    UNEXPLAINED,
    WARMUP_AND_EVALUATION,
    Event,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
)


def test_evaluation_and_checkpoint_in_one_time_are_divided_by_evaluations_alone() -> None:
    run = watched(nanogpt(times(400), every=50, save_every=100))
    rows = {row.cause: row for row in run.findings().ledger}
    assert rows[CHECKPOINT].seconds == pytest.approx(3 * 2.0, abs=0.2)
    assert rows[CHECKPOINT].estimated
    both = run.spike(100)
    assert both is not None
    assert {c.kind: round(c.seconds, 1) for c in both.causes} == {EVALUATION: 3.0, CHECKPOINT: 2.0}
    assert {c.strength for c in both.causes} == {"guess"}
    alone = run.spike(50)
    assert alone is not None
    assert [(c.kind, c.strength) for c in alone.causes] == [(EVALUATION, "log")]


def test_without_an_evaluation_alone_the_division_stays_unknown() -> None:
    rows = {row.cause for row in watched(nanogpt(times(400), every=50, save_every=50)).findings().ledger}
    assert EVALUATION_AND_CHECKPOINT in rows
    assert CHECKPOINT not in rows


def test_the_run_whose_spikes_are_evaluation_and_checkpoint() -> None:
    findings = watched(run_c()).findings()
    assert findings.level.clean_s == pytest.approx(0.169, abs=0.0006)
    by_index = {s.index: s.causes for s in findings.spikes}
    assert [(c.kind, round(c.seconds, 3)) for c in by_index[500]] == [(EVALUATION_AND_CHECKPOINT, 5.816)]
    assert [(c.kind, round(c.seconds, 3)) for c in by_index[1000]] == [(EVALUATION_AND_CHECKPOINT, 5.557)]
    assert [(c.kind, round(c.seconds, 3)) for c in by_index[0]] == [(WARMUP_AND_EVALUATION, 12.374)]
    assert [(s.kind, s.interval) for s in findings.eta.schedules] == [(EVALUATION_AND_CHECKPOINT, 500)]
    assert findings.level.warmup_iterations == 1


def test_the_slow_iteration_of_run_a_costs_sixty_three_seconds() -> None:
    spike = watched(run_a()).spike(250)
    assert spike is not None
    assert [(c.kind, round(c.seconds)) for c in spike.causes] == [(EVALUATION_AND_CHECKPOINT, 63)]


def test_hooks_time_spans_exactly_and_one_inside_another_counts_once() -> None:
    events: list[Event] = [RunInfo(clock="hook", time_includes=("evaluation", "gc", "checkpoint", "data"))]
    at_s = 0.0
    for i in range(100):
        begun_s, at_s = at_s, at_s + 1.0
        if i == 80:
            at_s += 5.0
            events.append(SpanEnd("gc", at_s=begun_s + 2, duration_s=1.0, iteration=i, strength="hook"))
            events.append(SpanEnd("evaluation", at_s=begun_s + 4, duration_s=4.0, iteration=i, strength="hook"))
            events.append(SpanEnd("checkpoint", at_s=begun_s + 5, duration_s=1.0, iteration=i, strength="hook"))
        events.append(Iteration(i, at_s - begun_s, at_s=at_s))
    spike = watched(events).spike(80)
    assert spike is not None
    assert [(c.kind, c.seconds, c.strength) for c in spike.causes] == [
        ("evaluation", 4.0, "hook"),
        ("checkpoint", 1.0, "hook"),
    ]
    assert spike.clean_s == pytest.approx(1.0)


def test_a_long_wait_for_data_is_a_data_stall() -> None:
    events = [Iteration(i, 1.0 + 3.0 * (i == 90), data_wait_s=0.01 + 2.9 * (i == 90)) for i in range(100)]
    spike = watched([RunInfo(), *events]).spike(90)
    assert spike is not None
    assert (spike.causes[0].kind, spike.causes[0].strength) == ("data", "hook")
    assert spike.causes[0].seconds == pytest.approx(2.9)


def test_a_spike_in_a_mean_over_ten_counts_ten_times() -> None:
    events = [Iteration(10 * i, 1.0 + (i == 50), averaged_over=10) for i in range(1, 90)]
    findings = watched([RunInfo(), *events]).findings()
    assert [(s.index, round(s.causes[0].seconds, 6)) for s in findings.spikes] == [(500, 10.0)]
    assert findings.progress.iterations_seen == 890
    assert findings.progress.wall_s == pytest.approx(900)


def test_stalls_without_a_word_are_unexplained_and_called_a_guess() -> None:
    durations = times(300)
    durations[200] *= 4
    findings = watched(plain(durations)).findings()
    assert [(s.index, s.causes[0].kind, s.causes[0].strength) for s in findings.spikes] == [
        (200, UNEXPLAINED, "guess")
    ]


def test_an_evaluation_beside_an_iteration_is_in_what_its_spike_took_without_a_clock_too() -> None:
    events: list[Event] = [RunInfo(), *(Iteration(i, d) for i, d in enumerate(times(80)))]
    events.insert(51, SpanEnd(EVALUATION, iteration=50, duration_s=70.0))
    spike = watched(events).spike(50)
    assert spike is not None
    assert spike.duration_s == pytest.approx(70.2, abs=0.02)
    assert spike.clean_s == pytest.approx(0.2, abs=0.02)


def test_a_save_that_the_noise_of_long_means_hides_is_no_slow_row_and_has_no_seconds() -> None:
    """Rows of 500 iterations differ by 0.2 s and drift by more, and a save takes 0.3 s: who could tell?"""
    events: list[Event] = [NANOGPT]
    for n, each_s in enumerate(times(200, base_s=0.8, noise=0.0005)):
        saved_s = {50: 0.3, 100: 0.3, 150: 60.0}.get(n, 0.0)
        if saved_s:
            events.append(SpanBegin(CHECKPOINT, iteration=500 * n))
        events.append(Iteration(500 * n, each_s * (1 + 0.0001 * n) + saved_s / 500, averaged_over=500))
    findings = watched(events).findings()
    assert [spike.index for spike in findings.spikes] == [75_000]
    (saves,) = [row for row in findings.ledger if row.cause == CHECKPOINT]
    assert (saves.count, saves.seconds) == (1, pytest.approx(60.0, abs=1.0))


def test_what_came_before_an_iteration_is_told_with_the_one_that_it_followed() -> None:
    """`Epoch 2 evaluated in 50 s` stands before the row of epoch 3."""
    told = Note(EVALUATION, Strength.LOG, duration_s=50.0, inside=False)
    (cause,) = before(Case(60.0, 60.0, gap_s=50.0, notes=(told,), after=2))
    assert cause.evidence == "the log gives its time, after iteration 2"
    (cause,) = before(Case(60.0, 60.0, gap_s=50.0, notes=(Note(EVALUATION, Strength.LOG, inside=False),), after=2))
    assert cause.evidence == "after iteration 2"
    (first,) = before(Case(60.0, 60.0, gap_s=50.0, notes=(told,)))
    assert first.evidence == "the log gives its time"


def test_an_evaluation_of_many_minutes_divides_in_minutes() -> None:
    cause = Cause(EVALUATION_AND_CHECKPOINT, 2_000.0, "log", "the log has lines of both")
    assert {c.evidence for c in divided([cause], lambda _: 1_450.0)} == {
        "the log has lines of both; divided by the 24 m 10 s of evaluations alone"
    }
