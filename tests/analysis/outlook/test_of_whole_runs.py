"""When it is done, how sure that is, and what the trainer does right now."""

from random import Random

import pytest
from simulated_runs import NANOGPT, nanogpt, plain, times, watched

from itermon.analysis.verdict.stop_costs import costs
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    Config,
    End,
    Event,
    Iteration,
    Message,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
)


def test_the_eta_counts_what_is_scheduled_at_its_measured_cost() -> None:
    eta = watched(nanogpt(times(420), every=50, evaluation_s=3.0, save_every=100, save_s=2.0)).findings().eta
    assert eta.remaining_s == pytest.approx(581 * 0.2 + 12 * 3.0 + 6 * 2.0, rel=0.02)
    assert eta.low_s is not None
    assert eta.high_s is not None
    assert eta.low_s < 581 * 0.2 + 12 * 3.0 + 6 * 2.0 < eta.high_s
    by_kind = {s.kind: s for s in eta.schedules}
    assert (by_kind[EVALUATION].remaining, by_kind[EVALUATION].next_iteration) == (12, 450)
    assert (by_kind[CHECKPOINT].remaining, by_kind[CHECKPOINT].interval) == (6, 100)


def test_there_is_no_interval_before_each_scheduled_kind_was_seen() -> None:
    events = [NANOGPT, Config(max_iterations=1_000, evaluation_interval=500), *plain(times(200))[1:]]
    eta = watched(events).findings().eta
    assert eta.remaining_s == pytest.approx(801 * 0.2, rel=0.02)
    assert (eta.low_s, eta.high_s) == (None, None)
    assert eta.note == "without evaluations: none seen yet"


def test_stalls_that_nothing_schedules_are_expected_to_go_on() -> None:
    durations = times(500)
    for i in (90, 155, 233, 301, 444):
        durations[i] += 4.0
    eta = watched([Config(max_iterations=1_000), *plain(durations)]).findings().eta
    assert eta.remaining_s == pytest.approx(501 * (0.2 + 5 * 4.0 / 500), rel=0.03)


def test_the_level_drifts_with_the_lines_however_many_iterations_pass_between_them() -> None:
    dice, level_s, durations = Random(1), 1.0, []
    for _ in range(2_000):
        level_s *= 1 + dice.gauss(0, 0.002)
        durations.append(level_s * dice.gauss(1, 0.01))
    half = []
    for step in (1, 10):
        iterations = [Iteration(step * i, d) for i, d in enumerate(durations)]
        eta = watched([NANOGPT, Config(max_iterations=4_000 * step), *iterations]).findings().eta
        assert eta.remaining_s is not None
        assert eta.high_s is not None
        half.append(eta.high_s / eta.remaining_s - 1)
    assert half[1] == pytest.approx(half[0], rel=0.02)
    assert half[0] > 0.02


def test_iterations_without_a_line_take_what_the_clock_says() -> None:
    """Every tenth takes 0.5 s and is printed, the others 0.533 s; the stamps are of whole seconds."""
    events: list[Event] = [RunInfo(clock="log"), Config(max_iterations=8_000)]
    events += [Iteration(10 * i, 0.5, at_s=float(int(1e9 + 5.3 * i))) for i in range(400)]
    assert watched(events).findings().eta.remaining_s == pytest.approx(4_010 * 0.53, rel=0.01)


def test_an_unknown_end_is_unknown_with_its_reason() -> None:
    findings = watched(plain(times(100))).findings()
    assert findings.eta.remaining_s is None
    assert "--max-iters" in findings.unknown["eta"]
    assert findings.progress.fraction is None


def test_earlier_etas_are_scored() -> None:
    durations = times(1_001)
    durations[600:] = [d * 1.5 for d in durations[600:]]
    events = [*nanogpt(durations, every=50), End()]
    scores = {s.fraction: s for s in watched(events).findings().eta.scores}
    total_s = sum(durations) + 21 * 3.0
    for fraction in (0.1, 0.25, 0.5):
        assert scores[fraction].error == pytest.approx(scores[fraction].predicted_total_s / total_s - 1, abs=0.01)
        assert scores[fraction].predicted_total_s == pytest.approx(1_001 * 0.2 + 21 * 3.0, rel=0.03)


