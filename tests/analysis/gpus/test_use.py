"""All that the samples say of a run's GPUs: whose they are, what is idle, what cannot be right."""

import random
from collections.abc import Mapping, Sequence

import pytest
from real_logs import CORPUS

from itermon.analysis.findings import GpuUse
from itermon.analysis.gpus.profile import Profile
from itermon.analysis.gpus.use import gpu_use
from itermon.analysis.run import Run
from itermon.collectors.gpu_logs.recording import Recording
from itermon.events import GpuSample

REAL = CORPUS / "gpu"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the recordings of real machines are not here")


def box(count: int = 200) -> tuple[dict[int, Profile], dict[int, list[float]]]:
    """Eight GPUs, each 30 s: 0 to 3 train together, 4 and 5 do nothing, 6 and 7 have jobs of their own."""
    chance = random.Random(7)
    profiles: dict[int, Profile] = {n: Profile() for n in range(8)}
    series: dict[int, list[float]] = {n: [] for n in range(8)}
    for n in range(count):
        together = chance.gauss(0, 20)
        watts = [310 + together + chance.gauss(0, 10) for _ in range(4)] + [66, 66, 395 + chance.gauss(0, 4)]
        watts.append(172 + chance.gauss(0, 60))
        used = [0.96] * 4 + [0, 0, 0.99, 0.39]
        for gpu in range(8):
            series[gpu].append(watts[gpu])
            profiles[gpu].add(
                GpuSample(30.0 * n, gpu, power_w=watts[gpu], power_limit_w=400, utilization=used[gpu])
            )
    return profiles, series


def used(profiles: Mapping[int, Profile], series: Mapping[int, Sequence[float]], world_size: int | None) -> GpuUse:
    found = gpu_use(profiles, series, world_size)
    assert found is not None
    return found


def test_those_that_work_together_and_are_as_many_as_train_are_ours() -> None:
    use = used(*box(), 4)
    assert (use.ours, use.others, use.idle) == ((0, 1, 2, 3), (6, 7), (4, 5))
    assert use.idle_w == pytest.approx(66)
    assert use.utilization == pytest.approx(0.96)


def test_where_nobody_says_how_many_train_nobody_is_called_ours() -> None:
    use = used(*box(), None)
    assert (use.ours, use.others, use.apart) == ((), (), ((0, 1, 2, 3), (6,), (7,)))
    assert "not known" in use.why_unknown


def on(profiles: dict[int, Profile], **bytes_by_gpu: int) -> None:
    for name, used_bytes in bytes_by_gpu.items():
        gpu = int(name[1:])
        profiles[gpu].add(GpuSample(1e6, gpu, utilization=0.9, trainer_memory_bytes=used_bytes))


def test_the_source_knows_best() -> None:
    profiles, series = box()
    on(profiles, g0=1 << 30, g1=1 << 30, g2=0, g3=0, g6=0, g7=0)
    use = used(profiles, series, None)
    assert (use.ours, use.others) == ((0, 1), (2, 3, 6, 7))


def test_where_the_source_knows_of_one_rank_those_that_work_with_it_are_the_others() -> None:
    profiles, series = box()
    on(profiles, g0=1 << 30)
    use = used(profiles, series, None)
    assert (use.ours, use.others, use.idle) == ((0, 1, 2, 3), (6, 7), (4, 5))


def test_noise_that_differs_is_no_other_job() -> None:
    profiles: dict[int, Profile] = {n: Profile() for n in range(4)}
    series: dict[int, list[float]] = {n: [] for n in range(4)}
    chance = random.Random(3)
    for n in range(300):
        for gpu in range(4):
            watts = 680 + 5 * gpu + chance.gauss(0, 5)
            series[gpu].append(watts)
            profiles[gpu].add(GpuSample(15.0 * n, gpu, power_w=watts, power_limit_w=700, utilization=0.99))
    assert used(profiles, series, None).ours == (0, 1, 2, 3)


def test_a_busy_gpu_that_takes_nothing_has_a_broken_sensor() -> None:
    run = Run()
    run.apply([GpuSample(15.0 * n, utilization=1.0, power_w=0.0 if n % 5 else 150.0) for n in range(40)])
    found = run.findings()
    assert found.gpu_use is not None
    assert found.gpu_use.impossible_power == {"0": "0 W in 80 % of the samples in which it is busy"}
    assert found.load is not None
    assert (found.load.power_w, found.audit.energy_run_j) == (None, None)


def recorded(name: str) -> GpuUse:
    run = Run()
    for samples in Recording(REAL / name).new():
        run.apply(samples)
    found = run.findings().gpu_use
    assert found is not None
    return found


@needs_real
def test_real_machines_are_what_is_known_of_them() -> None:
    deep = recorded("bagoftricks-partialkey-20min-4xH100-deep-throttle/gpu.csv")
    assert (deep.limited_by, deep.gating, deep.every_s) == ("power", (1, 2), 15)
    free = recorded("bagoftricks-attnres-10b-4xH100-not-capped/gpu.csv")
    assert (free.limited_by, free.gating) == ("nothing", ())
    trap = recorded("cs336-apple-m3pro-evals/gpu.csv")
    assert list(trap.impossible_power) == ["0"]
    shared = recorded("alpaca-8xA100-hf-trainer/gpu.csv")
    assert shared.apart == ((0, 1, 2, 3), (6,), (7,))
    starved = recorded("v100s-1h-10s/gpu_usage.log")
    assert starved.utilization == pytest.approx(0.26, abs=0.01)
    assert starved.period_s == pytest.approx(110, abs=1)
    assert recorded("nanogpt-rtx3090-12h/gpu.csv").why_unknown == "the samples have no clocks"
    assert recorded("nanogpt-8gpu-300ms/gpu_metrics.csv").ours == tuple(range(8))


def test_a_few_samples_tell_nobody_apart() -> None:
    profiles, series = box(20)
    assert used(profiles, series, None).ours == (0, 1, 2, 3, 6, 7)


@pytest.mark.parametrize("world_size", [None, 1, 4])
def test_the_only_gpu_that_is_busy_is_ours(world_size: int | None) -> None:
    profiles = {n: Profile() for n in range(2)}
    for n, one in profiles.items():
        one.add(GpuSample(0.0, n, utilization=0.9 * n))
    use = used(profiles, {}, world_size)
    assert (use.ours, use.ours_by, use.idle) == ((1,), "no other GPU is busy", (0,))


def test_of_two_busy_gpus_that_nothing_tells_apart_both_are_ours() -> None:
    profiles = {n: Profile() for n in range(2)}
    for n, one in profiles.items():
        one.add(GpuSample(0.0, n, utilization=0.9))
    use = used(profiles, {}, None)
    assert (use.ours, use.ours_by) == ((0, 1), "nothing tells the busy GPUs apart")
    assert used(profiles, {}, 2).ours_by == "no other GPU is busy"


@pytest.mark.parametrize(("most", "period_s"), [(0.75, 20.0), (0.9375, None)])
def test_a_period_is_looked_for_where_gpus_wait_half_of_the_time(most: float, period_s: float | None) -> None:
    values = [most if n % 10 < 5 else 0.0625 for n in range(200)]
    one = Profile()
    for n, value in enumerate(values):
        one.add(GpuSample(2.0 * n, 0, utilization=value))
    use = used({0: one}, {0: values}, None)
    assert (use.utilization, use.period_s) == ((most + 0.0625) / 2, period_s)
