"""Which GPU's peak a run is held against, and what is said where none is known."""

import pytest

from itermon.analysis.audit.gpu_peak import GpuPeak, gpu_peak, on_cpu
from itermon.events import Config


@pytest.mark.parametrize(
    ("config", "seen", "label", "peak"),
    [
        (Config(), ("NVIDIA H200",), "H200", 989.4e12),
        (Config(gpu_name="RTX 4090"), ("NVIDIA H200",), "RTX 4090", 165.2e12),
        (Config(gpu_name="RTX 4090"), ("NVIDIA H200", "NVIDIA H100 PCIe"), "RTX 4090", 165.2e12),
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
    found = gpu_peak(config, seen)
    assert found.gpu == label
    assert found.flops == (None if peak is None else pytest.approx(peak))


def test_an_assumed_precision_and_a_missing_one_are_said() -> None:
    assert gpu_peak(Config(), ("NVIDIA H200",)).source.endswith("; bf16 assumed")
    assert "assumed" not in gpu_peak(Config(precision="bf16"), ("NVIDIA H200",)).source
    unknown = gpu_peak(Config(precision="fp8"), ("NVIDIA H200",))
    assert unknown == GpuPeak("H200", None, "fp8", "the peak of H200 at fp8 is not known; give --peak-flops")


def test_a_given_peak_is_believed_and_named_so() -> None:
    assert gpu_peak(Config(peak_flops=1e15, precision="fp8"), ("NVIDIA H200",)) == GpuPeak(
        "H200", 1e15, "fp8", "given"
    )
    assert gpu_peak(Config(), ()).source == ""


def test_different_gpus_have_no_common_peak() -> None:
    found = gpu_peak(Config(), ("NVIDIA H200", "NVIDIA H100 PCIe", "NVIDIA H200"))
    assert (found.gpu, found.flops) == ("NVIDIA H200 and NVIDIA H100 PCIe", None)
    assert found.source == "different GPUs (NVIDIA H200 and NVIDIA H100 PCIe); give the slowest as --gpu-name"
    assert gpu_peak(Config(), ("NVIDIA H200", "NVIDIA H200")).gpu == "H200"


def test_of_the_different_gpus_of_a_machine_one_is_used() -> None:
    several = {"gpu_names": "NVIDIA H200, NVIDIA H100 PCIe"}
    found = gpu_peak(Config(world_size=1, extra=several), ())
    assert (found.gpu, found.flops) == (None, None)
    assert found.source.startswith("it trains on one of several GPUs (NVIDIA H200 and NVIDIA H100 PCIe)")
    for size in (2, None):
        assert gpu_peak(Config(world_size=size, extra=several), ()).source.startswith("different GPUs")


def test_a_run_on_the_cpu_has_no_gpu_though_one_is_there() -> None:
    cpu = Config(extra={"device": "cpu"})
    assert on_cpu(cpu)
    assert not on_cpu(Config(extra={"device": "cuda:0"}))
    assert not on_cpu(Config(gpu_name="H200", extra={"device": "cpu"}))
    found = gpu_peak(cpu, ("NVIDIA H200",))
    assert (found.gpu, found.flops) == (None, None)
    assert found.source == "it trains on the CPU, whose peak is not known; give --peak-flops"
    assert gpu_peak(Config(peak_flops=1e12, extra={"device": "cpu"}), ()).flops == 1e12


def test_nobody_is_asked_for_the_name_of_a_gpu_of_apples() -> None:
    mac = Config(extra={"device": "mps"})
    assert "Apple" in gpu_peak(mac, ()).source
    assert gpu_peak(Config(peak_flops=1e12, extra=mac.extra), ()) == GpuPeak(None, 1e12, None, "given")
    assert gpu_peak(mac, ("NVIDIA H200",)).gpu == "H200"
