"""What holds the clocks down: by the power, by the clock, by the driver's own words."""

import csv
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from real_logs import CORPUS

from itermon.analysis.gpus import limits
from itermon.analysis.gpus.limits import HEAT, NOTHING, OTHER, POWER
from itermon.analysis.gpus.profile import Profile
from itermon.analysis.gpus.use import gpu_use
from itermon.events import GpuSample

RUNS = CORPUS / "gpu" / "h100_runs.csv"


def profile(
    clocks_mhz: list[int], watts: float, limits: tuple[str, ...] | None = None, name: str = "NVIDIA H100 80GB HBM3"
) -> Profile:
    found = Profile()
    found.add(GpuSample(0.0, name=name, utilization=0.0, power_w=120.0, power_limit_w=700.0, sm_clock_hz=1.98e9))
    for n, clock in enumerate(clocks_mhz):
        sample = GpuSample(15.0 * (n + 1), name=name, utilization=0.99, power_limit_w=700.0, limits=limits)
        noise = random.Random(n).gauss(0, 4)
        found.add(msgspec.structs.replace(sample, power_w=watts + noise, sm_clock_hz=clock * 1e6))
    return found


def judged(*profiles: Profile) -> str | None:
    use = gpu_use(dict(enumerate(profiles)), {}, len(profiles))
    assert use is not None
    return use.limited_by


CAPPED = [1860, 1875, 1845, 1890, 1830, 1875, 1860, 1905] * 5
FULL = [1980] * 40
SET_BY_HAND = [1830] * 40


@pytest.mark.parametrize(
    ("clocks", "watts", "limits", "said"),
    [
        (CAPPED, 685, None, POWER),
        (CAPPED, 662, None, POWER),  # 94.6 % of the limit, as the least limited of the real ones
        (FULL, 678, None, NOTHING),  # 97 % of it, and never held back
        (FULL[:38] + CAPPED[:2], 684, None, NOTHING),  # for a moment
        (SET_BY_HAND, 660, None, OTHER),  # a clock that stands still was set
        (CAPPED, 560, None, OTHER),  # held down, and not by its power: nobody says by what
        (CAPPED, 560, ("thermal",), HEAT),
        (CAPPED, 685, ("power cap",), POWER),
        (CAPPED, 600, ("power cap",), POWER),  # of another rail than the one that is measured
        (CAPPED, 120, ("power cap",), OTHER),  # one of the two is wrong
        (CAPPED, 685, ("power cap", "hardware thermal"), HEAT),
        (FULL, 600, (), NOTHING),
        (CAPPED, 685, ("application clocks",), OTHER),
        (CAPPED[:5], 685, None, None),  # too few
    ],
)
def test_a_gpu(clocks: list[int], watts: float, limits: tuple[str, ...] | None, said: str | None) -> None:
    assert judged(profile(clocks, watts, limits)) == said


def test_the_slowest_gates_the_others() -> None:
    slow = [c - 60 for c in CAPPED]
    use = gpu_use(dict(enumerate(map(profile, (CAPPED, slow, slow, FULL), (685, 690, 690, 640)))), {}, 4)
    assert use is not None
    assert (use.gating, use.limited_by) == ((1, 2), POWER)
    assert use.clocks[1].share == pytest.approx(1807.5 / 1980, abs=0.003)


def test_where_the_highest_clock_was_never_seen_that_of_its_kind_counts_or_the_listed_one() -> None:
    never = Profile()
    for n, clock in enumerate(CAPPED):
        sample = GpuSample(n, name="NVIDIA H100", utilization=1.0, power_w=690, power_limit_w=700)
        never.add(msgspec.structs.replace(sample, sm_clock_hz=clock * 1e6, sm_clock_max_hz=1.98e9))
    use = gpu_use({0: never}, {}, None)
    assert use is not None
    assert use.clocks[0].boost_hz == 1.98e9
    never.name = "NVIDIA GeForce RTX 4090"  # whose listed clock no load reaches
    use = gpu_use({0: never}, {}, None)
    assert use is not None
    assert use.clocks[0].boost_hz == 1.905e9


