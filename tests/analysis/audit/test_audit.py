"""Which GPU's peak a run is held against, and what is said where none is known."""

import pytest
from seed_runs import run_a, sample, watched

from itermon.analysis.audit.audit import peak_of
from itermon.events import Config, Iteration


@pytest.mark.parametrize(
    ("config", "seen", "label", "peak"),
    [
        (Config(), ("NVIDIA H200",), "H200", 989.4e12),
        (Config(gpu_name="RTX 4090"), ("NVIDIA H200",), "RTX 4090", 165.2e12),
        (Config(peak_flops=1e15), ("NVIDIA H200",), "H200", 1e15),
        (Config(peak_flops=1e15), (), None, 1e15),
        (Config(precision="fp32"), ("NVIDIA H200",), "H200", 66.9e12),
        (Config(), ("Tesla T4",), "T4", 65e12),
        (Config(), ("Radeon VII",), "Radeon VII", None),
        (Config(), (), None, None),
    ],
)
def test_a_flag_wins_over_samples_and_unknown_stays_unknown(
    config: Config, seen: tuple[str, ...], label: str | None, peak: float | None
) -> None:
    found, flops, _, _ = peak_of(config, seen)
    assert found == label
    assert flops == (None if peak is None else pytest.approx(peak))


def test_an_assumed_precision_and_a_missing_one_are_told() -> None:
    assert "bf16 assumed" in peak_of(Config(), ("NVIDIA H200",))[3]
    assert "assumed" not in peak_of(Config(precision="bf16"), ("NVIDIA H200",))[3]
    assert "at fp8 is not known" in peak_of(Config(precision="fp8"), ("NVIDIA H200",))[3]


def test_different_gpus_have_no_common_peak() -> None:
    label, peak, _, why = peak_of(Config(), ("NVIDIA H200", "NVIDIA H100 PCIe", "NVIDIA H200"))
    assert (label, peak) == ("NVIDIA H200 and NVIDIA H100 PCIe", None)
    assert "--gpu-name" in why


def test_energy_counts_all_gpus() -> None:
    events = [*run_a(), sample(299.5, "NVIDIA H200", 690.0)]
    second = [type(s)(at_s=s.at_s, gpu=1, name=s.name, power_w=s.power_w) for s in events if hasattr(s, "power_w")]
    audit = watched([*events, *second]).findings().audit
    assert audit.energy_per_iteration_j == pytest.approx(2 * 690 * 21.0, rel=1e-3)


def test_without_power_energy_is_unknown() -> None:
    audit = watched(run_a(gpu=None)).findings().audit
    assert audit.energy_per_iteration_j is None
    assert audit.energy_per_token_j is None


@pytest.mark.parametrize(("gpus", "whose"), [(8, ""), (1, "H100")])
def test_the_peak_behind_a_printed_mfu_is_not_told_from_gpus_that_nobody_counted(gpus: int, whose: str) -> None:
    """nanochat prints an MFU of 50 % on eight H100, and not how many they are."""
    flops_per_token, tokens = 4e9, 524_288
    iteration_s = flops_per_token * tokens / gpus / (0.5 * 989.4e12)
    config = Config(flops_per_token=flops_per_token, tokens_per_iteration=tokens)
    found = watched([config, *(Iteration(i, iteration_s, mfu=0.5) for i in range(40))]).findings()
    assert found.audit.logged_peak_of == whose
    assert ("TFLOP/s" in found.audit.note) is bool(whose)
