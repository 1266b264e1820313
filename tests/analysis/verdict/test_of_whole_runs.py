"""What a verdict names is what stands beside it in the ledger, whatever the run."""

from __future__ import annotations

import re
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from made_findings import found
from simulated_runs import times, watched

from itermon.analysis.findings import Audit, Findings, LedgerRow, Throughput
from itermon.analysis.verdict.verdict import judge
from itermon.events import (
    CAUSES,
    CHECKPOINT,
    DATA,
    EVALUATION,
    GAP,
    GC,
    TRAINING,
    UNEXPLAINED,
    Config,
    End,
    Event,
    Iteration,
    RunInfo,
    SpanEnd,
)
from itermon.words import percent, short_count, short_duration

NOUNS = {(kind.noun or kind.name): cause for cause, kind in CAUSES.items()}
CAUSE = "|".join(re.escape(noun) for noun in sorted(NOUNS, key=len, reverse=True))
SHARE = re.compile(
    rf"\b({CAUSE})(?: takes?)? (<? ?[\d.]+ %)(?: \((?:(\S+) × )?([\d.]+ [^\s)]+)\))?", re.IGNORECASE
)


def check(findings: Findings) -> int:
    """Every share of a cause, its count and its seconds are those of its lane; how many of them there were."""
    v = findings.verdict
    rows = {row.cause: row for row in findings.ledger}
    checked = 0
    for sentence in (*v.opening, *v.evidence, v.next_step):
        for noun, share, count, each in SHARE.findall(sentence):
            row = rows[NOUNS[noun.casefold()]]
            assert percent(row.share) == share, sentence
            assert not count or count == short_count(row.count), sentence
            assert not each or each == short_duration(row.seconds / (row.count or 1)), sentence
            checked += 1
        shares = {percent(row.share) for row in findings.ledger}
        assert all(
            share in shares for share in re.findall(r"takes? ([\d.]+ %) of the (?:wall )?time", sentence)
        ), sentence
    return checked


@given(st.randoms(use_true_random=False), st.integers(60, 900), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_share_that_a_verdict_names_is_a_row_of_the_ledger(
    random: Random, count: int, lines: bool, stamps: bool
) -> None:
    every, cost_s, save_s = random.randrange(20, 200), random.uniform(0.1, 20), random.uniform(0, 20)
    durations = times(count, seed=random.randrange(99), noise=random.choice([0.002, 0.05]))
    for i in random.sample(range(count), random.randrange(0, 6)):
        durations[i] += random.uniform(0, 30)
    events: list[Event] = [
        RunInfo(time_includes=(EVALUATION, CHECKPOINT), clock="log" if stamps else None),
        Config(max_iterations=count, evaluation_interval=every if lines else None),
    ]
    at_s = 1e9
    for i, seconds in enumerate(durations):
        stop_s = (cost_s + save_s * (i % (2 * every) == 0)) * (i % every == 0 < i)
        events += [SpanEnd(EVALUATION, iteration=i)] if lines and stop_s else []
        at_s += seconds + stop_s + random.choice([0.0, 0.0, 0.0, 3.0])
        events.append(Iteration(i, seconds + stop_s, 3.0, at_s=at_s if stamps else None))
    check(watched(events).findings(spikes=None))


@given(st.dictionaries(st.sampled_from([*CAUSES]), st.floats(0.0, 100.0), min_size=1), st.integers(0, 30))
def test_the_largest_cause_comes_first_in_any_ledger(seconds: dict[str, float], count: int) -> None:
    whole_s = sum(seconds.values()) + 1.0
    seconds = {TRAINING: 0.0, **seconds}
    seconds[TRAINING] += 1.0
    ledger = tuple(LedgerRow(kind, s, s / whole_s, count) for kind, s in seconds.items() if s)
    findings = found(ledger=ledger)
    verdict = judge(findings, RunInfo())
    check(found(ledger=ledger, verdict=verdict))
    lost = [row for row in ledger if row.cause != TRAINING]
    largest = max(lost, key=lambda row: row.share, default=None)
    said = next((s for s in verdict.evidence if s.startswith("Wall time: ")), "")
    if said and largest is not None:
        assert said.startswith(f"Wall time: {CAUSES[largest.cause].noun or largest.cause} ")


def test_what_nobody_can_explain_is_the_headline_where_it_is_the_most() -> None:
    ledger = (
        LedgerRow(TRAINING, 70.0, 0.7, 100),
        LedgerRow(UNEXPLAINED, 18.0, 0.18, 9),
        LedgerRow(EVALUATION, 11.0, 0.11, 5),
        LedgerRow(GC, 1.0, 0.01, 5),
    )
    verdict = judge(found(ledger=ledger), RunInfo())
    assert verdict.kind == "not-explained"
    assert verdict.headline == "Unexplained time takes 18 % of the logged time; no cause was found."
    assert verdict.healthy is None
    smaller = (ledger[0], LedgerRow(UNEXPLAINED, 9.0, 0.09, 9), *ledger[2:])
    assert judge(found(ledger=smaller), RunInfo()).headline == "Evaluation takes 11 % of the logged time."


def test_waits_that_the_trainer_measured_are_no_headline_beside_a_larger_cause() -> None:
    """Nobody knows that the GPU waited: the ledger has no row of data."""
    ledger = (LedgerRow(TRAINING, 77.0, 0.77, 100), LedgerRow(GAP, 23.0, 0.23, 9))
    for wait, kind in ((0.15, "not-explained"), (0.4, "data-bound")):
        waits = Throughput(data_wait_share=wait)
        assert judge(found(ledger=ledger, throughput=waits, audit=Audit()), RunInfo()).kind == kind
    data = (
        LedgerRow(TRAINING, 74.0, 0.74, 100),
        LedgerRow(EVALUATION, 15.2, 0.152, 9),
        LedgerRow(DATA, 10.6, 0.106),
    )
    verdict = judge(found(ledger=data, throughput=Throughput(data_wait_share=0.14), audit=Audit()), RunInfo())
    assert verdict.headline == "Evaluation takes 15.2 % of the logged time."
    assert verdict.evidence[0].startswith("Logged time: evaluation 15.2 %")


@given(st.randoms(use_true_random=False), st.integers(1, 300), st.sampled_from([None, 0.5]))
@settings(max_examples=30, deadline=None)
def test_who_has_hooks_is_not_told_to_use_them(random: Random, count: int, duration_s: float | None) -> None:
    at_s, events = 1e9, list[Event]([RunInfo(clock="hook")])
    for i in range(count):
        seconds = random.choice([duration_s, duration_s, duration_s, None if duration_s is None else 9.0])
        at_s += (seconds or 0.5) + random.choice([0.0, 0.0, 5.0])
        events.append(Iteration(i, seconds, 3.0, at_s=at_s))
    v = watched([*events, End()] if random.random() < 0.5 else events).findings(spikes=None).verdict
    said = " ".join((v.headline, *v.evidence, v.next_step, *v.unknowable)).casefold()
    assert "itermon's hooks" not in said, said
    assert "--hooks" not in said, said