def test_an_eta_that_could_not_be_given_is_not_scored() -> None:
    events = [Config(max_iterations=3), Iteration(1), Iteration(2, 1.0)]
    assert [s.fraction for s in watched(list(events)).findings().eta.scores] == [0.5]


@pytest.mark.parametrize(("last", "ended"), [(99, "finished"), (100, "finished"), (101, "")])
def test_a_run_that_is_silent_after_its_last_iteration_has_finished(last: int, ended: str) -> None:
    events: list[Event] = [Config(max_iterations=last)]
    events += [Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(100)]
    run = watched(events)
    found = run.findings(now_s=1_200.0)
    assert found.ended == ended
    assert found.now.activity == ("ended" if ended else "silent")
    assert found.verdict.kind != "silent" or not ended
    assert run.findings(now_s=1_101.0).ended == ""  # it may only be slow
    assert run.findings(now_s=1_100.0 + 10 * 86_400).verdict.kind != "silent"  # nobody waits for an old log


@pytest.mark.parametrize("ending", ["failed", "interrupted"])
def test_a_run_that_is_silent_after_an_error_has_ended_so(ending: str) -> None:
    events: list[Event] = [Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(100)]
    run = watched([*events, Message("torch.OutOfMemoryError: out of memory", "error", ending=ending)])
    assert run.findings(now_s=1_101.0).ended == "", "it may have been caught"
    found = run.findings(now_s=1_200.0)
    assert (found.ended, found.now.activity, found.verdict.kind) == (ending, "ended", "failed")
    run.apply([Iteration(100, 1.0, at_s=1_200.0)])
    assert run.findings(now_s=1_300.0).now.activity == "silent", "it was caught"


def test_a_log_without_times_that_ends_with_an_error_has_failed_after_ten_minutes() -> None:
    events: list[Event] = [Iteration(i, loss=2.0) for i in range(9)] + [Iteration(9, loss=2.0, at_s=1_000.0)]
    run = watched([*events, Message("torch.OutOfMemoryError: out of memory", "error", ending="failed")])
    assert [run.findings(now_s=1_000.0 + s).ended for s in (30, 600, 601)] == ["", "", "failed"]
    assert watched(events).findings(now_s=1_601.0).ended == ""


def test_without_a_usual_time_only_a_long_silence_is_one() -> None:
    run = watched([Iteration(i, loss=2.0) for i in range(9)] + [Iteration(9, loss=2.0, at_s=1_000.0)])
    assert [run.findings(now_s=1_000.0 + s).now.activity for s in (30, 1_800, 4_000)] == [
        "training",
        "nothing new",
        "silent",
    ]


def test_a_silent_run_freezes_the_eta_and_says_why() -> None:
    events: list[Event] = [RunInfo(clock="arrival"), Config(max_iterations=1_000)]
    events += [Iteration(i, 2.0, at_s=1000.0 + 2 * i) for i in range(100)]
    run = watched(events)
    fine = run.findings(now_s=1201.0)
    assert (fine.now.activity, fine.eta.frozen) == ("training", "")
    assert fine.eta.finish_at_s == pytest.approx(1198 + 901 * 2.0)
    silent = run.findings(now_s=1298.0)
    assert silent.now.activity == "silent"
    assert silent.eta.frozen == "no line for 1 m 40 s, usually 2.00 s"
    assert (silent.now.next_in_s, silent.now.next_note) == (None, "when it goes on")
    assert silent.eta.finish_at_s == pytest.approx(1298 + 901 * 2.0)


def test_a_resumed_run_counts_from_where_it_is() -> None:
    events = [NANOGPT, Config(max_iterations=1_000), *(Iteration(i, 1.0) for i in range(700, 800))]
    assert watched(events).findings().eta.remaining_s == pytest.approx(201, rel=0.01)


