"""Where the wall time of a run, or of a part of it, went: it adds up."""

import msgspec
import pytest
from simulated_runs import NANOGPT, nanogpt, times, watched

from itermon.events import (
    CAUSES,
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    TRAINING,
    Event,
    GpuSample,
    Iteration,
    Phases,
    RunInfo,
    SpanEnd,
    Total,
    Witness,
)


def test_seconds_of_causes_and_clean_time_add_up_and_the_ledger_is_the_sum_of_the_times() -> None:
    durations = times(400)
    run = watched(nanogpt(durations, every=50, save_every=100))
    findings = run.findings(spikes=None)
    assert len(findings.spikes) == 8
    for spike in findings.spikes:
        assert spike.clean_s + sum(c.seconds for c in spike.causes) == pytest.approx(spike.duration_s, abs=1e-12)
    assert sum(row.seconds for row in findings.ledger) == pytest.approx(sum(durations) + 8 * 3.0 + 3 * 2.0)
    assert sum(row.share for row in findings.ledger) == pytest.approx(1)
    assert [row.cause for row in findings.ledger] == [k for k in CAUSES if k in {r.cause for r in findings.ledger}]


def test_the_gap_between_two_processes_is_restart_where_there_is_a_clock() -> None:
    events: list[Event] = [RunInfo(clock="log")]
    events += [Iteration(i, 1.0, at_s=1000.0 + i) for i in range(100)]
    events += [RunInfo(clock="log"), *(Iteration(i, 1.0, at_s=2000.0 + i) for i in range(80, 120))]
    findings = watched(events).findings()
    rows = {row.cause: row.seconds for row in findings.ledger}
    assert rows["restart"] == pytest.approx(2080 - 1099 - 1)
    assert rows["repeated"] == pytest.approx(20)  # 80 to 99
    assert findings.progress.wall_s == pytest.approx(2119 - 999)
    assert rows[TRAINING] == pytest.approx(120)


def test_a_process_that_resumes_where_the_last_one_stopped_is_another_process() -> None:
    events: list[Event] = [RunInfo(clock="log"), *(Iteration(i, 1.0, at_s=1000.0 + i) for i in range(100))]
    events += [RunInfo(clock="log", resumed=True), Iteration(100, 8.0, at_s=1110.0)]
    events += [Iteration(i, 1.0, at_s=1010.0 + i) for i in range(101, 200)]
    run = watched(events)
    findings = run.findings()
    assert findings.progress.restarts == 1
    assert {row.cause: round(row.seconds) for row in findings.ledger} == {
        "training": 200,
        "warmup": 7,
        "restart": 3,
    }


def test_a_little_time_between_iterations_is_a_row_and_no_spike() -> None:
    events = [Iteration(i, 1.0, at_s=1000.0 + 1.05 * i) for i in range(200)]
    findings = watched([RunInfo(clock="hook"), *events]).findings()
    assert {row.cause: round(row.seconds, 2) for row in findings.ledger} == {"training": 200.0, "gap": 9.95}
    assert findings.spikes == ()
    stamped = [Iteration(i, at_s=1000.0 + int(17.3 * i - 0.6 * min(i, 5))) for i in range(28)]  # slower then
    assert [r.cause for r in watched([RunInfo(clock="log"), *stamped]).findings().ledger] == ["training"]


def test_a_window_over_many_spikes_adds_up_like_the_whole() -> None:
    run = watched(nanogpt(times(9_000), every=10, save_every=30))
    first, last = 2_705, 8_444
    rows = {row.cause: row for row in run.ledger(first, last)}
    saves = len(range(2_730, last + 1, 30))
    assert rows[EVALUATION].count == len(range(2_710, last + 1, 10))
    assert rows[CHECKPOINT].seconds == pytest.approx(saves * 2.0, rel=0.01)
    assert sum(row.seconds for row in rows.values()) == pytest.approx(
        (last - first + 1) * 0.2 + rows[EVALUATION].count * 3.0 + saves * 2.0, rel=0.01
    )


