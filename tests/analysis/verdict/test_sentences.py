"""What each fact says in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from made_findings import audited, facts, found, lost
from seed_runs import watched

from itermon.analysis.audit.flops import LOWER_BOUND
from itermon.analysis.audit.peaks import excluded
from itermon.analysis.findings import (
    Audit,
    Eta,
    LedgerRow,
    Level,
    Progress,
    Schedule,
    Shift,
    SlowPlace,
    Straggler,
    Throughput,
)
from itermon.analysis.verdict import sentences as say
from itermon.analysis.verdict.health import little_known
from itermon.analysis.verdict.troubles import slowed
from itermon.analysis.verdict.verdict import judge
from itermon.events import (
    DRAIN,
    EVALUATION,
    GAP,
    TRAINING,
    UNEXPLAINED,
    ClockKind,
    Config,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
    Witness,
)
from itermon.words import with_article

if TYPE_CHECKING:
    from itermon.analysis.verdict.facts import Facts


def test_speed_is_mfu_and_floor_or_what_was_achieved() -> None:
    assert say.speed(facts()) == (
        "MFU is 50 %: an iteration takes 1.00 s, at the full speed of the H200 (989 TFLOP/s bf16) 500 ms"
    )
    nameless = audited(gpu=None, precision=None, estimated="1 GPU assumed")
    assert say.speed(facts(audit=nameless)) == (
        "MFU is 50 % (1 GPU assumed): an iteration takes 1.00 s, at the full speed of the GPU (989 TFLOP/s) 500 ms"
    )
    bound = Audit(achieved_flops=1e12, gpus=1, estimated=LOWER_BOUND)
    assert say.speed(facts(audit=bound)) == "at least 1.00 TFLOP/s achieved, attention not counted"
    assert say.speed(facts(audit=Audit())) == ""


def test_processes_on_a_cpu_are_not_called_gpus() -> None:
    cpu = Config(extra={"device": "cpu"})
    made = facts(config=cpu, audit=Audit(achieved_flops=1e12, gpus=4))
    assert say.speed(made) == "1.00 TFLOP/s achieved on each of 4 processes"


def test_what_each_of_several_gpus_achieved_is_of_each() -> None:
    for gpus, by in ((None, ""), (1, ""), (2, " on each of 2 GPUs")):
        assert say.speed(facts(audit=Audit(achieved_flops=1e12, gpus=gpus))) == f"1.00 TFLOP/s achieved{by}"


def test_the_gpu_it_must_be_is_the_slowest_that_is_fast_enough() -> None:
    said = say.fits(facts(audit=Audit(achieved_flops=48.0e12, precision="bf16", gpus=1)))
    _, left = excluded(48.0e12, "bf16")
    slowest = min(left, key=lambda gpu: gpu.flops["bf16"])
    assert said == f"the GPU must be {with_article(slowest.label)} or faster"
    assert say.fits(facts(audit=Audit(achieved_flops=48.0e12, peak_flops=312e12))) == ""
    assert say.fits(facts(audit=Audit(achieved_flops=1.0))) == ""
    assert say.fits(facts(audit=Audit(achieved_flops=1e18))) == ""


def moved(*shifts: tuple[int, float, float], clean_s: float = 1.0) -> Level:
    made = tuple(Shift(at, before, after, held=500) for at, before, after in shifts)
    return Level(clean_s, jitter=0.01, shifts=made)


def test_what_is_steady_now_and_was_not_all_along_is_told() -> None:
    there_and_back = moved((1000, 1.0, 2.4), (2000, 2.4, 1.0))
    assert say.steadiness(facts(level=there_and_back)) == (
        "iteration times are steady since iteration 2,000 (jitter 1 %);"
        " from iteration 1,000 to 2,000 one took 2.40 s, now 1.00 s"
    )
    headline = little_known(facts(level=there_and_back, audit=Audit())).headline
    assert headline == "Iteration times are steady since iteration 2,000."
    fell = facts(level=moved((300, 1.6, 1.0)))
    assert say.and_before(fell) == "; until iteration 300 one took 1.60 s, now 1.00 s"


def test_a_little_change_and_a_level_that_moved_on_are_not_told() -> None:
    for level in (moved((1000, 1.0, 1.1), (2000, 1.1, 1.0)), moved((1000, 1.0, 2.4), clean_s=1.0), moved()):
        assert say.since(facts(level=level)) == say.and_before(facts(level=level)) == ""


def test_facts_that_are_not_known_say_nothing() -> None:
    made = facts(level=Level(1.0), audit=Audit())
    assert [s(made) for s in (say.power, say.steadiness, say.data, say.late, say.where)] == [""] * 5
    assert say.steadiness(facts(level=Level(1.0, jitter=0.2))) == ""


def test_where_the_level_crept_only_the_newest_times_are_called_steady() -> None:
    crept = facts(level=Level(clean_s=1.0, jitter=0.004, crept=True))
    assert say.steadiness(crept) == "the newest iteration times are steady (jitter 0.4 %)"
    assert little_known(crept).headline == "The newest iteration times are steady."
    moved = at_levels((500, 1.25, 1.0), crept=True)
    assert say.times_of(moved) == "iteration times", "since iteration 500"


def test_of_a_level_that_the_newest_times_have_left_nothing_is_called_steady() -> None:
    left = at_levels((500, 1.25, 1.0), between=(1.0, 1.25, 64))
    assert (left.flat, say.since(left), say.and_before(left), say.spread(left)) == (False, "", "", "")


def test_of_a_level_that_creeps_nothing_is_said_to_have_begun_somewhere() -> None:
    up = tuple(Shift(100 * n, 1.1**n, 1.1 ** (n + 1), held=500) for n in range(4))
    creeping = facts(level=Level(1.1**4, jitter=0.01, shifts=up))
    assert (creeping.flat, say.since(creeping), say.and_before(creeping)) == (False, "", "")
    assert slowed(creeping) is None
    assert facts(level=Level(1.1**4, jitter=0.01, shifts=up[1:])).flat, "three steps are no creeping"
    far = (*up[:3], Shift(300, 1.1**3, 1.2 * 1.1**3, held=500))
    assert facts(level=Level(1.2 * 1.1**3, jitter=0.01, shifts=far)).flat, "nor is a large one"


def test_of_what_was_several_levels_none_is_told() -> None:
    before = facts(level=Level(1.0, jitter=0.01, shifts=(Shift(500, 2.0, 1.0, held=500, several_before=True),)))
    assert (say.since(before), say.and_before(before)) == (" since iteration 500", "")


@pytest.mark.parametrize(("strays", "steady"), [(0.05, True), (0.06, False)])
def test_times_are_steady_where_hardly_one_is_far_off(strays: float, steady: bool) -> None:
    assert facts(level=Level(clean_s=1.0, jitter=0.004, strays=strays)).flat is steady


@pytest.mark.parametrize(("p95_s", "steady"), [(1.15, True), (1.16, False), (None, True)])
def test_times_are_steady_where_hardly_one_is_much_longer(p95_s: float | None, steady: bool) -> None:
    assert facts(level=Level(clean_s=1.0, jitter=0.004, p95_s=p95_s)).flat is steady


def test_steadiness_is_said_with_its_figure() -> None:
    assert say.steadiness(facts()) == ("iteration times are steady (jitter 0.4 %)")


def test_a_rank_that_is_late_is_compared_with_the_others() -> None:
    made = facts(straggler=Straggler(rank=3, share=0.75, local_s=1.5, others_s=1.0))
    assert say.late(made) == "rank 3 takes 1.50 s, the others 1.00 s; it is late in 75 % of the newest iterations"


def test_what_an_iteration_reads_is_held_against_a_cold_disk() -> None:
    audit = Audit(data_reads_per_iteration=1_024, data_bytes_per_s=1e6, cold_disk_high_s=0.25)
    assert say.data(facts(audit=audit)) == (
        "data: 1,024 reads an iteration, 1.00 MB/s;"
        " even a disk without cache (5,000 IOPS) needs 25 % of an iteration"
    )
    half = msgspec.structs.replace(audit, cold_disk_high_s=0.5)
    assert "even" in say.data(facts(audit=half))
    more = msgspec.structs.replace(audit, cold_disk_high_s=0.51)
    assert "a disk without cache (5,000 IOPS) would take 0.51 × the iteration" in say.data(facts(audit=more))


def test_the_note_on_a_wrong_mfu_stands_with_any_evidence() -> None:
    note = "the log's 164 % is wrong"
    said = say.evidence(facts(audit=Audit(logged_mfu=1.64, note=note)), "", "one")
    assert said == ("One.", "The log's 164 % is wrong.")
    assert say.evidence(facts(audit=Audit(logged_mfu=1.0, note=note)), "", "one") == ("One.",)
    assert say.evidence(facts(audit=Audit(note=note)), "", "one") == ("One.",)


def test_what_each_gpu_achieves_is_not_said_where_their_number_is_assumed() -> None:
    audit = Audit(achieved_flops=1.96e15, estimated="1 GPU assumed")
    verdict = judge(found(audit=audit), RunInfo())
    assert any("1.96 PFLOP/s achieved by all GPUs" in e for e in verdict.evidence)
    assert not any("must be" in e for e in verdict.evidence)


def test_what_is_achieved_is_that_of_one_gpu_of_many() -> None:
    said = judge(found(audit=Audit(achieved_flops=100e12, gpus=8)), RunInfo()).evidence
    assert "100 TFLOP/s achieved on each of 8 GPUs." in said
    assert any("must be" in e for e in said)


def test_a_cold_disk_that_could_not_keep_up_is_not_said_to_do_even_so() -> None:
    """64 reads of 2 KiB in iterations of 10 ms."""
    audit = Audit(data_reads_per_iteration=64, data_bytes_per_s=13e6, cold_disk_high_s=0.019)
    said = " ".join(judge(found(level=Level(0.01, jitter=0.004, iterations=100), audit=audit), RunInfo()).evidence)
    assert "a disk without cache (5,000 IOPS) would take 1.90 × the iteration" in said
    assert "even" not in said


def test_where_the_time_went_is_what_the_ledger_says_the_largest_first() -> None:
    ledger = (
        LedgerRow(TRAINING, 80.0, 0.8, 400),
        LedgerRow(EVALUATION, 5.0, 0.05, 2),
        LedgerRow(GAP, 0.05, 0.0005),
        LedgerRow(UNEXPLAINED, 14.95, 0.1495, 7),
    )
    plan = Eta(schedules=(Schedule(EVALUATION, 200, seen=2, mean_s=3.0),))
    assert say.where(facts(ledger=ledger, eta=plan)) == (
        "logged time: unexplained time 14.9 % (7 × 2.14 s) and evaluation 5 % (2 × 2.50 s)"
    )
    by_a_clock = Progress(wall_witness=Witness.STAMPS)
    assert say.where(facts(ledger=ledger, progress=by_a_clock)).startswith("wall time: unexplained")


@pytest.mark.parametrize(("share", "said"), [(0.001, ["evaluation 0.1 % (2 × 50.0 ms)"]), (0.00099, [])])
def test_a_thousandth_of_the_wall_time_is_worth_a_word(share: float, said: list[str]) -> None:
    rows = (LedgerRow(TRAINING, 100.0 - 100 * share, 1 - share, 100), LedgerRow(EVALUATION, 100 * share, share, 2))
    assert say.where(facts(ledger=rows)).split(": ")[1:] == said


@pytest.mark.parametrize(("share", "said"), [(0.005, ["gaps between lines 0.5 % (500 ms)"]), (0.0049, [])])
def test_what_nobody_can_count_is_worth_a_word_from_half_a_percent_on(share: float, said: list[str]) -> None:
    rows = (LedgerRow(TRAINING, 100.0 - 100 * share, 1 - share, 100), LedgerRow(GAP, 100 * share, share, 0))
    assert say.where(facts(ledger=rows)).split(": ")[1:] == said


def test_what_an_asynchronous_checkpoint_takes_beside_the_training_is_said_and_in_no_row_of_the_ledger() -> None:
    iterations = [Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(100)]
    saves = [SpanEnd(DRAIN, at_s=1_020.5, duration_s=2.0, strength=Strength.HOOK)]
    saves += [SpanEnd(DRAIN, at_s=1_060.5, duration_s=6.0, strength=Strength.HOOK), SpanEnd(DRAIN)]
    findings = watched([RunInfo(clock="hook"), *iterations[:61], *saves, *iterations[61:]]).findings()
    assert findings.drained is not None
    assert (findings.drained.seconds, findings.drained.count) == (8.0, 2)
    assert DRAIN not in {row.cause for row in findings.ledger}
    said = "Checkpoints are written beside the training: 2 × 4.00 s, in which it went on."
    assert said in findings.verdict.evidence
    assert watched(iterations).findings().drained is None


def at_levels(
    *shifts: tuple[int, float, float], clean_s: float = 1.0, trainings: int = 1, **of_level: bool
) -> Facts:
    found = tuple(Shift(index=at, before_s=before, after_s=after, position=at) for at, before, after in shifts)
    return facts(
        level=Level(clean_s=clean_s, jitter=0.004, iterations=100, shifts=found, **of_level),
        progress=Progress(trainings=trainings),
    )


AT_500 = " since iteration 500"


def test_of_several_trainings_the_newest_is_named() -> None:
    made = at_levels((500, 3.0, 1.0), trainings=3)
    assert say.steadiness(made).startswith("the newest training's iteration times are steady since iteration 500")


@pytest.mark.parametrize(
    ("made", "since", "before"),
    [
        (at_levels(), "", ""),
        (at_levels((500, 1.25, 1.0)), AT_500, "; until iteration 500 one took 1.25 s, now 1.00 s"),
        (at_levels((500, 1.24, 1.0)), AT_500, ""),
        (at_levels((500, 1.1, 1.0)), "", ""),
        (at_levels((500, 1.11, 1.0)), AT_500, ""),
        (at_levels((500, 0.79, 1.0)), AT_500, "; until iteration 500 one took 790 ms, now 1.00 s"),
        (at_levels((500, 3.0, 1.0), clean_s=1.04), AT_500, "; until iteration 500 one took 3.00 s, now 1.04 s"),
        (at_levels((500, 3.0, 1.0), clean_s=1.06), "", ""),
        (at_levels((500, 6.0, 2.0), clean_s=2.0), AT_500, "; until iteration 500 one took 6.00 s, now 2.00 s"),
        (
            at_levels((500, 1.3, 4.0), (1_200, 4.0, 1.0)),
            " since iteration 1,200",
            "; from iteration 500 to 1,200 one took 4.00 s, now 1.00 s",
        ),
        (
            at_levels((500, 4.0, 1.3), (1_200, 1.3, 1.0)),
            " since iteration 1,200",
            "; until iteration 500 one took 4.00 s, now 1.00 s",
        ),
    ],
)
def test_another_level_before_is_said_where_it_was_clearly_another(made: Facts, since: str, before: str) -> None:
    assert (say.since(made), say.and_before(made)) == (since, before)
    assert say.steadiness(made) == f"iteration times are steady{since} (jitter 0.4 %){before}"
    assert say.spread(made) == f"normal iterations differ by 0.4 % (jitter){before}"
    assert say.spread(facts(level=Level(clean_s=1.0))) == say.steadiness(facts(level=Level(clean_s=1.0))) == ""


@pytest.mark.parametrize(
    ("share", "clean_s", "words"),
    [
        (0.25, 2.0, "the trainer measured 500 ms of waiting for data in an iteration of 2.00 s"),
        (0.0, 2.0, "the trainer measured no wait for data in most of its iterations of 2.00 s"),
        (0.25, None, ""),
    ],
)
def test_a_measured_wait_is_said_in_seconds(share: float, clean_s: float | None, words: str) -> None:
    made = facts(throughput=Throughput(data_wait_share=share), level=Level(clean_s=clean_s))
    assert say.data(made) == words


@pytest.mark.parametrize("missing", ["data_bytes_per_s", "data_reads_per_iteration", "cold_disk_high_s"])
def test_what_data_needs_is_said_where_all_of_it_is_known(missing: str) -> None:
    known = {"data_bytes_per_s": 2e6, "data_reads_per_iteration": 12, "cold_disk_high_s": 0.02}
    assert say.data(facts(audit=audited(**known))).startswith(
        "data: 12 reads an iteration, 2.00 MB/s; even a disk"
    )
    assert say.data(facts(audit=audited(**{**known, missing: None}))) == ""


@pytest.mark.parametrize("missing", ["mfu", "peak_flops", "floor_s"])
def test_without_a_peak_what_is_achieved_is_said(missing: str) -> None:
    assert say.speed(facts()).startswith("MFU is 50 %: an iteration takes 1.00 s, at the full speed of the H200")
    assert say.speed(facts(audit=audited(**{missing: None}))) == "495 TFLOP/s achieved"
    assert say.speed(facts(level=Level())) == "495 TFLOP/s achieved"


def test_what_finds_out_where_time_goes_depends_on_who_reports() -> None:
    assert say.what_tells(facts()) == f"{say.USE_HOOKS} to see what takes the unexplained time"
    hooked = facts(RunInfo(clock=ClockKind.HOOK))
    assert say.what_tells(hooked) == "itermon stack PID shows what the trainer does in the unexplained time"


def test_times_that_are_not_alike_are_not_told_by_their_mean() -> None:
    pauses = LedgerRow("pause", 500.0, 0.5, 5, least_s=8.0, most_s=400.0)
    assert say.where(facts(ledger=(pauses,))).endswith("50 % (5 times, 8.00 s to 6.67 m)")
    alike = LedgerRow("pause", 500.0, 0.5, 5, least_s=80.0, most_s=120.0)
    assert say.where(facts(ledger=(alike,))).endswith("50 % (5 × 1.67 m)")


@pytest.mark.parametrize(
    ("own_s", "words"),
    [
        (2.2, "550 ms of waiting for data in an iteration of 2.20 s"),
        (1.0, "250 ms of waiting for data in an iteration of 1.00 s"),
        (None, "500 ms of waiting for data in an iteration of 2.00 s"),
    ],
)
def test_a_share_of_the_waits_is_of_the_iterations_that_waited(own_s: float, words: str) -> None:
    waits = Throughput(data_wait_share=0.25, data_wait_of_s=own_s)
    assert say.data(facts(throughput=waits, level=Level(clean_s=2.0))).startswith(f"the trainer measured {words}")


def test_a_slow_place_is_told_from_a_thousandth_of_the_time_on() -> None:
    place, said = (
        SlowPlace("data.py:48 read_shard", 9, 0.1),
        "9 of 11 slow iterations were in data.py:48 read_shard",
    )
    for share, words in ((0.0009, ""), (0.001, f"unexplained 0.1 %: {said}")):
        assert say.slow_place(facts(ledger=lost(UNEXPLAINED, share, 11), slow_place=place)) == words