def test_now_knows_that_a_scheduled_evaluation_is_due() -> None:
    events: list[Event] = [RunInfo(clock="arrival", time_includes=("evaluation",))]
    events.append(Config(max_iterations=1_000, evaluation_interval=50))
    at_s = 1000.0
    for i in range(100):
        at_s += 32.0 if i and i % 50 == 0 else 2.0
        if i and i % 50 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, at_s=at_s - 2))
        events.append(Iteration(i, 32.0 if i and i % 50 == 0 else 2.0, at_s=at_s))
    run = watched(events)
    now = run.findings(now_s=at_s + 20).now
    assert (now.activity, now.estimated, now.usual_s) == (EVALUATION, True, pytest.approx(32.0))
    assert (now.next_kind, now.next_iteration) == (EVALUATION, 100)
    assert now.elapsed_s == pytest.approx(20)
    assert (now.next_in_s, now.next_note) == (None, "due")
    run.apply([SpanEnd(EVALUATION, iteration=100, at_s=at_s + 30)])
    assert run.findings(now_s=at_s + 31).now.activity == "training"
    run.apply([SpanBegin(CHECKPOINT, iteration=100, at_s=at_s + 31)])
    assert run.findings(now_s=at_s + 33).now.activity == CHECKPOINT


def test_hooks_say_exactly_what_happens_now() -> None:
    events: list[Event] = [RunInfo(clock="hook"), *(Iteration(i, 2.0, at_s=1000.0 + 2 * i) for i in range(50))]
    run = watched([*events, Progress(50, 12, 64, at_s=1099.0)])
    now = run.findings(now_s=1099.4).now
    assert (now.activity, now.micro_step, now.micro_steps, now.estimated) == ("training", 12, 64, False)
    run.apply([SpanBegin(EVALUATION, at_s=1100.0, iteration=50, strength="hook")])
    now = run.findings(now_s=1160.0).now
    assert (now.activity, now.elapsed_s, now.estimated) == (EVALUATION, 60.0, False)
    run.apply([SpanEnd(EVALUATION, at_s=1161.0, iteration=50, duration_s=61.0, strength="hook"), End(at_s=1161.0)])
    assert run.findings(now_s=1170.0).now.activity == "ended"


def test_what_comes_next_names_all_that_falls_on_one_iteration() -> None:
    now = watched(nanogpt(times(395), every=50, save_every=100)).findings().now
    assert (now.next_kind, now.next_iteration) == (EVALUATION_AND_CHECKPOINT, 400)
    assert now.next_in_s == pytest.approx(6 * 0.2, rel=0.05)


def test_a_checkpoint_that_needs_a_better_loss_comes_as_often_as_it_came() -> None:
    events: list[Event] = [
        NANOGPT,
        Config(
            max_iterations=1_000,
            evaluation_interval=50,
            checkpoint_interval=50,
            checkpoint_needs_improvement=True,
        ),
    ]
    for i, duration in enumerate(times(401)):
        if i and i % 50 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i))
            if i % 100 == 0:
                events.append(SpanBegin(CHECKPOINT, iteration=i))
        events.append(Iteration(i, duration + 3.0 * (i > 0 and i % 50 == 0) + 2.0 * (i > 0 and i % 100 == 0)))
    by_kind = {s.kind: s for s in watched(events).findings().eta.schedules}
    assert (by_kind[EVALUATION].remaining, by_kind[CHECKPOINT].remaining) == (12, 6)


def test_an_end_that_the_run_has_passed_is_dropped_with_the_reason() -> None:
    events = [NANOGPT, Config(origin="log", max_iterations=400), *plain(times(402))[1:]]
    at_the_end, past_it = watched(events[:-1]).findings(), watched(events).findings()
    assert (at_the_end.progress.max_iterations, at_the_end.progress.fraction) == (400, 1.0)
    assert (past_it.progress.max_iterations, past_it.progress.fraction) == (None, None)
    assert past_it.eta.remaining_s is None
    assert past_it.unknown["eta"] == past_it.unknown["progress.max_iterations"]
    assert "the log's total, 400, is of something else" in past_it.unknown["eta"]