def test_an_evaluation_on_an_unprinted_iteration_is_seen_as_a_gap() -> None:
    """A log of every tenth iteration, with a clock; the evaluations fall between the lines."""
    events: list[Event] = [RunInfo(clock="log", time_includes=("evaluation",))]
    at_s = 1000.0
    for i in range(601):
        at_s += 1.0
        if i and i % 105 == 0:
            at_s += 30.0
            events.append(SpanEnd("evaluation", iteration=i, at_s=at_s))
        if i % 10 == 0:
            events.append(Iteration(i, 1.0, at_s=at_s))
    findings = watched(events).findings()
    rows = {row.cause: row for row in findings.ledger}
    unprinted = [i for i in range(105, 601, 105) if i % 10]
    printed = [i for i in range(105, 601, 105) if not i % 10]
    assert rows["evaluation"].seconds == pytest.approx(30.0 * len(unprinted), abs=1)
    assert rows["gap"].seconds == pytest.approx(30.0 * len(printed), abs=1)
    assert rows[TRAINING].estimated
    assert rows[TRAINING].seconds == pytest.approx(601, abs=2)
    assert findings.progress.iterations_unseen == 601 - 61


def test_an_old_log_of_every_tenth_iteration_estimates_the_others() -> None:
    durations = times(1000)
    run = watched([NANOGPT, *(Iteration(i, durations[i], 3.0) for i in range(0, 1000, 10))])
    progress = run.findings().progress
    assert progress.clock is None
    assert progress.wall_s == pytest.approx(sum(durations[:991]), rel=0.01)


def test_the_ledger_of_a_window_has_only_what_is_in_it() -> None:
    run = watched(nanogpt(times(900), every=100, save_every=300))
    rows = {row.cause: row for row in run.ledger(350, 650)}
    assert rows[EVALUATION].count == 3
    assert sum(row.seconds for row in run.ledger(350, 650)) == pytest.approx(301 * 0.2 + 3 * 3.0 + 2.0, rel=0.01)
    whole = run.ledger(0, 899)
    assert {r.cause: round(r.seconds, 6) for r in whole} == {
        r.cause: round(r.seconds, 6) for r in run.findings().ledger
    }


def test_stops_of_a_history_without_a_clock_still_count_once_the_clock_begins() -> None:
    """Outside of the times, as in llm.c: the ledger of the first live line is that of the history."""
    events: list[Event] = [RunInfo(source_format="llm.c log", clock="arrival")]
    for i in range(1, 101):
        if i % 20 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, duration_s=5.0))
        events.append(Iteration(i, 1.0))
    before = watched(events).findings().progress.wall_s
    after = watched([*events[:-1], Iteration(100, 1.0, at_s=1000.0), Iteration(101, 1.0, at_s=1001.0)])
    assert before == pytest.approx(100 + 5 * 5.0)
    assert after.findings().progress.wall_s == pytest.approx(before + 1.0)


def test_a_part_that_the_clock_measured_has_its_wall_time_and_another_the_sum_of_its_iterations() -> None:
    """2 s pass from line to line, 1.5 s of them in the iteration; the first 20 came before there was a clock."""
    events = [Iteration(i, 1.5, at_s=None if i < 20 else 1000.0 + 2.0 * i) for i in range(100)]
    run = watched([RunInfo(clock="hook"), *events])

    def parts(first: int, last: int) -> dict[str, float]:
        return {row.cause: pytest.approx(row.seconds) for row in run.ledger(first, last)}

    assert parts(30, 39) == {TRAINING: 15.0, "gap": 5.0}
    assert parts(5, 14) == {TRAINING: 15.0}
    assert parts(15, 24) == {TRAINING: 15.0, "gap": 2.0}  # the clock has one end of it, and four gaps
    assert parts(0, 99)["training"] == 150.0


def test_a_gap_stands_before_the_iteration_that_its_evaluation_has() -> None:
    """Of lines without times in between, the one that the line of an evaluation was joined to."""
    for at_position in (31, 32, 33):
        events: list[Event] = [RunInfo(clock="log")]
        for i in range(60):
            if i == at_position:
                events.append(SpanEnd(EVALUATION, iteration=i))
            events.append(Iteration(i, 1.0, at_s=None if i in {31, 32} else 1000.0 + i + 30.0 * (i > 30)))
        findings = watched(events).findings(spikes=None)
        assert [(s.index, s.causes[0].kind) for s in findings.spikes] == [(at_position, EVALUATION)]


