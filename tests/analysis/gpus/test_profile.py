"""One GPU over all its samples: what is counted, and of which samples."""

from collections import Counter

import pytest

from itermon.analysis.gpus.profile import Profile, middle_of
from itermon.events import GpuSample


def profile(*samples: GpuSample) -> Profile:
    found = Profile()
    for sample in samples:
        found.add(sample)
    return found


def test_of_no_sample_nothing_is_known() -> None:
    one = Profile()
    assert (one.name, one.samples, one.busy, one.nothing, one.ours) == ("", 0, 0, 0, None)
    assert (one.every_s, one.highest_hz, one.listed_hz) == (0.0, 0.0, 0.0)
    assert (one.utilization, one.power_w, one.power_share, one.temperature_c, one.clock_hz) == (None,) * 5
    assert (one.below(1e9), one.held(frozenset({"power"}))) == (None, None)


def test_means_are_those_of_the_samples_that_have_a_value() -> None:
    one = profile(
        GpuSample(1.0, utilization=0.2, power_w=100.0),
        GpuSample(2.0),
        GpuSample(3.0, utilization=0.6, power_w=400.0),
    )
    assert (one.samples, one.utilization, one.power_w) == (3, pytest.approx(0.4), pytest.approx(250.0))


def test_the_time_between_samples_is_the_median_of_the_newest_33() -> None:
    assert profile(GpuSample(5.0)).every_s == 0.0
    assert profile(GpuSample(0.0), GpuSample(2.0), GpuSample(5.0), GpuSample(5.0), GpuSample(4.0)).every_s == 2.5
    early = [GpuSample(float(n)) for n in range(100)]
    assert profile(*early, *(GpuSample(99.0 + 9 * n) for n in range(1, 17))).every_s == 1.0
    assert profile(*early, *(GpuSample(99.0 + 9 * n) for n in range(1, 18))).every_s == 9.0


def busy(**values: object) -> GpuSample:
    return GpuSample(0.0, utilization=0.9, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sample", "counts"),
    [
        (GpuSample(0.0), 0),
        (GpuSample(0.0, utilization=0.9), 1),
        (GpuSample(0.0, utilization=0.89, power_w=399.0, power_limit_w=400.0), 0),
        (GpuSample(0.0, power_w=240.0, power_limit_w=400.0), 1),
        (GpuSample(0.0, power_w=239.0, power_limit_w=400.0), 0),
        (GpuSample(0.0, power_w=399.0), 0),
    ],
)
def test_it_is_busy_by_its_utilization_and_else_by_its_power(sample: GpuSample, counts: int) -> None:
    assert profile(sample).busy == counts


def test_what_it_does_under_load_is_that_of_busy_samples() -> None:
    idle = GpuSample(0.0, utilization=0.1, power_w=0.0, temperature_c=30.0, sm_clock_hz=9e8, limits=("power",))
    one = profile(
        idle,
        idle,
        busy(power_w=200.0, power_limit_w=400.0, temperature_c=60.0, sm_clock_hz=1e9, limits=()),
        busy(
            power_w=300.0, power_limit_w=400.0, temperature_c=70.0, sm_clock_hz=1.2e9, limits=("power", "thermal")
        ),
        busy(power_w=320.0, power_limit_w=400.0, temperature_c=80.4, sm_clock_hz=2e9, limits=("power",)),
        busy(),
    )
    assert (one.busy, one.power_share, one.temperature_c, one.clock_hz) == (4, 0.75, 70.0, pytest.approx(1.4e9))
    assert one.held(frozenset({"power", "thermal"})) == pytest.approx(2 / 3)
    assert one.held(frozenset({"thermal"})) == pytest.approx(1 / 3)
    assert (one.held(frozenset({"idle"})), one.held(frozenset())) == (0.0, 0.0)
    assert [one.below(hz) for hz in (1e9, 1.1e9, 2e9, 2.1e9)] == [0.0, *map(pytest.approx, (1 / 3, 2 / 3, 1.0))]


def test_a_share_of_the_limit_that_is_no_share_is_bounded() -> None:
    assert profile(busy(power_w=9e9, power_limit_w=1.0)).power_share == 9.0
    assert profile(busy(power_w=8.5, power_limit_w=1.0)).power_share == 8.5


@pytest.mark.parametrize(("power_w", "counts"), [(0.0, 1), (0.5, 1), (0.6, 0)])
def test_busy_samples_that_take_no_power_are_counted(power_w: float, counts: int) -> None:
    assert profile(busy(power_w=power_w)).nothing == counts


def test_the_highest_clock_is_that_of_all_samples_and_the_name_the_newest() -> None:
    one = profile(
        GpuSample(0.0, name="A100", sm_clock_hz=1.4e9, sm_clock_max_hz=1.98e9),
        GpuSample(1.0, sm_clock_hz=1.2e9),
        GpuSample(2.0, name="H100", sm_clock_max_hz=1.5e9),
    )
    assert (one.name, one.highest_hz, one.listed_hz) == ("H100", 1.4e9, 1.98e9)


@pytest.mark.parametrize(
    ("memory", "ours"),
    [((None,), None), ((0,), False), ((1,), True), ((1, 0), True), ((0, 1), True), ((1, None), True)],
)
def test_it_is_ours_once_the_trainer_had_memory_on_it(memory: tuple[int | None, ...], ours: bool | None) -> None:
    assert profile(*(GpuSample(0.0, trainer_memory_bytes=each) for each in memory)).ours is ours


@pytest.mark.parametrize(
    ("values", "middle"), [((), None), ((7,), 7.0), ((1, 5), 1.0), ((5, 1, 9), 5.0), ((1, 1, 1, 9, 9), 1.0)]
)
def test_the_middle_of_what_was_counted_is_its_median(values: tuple[int, ...], middle: float | None) -> None:
    assert middle_of(Counter(values)) == middle


@pytest.mark.parametrize("hz", [1.005e9, 1.0054e9])
def test_clocks_are_counted_to_a_megahertz(hz: float) -> None:
    assert profile(GpuSample(0.0, utilization=1.0, sm_clock_hz=hz)).clock_hz == 1.005e9
