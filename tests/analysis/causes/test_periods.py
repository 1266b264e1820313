"""Cadences from the timings alone: what returns is found, what does not is not."""

from random import Random

import pytest
from simulated_runs import NANOGPT, plain, times, watched

from itermon.analysis.causes.periods import Period, SeenIterations, find, suspicion
from itermon.analysis.findings import Cause, Spike
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
)


def kinds(spikes: tuple[Spike, ...], kind: str) -> set[int]:
    return {s.index for s in spikes if kind in {c.kind for c in s.causes}}


@pytest.mark.parametrize("offset", [0, 7])
def test_two_cadences_at_once_are_told_apart_by_what_they_cost(offset: int) -> None:
    durations = times(8_000, noise=0.02)
    evaluated = list(range(offset or 250, 8_000, 250))
    saved = [i for i in evaluated if i % 1_000 == offset]
    for i in evaluated:
        durations[i] += 3.0
    for i in saved:
        durations[i] += 2.0
    findings = watched(plain(durations)).findings(spikes=None)
    assert kinds(findings.spikes, EVALUATION) == set(evaluated)
    assert kinds(findings.spikes, CHECKPOINT) == set(saved)
    rows = {row.cause: row.count for row in findings.ledger}
    assert (rows[EVALUATION], rows[CHECKPOINT]) == (len(evaluated), len(saved))
    alone = next(s for s in findings.spikes if s.index == offset + 250).causes[0]
    assert alone.strength == "period"
    assert alone.evidence == "periodic, every 250: probably evaluation"
    assert {(s.kind, s.interval, s.offset) for s in findings.eta.schedules} == {
        (EVALUATION, 250, offset),
        (CHECKPOINT, 1_000, offset),
    }


def test_a_cadence_is_found_in_a_log_of_every_tenth_iteration() -> None:
    durations = times(6_000)
    for i in range(500, 6_000, 500):
        durations[i] += 4.0
    events = [NANOGPT, *(Iteration(i, durations[i]) for i in range(0, 6_000, 10))]
    findings = watched(list(events)).findings(spikes=None)
    assert kinds(findings.spikes, EVALUATION) == set(range(500, 6_000, 500))


def test_two_cadences_that_never_meet_are_both_found() -> None:
    durations = times(6_000)
    for i in range(200, 6_000, 200):
        durations[i] += 2.0
    for i in range(530, 6_000, 1_000):
        durations[i] += 6.0
    findings = watched(plain(durations)).findings(spikes=None)
    assert kinds(findings.spikes, EVALUATION) | kinds(findings.spikes, CHECKPOINT) == {
        *range(200, 6_000, 200),
        *range(530, 6_000, 1_000),
    }
    assert not kinds(findings.spikes, EVALUATION) & kinds(findings.spikes, CHECKPOINT)


def test_of_several_cadences_the_rarest_is_suspected_and_of_what_the_log_does_not_report() -> None:
    often, rarely = Period(100, 0, EVALUATION), Period(500, 0, CHECKPOINT)
    assert suspicion([often, rarely], 550) is None
    probably = "periodic, every 500: probably"
    for by_lines, kind, evidence in (
        ((), CHECKPOINT, f"{probably} checkpoint"),
        ((CHECKPOINT,), EVALUATION, f"{probably} evaluation"),
        ((EVALUATION,), CHECKPOINT, f"{probably} checkpoint"),
        ((EVALUATION, CHECKPOINT), "unexplained", "periodic, every 500; no line says what it is"),
    ):
        assert suspicion([often, rarely], 1_000, by_lines) == Cause(kind, 0.0, Strength.PERIOD, evidence)
    assert suspicion([often, rarely], 600) == often.cause()


@pytest.mark.parametrize(("width", "is_on"), [(1, {0}), (3, {0, 1, 2})])
def test_a_cadence_may_be_wide(width: int, is_on: set[int]) -> None:
    period = Period(100, 40, EVALUATION, width)
    assert {i for i in range(-5, 6) if period.has(740 + i)} == is_on


def test_stalls_at_random_make_no_cadence() -> None:
    for seed in range(40):
        random = Random(seed)
        slow = [(i, random.uniform(0.5, 3)) for i in sorted(random.sample(range(20_000), 40))]
        assert find(slow, SeenIterations(range(20_000), 0, 20_000)) == ()


def test_an_interval_that_is_no_multiple_of_the_printed_step_drifts_within_it() -> None:
    slow = [(-(-n * 2443 // 20) * 20, 60.0) for n in range(1, 12)]
    (period,) = find(slow, SeenIterations(range(0, 30_000, 20), 0, 1_500))
    assert abs(period.interval - 2443) <= 2
    assert all(period.has(i) for i, _ in slow)


def test_small_stalls_do_not_hide_a_large_cadence() -> None:
    random = Random(1)
    slow = [(i, random.uniform(0.05, 0.3)) for i in random.sample(range(6_000), 150) if i % 288]
    slow = sorted([*slow, *((i, 5.0) for i in range(288, 6_000, 288))])
    assert find(slow, SeenIterations(range(6_000), 0, 6_000))[0] == Period(288, 0, EVALUATION)


def test_a_cadence_is_seen_before_its_third_member_is_final_and_stays() -> None:
    durations = times(1_520)
    for i in range(500, 1_520, 500):
        durations[i] += 4.0
    run = watched(plain(durations[:1_505]))
    assert kinds(run.findings().spikes, EVALUATION) == {500, 1_000, 1_500}
    rows = {row.cause: (row.count, row.seconds) for row in run.findings().ledger}
    assert rows[EVALUATION] == (3, pytest.approx(12.0, rel=0.01))
    run.apply([Iteration(i, d) for i, d in enumerate(durations[1_505:], 1_505)])
    assert kinds(run.findings().spikes, EVALUATION) == {500, 1_000, 1_500}


def test_a_cadence_may_cost_a_fraction_of_a_second() -> None:
    durations = times(3_000)
    for i in range(300, 3_000, 300):
        durations[i] += 0.3
    findings = watched(plain(durations)).findings(spikes=None)
    assert kinds(findings.spikes, EVALUATION) == set(range(300, 3_000, 300))


def test_the_first_iteration_of_a_process_is_no_member_of_a_cadence() -> None:
    durations = times(1_400)
    for i in (0, 500, 1_000):
        durations[i] += 4.0
    findings = watched(plain(durations)).findings(spikes=None)
    assert [(s.index, s.causes[0].kind) for s in findings.spikes] == [
        (0, "warmup"),
        (500, "unexplained"),
        (1_000, "unexplained"),
    ]


def test_what_the_log_tells_by_lines_is_not_suspected_elsewhere() -> None:
    """A log whose evaluations have lines, outside the times: another cadence in the times is none of them."""
    durations = times(3_000)
    for i in range(300, 3_000, 300):
        durations[i] += 2.0
    events: list[Event] = [RunInfo(), Config(max_iterations=4_000)]
    for i, duration in enumerate(durations):
        if i % 250 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i))
        events.append(Iteration(i, duration))
    findings = watched(events).findings(spikes=None)
    assert kinds(findings.spikes, EVALUATION) == set()
    assert kinds(findings.spikes, CHECKPOINT) == set(range(300, 3_000, 300))
    assert findings.eta.note == "evaluation cost unknown: in no time of this source"
    assert findings.eta.low_s is None
