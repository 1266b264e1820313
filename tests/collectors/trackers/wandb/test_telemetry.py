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
    gpus = samples(gpu(0, 1.0) | gpu(1, 1.0) | {"cpu": 25.0, "proc.memory.rssMB": 5.0})[:2]
    assert [one.trainer_memory_bytes for one in gpus] == [None, None], "what is the machine's is no GPU's"


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


@pytest.mark.parametrize(("gpu_index", "count"), [(1_023, 1), (1_024, 0)])
def test_a_machine_has_a_thousand_gpus_at_most(gpu_index, count):
    assert len(samples({f"gpu.{gpu_index}.gpu": 50.0})) == count


@pytest.mark.parametrize(
    ("name", "field", "most", "unit"),
    [
        ("gpu", "utilization", 100.0, 0.01),
        ("temp", "temperature_c", 1e4, 1.0),
        ("memoryAllocatedBytes", "memory_used_bytes", 2.0**53 - 1, 1.0),
        ("uncorrectedMemoryErrors", "ecc_errors", 2.0**53 - 1, 1.0),
    ],
)
def test_a_figure_may_be_nothing_or_the_most_that_it_can_be(name, field, most, unit):
    for value, read in ((0.0, 0.0), (most, most * unit), (most * 1.001 + 1, None), (-0.1, None)):
        (found,) = samples({f"gpu.0.{name}": value})
        assert getattr(found, field) == read


@pytest.mark.parametrize(
    ("power_w", "share", "limit_w"),
    [
        (300.0, 50.0, 600.0),
        (0.0, 50.0, None),
        (1e5, 50.0, None),
        (300.0, 1.0, None),
        (300.0, 1e3, None),
        (0.5, 2.0, 25.0),
    ],
)
def test_a_limit_is_made_of_a_power_and_a_share_that_can_be(power_w, share, limit_w):
    gauges = Gauges()
    assert [samples(gpu(0, power_w, powerPercent=share), gauges)[0].power_limit_w for _ in range(8)][-1] == limit_w


def test_the_limit_is_that_of_the_last_64_samples_of_this_gpu_and_what_the_record_says_goes_before():
    gauges = Gauges()
    for _ in range(40):
        samples(gpu(0, 300.0, powerPercent=50.0), gauges)
    for power in [400.0] * 32:
        (found,) = samples(gpu(0, power, powerPercent=50.0), gauges)
    assert found.power_limit_w == 700.0, "32 of either"
    assert samples(gpu(0, 400.0, powerPercent=50.0), gauges)[0].power_limit_w == 800.0
    assert samples(gpu(1, 400.0, powerPercent=50.0), gauges)[0].power_limit_w is None
    own = gpu(0, 400.0, powerPercent=50.0, enforcedPowerLimitWatts=350)
    assert samples(own, gauges)[0].power_limit_w == 350.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"proc.memory.rssMB": 0.0}, (None, 0, None)),
        ({"proc.memory.availableMB": 5.0}, (None, None, 5 << 20)),
        ({"proc.memory.rssMB": 1e9}, None),
        ({"cpu": 0.0}, (0.0, None, None)),
        ({"cpu": 1e6}, (4e4, None, None)),
        ({"cpu": 1e6 + 1}, None),
    ],
)
def test_each_figure_of_the_machine_is_enough_for_a_sample_and_has_its_bound(values, expected):
    gauges = Gauges()
    gauges.cores = 4
    found = samples(values, gauges)
    assert [(one.trainer_cpu, one.resident_bytes, one.memory_available_bytes) for one in found] == (
        [] if expected is None else [expected]
    )


def test_the_number_of_cores_that_the_machine_says_goes_before_those_that_are_counted():
    gauges = Gauges()
    values = {f"cpu.{number}.cpu_percent": 50.0 for number in range(8)} | {"cpu": 50.0}
    assert samples(values, gauges)[0].machine_cores == 8
    gauges.cores = 16
    assert samples(values, gauges)[0].trainer_cpu == 8.0


@pytest.mark.parametrize(("used", "trainer"), [(0, 0), (2**53 - 1, 2**53 - 1), (2.0**53, None), (-1, None)])
def test_the_scripts_own_memory_has_its_bounds(used, trainer):
    (found,) = samples(gpu(0, 1.0) | {"gpu.process.0.memoryAllocatedBytes": used})
    assert found.trainer_memory_bytes == trainer
