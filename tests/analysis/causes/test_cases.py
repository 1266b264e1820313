"""What is known of a slow iteration: what it waited for data, and what was usual."""

import pytest
from simulated_runs import watched

from itermon.analysis.findings import Cause
from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    UNEXPLAINED,
    WARMUP,
    Event,
    GpuSample,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
)


def data_causes(waits_s: list[float], slow: int, took_s: float) -> list[Cause]:
    """Of an iteration in a run of iterations of 1 s that wait for data as long as this."""
    events: list[Event] = [
        Iteration(i, took_s if i == slow else 1.0, data_wait_s=wait_s) for i, wait_s in enumerate(waits_s)
    ]
    spike = watched([RunInfo(), *events]).spike(slow)
    assert spike is not None
    return [cause for cause in spike.causes if cause.kind == DATA]


@pytest.mark.parametrize(
    ("before", "usual_s", "usually"),
    [
        ([0.1] * 100, 0.1, "100 ms"),
        ([0.1] * 68 + [0.1, 0.2] * 16, 0.1, "100 ms"),
        ([0.1] * 36 + [0.1, 0.2] * 32, 0.2, "200 ms"),  # of 65, of which it is one itself, 33 are longer
        ([0.2] * 37 + [0.1] * 63, 0.1, "100 ms"),
        ([0.2] * 68 + [0.1] * 32, 0.2, "200 ms"),
    ],
)
def test_what_is_usual_is_the_median_of_the_newest_65_waits(
    before: list[float], usual_s: float, usually: str
) -> None:
    (cause,) = data_causes([*before, 2.1, *[0.1] * 50], 100, 3.5)
    evidence = f"waited 2.10 s for data, usually {usually}"
    assert cause == Cause(DATA, pytest.approx(2.1 - usual_s), Strength.HOOK, evidence)


def test_in_the_beginning_what_comes_next_says_what_is_usual() -> None:
    """The first wait, until workers have begun, was measured: it is no warm-up, which is a guess."""
    (cause,) = data_causes([4.0, *[0.1] * 99], 0, 5.0)
    assert cause == Cause(DATA, pytest.approx(3.9), Strength.HOOK, "waited 4.00 s for data, usually 100 ms")
    assert data_causes([4.0] * 16 + [0.1] * 84, 0, 5.0) == [], "16 of the first 17 wait as long"


@pytest.mark.parametrize(
    ("report", "causes"),
    [
        (SpanEnd(EVALUATION, 1069.0, 50), {EVALUATION: 20.0, GAP: 70.0}),  # its result came after 20 s
        (SpanBegin(EVALUATION, 1069.0, 50), {EVALUATION: 71.0, GAP: 19.0}),  # it was announced then
        (SpanEnd(EVALUATION, None, 50), {EVALUATION: 90.0}),
        (SpanEnd(EVALUATION, 1069.0, 50, 4.0), {EVALUATION: 4.0, GAP: 86.0}),
    ],
)
def test_a_line_without_a_time_tells_of_no_more_than_passed_until_it_came(
    report: SpanEnd | SpanBegin, causes: dict[str, float]
) -> None:
    """An evaluation of 20 s, and then what nobody tells of, for more than a minute."""
    stamps = [1000.0 + i + (90.0 if i >= 50 else 0.0) for i in range(100)]
    events: list[Event] = [Iteration(i, 1.0, at_s=at_s) for i, at_s in enumerate(stamps)]
    run = watched([RunInfo(clock="log"), *events[:50], report, *events[50:]])
    rows = {row.cause: row.seconds for row in run.findings().ledger}
    assert {cause: rows.get(cause) for cause in causes} == {c: pytest.approx(s) for c, s in causes.items()}


def test_the_end_of_an_evaluation_and_the_beginning_of_a_checkpoint_leave_nothing_between_them() -> None:
    """nanoGPT prints the one when it is over and the other when it begins."""
    stamps = [1000.0 + i + (40.0 if i >= 50 else 0.0) for i in range(100)]
    events: list[Event] = [Iteration(i, 1.0, at_s=at_s) for i, at_s in enumerate(stamps)]
    lines = [SpanEnd(EVALUATION, 1065.0, 50), SpanBegin(CHECKPOINT, 1065.5, 50)]
    run = watched([RunInfo(clock="log"), *events[:50], *lines, *events[50:]])
    rows = {row.cause: row.seconds for row in run.findings().ledger}
    assert rows.get(EVALUATION_AND_CHECKPOINT) == pytest.approx(40.0)
    assert GAP not in rows


def test_the_first_process_warms_up_for_as_long_as_it_takes_and_a_later_one_for_an_iteration() -> None:
    def process(first: int) -> list[Event]:
        return [RunInfo(), *(Iteration(i, 3.0 if i < first + 3 else 1.0) for i in range(first, first + 100))]

    run = watched([*process(0), *process(100)])
    assert run.intake.timing.warmup == 3
    spikes = run.findings(spikes=None).spikes
    assert [(s.index, s.causes[0].kind == WARMUP) for s in spikes] == [
        (0, True), (1, True), (2, True), (100, True), (101, False), (102, False),
    ]  # fmt: skip


def test_what_samples_say_stands_against_a_cadence() -> None:
    """Nobody says what takes 5 s each 20 iterations; at the last one the GPU works on, with its usual power."""
    at_s, timed = 0.0, []
    for index in range(200):
        at_s += 6.0 if index and index % 20 == 0 else 1.0
        timed.append((at_s, Iteration(index, 6.0 if index and index % 20 == 0 else 1.0, at_s=at_s)))
        timed += [(at_s - s, GpuSample(at_s - s, power_w=500.0)) for s in range(6) if 170 <= index <= 180]
    run = watched([RunInfo(clock="hook"), *(event for _, event in sorted(timed, key=lambda pair: pair[0]))])
    spikes = run.findings(spikes=None).spikes
    assert [s.index for s in spikes] == list(range(20, 200, 20))
    kinds = [(s.causes[0].kind, s.causes[0].strength) for s in spikes]
    assert kinds == [(UNEXPLAINED, Strength.PERIOD)] * 8 + [(EVALUATION, Strength.TELEMETRY)]
