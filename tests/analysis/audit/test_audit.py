"""Printed numbers recomputed: achieved FLOP/s, MFU, the floor, the log's own MFU and energy."""

import pytest
from seed_runs import run_a, sample, watched

from itermon.analysis.audit.audit import audit, missing
from itermon.analysis.audit.work import Recent
from itermon.analysis.findings import Audit, Throughput
from itermon.events import Config, Iteration, RunInfo

H200 = Recent(gpu_names=("NVIDIA H200",))
GIVEN = Config(flops_per_token=1e9, precision="bf16")
TOKENS = Throughput(
    tokens_per_iteration=1_000_000, world_size=2, tokens_per_s_clean=500_000.0, tokens_per_s_wall=400_000.0
)
MODEL = {"layers": 12, "embedding": 768, "block_size": 1024, "vocabulary": 50_304, "bias": True}


def test_the_floor_and_the_mfu_follow_from_flops_peak_and_time() -> None:
    found = audit(GIVEN, RunInfo(), 2.0, TOKENS, H200)
    assert found.flops_per_iteration == 1e15
    assert found.achieved_flops == 0.25e15
    assert found.floor_s == pytest.approx(0.5e15 / 989.4e12)
    assert found.times_floor == pytest.approx(2.0 / (0.5e15 / 989.4e12))
    assert found.mfu == pytest.approx(0.25e15 / 989.4e12)
    assert found.mfu_wall == pytest.approx(0.8 * 0.25e15 / 989.4e12)
    assert (found.gpu, found.precision, found.gpus, found.convention) == ("H200", "bf16", 2, "given per token")


def test_before_there_is_a_level_only_the_floor_is_known() -> None:
    found = audit(GIVEN, RunInfo(), None, TOKENS, H200)
    assert found.floor_s is not None
    assert (found.achieved_flops, found.times_floor, found.mfu, found.energy_per_iteration_j) == (None,) * 4


def test_other_ways_to_count_flops_stand_beside_the_mfu() -> None:
    found = audit(Config(**MODEL), RunInfo(), 2.0, TOKENS, H200)
    assert found.mfu is not None
    assert found.mfu_causal is not None
    assert found.hfu is not None
    assert found.hfu / found.mfu == pytest.approx(4 / 3)
    assert found.mfu_causal < found.mfu


def test_the_logged_mfu_is_the_newest_one_that_is_a_number() -> None:
    recent = Recent(durations_s=[2.0] * 5, logged_mfu=[0.5, 0.5, 0.5, 0.4, float("nan")])
    found = audit(Config(), RunInfo(source_format="nanoGPT"), 4.0, Throughput(), recent)
    assert found.logged_mfu == 0.4
    assert found.logged_mfu_raw == pytest.approx(0.5 * 2.0 / 4.0)
    assert (found.logged_peak_flops, found.logged_peak_of) == (312e12, "A100")
    assert found.note == "the log's 40.0 % MFU assumes an A100 (312 TFLOP/s)"


def test_a_logged_mfu_of_an_unknown_peak_is_shown_without_a_note() -> None:
    recent = Recent(durations_s=[2.0] * 5, logged_mfu=[0.5] * 5)
    found = audit(Config(), RunInfo(), 2.0, Throughput(), recent)
    assert (found.logged_mfu, found.logged_peak_flops, found.logged_peak_of, found.note) == (0.5, None, "", "")


def test_llm_c_is_said_to_count_half_of_attention() -> None:
    recent = Recent(durations_s=[2.0] * 5, logged_mfu=[0.5] * 5)
    found = audit(Config(**MODEL), RunInfo(source_format="llm.c"), 2.0, TOKENS, recent)
    assert found.note.endswith("; llm.c counts attention half")


def test_data_reads_are_known_of_nanogpt_only() -> None:
    config = Config(block_size=1_000)
    assert audit(config, RunInfo(framework="nanoGPT"), 2.0, TOKENS, Recent()).data_reads_per_iteration == 1_000
    assert audit(config, RunInfo(framework="torch"), 2.0, TOKENS, Recent()).data_reads_per_iteration is None


def test_energy_of_an_iteration_is_power_times_seconds() -> None:
    found = audit(Config(), RunInfo(), 2.0, TOKENS, Recent(power_w=700.0))
    assert found.energy_per_iteration_j == 1_400.0
    assert found.energy_per_token_j == 1_400.0 / 1_000_000
    assert audit(Config(), RunInfo(), 2.0, Throughput(), Recent(power_w=700.0)).energy_per_token_j is None


def test_energy_counts_all_gpus() -> None:
    events = [*run_a(), sample(299.5, "NVIDIA H200", 690.0)]
    second = [type(s)(at_s=s.at_s, gpu=1, name=s.name, power_w=s.power_w) for s in events if hasattr(s, "power_w")]
    found = watched([*events, *second]).findings().audit
    assert found.energy_per_iteration_j == pytest.approx(2 * 690 * 21.0, rel=1e-3)


def test_without_power_energy_is_unknown() -> None:
    found = watched(run_a(gpu=None)).findings().audit
    assert found.energy_per_iteration_j is None
    assert found.energy_per_token_j is None


@pytest.mark.parametrize(("gpus", "whose"), [(8, ""), (1, "H100")])
def test_the_peak_behind_a_printed_mfu_is_not_concluded_from_gpus_that_nobody_counted(
    gpus: int, whose: str
) -> None:
    """nanochat prints an MFU of 50 % on eight H100, and not how many they are."""
    flops_per_token, tokens = 4e9, 524_288
    iteration_s = flops_per_token * tokens / gpus / (0.5 * 989.4e12)
    config = Config(flops_per_token=flops_per_token, tokens_per_iteration=tokens)
    found = watched([config, *(Iteration(i, iteration_s, mfu=0.5) for i in range(40))]).findings()
    assert found.audit.logged_peak_of == whose
    assert ("TFLOP/s" in found.audit.note) is bool(whose)


def test_what_is_missing_says_what_would_tell() -> None:
    assert missing(Audit(), None, Config()) == {
        "audit.mfu": 'no GPU name that itermon can read; give --gpu-name "NVIDIA H200" or --peak-flops'
    }
    unknown = missing(Audit(peak_source="an unknown GPU"), 1.0, Config())
    assert unknown["audit.mfu"] == "an unknown GPU"
    assert unknown["audit.achieved_flops"] == (
        "no size of the model that itermon can read: give --config train.py, or record with hooks"
    )
    assert missing(Audit(achieved_flops=1.0, peak_flops=1.0), 1.0, Config()) == {}


def test_how_many_are_trained_is_not_how_many_there_are() -> None:
    said = missing(Audit(peak_flops=1.0), 1.0, Config(trained_parameters=20_975_617))["audit.achieved_flops"]
    assert "only that 21.0 M parameters are trained (adapters are few of all)" in said
    whole = Config(parameters=7_000_000_000, trained_parameters=20_975_617)
    assert "only" not in missing(Audit(peak_flops=1.0), 1.0, whole)["audit.achieved_flops"]


def test_with_a_known_size_it_is_the_tokens_that_are_missing() -> None:
    why = missing(Audit(flops_per_token=6e9), 1.0, Config(parameters=10**9))["audit.achieved_flops"]
    assert why == "the tokens of an iteration were not found"
