"""Cadences from the timings alone: what returns is found, what does not is not."""

from itertools import accumulate
from random import Random

import pytest
from simulated_runs import NANOGPT, plain, times, watched

from itermon.analysis.causes.periods import Period, SeenIterations, find, suspicion
from itermon.analysis.findings import Cause, Spike
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    UNEXPLAINED,
    ClockKind,
    Config,
    Event,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
)


def periodic(spikes: tuple[Spike, ...], interval: int = 0) -> set[int]:
    """Iterations of which the timings say that they return, of this interval."""
    every = f"every {interval:,} iterations" if interval else "every "
    found = {s.index for s in spikes for c in s.causes if c.strength == "period" and every in c.evidence}
    assert {c.kind for s in spikes for c in s.causes if s.index in found} <= {"unexplained"}, "a guess has no name"
    return found


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
    assert periodic(findings.spikes) == set(evaluated)
    assert periodic(findings.spikes, 1_000) == set(saved)
    (row,) = [row for row in findings.ledger if row.cause != "training"]
    assert (row.cause, row.count) == ("unexplained", len(evaluated))
    alone = next(s for s in findings.spikes if s.index == offset + 250).causes[0]
    assert alone.evidence == "every 250 iterations, cause unknown"
    assert findings.eta.schedules == ()
    said = " ".join((findings.verdict.headline, *findings.verdict.evidence, findings.verdict.next_step)).casefold()
    assert "evaluation" not in said
    assert "checkpoint" not in said


def test_a_cadence_has_the_name_that_the_settings_give_it() -> None:
    durations = times(4_000)
    for i in range(250, 4_000, 250):
        durations[i] += 3.0 if i % 1_000 else 5.0
    settings = Config(evaluation_interval=250, checkpoint_interval=1_000)
    spikes = watched([settings, *plain(durations)]).findings(spikes=None).spikes
    assert kinds(spikes, CHECKPOINT) == {1_000, 2_000, 3_000}
    assert kinds(spikes, EVALUATION) == set(range(250, 4_000, 250))
    said = next(s for s in spikes if s.index == 250).causes[0].evidence
    assert said == "every 250 iterations, as the settings say (evaluation_interval)"


def test_a_cadence_is_found_in_a_log_of_every_tenth_iteration() -> None:
    durations = times(6_000)
    for i in range(500, 6_000, 500):
        durations[i] += 4.0
    events = [NANOGPT, *(Iteration(i, durations[i]) for i in range(0, 6_000, 10))]
    findings = watched(list(events)).findings(spikes=None)
    assert periodic(findings.spikes, 500) == set(range(500, 6_000, 500))


def test_two_cadences_that_never_meet_are_both_found() -> None:
    durations = times(6_000)
    for i in range(200, 6_000, 200):
        durations[i] += 2.0
    for i in range(530, 6_000, 1_000):
        durations[i] += 6.0
    findings = watched(plain(durations)).findings(spikes=None)
    assert periodic(findings.spikes, 200) == set(range(200, 6_000, 200))
    assert periodic(findings.spikes, 1_000) == set(range(530, 6_000, 1_000))


def test_of_several_cadences_the_rarest_is_said_and_named_by_the_settings_alone() -> None:
    on = [Period(100, 0), Period(500, 0)]
    assert suspicion(on, (550, 1), Config()) is None
    both = Config(evaluation_interval=100, checkpoint_interval=500)
    for config, by_lines, kind in (
        (Config(), (), UNEXPLAINED),
        (Config(), (EVALUATION,), UNEXPLAINED),
        (Config(checkpoint_interval=500), (), CHECKPOINT),
        (Config(evaluation_interval=500), (), EVALUATION),
        (Config(evaluation_interval=500), (EVALUATION,), UNEXPLAINED),
        (Config(evaluation_interval=250), (), UNEXPLAINED),
        (both, (), EVALUATION_AND_CHECKPOINT),
        (both, (EVALUATION,), CHECKPOINT),
        (both, (CHECKPOINT,), UNEXPLAINED),  # it costs more than an evaluation, and no setting says why
    ):
        found = suspicion(on, (1_000, 1), config, by_lines)
        assert (found and found.kind, found and found.strength) == (kind, Strength.PERIOD)
    every = "every 100 iterations, cause unknown"
    for config, said in ((Config(), every), (Config(iterations_per_epoch=100), f"once in each epoch, {every}")):
        for over in (1, 5):  # so many iterations in a row: a shorter period may be a part of the true one
            assert suspicion(on, (600, over), config) == Cause(UNEXPLAINED, 0.0, Strength.PERIOD, said)
        assert (suspicion(on, (600, 6), config) is None) is (config.iterations_per_epoch is None)