def test_without_any_time_the_time_so_far_is_unknown() -> None:
    run = watched([RunInfo(), Iteration(1, None), Iteration(2, None)])
    assert run.findings().progress.wall_s is None


def test_lines_that_come_faster_than_they_were_made_are_no_clock() -> None:
    """An old log through a pipe: every tenth iteration printed, each 1 s, and 50 of them come at a time."""
    moments = [1000 + i / 200 if i % 50 == 49 else None for i in range(200)]
    old = [Iteration(10 * i, 1.0, at_s=at_s) for i, at_s in enumerate(moments)]
    progress = watched([RunInfo(clock="arrival"), *old]).findings().progress
    assert (progress.wall_s, progress.clock) == (pytest.approx(1991), None)


def test_the_clock_of_a_replay_is_the_sum_of_the_times() -> None:
    events = [RunInfo(clock="sum"), *(Iteration(i, 1.0, at_s=float(i)) for i in range(20))]
    progress = watched(events).findings().progress
    assert (progress.wall_s, progress.clock) == (pytest.approx(20), None)


def test_a_clock_in_the_log_overrules_the_sum_of_the_iteration_times() -> None:
    events: list[Event] = [RunInfo()]
    events += [Iteration(i, 1.1, witness=Witness.RATE, elapsed_s=float(i)) for i in range(1, 201)]
    findings = watched(events).findings()
    assert findings.progress.wall_s == pytest.approx(199 + 1.1)
    assert findings.progress.wall_witness == Witness.ELAPSED
    assert [w.agrees for w in findings.witnesses] == [False]
    assert findings.verdict.kind == "times-contradict"


def test_stamps_go_before_a_clock_in_the_log() -> None:
    events: list[Event] = [RunInfo(clock="log")]
    events += [Iteration(i, 1.0, at_s=1000.0 + i, elapsed_s=float(i)) for i in range(1, 201)]
    findings = watched(events).findings()
    assert findings.progress.wall_witness == Witness.STAMPS
    assert findings.level.witnesses == (Witness.PRINTED, Witness.STAMPS, Witness.ELAPSED)


def test_a_printed_total_is_the_wall_time_where_no_clock_goes_through_it() -> None:
    events: list[Event] = [RunInfo(), *(Iteration(i, 1.0) for i in range(100)), Total(150.0, "train_runtime")]
    findings = watched(events).findings()
    assert findings.progress.wall_s == 150.0
    assert findings.progress.wall_witness == Witness.TOTAL
    assert sum(row.seconds for row in findings.ledger) == pytest.approx(150.0)
    assert findings.level.witnesses == (Witness.PRINTED, Witness.TOTAL)


def test_a_total_of_each_process_is_needed() -> None:
    events: list[Event] = [RunInfo(), *(Iteration(i, 1.0) for i in range(100)), Total(150.0)]
    events += [RunInfo(), *(Iteration(i, 1.0) for i in range(100))]
    findings = watched(events).findings()
    assert sum(row.seconds for row in findings.ledger) == pytest.approx(200.0)
    assert (findings.progress.wall_s, findings.progress.wall_witness) == (None, None)
    assert watched([*events, Total(120.0), Total(130.0)]).findings().progress.wall_s == pytest.approx(280.0)


def test_a_total_goes_before_bars_that_leave_out_what_passes_between_them() -> None:
    events: list[Event] = [RunInfo()]
    for epoch in range(4):
        events += [Iteration(25 * epoch + i, 1.0, elapsed_s=float(i)) for i in range(1, 26)]
    assert watched(events).findings().progress.wall_witness is None  # a sum of clocks, and called so
    findings = watched([*events, Total(160.0)]).findings()
    assert (findings.progress.wall_s, findings.progress.wall_witness) == (160.0, Witness.TOTAL)
    assert sum(row.seconds for row in findings.ledger) == pytest.approx(160.0)


