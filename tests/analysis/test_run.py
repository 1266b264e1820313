"""A run as a whole: what it finds depends on the events only, adds up, and survives what is odd."""

from array import array
from collections.abc import Sequence
from itertools import groupby, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seed_runs import run_a, run_c, sample
from simulated_runs import NANOGPT, nanogpt, plain, times, watched

from itermon.analysis.run import Run
from itermon.events import (
    CAUSES,
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    TRAINING,
    UNEXPLAINED,
    WARMUP_AND_EVALUATION,
    Config,
    Dropped,
    End,
    Event,
    HostSample,
    Iteration,
    Iterations,
    Message,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
    expand,
)

_kinds = st.sampled_from(["evaluation", "checkpoint", "gc", "data", "compile", "sampling", "hologram"])
_seconds = st.floats(0, 100) | st.none()
_at = st.floats(0, 1e5) | st.none()
_events = st.one_of(
    st.builds(
        Iteration,
        st.integers(0, 300),
        _seconds,
        loss=_seconds,
        at_s=_at,
        data_wait_s=_seconds,
        averaged_over=st.integers(1, 20),
        rank=st.sampled_from([None, None, 0, 1]),
        bad_loss=st.sampled_from(["", "nan"]),
    ),
    st.builds(
        SpanBegin,
        _kinds,
        at_s=_at,
        iteration=st.integers(0, 300) | st.none(),
        strength=st.sampled_from(["log", "hook"]),
    ),
    st.builds(SpanEnd, _kinds, at_s=_at, iteration=st.integers(0, 300) | st.none(), duration_s=_seconds),
    st.builds(
        RunInfo, clock=st.sampled_from([None, "hook", "log", "sum"]), time_includes=st.just(("evaluation", "gc"))
    ),
    st.builds(Config, max_iterations=st.integers(0, 400), evaluation_interval=st.integers(0, 50)),
    st.builds(Progress, st.integers(0, 300), st.integers(0, 9)),
    st.builds(HostSample, st.floats(0, 1e5), write_bytes=st.integers(0, 10**10), interval_s=st.just(1.0)),
    st.builds(sample, st.floats(0, 1e5), st.just("x"), st.floats(0, 700)),
    st.builds(Message, st.text(max_size=3)),
    st.builds(Dropped, st.integers(0, 9)),
    st.builds(End, st.just("finished")),
)


def block(rows: list[tuple[int, float, float, float]]) -> Iterations:
    """(index, seconds, loss, MFU) of each, their indices made ascending."""
    index, *columns = zip(*rows, strict=True)
    return Iterations(array("q", sorted(index)), *(array("d", column) for column in columns))


_numbers = st.floats(0, 1e6)
_blocks = st.lists(st.tuples(st.integers(0, 300), _numbers, _numbers, _numbers), min_size=1, max_size=80).map(
    block
)


@settings(max_examples=60)
@given(st.lists(_events | _blocks, max_size=20))
def test_blocks_of_iterations_tell_the_same_as_each_of_them(events: list[Event]) -> None:
    whole, each = watched(events), watched([*expand(events)])
    assert repr(whole.findings(2e5)) == repr(each.findings(2e5))  # nan is not itself


@settings(max_examples=60)
@given(st.lists(_events, max_size=60))
def test_no_events_whatever_their_order_raise_or_break_the_sums(events: list[Event]) -> None:
    run = watched(events)
    findings = run.findings(now_s=2e5)
    if findings.ledger:
        assert sum(row.share for row in findings.ledger) == pytest.approx(1)
        assert all(row.seconds >= 0 for row in findings.ledger)
    for spike in findings.spikes:
        assert spike.clean_s + sum(c.seconds for c in spike.causes) == pytest.approx(spike.duration_s)
    columns = run.chart(0, len(run.columns) - 1, 7)
    assert len(columns) <= 7
    assert sum(c.last - c.first + 1 for c in columns) == len(run.columns)


def _long_run() -> list[Event]:
    durations = times(900, noise=0.02)
    durations[600:] = [d * 1.15 for d in durations[600:]]
    for stall in (77, 150, 333, 334, 801):
        durations[stall] *= 3
    events = nanogpt(durations, every=50, save_every=200)
    restarted = [RunInfo(time_includes=("evaluation", "checkpoint")), *events[700:]]
    return [*events, *restarted]


LONG = _long_run()
WHOLE = watched(LONG)


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(LONG)), max_size=40), st.booleans())
def test_findings_do_not_depend_on_how_events_were_batched(cuts: list[int], look: bool) -> None:
    run = Run()
    edges = [0, *sorted(cuts), len(LONG)]
    for start, stop in pairwise(edges):
        run.apply(LONG[start:stop])
        if look:  # looking changes nothing
            run.findings()
            run.chart(0, 10**9, 5)
    assert run.findings(spikes=None) == WHOLE.findings(spikes=None)


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(LONG)), max_size=40))
def test_a_long_run_in_blocks_is_the_same_run(cuts: list[int]) -> None:
    run, singles = Run(), Run()
    for start, stop in pairwise([0, *sorted(cuts), len(LONG)]):
        for kind, group in groupby(LONG[start:stop], type):
            events = [*group]
            blocks = [block([(e.index, e.duration_s, 3.0, 0.4) for e in events])] if kind is Iteration else events  # type: ignore[attr-defined]
            run.apply(blocks)
            singles.apply([*expand(blocks)])
    assert run.findings(spikes=None) == singles.findings(spikes=None)
    assert run.findings(spikes=None).level == WHOLE.findings(spikes=None).level


def test_one_event_at_a_time_is_the_same_as_all_at_once() -> None:
    run = Run()
    for event in LONG:
        run.apply([event])
    assert run.findings(spikes=None) == WHOLE.findings(spikes=None)


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