def _forty_times_faster(count: int) -> list[Event]:
    """Iterations of 8 s with evaluations of 80 s; from 401 on all of it takes a fortieth."""
    events: list[Event] = [NANOGPT, Config(max_iterations=10_000, evaluation_interval=100)]
    for i, duration in enumerate(times(count)):
        if i % 100 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": 3.1}))
        events.append(Iteration(i, (duration + 2.0 * (i % 100 == 0)) * (40 if i <= 400 else 1), 3.0))
    return events


def test_what_a_stop_costs_is_what_it_cost_at_the_level_of_now() -> None:
    """An evaluation of 2 s every 100 iterations of 0.2 s is 9 %, whatever it took when all was 40 times slower."""
    found = watched(_forty_times_faster(800)).findings()
    (evaluation,) = found.eta.schedules
    assert (evaluation.mean_s, evaluation.seen) == (pytest.approx(2.0, rel=0.02), 3)
    assert found.eta.remaining_s == pytest.approx(9_201 * 0.2 + 93 * 2.0, rel=0.02)
    assert found.verdict.kind != "stop-heavy"


def test_what_a_stop_costs_at_a_new_level_is_not_known_before_there_was_one() -> None:
    """80 s in 100 iterations of 0.2 s would be four fifths of the time."""
    found = watched(_forty_times_faster(490)).findings()
    assert [s.earlier for s in found.eta.schedules] == [True]
    assert found.eta.note == "evaluations at their cost before the level moved"
    assert (found.eta.low_s, found.eta.high_s) == (None, None)
    assert [share for _, share, _ in costs(found)] == [pytest.approx(0.11, abs=0.01)]  # of the time so far
    assert not any("as the run goes on" in said for said in found.verdict.evidence)


def test_a_trouble_that_passed_does_not_make_the_stops_before_it_unknown() -> None:
    durations = times(700)
    durations[450:520] = [3 * d for d in durations[450:520]]
    (evaluation,) = watched(nanogpt(durations, every=100)).findings().eta.schedules
    assert (evaluation.seen, evaluation.earlier) == (6, False)


def test_a_checkpoint_that_is_kept_only_sometimes_costs_only_as_often() -> None:
    """The loss got better up to 700: four of the 16 newest evaluations saved, and no settings say so."""
    events: list[Event] = [NANOGPT]
    for i, duration in enumerate(times(1_950)):
        kept = 0 < i <= 700 and i % 100 == 0
        if i % 100 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": 3.1}))
        if kept:
            events.append(SpanBegin(CHECKPOINT, iteration=i))
        events.append(Iteration(i, duration + 3.0 * (i % 100 == 0) + 5.0 * kept, 3.0))
    found = watched(events).findings()
    by_kind = {s.kind: s for s in found.eta.schedules}
    assert by_kind[CHECKPOINT].share == pytest.approx(4 / 16)
    assert "checkpoints" in " ".join(found.verdict.evidence)
    saved_s, whole_s = 5.0 * 4 / 16, 20.0 + 3.0 + 5.0 * 4 / 16
    assert {kind: share for kind, share, _ in costs(found)}[CHECKPOINT] == pytest.approx(
        saved_s / whole_s, rel=0.02
    )


@pytest.mark.parametrize(("seen", "known"), [(1, False), (11, False), (13, True), (40, True)])
def test_there_is_no_interval_before_enough_iterations_tell_how_much_they_scatter(seen: int, known: bool) -> None:
    eta = watched([Config(max_iterations=1_000), *plain(times(seen))]).findings().eta
    assert eta.remaining_s == pytest.approx((1_001 - seen) * 0.2, rel=0.05)
    assert (eta.low_s is not None, eta.high_s is not None) == (known, known)
