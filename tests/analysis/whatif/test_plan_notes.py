"""What goes with a plan: what to keep in mind, what is missing, and what only a measurement can tell."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Audit, Eta, Findings, LedgerRow, Schedule, Throughput
from itermon.analysis.whatif.plan_notes import asked, data_share, measure, notes
from itermon.analysis.whatif.scenario import Change, Range, Scenario
from itermon.events import CHECKPOINT, DATA, EVALUATION, TRAINING, Config, GpuSample

KNOWN = Findings(
    config=Config(cost_per_hour=3.0), audit=Audit(gpus=1), throughput=Throughput(tokens_per_iteration=1_000)
)


def scenario(**parts: object) -> Scenario:
    usual = {
        "micro_batch_size": 16,
        "gradient_accumulation": 4,
        "gpus": 1,
        "iteration_s": Range(1.0, 1.0, 1.0),
        "tokens_per_iteration": 1_000,
        "iterations": 100,
    }
    return Scenario(**{**usual, **parts})  # type: ignore[arg-type]


def noted(findings: Findings = KNOWN, **planned: object) -> list[str]:
    return notes(findings, scenario(stop_share=0.1), scenario(**{"stop_share": 0.1, **planned}))


def test_waits_that_the_lanes_show_are_a_share_of_an_iteration_there() -> None:
    """Of 100 s, 30 s went into evaluations: 14 s of waits are a fifth of the iterations."""
    rows = ((TRAINING, 56.0), (EVALUATION, 30.0), (DATA, 14.0))
    waits = Findings(ledger=tuple(LedgerRow(cause, s, s / 100) for cause, s in rows))
    assert data_share(waits) == pytest.approx(0.2)
    (note,) = asked(waits, Change(faster_data=True))
    assert note.startswith("An iteration waits for data 20 % of its time")


def test_a_plan_that_changes_nothing_of_a_run_that_says_all_has_no_notes() -> None:
    assert noted() == []


def test_other_tokens_need_another_learning_rate() -> None:
    (note,) = noted(tokens_per_iteration=250)
    assert note.startswith("A step sees 0.25 × the tokens")


@pytest.mark.parametrize(("share", "said"), [(0.12, False), (0.121, True), (None, False), (0.05, False)])
def test_stops_that_weigh_a_fifth_more_are_told(share: float | None, said: bool) -> None:
    assert any("lengthen their intervals" in note for note in noted(stop_share=share)) is said


def test_an_evaluation_of_larger_batches_takes_longer() -> None:
    (note,) = noted(micro_batch_size=32)
    assert note.startswith("Evaluations take longer with larger batches")
    assert notes(KNOWN, scenario(), scenario(micro_batch_size=32)) == []


def test_whether_another_memory_holds_it_is_asked_of_the_micro_batch_that_it_has() -> None:
    sample = GpuSample(0.0, memory_used_bytes=40e9, memory_total_bytes=80e9)
    found = Findings(
        gpus=(sample,), audit=Audit(parameters=1_000_000_000), throughput=Throughput(micro_batch_size=16)
    )
    as_it_is, doubled = Change(memory_bytes=48e9), Change(memory_bytes=48e9, micro_batch_size=32)
    assert asked(found, as_it_is) == asked(found, Change(memory_bytes=48e9, micro_batch_size=16))
    assert asked(found, as_it_is) != asked(found, doubled)


def test_costs_that_are_missing_are_named() -> None:
    plan = Eta(
        schedules=(Schedule(EVALUATION, 10, seen=3), Schedule(CHECKPOINT, 10), Schedule("x", 1, mean_s=1.0))
    )
    found = Findings(config=KNOWN.config, audit=KNOWN.audit, throughput=KNOWN.throughput, eta=plan)
    assert noted(found) == [
        "No checkpoint has been seen yet: its cost is missing here.",
        "This log does not time evaluations: their cost is missing here.",
    ]


def test_what_the_source_does_not_say_is_asked_for() -> None:
    said = notes(Findings(), scenario(iterations=None), scenario())
    assert [next(w for w in ("--world-size", "--config", "--cost-per-hour") if w in note) for note in said] == [
        "--world-size", "--config", "--cost-per-hour",
    ]  # fmt: skip
    assert any("--max-iters" in note for note in notes(KNOWN, scenario(iterations=None), scenario()))
    on_cpu = Findings(config=Config(extra={"device": "cpu"}))
    assert not any("--world-size" in note for note in notes(on_cpu, scenario(), scenario()))


def test_only_a_change_is_to_be_measured() -> None:
    assert measure(KNOWN, scenario(), scenario()) == []
    assert len(measure(KNOWN, scenario(), scenario(micro_batch_size=8))) == 1
    assert len(measure(KNOWN, scenario(), scenario(micro_batch_size=32))) == 2
    (gpus,) = measure(KNOWN, scenario(), scenario(gpus=2))
    assert "measure twenty iterations" in gpus
    assert measure(KNOWN, scenario(micro_batch_size=None), scenario(micro_batch_size=None)) == []


def sampled(used: float | None, parameters: int | None = 1_000_000_000) -> str:
    gpu = GpuSample(1.0, memory_used_bytes=None if used is None else int(used), memory_total_bytes=int(100e9))
    findings = Findings(gpus=(gpu,), audit=Audit(parameters=parameters))
    return measure(findings, scenario(), scenario(micro_batch_size=32))[0]


def test_activations_grow_with_the_micro_batch_and_parameters_do_not() -> None:
    assert sampled(50e9).startswith("It probably fits: about 84.0 GB of 100 GB,")  # 16 GB, and twice 34 GB
    assert sampled(55.4e9).startswith("It probably fits: about 94.8 GB")
    assert sampled(55.6e9).startswith("It probably does not fit: about 95.2 GB")
    assert sampled(10e9).startswith("It probably fits: about 10.0 GB")


@pytest.mark.parametrize("text", [sampled(None), sampled(50e9, None)])
def test_without_a_sample_or_a_size_nothing_is_said_of_memory(text: str) -> None:
    assert text == "Whether it fits is not known: there is no sample of the GPU's memory."


def test_without_a_lane_of_waits_no_share_is_waited_for() -> None:
    for training_s in (1.0, 20.0):
        assert data_share(Findings(ledger=(LedgerRow(TRAINING, training_s, 1.0),))) is None