def test_a_resumed_run_steps_back_and_nothing_counts_twice_in_its_progress() -> None:
    first = nanogpt(times(300))
    again = [NANOGPT, *(Iteration(i, d, 3.0) for i, d in enumerate(times(100, seed=2), 250))]
    again[1] = Iteration(250, 9.0, 3.0)
    progress = watched([*first, *again]).findings().progress
    assert (progress.iteration, progress.restarts) == (349, 1)
    assert progress.iterations_seen == 400
    assert progress.iterations_unseen == 0
    spike = watched([*first, *again]).spike(300)
    assert spike is not None
    assert [c.kind for c in spike.causes] == ["warmup"]


def test_the_gap_between_two_processes_is_restart_where_there_is_a_clock() -> None:
    events: list[Event] = [RunInfo(clock="log")]
    events += [Iteration(i, 1.0, at_s=1000.0 + i) for i in range(100)]
    events += [RunInfo(clock="log"), *(Iteration(i, 1.0, at_s=2000.0 + i) for i in range(80, 120))]
    findings = watched(events).findings()
    rows = {row.cause: row.seconds for row in findings.ledger}
    assert rows["restart"] == pytest.approx(2080 - 1099 - 1 + 20)  # and 80 to 99 are done again
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


def test_the_chart_keeps_every_extreme_at_every_zoom() -> None:
    random = Random(3)
    durations = [random.random() + 1 for _ in range(70_000)]
    run = watched(plain(durations))
    for first, last, columns in ((0, 69_999, 100), (63, 64, 3), (1_000, 69_998, 7), (64, 127, 1), (5, 5, 80)):
        made = run.chart(first, last, columns)
        assert made[0].first == first
        assert made[-1].last == last
        for column in made:
            part = durations[column.first : column.last + 1]
            assert (column.low_s, column.high_s) == (min(part), max(part))
            assert column.median_s == pytest.approx(sorted(part)[len(part) // 2], abs=0.06)
            assert column.loss == pytest.approx(3.0)


def test_losses_count_what_is_no_number() -> None:
    events = [Iteration(0, 1.0, 4.0), Iteration(1, 1.0, bad_loss="nan"), Iteration(2, 1.0, bad_loss="inf")]
    best = SpanEnd("evaluation", iteration=0, values={"val_loss": 3.5})
    losses = (
        watched([best, SpanEnd("evaluation", iteration=1, values={"val_loss": 3.9}), *events]).findings().losses
    )
    assert (losses.not_finite, losses.first_not_finite, losses.train) == (2, 1, None)
    assert (losses.validation, losses.best_validation, losses.best_validation_at) == (3.9, 3.5, 0)


def test_other_ranks_do_not_mix_with_the_one_that_is_shown() -> None:
    events = [Iteration(i // 2, 1.0 + i % 2, rank=i % 2) for i in range(200)]
    run = watched(list(events))
    assert len(run.columns) == 100
    assert run.findings().level.clean_s == 1.0


def test_messages_are_counted_and_bounded() -> None:
    run = watched([Message("x", level="error"), *(Message(f"line {i}") for i in range(500)), Message("line 499")])
    messages = run.findings().messages
    assert len(messages) == 200
    assert (messages[-1].text, messages[-1].count) == ("line 499", 2)


def test_stalls_without_a_word_are_unexplained_and_called_a_guess() -> None:
    durations = times(300)
    durations[200] *= 4
    findings = watched(plain(durations)).findings()
    assert [(s.index, s.causes[0].kind, s.causes[0].strength) for s in findings.spikes] == [
        (200, UNEXPLAINED, "guess")
    ]


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


def test_a_block_after_others_leaves_what_it_does_not_say_unknown() -> None:
    both = [Iteration(0, 1.0, at_s=9.0, data_wait_s=0.1, averaged_over=2), block([(1, 1.0, 3.0, 0.4)])]
    columns = watched([*both, Iteration(2, 1.0, at_s=12.0, data_wait_s=0.2)]).columns
    assert [columns.time_at(p) for p in range(3)] == pytest.approx([9.0, float("nan"), 12.0], nan_ok=True)
    assert list(columns.data_wait_s) == pytest.approx([0.1, float("nan"), 0.2], nan_ok=True)
    assert list(columns.averaged_over) == [2, 1, 1]


def test_moments_take_no_memory_before_the_first_one_comes() -> None:
    run = watched([Iteration(i, 1.0) for i in range(100)])
    assert len(run.columns.at_s) == 0
    run.apply([Iteration(100, 1.0, at_s=1_000.0)])
    assert len(run.columns.at_s) == 1
    assert [run.columns.time_at(p) for p in (0, 100)] == [pytest.approx(float("nan"), nan_ok=True), 1_000.0]


def test_an_evaluation_beside_an_iteration_is_in_what_its_spike_took_without_a_clock_too() -> None:
    events: list[Event] = [RunInfo(), *(Iteration(i, d) for i, d in enumerate(times(80)))]
    events.insert(51, SpanEnd(EVALUATION, iteration=50, duration_s=70.0))
    spike = watched(events).spike(50)
    assert spike is not None
    assert spike.duration_s == pytest.approx(70.2, abs=0.02)
    assert spike.clean_s == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(
    ("indices", "restarts"),
    [(range(3_000, 0, -1), 2_999), ([0, 1] * 1_500, 1_499)],
    ids=["counts down", "0, 1, 0, 1"],
)
def test_indices_that_step_back_thousands_of_times_are_thousands_of_processes(
    indices: Sequence[int], restarts: int
) -> None:
    progress = watched([RunInfo(), *(Iteration(i, 1.0) for i in indices)]).findings().progress
    assert (progress.restarts, progress.iterations_seen) == (restarts, 3_000)
