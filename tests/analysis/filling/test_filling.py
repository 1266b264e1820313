"""When something will be full: planted leaks at half time, and what only looks like one."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from simulated_memory import HEALTHY, LEAKS, LIMIT, Followed, Shape, healthy, leak

from itermon.analysis.filling import filling
from itermon.analysis.filling.filling import DISK, EPOCH, GPU, MACHINE, MEMORY, SHARED, Fillings, _gpu, _host
from itermon.analysis.run import Run
from itermon.events import CHECKPOINT, EVALUATION, Config, End, GpuSample, HostSample, Iteration, RunInfo, SpanEnd

if TYPE_CHECKING:
    from itermon.analysis.findings import Filling

# The bounds as numbers of its own: from the code, a test would move with them.
RARELY = 32


@pytest.mark.parametrize("kind", LEAKS)
def test_at_half_time_of_a_leak_the_iteration_of_its_end_is_known_within_a_tenth(kind: str) -> None:
    right = []
    for seed in (7, 16):
        followed, end = leak(kind, seed)
        found = None
        for number in range(end // 2 + 1):
            found = followed.sample(number)
        assert found is not None
        right.append(found.full_at_iteration == pytest.approx(end * followed.iterations, rel=0.1))
        assert found.low_iteration <= found.full_at_iteration <= found.high_iteration
        assert found.full_at_s - 1e9 == pytest.approx(end * followed.every_s, rel=0.1)
    assert all(right)


@pytest.mark.parametrize("kind", HEALTHY)
def test_what_swings_steps_or_settles_is_never_forecast(kind: str) -> None:
    followed = healthy(kind, 3)
    assert [number for number in range(1_000) if followed.sample(number) is not None] == []


@pytest.mark.parametrize("begins", [0, 200, 500, 700])
def test_a_leak_is_seen_wherever_it_begins(begins: int) -> None:
    followed = Followed(Shape(lambda number: 0.3 + max(0, number - begins) * 0.0007))
    found = [followed.sample(number) for number in range(begins + 700)][-1]
    assert found is not None
    assert found.full_at_iteration == pytest.approx(2 * (begins + 1_000), rel=0.03)


def test_growth_that_ends_is_forecast_no_longer() -> None:
    followed = Followed(Shape(lambda number: 0.3 + min(number, 700) * 0.0007))
    found = [followed.sample(number) for number in range(1_600)]
    assert found[700] is not None
    assert found[-1] is None


def test_the_jump_at_each_evaluation_is_named() -> None:
    jump = 310 << 20
    followed = Followed(Shape(lambda number: 0.5 + number // 50 * jump / LIMIT, evaluates=50))
    found = [followed.sample(number) for number in range(2_800)][-1]
    assert found is not None
    assert (found.jump_at, found.jump_bytes) == ("evaluation", pytest.approx(jump, rel=1e-6))
    full = next(number for number in range(9_999) if 0.5 + number // 50 * jump / LIMIT >= 1)
    assert found.full_at_iteration == pytest.approx(2 * full, abs=100)


@pytest.mark.parametrize(("evaluates", "epoch", "at"), [(50, 0, EVALUATION), (0, 50, EPOCH), (50, 50, EVALUATION)])
def test_jumps_are_named_long_before_anything_is_forecast_and_at_epochs_too(
    evaluates: int, epoch: int, at: str
) -> None:
    jump = 1200 << 20
    shape = Shape(lambda number: 0.2 + number // 50 * jump / LIMIT, evaluates, epoch)
    followed = Followed(shape)
    forecasts = [followed.sample(number) for number in range(180)]
    assert forecasts[-1] is None
    (found,) = followed.fillings.jumps()
    assert (found.what, found.at, found.times, found.gpu) == (MEMORY, at, 3, None)
    assert found.each_bytes == pytest.approx(jump, rel=1e-6)


def test_jumps_that_are_part_of_a_forecast_are_not_named_twice() -> None:
    jump = 310 << 20
    followed = Followed(Shape(lambda number: 0.5 + number // 50 * jump / LIMIT, evaluates=50))
    assert [followed.sample(number) for number in range(2_800)][-1] is not None
    assert followed.fillings.jumps() == ()


@pytest.mark.parametrize("kind", HEALTHY)
def test_what_swings_steps_or_settles_has_no_jumps(kind: str) -> None:
    for seed in range(3):
        followed = healthy(kind, seed)
        for number in range(1_000):
            followed.sample(number)
            assert followed.fillings.jumps() == ()


def test_two_jumps_and_three_that_differ_are_not_named() -> None:
    for jumps in ((1, 1), (1, 3, 1), (1, 1, 0)):
        steps = [0, *accumulate(jumps)]
        followed = Followed(Shape(lambda n, s=steps: 0.2 + 0.02 * s[min(n // 50, len(s) - 1)], evaluates=50))
        for number in range(50 * len(steps) + 20):
            followed.sample(number)
        assert followed.fillings.jumps() == ()


def test_checkpoints_that_are_kept_are_no_fault_of_the_disk() -> None:
    fillings = Fillings()
    for number in range(500):
        if number % 50 == 0:
            fillings.stop(SpanEnd(CHECKPOINT, 1e9 + 10 * number - 1, number, duration_s=1.0), number)
        fillings.add(HostSample(1e9 + 10 * number, disk_free_bytes=10_000 * GIB - number // 50 * GIB), number)
    assert fillings.jumps() == ()


def filled(sample: GpuSample | HostSample, field: str, first: int, each: int) -> list[Filling]:
    """What is found when one field of a sample grows."""
    fillings = Fillings()
    for number in range(1_000):
        fillings.add(replace(sample, at_s=1e9 + 10 * number, **{field: first + each * number}), 3 * number)
    return list(fillings.found())


GIB = 1 << 30


def test_everything_that_has_a_limit_is_followed() -> None:
    each = 40 * (GIB >> 10)
    (gpu,) = filled(GpuSample(0.0, gpu=3, memory_total_bytes=80 * GIB), "memory_used_bytes", 10 * GIB, each)
    assert (gpu.what, gpu.gpu, gpu.limit_bytes) == (GPU, 3, 80 * GIB)
    (shared,) = filled(HostSample(0.0, shared_total_bytes=64 * GIB), "shared_used_bytes", 0, each)
    assert (shared.what, shared.gpu) == (SHARED, None)
    (disk,) = filled(HostSample(0.0), "disk_free_bytes", 70 * GIB, -each)
    assert (disk.what, disk.limit_bytes) == (DISK, None)
    assert disk.left_bytes == pytest.approx(70 * GIB - 999 * each, rel=0.05)
    assert disk.full_at_iteration == pytest.approx(3 * 70 * GIB / each, rel=0.01)
    group = HostSample(0.0, memory_limit_bytes=64 * GIB, memory_total_bytes=900 * GIB)
    (charged,) = filled(group, "memory_charged_bytes", 4 * GIB, each)
    assert (charged.what, charged.limit_bytes) == (MACHINE, 64 * GIB)


def test_where_the_trainers_own_memory_grows_the_machines_is_not_said_beside_it() -> None:
    followed = Followed(Shape(lambda number: 0.3 + number * 0.0007))
    said = {one.what for number in range(700) if followed.sample(number) for one in followed.fillings.found()}
    assert said == {MEMORY}


def test_another_process_begins_anew_and_rare_samples_are_asked_often() -> None:
    followed = Followed(Shape(lambda number: 0.3 + number * 0.007), every_s=60.0)
    found = [followed.sample(number) for number in range(60)]
    assert found[-1] is not None
    assert 2 * RARELY > 60
    followed.fillings.clear()
    assert followed.fillings.found() == ()


GIB = 1 << 30


@pytest.mark.parametrize(
    ("sample", "room"),
    [
        (HostSample(0.0, 1.0), {}),
        (
            HostSample(0.0, 1.0, memory_total_bytes=100 * GIB, memory_available_bytes=30 * GIB),
            {MACHINE: (70, 100)},
        ),
        (HostSample(0.0, 1.0, memory_total_bytes=100 * GIB), {MACHINE: (0, 100)}),
        (HostSample(0.0, 1.0, memory_charged_bytes=5 * GIB), {}),  # of no known limit
        *(
            (
                HostSample(0.0, 1.0, memory_total_bytes=100 * GIB, memory_available_bytes=30 * GIB, **half),
                {MACHINE: (70, 100)},
            )
            for half in ({"memory_charged_bytes": 5 * GIB}, {"memory_limit_bytes": 20 * GIB})
        ),
        (
            HostSample(
                0.0,
                1.0,
                memory_total_bytes=100 * GIB,
                memory_available_bytes=30 * GIB,
                memory_charged_bytes=5 * GIB,
                memory_limit_bytes=20 * GIB,
                resident_bytes=4 * GIB,
            ),
            {MACHINE: (5, 20), MEMORY: (4, 19)},
        ),
        (
            HostSample(
                0.0,
                1.0,
                memory_available_bytes=3 * GIB,  # the machine has less than the group may take
                memory_charged_bytes=5 * GIB,
                memory_limit_bytes=20 * GIB,
                resident_bytes=4 * GIB,
            ),
            {MACHINE: (5, 20), MEMORY: (4, 7)},
        ),
        (HostSample(0.0, 1.0, shared_used_bytes=GIB, shared_total_bytes=2 * GIB), {SHARED: (1, 2)}),
        (HostSample(0.0, 1.0, shared_used_bytes=GIB), {}),
        (HostSample(0.0, 1.0, disk_free_bytes=7 * GIB), {DISK: (-7, 0)}),
        (GpuSample(0.0, 3, memory_used_bytes=GIB, memory_total_bytes=2 * GIB), {GPU: (1, 2)}),
        (GpuSample(0.0, 3, memory_used_bytes=GIB), {}),
        (GpuSample(0.0, 3, memory_total_bytes=2 * GIB), {}),
    ],
)
def test_what_is_used_is_held_against_what_there_is(
    sample: GpuSample | HostSample, room: dict[str, tuple[int, int]]
) -> None:
    said = _gpu(sample) if isinstance(sample, GpuSample) else _host(sample)
    assert {kind: (used / GIB, limit / GIB) for (kind, *_), used, limit in said} == room


def test_a_gpu_and_each_of_its_parts_are_followed_apart() -> None:
    samples = [
        GpuSample(0.0, gpu, mig, memory_used_bytes=1, memory_total_bytes=2)
        for gpu in (0, 1)
        for mig in (None, 0, 1)
    ]
    assert len({key for sample in samples for key, _, _ in _gpu(sample)}) == 6


def test_a_stop_of_no_known_length_began_when_it_ended() -> None:
    """The only sample before the first of three is half a second older."""
    fillings = Fillings()
    for number in range(130):
        at_s, used = 1e9 + 10 * number, (10 + 2 * ((number + 49) // 50)) * GIB
        sample = HostSample(
            at_s, resident_bytes=used, memory_total_bytes=LIMIT, memory_available_bytes=LIMIT - used
        )
        fillings.add(sample, number)
        if number % 50 == 0:
            fillings.stop(SpanEnd(EVALUATION, at_s + 0.5), number)
    (found,) = fillings.jumps()
    assert (found.at, found.each_bytes, found.times) == (EVALUATION, 2 * GIB, 3)


def test_what_a_trainer_says_of_its_epochs_is_in_its_verdict() -> None:
    run = Run()
    run.apply([RunInfo(clock="hook"), Config(iterations_per_epoch=100)])
    for number in range(360):
        used, at_s = 8 * GIB + (number + 1) // 100 * GIB, 1e9 + 10 * number
        sample = HostSample(
            at_s, resident_bytes=used, memory_available_bytes=LIMIT - used, memory_total_bytes=LIMIT
        )
        run.apply([Iteration(number, 10.0, at_s=at_s), sample])
    found = run.findings(1e9 + 3_600)
    assert "Resident memory jumps by 1.00 GiB at each epoch, 3 times so far." in found.verdict.evidence
    run.apply([End(at_s=1e9 + 3_601)])
    assert run.findings(1e9 + 3_601).jumps == ()


def test_it_is_asked_anew_after_each_of_the_first_samples_and_then_ever_more_rarely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(filling, "forecast", lambda *given: asked.append(given[2].samples))
    fillings = Fillings()
    for number in range(700):
        fillings.add(HostSample(float(number), disk_free_bytes=GIB), number)
    assert asked[:35] == [*range(1, 32), 32, 34, 36, 38]
    assert asked[-2:] == [640, 672]


@pytest.mark.parametrize(("others", "seen"), [(127, True), (128, False)])
def test_no_more_than_so_many_things_fill_and_the_first_of_them_go_on(others: int, seen: bool) -> None:
    fillings = Fillings()
    for number in range(170):
        used = (9 + 2 * ((number + 1) // 40)) * GIB
        for gpu in [*range(1, others + 1)] * (number < 2) + [0]:
            sample = GpuSample(10.0 * number, gpu, memory_used_bytes=used, memory_total_bytes=80 * GIB)
            fillings.add(sample, number, 40)
    assert bool(fillings.jumps()) is seen


def test_jumps_of_a_gpu_say_which_it_is() -> None:
    for gpu in (0, 3):
        fillings = Fillings()
        for number in range(170):
            used = (9 + 2 * ((number + 1) // 40)) * GIB
            fillings.add(
                GpuSample(10.0 * number, gpu, memory_used_bytes=used, memory_total_bytes=80 * GIB), number, 40
            )
        (found,) = fillings.jumps()
        assert (found.what, found.at, found.gpu) == (GPU, EPOCH, gpu)
