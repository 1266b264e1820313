import pytest

from itermon.collectors.trackers.wandb.records import Measured
from itermon.collectors.trackers.wandb.telemetry import Gauges
from itermon.events import GpuSample, HostSample

from .runs import gpu


def samples(values, gauges=None):
    gauges = gauges or Gauges()
    wanted = {name: value for name, value in values.items() if gauges.wanted(name)}
    return gauges.samples(Measured(100.0, wanted))


def test_a_gpu_in_si_units():
    values = gpu(1, 300.0, enforcedPowerLimitWatts=350, smClock=1980, uncorrectedMemoryErrors=0, memory=40)
    (found,) = samples(values)
    assert found == GpuSample(
        at_s=100.0, gpu=1, power_w=300.0, power_method="sensor", power_limit_w=350.0, memory_used_bytes=1 << 34,
        utilization=0.99, temperature_c=70.0, sm_clock_hz=1.98e9, ecc_errors=0,
    )  # fmt: skip


def test_names_and_memory_are_those_of_the_machine():
    gauges = Gauges()
    gauges.gpus = (("NVIDIA H100", 80 << 30),)
    first, second = samples(gpu(0, 1.0) | gpu(1, 2.0), gauges)
    assert (first.name, first.memory_total_bytes) == ("NVIDIA H100", 80 << 30)
    assert (second.name, second.memory_total_bytes) == ("", None)


def test_the_limit_is_what_many_samples_make_of_power_and_share():
    """W&B asks for the two one after the other: a single sample may be some watts off."""
    gauges = Gauges()
    found = [samples(gpu(0, power, powerPercent=share), gauges)[0].power_limit_w
             for power, share in [(80.0, 20.4), *[(350.0, 87.5)] * 9]]  # fmt: skip
    assert found == [None] * 7 + [400.0] * 3


def test_the_gpu_of_the_process_that_wandb_asks_for_is_known_and_of_the_other_ranks_nothing_is():
    ours = {"gpu.process.0.memoryAllocatedBytes": 1 << 30}
    mine, other = samples(gpu(0, 300.0) | gpu(1, 400.0) | ours)
    assert (mine.trainer_memory_bytes, other.trainer_memory_bytes) == (1 << 30, None)
    assert [one.trainer_memory_bytes for one in samples(gpu(0, 1.0) | gpu(1, 1.0))] == [None, None]


def test_the_power_of_an_apple_gpu_is_not_believed():
    (found,) = samples(gpu(0, 282.0, freq=1_000, powerPercent=1_709))
    assert (found.power_w, found.power_limit_w, found.power_method) == (None, None, "")
    assert "Apple" in found.absent["power_w"]


def test_the_scripts_cpu_is_a_share_of_all_cores():
    cores = {f"cpu.{number}.cpu_percent": 50.0 for number in range(8)}
    (found,) = samples(cores | {"cpu": 25.0, "proc.memory.rssMB": 1_000.0, "proc.memory.availableMB": 2_000})
    assert isinstance(found, HostSample)
    assert (found.trainer_cpu, found.machine_cores) == (2.0, 8)
    assert (found.resident_bytes, found.memory_available_bytes) == (1_000 << 20, 2_000 << 20)


def test_without_the_number_of_cores_the_cpu_is_not_known():
    assert samples({"cpu": 25.0}) == []
    gauges = Gauges()
    gauges.cores = 4
    assert samples({"cpu": 25.0}, gauges)[0].trainer_cpu == 1.0


@pytest.mark.parametrize(
    "name", ["cpu.3.cpu_percent", "disk.in", "gpu.x.gpu", "gpu.0.fanSpeed", "gpu.99999.gpu", ""]
)
def test_nobody_asks_for_the_rest(name):
    assert Gauges().wanted(name) is None


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 1e300])
def test_impossible_figures_are_none(value):
    (found,) = samples({f"gpu.0.{name}": value for name in ("gpu", "temp", "powerWatts", "memoryAllocatedBytes")})
    assert (found.utilization, found.temperature_c, found.power_w, found.memory_used_bytes) == (None,) * 4