def test_rows_that_stand_for_no_iteration_divide_nothing() -> None:
    run = watched([RunInfo(), *(Iteration(i, 1.0, averaged_over=0) for i in range(20))])
    assert run.findings().progress.iterations_seen == 19  # by their numbers
    assert sum(row.seconds for row in run.ledger(0, 9)) == pytest.approx(0.0)


def waiting(*others: Event) -> dict[str, float]:
    """Seconds by cause of a run of 100 s that waits 93 % of its time for data."""
    events = [Iteration(i, 1.0, at_s=1_000.0 + i, data_wait_s=0.93) for i in range(100)]
    found = watched([RunInfo(clock="hook"), *events, *others]).findings()
    return {row.cause: round(row.seconds, 3) for row in found.ledger}


def test_what_every_iteration_waits_for_data_is_no_training() -> None:
    assert waiting() == {TRAINING: 7.0, DATA: 93.0}


def test_a_loop_that_waits_while_its_gpu_works_loses_what_the_gpu_does_not_use() -> None:
    gpu = GpuSample(1_000.0)
    assert waiting(gpu) == {TRAINING: 100.0}, "nobody knows what the GPU does meanwhile"
    phases = [Phases(i, {"forward": 0.3, "backward": 0.5}) for i in range(100)]
    assert waiting(gpu, *phases) == {TRAINING: 80.0, DATA: 20.0}


@pytest.mark.parametrize("clock", ["hook", None])
def test_an_evaluation_and_a_checkpoint_after_the_last_iteration_are_wall_time(clock: str | None) -> None:
    events = [Iteration(i, 1.0, at_s=1_000.0 + i if clock else None) for i in range(100)]
    end_s = 1_099.0
    evaluation = SpanEnd(EVALUATION, end_s + 21.0 if clock else None, 100, duration_s=20.0)
    checkpoint = SpanEnd(CHECKPOINT, end_s + 31.0 if clock else None, 100, duration_s=10.0)
    run = watched([RunInfo(clock=clock), *events, evaluation, checkpoint])
    found = run.findings()
    rows = {row.cause: (round(row.seconds, 3), row.count) for row in found.ledger}
    gap = {"gap": (1.0, 1)} if clock else {}
    assert rows == {TRAINING: (100.0, 100), EVALUATION: (20.0, 1), CHECKPOINT: (10.0, 1), **gap}
    assert found.progress.wall_s == pytest.approx(131.0 if clock else 130.0)
    run.apply([Iteration(100, 31.0 + 1.0, at_s=end_s + 32.0 if clock else None)])
    again = {row.cause: (round(row.seconds, 3), row.count) for row in run.findings().ledger}
    assert again[EVALUATION] == (20.0, 1), "it was the next iteration's, and counts once"


def test_short_iterations_that_were_never_printed_take_what_the_printed_ones_take() -> None:
    run = watched([RunInfo(), *(Iteration(10 * i, 0.01) for i in range(10))])
    assert run.findings().progress.wall_s == pytest.approx(91 * 0.01)


@pytest.mark.parametrize(
    ("clock", "gap_s", "is_gap"),
    [("log", 0.9, False), ("log", 1.1, True), ("arrival", 1.1, True), ("hook", 0.3, True)],
)
def test_how_exact_the_stamps_are_is_how_small_a_gap_can_be(clock: str, gap_s: float, is_gap: bool) -> None:
    events = [Iteration(i, 0.1, at_s=1000.0 + 0.1 * i + gap_s * (i >= 100)) for i in range(200)]
    slow = watched([RunInfo(clock=clock), *events]).intake.timing.slow  # type: ignore[arg-type]
    assert list(slow.position) == [100] * is_gap


