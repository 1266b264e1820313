"""GPUs of two runs side by side: only what both say, and only of the GPUs that trained."""

import pytest
from seed_runs import watched

from itermon.analysis.findings import Findings, GpuClock, GpuUse, Progress
from itermon.analysis.run import Run
from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.comparison import Pair
from itermon.analysis.whatif.gpu_pairs import _iteration_joules, gpu_pairs
from itermon.events import Event, GpuSample, Iteration


def trained(gpus: dict[int, tuple[float, float]], *, iteration_s: float = 2.0) -> Run:
    """100 iterations beside a sample every second of each GPU: its power and how busy it is."""
    events: list[Event] = [Iteration(i, iteration_s, at_s=1000.0 + iteration_s * (i + 1)) for i in range(100)]
    events += [
        GpuSample(
            1000.0 + s,
            gpu,
            name="NVIDIA L4",
            power_w=power_w,
            power_limit_w=100.0,
            utilization=used,
            trainer_memory_bytes=ours,
        )
        for s in range(int(100 * iteration_s))
        for gpu, (power_w, used) in gpus.items()
        for ours in [10**9 if used else 0]
    ]
    return watched(events)


def test_power_energy_and_use_are_of_the_gpus_that_trained() -> None:
    a, b = trained({0: (60.0, 0.9), 1: (40.0, 0.5), 2: (9.0, 0.0)}), trained({0: (72.0, 1.0)}, iteration_s=4.0)
    gpus = compare(a, b).gpus
    assert gpus is not None
    assert (gpus.names, gpus.counts) == (("NVIDIA L4", "NVIDIA L4"), (2, 1))
    assert gpus.power_w is not None
    assert (gpus.power_w.a, gpus.power_w.b) == pytest.approx((50.0, 72.0))
    assert gpus.utilization is not None
    assert (gpus.utilization.a, gpus.utilization.b) == pytest.approx((0.7, 1.0))
    assert gpus.iteration_joules is not None  # two GPUs of 50 W for 2 s; one of 72 W for 4 s
    assert (gpus.iteration_joules.a, gpus.iteration_joules.b) == pytest.approx((200.0, 288.0))
    assert gpus.clock_hz is None


def test_where_one_run_has_no_samples_nothing_is_said() -> None:
    bare = watched([Iteration(i, 2.0) for i in range(100)])
    assert compare(bare, trained({0: (72.0, 1.0)})).gpus is None
    assert compare(trained({0: (72.0, 1.0)}), bare).gpus is None


@pytest.mark.parametrize(("one", "other"), [([0], []), ([], [0])])
def test_a_run_that_does_not_know_its_gpus_is_not_compared(one: list[int], other: list[int]) -> None:
    a, b = (Findings(gpu_use=GpuUse(9, 15.0, ours=tuple(ours))) for ours in (one, other))
    assert gpu_pairs(a, b) is None


def test_power_that_no_chip_can_take_is_not_compared() -> None:
    gpus = compare(trained({0: (200.0, 1.0)}), trained({0: (72.0, 1.0)})).gpus
    assert gpus is not None
    assert (gpus.power_w, gpus.iteration_joules) == (None, None)


def test_a_ratio_beyond_all_numbers_is_none() -> None:
    gpus = compare(trained({0: (60.0, 5e-324)}), trained({0: (60.0, 0.9)})).gpus
    assert gpus is None or gpus.utilization is None
    assert Pair.of(5e-324, 1.0) is None


@pytest.mark.parametrize(("wall_s", "seen"), [(None, 100), (0.0, 100), (200.0, 0)])
def test_without_wall_time_or_iterations_none_has_an_energy(wall_s: float | None, seen: int) -> None:
    progress = Progress(wall_s=wall_s, iterations_seen=seen)
    assert (
        _iteration_joules(Findings(progress=progress), GpuUse(samples=9, every_s=1.0, ours=(0,), power_w=50.0))
        is None
    )


def test_iterations_that_were_never_printed_have_their_share_of_the_energy() -> None:
    progress = Progress(wall_s=200.0, iterations_seen=110, iterations_unseen=70, iterations_before=10)
    assert (
        _iteration_joules(Findings(progress=progress), GpuUse(samples=9, every_s=1.0, ours=(0, 1), power_w=50.0))
        == 200.0
    )


def test_clocks_and_temperatures_are_means_of_those_that_say_them() -> None:
    def of(*temperatures: float | None) -> Findings:
        clocks = (GpuClock(n, "", (n + 1) * 1e9, 2e9, 0.5, temperature_c=c) for n, c in enumerate(temperatures))
        return Findings(gpu_use=GpuUse(samples=9, every_s=1.0, ours=(0, 1), clocks=tuple(clocks)))

    gpus = gpu_pairs(of(60.0, None), of(50.0, 70.0))
    assert gpus is not None
    assert gpus.clock_hz is not None
    assert gpus.temperature_c is not None
    assert (gpus.clock_hz.a, gpus.clock_hz.b) == (1.5e9, 1.5e9)
    assert (gpus.temperature_c.a, gpus.temperature_c.b) == (60.0, 60.0)
    silent = gpu_pairs(of(None, None), of(50.0, 70.0))
    assert silent is not None
    assert silent.temperature_c is None
