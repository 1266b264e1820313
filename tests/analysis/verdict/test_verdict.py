"""Each verdict from the few facts that decide it, and no promise beyond the floor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_findings import SLOW, audited, found, load, lost

from itermon import events
from itermon.analysis import findings as fd
from itermon.analysis.findings import (
    Audit,
    LedgerRow,
    Level,
    Losses,
    Now,
    Progress,
    Throughput,
)
from itermon.analysis.verdict.verdict import judge
from itermon.events import (
    RunInfo,
)

CASES = {
    "failed": found(ended="failed", messages=(fd.RunMessage("CUDA out of memory.", "error"),)),
    "loss-not-finite": found(losses=Losses(train=None, not_finite=3, first_not_finite=97, not_finite_since=97)),
    "silent": found(now=Now(activity="silent", elapsed_s=300.0, usual_s=1.0)),
    "warming-up": found(level=Level(clean_s=1.0, iterations=4), progress=Progress(iterations_seen=4)),
    "clock-not-synchronised": found(audit=audited(times_floor=0.7, mfu=1.43)),
    "throttled": found(load=load(limits={"thermal slowdown": 0.6}, clock_share=0.6, power_share=0.7)),
    "data-bound": found(throughput=Throughput(data_wait_share=0.4), audit=SLOW),
    "slowed-down": found(level=Level(1.2, iterations=90, shifts=(fd.Shift(60, 1.0, 1.2, held=64),))),
    "straggler": found(ledger=lost(events.STRAGGLER, 0.12, 60)),
    "recompiling": found(recompiled=LedgerRow(events.COMPILE, 30.0, 0.3, 8)),
    "allocation-retries": found(messages=(fd.RunMessage("12 allocation retries", "warning"),)),
    "garbage-collection": found(ledger=lost(events.GC, 0.02, 9)),
    "host-bound": found(audit=SLOW, load=load(power_share=0.4, trainer_cpu=1.0)),
    "stop-heavy": found(eta=fd.Eta(schedules=(fd.Schedule(events.CHECKPOINT, 50, seen=2, mean_s=20.0),))),
    "power-capped": found(load=load(power_share=0.99, clock_share=0.75, limits={"power cap": 0.95})),
    "compute-bound": found(load=load(power_share=0.99)),
    "low-mfu": found(audit=SLOW, load=load(power_share=0.9, memory_share=0.3)),
    "wrong-mfu-denominator": found(audit=Audit(achieved_flops=500e12, logged_mfu=1.6, note="the log says 160 %")),
    "too-little-known": found(audit=Audit()),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_deciding_facts_give_their_verdict(kind: str) -> None:
    verdict = judge(CASES[kind], RunInfo())
    assert verdict.kind == kind
    assert verdict.headline
    assert verdict.next_step
    assert verdict.evidence or kind == "silent"


WELL = {"stop-heavy", "power-capped", "compute-bound", "wrong-mfu-denominator", "too-little-known"}
NOBODY_KNOWS = {"silent", "warming-up", "clock-not-synchronised", "low-mfu"}


@pytest.mark.parametrize("kind", CASES)
def test_a_run_with_a_trouble_is_not_healthy(kind: str) -> None:
    """A check of a report fails on it. What it is asked to do is no trouble, and what may be one is none yet."""
    healthy = True if kind in WELL else None if kind in NOBODY_KNOWS else False
    assert judge(CASES[kind], RunInfo()).healthy is healthy


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("loss-not-finite", "since iteration 97"),
        ("silent", "Nothing new for 5 m 00 s; 1.00 s is usual"),
        ("throttled", "thermal slowdown"),
        ("data-bound", "The training loop waits for its data."),
        ("failed", "Out of memory."),
        ("slowed-down", "since iteration 60: an iteration takes 1.20 × as long"),
        ("stop-heavy", "Checkpoints will take 28.6 % of the time to come"),
        ("compute-bound", "Healthy. 50 % MFU; data keeps up."),
        ("low-mfu", "Slow for this GPU: 20 % MFU, although the GPU is always busy"),
        ("wrong-mfu-denominator", "The log's 160 % MFU is wrong: it assumes another GPU"),
    ],
)
def test_the_headline_says_it_in_plain_words(kind: str, words: str) -> None:
    assert words in judge(CASES[kind], RunInfo()).headline


@given(
    mfu=st.floats(0.01, 0.99),
    wait=st.floats(0, 0.99),
    share=st.floats(0, 0.95),
    cause=st.sampled_from((events.GC, events.COMPILE, events.STRAGGLER, events.DATA)),
    power=st.none() | st.floats(0, 1),
    clock=st.floats(0.05, 1),
)
def test_no_promise_is_beyond_the_floor(
    mfu: float, wait: float, share: float, cause: str, power: float | None, clock: float
) -> None:
    findings = found(
        audit=audited(mfu=mfu, mfu_wall=mfu * 0.9, times_floor=1 / mfu),
        throughput=Throughput(data_wait_share=wait),
        ledger=lost(cause, share, 10),
        load=load(power_share=power, clock_share=clock, limits={"thermal": share}, trainer_cpu=1.0),
    )
    verdict = judge(findings, RunInfo())
    if verdict.gain_high is not None:
        assert verdict.gain_limit is not None
        assert 1.0 <= (verdict.gain_low or 0) <= verdict.gain_high <= verdict.gain_limit