@pytest.mark.skipif(not RUNS.is_file(), reason="the table of 20 real runs is not here")
def test_twenty_real_runs_as_their_table_says() -> None:
    """Made from each run's means and extremes: the samples are in the repository that the table names."""
    wrong = []
    with RUNS.open() as file:
        for row in csv.DictReader(file):
            share, below = float(row["clock_below_boost_share"]), []
            for gpu in range(4):
                mean, least = float(row[f"clk{gpu}"]), float(row[f"clkmin{gpu}"])
                spread = [mean - 30, mean, mean + 30, mean, mean - 15, mean + 15]
                clocks = [round(min(1980, clock)) for clock in spread * 10] + [round(least)]
                below.append(
                    profile(clocks if share > 0.5 else [1980] * 60 + [round(least)], float(row[f"w{gpu}"]) + 4)
                )
            if (judged(*below) == POWER) != (share > 0.5):
                wrong.append(row["run"])
    assert not wrong


@pytest.mark.parametrize(
    ("capped", "hot", "below", "power", "reason"),
    [
        (None, 0.1, 0.9, 0.99, HEAT),
        (0.0, 0.09, 0.9, 0.99, OTHER),
        (None, None, 0.49, 0.99, NOTHING),
        (None, None, 0.5, 0.99, POWER),
        (0.49, 0.0, 0.49, 0.99, NOTHING),
        (0.5, 0.0, 0.49, 0.99, POWER),
        (0.9, 0.0, 0.09, 0.99, NOTHING),
        (0.9, 0.0, 0.1, 0.99, POWER),
        (0.49, 0.0, 0.5, 0.99, OTHER),
        (0.5, 0.0, 0.5, 0.8, POWER),
        (0.5, 0.0, 0.5, 0.79, OTHER),
        (0.5, 0.0, 0.5, None, POWER),
        (None, None, 0.5, 0.92, OTHER),
        (None, None, 0.5, 0.93, POWER),
        (None, None, 0.5, None, OTHER),
    ],
)
def test_each_reason_begins_where_its_share_does(
    capped: float | None, hot: float | None, below: float, power: float | None, reason: str
) -> None:
    one: Any = SimpleNamespace(
        held=lambda kinds: capped if "power cap" in kinds and len(kinds) == 1 else hot,
        power_share=power,
        clocks=Counter({1_900: 5, 1_800: 5}),
    )
    assert limits._reason(one, below) == reason


@pytest.mark.parametrize(("same", "power", "reason"), [(8, 0.97, POWER), (9, 0.97, OTHER), (9, 0.98, POWER)])
def test_a_clock_that_stands_in_more_than_four_fifths_was_set(same: int, power: float, reason: str) -> None:
    one: Any = SimpleNamespace(
        held=lambda _: None, power_share=power, clocks=Counter({1_900: same, 1_800: 10 - same})
    )
    assert limits._reason(one, 0.9) == reason


@pytest.mark.parametrize(
    ("clock_hz", "below", "samples", "known"),
    [(1.9e9, 0.5, 8, True), (1.9e9, 0.5, 7, False), (None, 0.5, 8, False), (1.9e9, None, 8, False)],
)
def test_a_clock_is_judged_after_eight_busy_samples(
    clock_hz: float | None, below: float | None, samples: int, known: bool
) -> None:
    asked: list[float] = []
    one: Any = SimpleNamespace(
        clock_hz=clock_hz,
        below=lambda hz: asked.append(hz) or below,
        clocks=Counter({1_900: samples}),
        held=lambda _: None,
        power_share=None,
        temperature_c=None,
    )
    assert (limits.clock_of(0, one, 2e9) is not None) is known
    assert asked == [0.995 * 2e9]


def test_a_kind_runs_at_the_highest_that_was_seen_and_at_what_is_listed_where_it_reaches_that() -> None:
    def seen(name: str, highest_hz: float, listed_hz: float) -> Any:
        return SimpleNamespace(name=name, highest_hz=highest_hz, listed_hz=listed_hz)

    found = {0: seen("H100", 1.8e9, 1.98e9), 1: seen("GeForce", 2.5e9, 3e9), 2: seen("GeForce", 2.6e9, 3e9)}
    assert limits.boosts({**found, 3: seen("none", 0.0, 0.0)}) == {0: 1.98e9, 1: 2.6e9, 2: 2.6e9}


def test_the_slowest_and_those_within_half_a_hundredth_gate_the_others() -> None:
    clocks: Any = [SimpleNamespace(gpu=n, clock_hz=hz) for n, hz in enumerate((1_000.0, 1_004.9, 1_005.1))]
    assert limits.gating(clocks) == (0, 1)
    assert limits.gating([]) == ()