def test_what_hooks_did_not_measure_has_no_name_whatever_the_settings_say() -> None:
    durations = times(2_000)
    for i in range(250, 2_000, 250):
        durations[i] += 3.0
    ends_s = accumulate(durations)
    iterations = [Iteration(i, d, 3.0, at_s=s) for i, (d, s) in enumerate(zip(durations, ends_s, strict=True))]
    for clock, kind in ((ClockKind.LOG, EVALUATION), (ClockKind.HOOK, UNEXPLAINED)):
        run = watched([RunInfo(clock=clock), Config(evaluation_interval=250), *iterations])
        assert {cause.kind for spike in run.findings().spikes for cause in spike.causes} == {kind}


@pytest.mark.parametrize(("width", "is_on"), [(1, {0}), (3, {0, 1, 2})])
def test_a_cadence_may_be_wide(width: int, is_on: set[int]) -> None:
    period = Period(100, 40, width)
    assert {i for i in range(-5, 6) if period.has(740 + i)} == is_on
    assert [period.is_between(730, last) for last in (739, 740, 839)] == [False, True, True]


def test_stalls_at_random_make_no_cadence() -> None:
    for seed in range(40):
        random = Random(seed)
        slow = [(i, random.uniform(0.5, 3)) for i in sorted(random.sample(range(20_000), 40))]
        assert find(slow, SeenIterations(range(20_000), 0, 20_000)) == ()


def test_an_interval_that_is_no_multiple_of_the_printed_step_drifts_within_it() -> None:
    slow = [(-(-n * 2443 // 20) * 20, 60.0) for n in range(1, 12)]
    (period,) = find([(200, 9.0), *slow], SeenIterations(range(0, 30_000, 20), 0, 1_500))  # another one before it
    assert abs(period.interval - 2443) <= 2
    assert all(period.has(i) for i, _ in slow)


def test_small_stalls_do_not_hide_a_large_cadence() -> None:
    random = Random(1)
    slow = [(i, random.uniform(0.05, 0.3)) for i in random.sample(range(6_000), 150) if i % 288]
    slow = sorted([*slow, *((i, 5.0) for i in range(288, 6_000, 288))])
    assert find(slow, SeenIterations(range(6_000), 0, 6_000))[0] == Period(288, 0)


def test_a_cadence_is_seen_before_its_third_member_is_final_and_stays() -> None:
    durations = times(1_520)
    for i in range(500, 1_520, 500):
        durations[i] += 4.0
    run = watched(plain(durations[:1_505]))
    assert periodic(run.findings().spikes) == {500, 1_000, 1_500}
    rows = {row.cause: (row.count, row.seconds) for row in run.findings().ledger}
    assert rows[UNEXPLAINED] == (3, pytest.approx(12.0, rel=0.01))
    run.apply([Iteration(i, d) for i, d in enumerate(durations[1_505:], 1_505)])
    assert periodic(run.findings().spikes) == {500, 1_000, 1_500}


def test_a_cadence_may_cost_a_fraction_of_a_second() -> None:
    durations = times(3_000)
    for i in range(300, 3_000, 300):
        durations[i] += 0.3
    findings = watched(plain(durations)).findings(spikes=None)
    assert periodic(findings.spikes) == set(range(300, 3_000, 300))


def test_the_first_iteration_of_a_process_is_no_member_of_a_cadence() -> None:
    durations = times(1_400)
    for i in (0, 500, 1_000):
        durations[i] += 4.0 if i else 9.0  # as long as the others it would be of their kind
    findings = watched(plain(durations)).findings(spikes=None)
    found = [(s.index, s.causes[0].kind) for s in findings.spikes]
    assert found == [(0, "warmup"), (500, "unexplained"), (1_000, "unexplained")]


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
    assert periodic(findings.spikes) == set(range(300, 3_000, 300))
    assert findings.eta.note == "this log does not time evaluations"
    assert findings.eta.low_s is not None  # of the time that the source does have, as the note says
    assert findings.eta.high_s is not None
    assert findings.eta.low_s < (findings.eta.remaining_s or 0.0) < findings.eta.high_s


def test_the_parts_of_a_cadence_that_has_ended_are_told_as_one() -> None:
    """Each 44th row is slow up to 6,600, and one such row much later: of 88 nearly all are slow, of 44 too few."""
    indices = [epoch * 44 + row for epoch in range(250) for row in (0, 10, 20, 30, 40)]
    slow = [(44 * n, 0.33) for n in range(1, 151)] + [(44 * 199, 0.4), (11_000, 5.0)]
    (period,) = find(slow, SeenIterations(indices, 0, len(indices)))
    assert (period.interval, period.offset, period.width) == (44, 0, 1)


def test_the_double_of_an_interval_that_is_no_whole_number_is_none() -> None:
    durations = times(8_000, noise=0.02)
    for n in range(1, 42):
        durations[round(190.5 * n)] += 3.0
    findings = watched(plain(durations)).findings(spikes=None)
    assert periodic(findings.spikes) == set()
    (row,) = [row for row in findings.ledger if row.cause != "training"]
    assert (row.cause, row.count) == ("unexplained", 41)