def test_what_is_compiled_again_is_told_apart_from_the_first_compilation() -> None:
    iterations = [Iteration(i, 1.0 + 30 * (i in (0, 60, 80)), at_s=1_000.0 + i) for i in range(100)]
    events: list[Event] = [RunInfo(clock="hook", time_includes=(COMPILE,))]
    for iteration in iterations:
        if iteration.index in (0, 60, 80):
            events += [SpanEnd(COMPILE, None, iteration.index, 15.0, "hook", part) for part in ("0/0", "0/1")]
        events.append(iteration)
    findings = watched(events).findings()
    assert findings.recompiled is not None
    assert (findings.recompiled.seconds, findings.recompiled.count) == (60.0, 2)
    assert findings.recompiled.share == pytest.approx(60 / findings.progress.wall_s)
    (row,) = [row for row in findings.ledger if row.cause == COMPILE]
    assert row.seconds == pytest.approx(90.0)
    assert watched(events[:150]).findings().recompiled is not None
    assert watched(events[:40]).findings().recompiled is None


def test_a_wait_after_the_last_iteration_adds_to_those_of_the_iterations() -> None:
    events: list[Event] = [RunInfo(clock="hook")]
    events += [Iteration(i, 1.0, at_s=1000.0 + i, data_wait_s=0.25) for i in range(40)]
    events.append(SpanEnd(DATA, 1041.5, 40, 2.0, "hook"))
    rows = {row.cause: row.seconds for row in watched(events).findings().ledger}
    assert rows[DATA] == pytest.approx(12.0)
    assert sum(rows.values()) == pytest.approx(42.5)


def test_an_evaluation_after_the_last_iteration_lasts_as_long_as_the_stamps_of_the_log_say() -> None:
    events: list[Event] = [RunInfo(clock="log"), *(Iteration(i, 1.0, at_s=1000.0 + i) for i in range(1, 101))]
    events += [SpanEnd(EVALUATION, iteration=101, at_s=1107.5)]
    findings = watched(events).findings()
    rows = {row.cause: (row.seconds, row.count) for row in findings.ledger}
    assert rows[EVALUATION] == (pytest.approx(7.5), 1)
    assert findings.progress.wall_s == pytest.approx(99 + 1 + 7.5)


def test_when_lines_were_read_says_nothing_of_an_evaluation_after_the_last_iteration() -> None:
    events: list[Event] = [RunInfo(clock="arrival"), *(Iteration(i, 1.0, at_s=1000.0 + i) for i in range(1, 101))]
    events += [SpanEnd(EVALUATION, iteration=101, at_s=1107.5)]
    assert {row.cause for row in watched(events).findings().ledger} == {TRAINING}


def test_evaluations_of_a_run_without_iteration_times_are_in_the_ledger_of_its_total() -> None:
    for later in (0, 1):  # at the iteration, or before the next one
        events: list[Event] = [RunInfo()]
        for index in (10, 20, 30):
            events += [Iteration(index), SpanEnd(EVALUATION, iteration=index + later, duration_s=8.0)]
        without = watched(events).findings()
        assert (without.progress.wall_s, without.ledger) == (None, ())  # evaluations alone are not all the time
        (row,) = watched([*events, Total(100.0)]).findings().ledger  # nothing says that the rest is no training
        assert (row.cause, row.seconds, row.share, row.count) == ("evaluation", 24.0, 0.24, 3)


def test_what_has_no_seconds_is_no_slow_iteration_where_no_iteration_has_a_time() -> None:
    events = [event for i in (10, 20) for event in (Iteration(i), SpanEnd(EVALUATION, iteration=i))]
    assert watched([RunInfo(), *events, Total(100.0)]).findings(spikes=None).spikes == ()


def test_evaluations_inside_the_only_iterations_with_a_time_explain_no_more_than_before() -> None:
    events: list[Event] = [RunInfo(time_includes=(EVALUATION,))]
    for index in (10, 20, 30):
        span = SpanEnd(EVALUATION, iteration=index + 1, duration_s=8.0)
        events += [Iteration(index, 9.0, averaged_over=10), span]
    timed = watched(events[:-1]).findings(spikes=None)
    assert all(cause.kind != "unexplained" for spike in timed.spikes for cause in spike.causes)
    untimed = [msgspec.structs.replace(e, duration_s=None) if isinstance(e, Iteration) else e for e in events]
    assert watched([*untimed, Total(300.0)]).findings(spikes=None).spikes == ()
