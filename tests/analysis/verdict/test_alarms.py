"""What ends a run or makes its numbers wrong."""

from __future__ import annotations

import pytest
from made_findings import audited, facts, found, load

from itermon.analysis.findings import (
    Level,
    Now,
    Progress,
    TimeWitness,
)
from itermon.analysis.verdict import alarms
from itermon.analysis.verdict.verdict import judge
from itermon.events import RunInfo, Witness


@pytest.mark.parametrize(
    ("elapsed_s", "said"), [(300.0, True), (86_400.0, True), (86_401.0, False), (None, False)]
)
def test_silence_is_told_for_a_day(elapsed_s: float | None, said: bool) -> None:
    assert (alarms.silent(facts(now=Now("silent", elapsed_s=elapsed_s))) is not None) is said


def test_silence_says_what_is_usual_where_that_is_known() -> None:
    assert alarms.silent(facts(now=Now("training", elapsed_s=300.0))) is None
    found = alarms.silent(facts(now=Now("silent", elapsed_s=300.0), load=load(power_share=0.3)))
    assert found is not None
    assert (found.headline, found.evidence) == (
        "Nothing new for 5 m 00 s.",
        ("The GPU uses 30 % of its power limit.",),
    )
    assert found.healthy is None


@pytest.mark.parametrize(("times_floor", "wrong"), [(None, False), (1.0, False), (0.99, True)])
def test_nothing_is_faster_than_its_floor(times_floor: float | None, wrong: bool) -> None:
    assert (alarms.faster_than_physics(facts(audit=audited(times_floor=times_floor))) is not None) is wrong


def test_the_clock_is_blamed_alone_where_it_is_known_not_to_wait() -> None:
    unsure = alarms.faster_than_physics(facts(audit=audited(times_floor=0.7)))
    known = alarms.faster_than_physics(facts(RunInfo(synchronised=False), audit=audited(times_floor=0.7)))
    assert unsure is not None
    assert known is not None
    assert "--world-size" in unsure.evidence[-1]
    assert known.evidence[-1] == "The log's clock does not wait for the GPU: it times the launch of work."


@pytest.mark.parametrize(("ratio", "wrong"), [(None, False), (1.19, False), (1.2, True), (101.0, False)])
def test_times_are_too_short_from_a_fifth_on(ratio: float | None, wrong: bool) -> None:
    found = alarms.times_too_short(facts(audit=audited(wall_over_logged=ratio)))
    assert (found is not None) is wrong
    assert alarms.times_too_short(facts(audit=audited(wall_over_logged=ratio), level=Level())) is None
    unknown = facts(audit=audited(wall_over_logged=ratio), undescribed=True)
    assert alarms.times_too_short(unknown) is None, "nobody knows what that script times"


def test_a_clock_that_does_not_wait_is_told() -> None:
    verdict = judge(found(audit=audited(wall_over_logged=2.5)), RunInfo())
    assert verdict.kind == "clock-not-synchronised"
    assert "2.50 × too short" in verdict.headline
    assert "2.50 s by the wall clock, 1.00 s by the log" in verdict.evidence[0]
    slow = alarms.times_too_short(facts(audit=audited(wall_over_logged=2.5), level=Level(clean_s=4.0)))
    assert slow is not None
    assert slow.evidence[0] == "An iteration takes 10.0 s by the wall clock, 4.00 s by the log."
    assert judge(found(audit=audited(wall_over_logged=1.1)), RunInfo()).kind == "compute-bound"


def test_faster_than_one_gpu_is_not_blamed_on_the_clock_where_nobody_counted_them() -> None:
    """Eight GPUs at 50 % MFU, taken for one: 4 × its peak."""
    verdict = judge(found(audit=audited(times_floor=0.25, mfu=4.0, estimated="1 GPU assumed")), RunInfo())
    assert verdict.kind == "too-little-known"
    assert verdict.headline == "Too fast for one GPU: at least 4 GPUs must share the work."
    assert "--world-size" in verdict.next_step


def test_times_that_contradict_each_other_conclude_nothing_and_are_both_shown() -> None:
    longer = TimeWitness(Witness.ELAPSED, 100.0, 200.0, agrees=False)
    shorter = TimeWitness(Witness.TOTAL, 100.0, 2.0, origin="train_runtime", agrees=False)
    for witness, words in ((longer, "more than the time that passed"), (shorter, "a small part of")):
        diagnosis = alarms.witnesses_disagree(facts(witnesses=(witness,), level=Level(clean_s=1.0)))
        assert diagnosis is not None
        assert diagnosis.kind == "times-contradict"
        assert words in diagnosis.headline
    assert diagnosis.evidence == (
        "The iteration times add up to 2.00 s.",
        "In the same part of the run 1 m 40 s passed, by the printed total (train_runtime).",
    )


SHORTER = TimeWitness(Witness.STAMPS, 100.0, 2.0, agrees=False)


@pytest.mark.parametrize(
    ("progress", "undescribed"),
    [
        (Progress(rows=9, iterations_seen=9), True),  # what its column means is a guess
        (Progress(rows=9, iterations_seen=90, iterations_unseen=81), False),
        (Progress(rows=9, iterations_seen=9, evaluations=2), False),
        (Progress(rows=9, iterations_seen=9, checkpoints=2), False),
    ],
)
def test_times_of_a_part_contradict_nothing(progress: Progress, *, undescribed: bool) -> None:
    known = {"level": Level(), "progress": progress, "undescribed": undescribed}
    assert alarms.witnesses_disagree(facts(witnesses=(SHORTER,), **known)) is None
    whole = facts(witnesses=(SHORTER,), level=Level(), progress=Progress(rows=9, iterations_seen=9))
    assert alarms.witnesses_disagree(whole)


@pytest.mark.parametrize(("rows", "alarm"), [(90, True), (9, False)])
def test_the_times_of_rows_that_were_never_printed_contradict_nothing(rows: int, *, alarm: bool) -> None:
    longer = TimeWitness(Witness.STAMPS, 100.0, 200.0, agrees=False)
    known = {"progress": Progress(rows=rows, iterations_seen=90), "undescribed": True}
    assert bool(alarms.witnesses_disagree(facts(witnesses=(longer, SHORTER), level=Level(), **known))) is alarm


def test_times_that_agree_or_cannot_say_are_no_alarm() -> None:
    for agrees in (True, None):
        witness = TimeWitness(Witness.ELAPSED, 100.0, 100.0, agrees=agrees)
        assert alarms.witnesses_disagree(facts(witnesses=(witness,), level=Level(clean_s=1.0))) is None
