"""One Intel GPU over the maker's own package: its figures, its rates, and what it does not give."""

from __future__ import annotations

import importlib.util

import pytest

from itermon.collectors.gpus.device import Device
from itermon.collectors.intel.gpu import TWO_LOOKS, Gpu
from itermon.collectors.intel.library import IntelError, Library

from .level_zero_standin import GONE, LOST, NO_PERMISSION, POWER_CAP, THERMAL, UNSUPPORTED, Card, Loader, package

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pyzes") is None, reason="pyzes is not installed")


@pytest.fixture
def looked(monkeypatch):
    """A GPU of a card, looked at for the first time."""

    def of(card):
        package(monkeypatch, Loader(card))
        library = Library()
        library.open()
        driver = library.handles("zesDriverGet", "zes_driver_handle_t")[0]
        handle = library.handles("zesDeviceGet", "zes_device_handle_t", driver)[0]
        gpu = Gpu(library, Device(0, handle, "Max 1100", "00ff"))
        gpu.ask_rarely()
        return gpu

    return of


def later(card, seconds, *, watts=250.0, busy=0.9):
    """What the card's counters say after `seconds`."""
    card.energy = [(energy + int(watts * seconds * 1e6), at + int(seconds * 1e6)) for energy, at in card.energy]
    for engine in card.engines:
        engine["activeTime"] += int(busy * seconds * 1e6)
        engine["timestamp"] += int(seconds * 1e6)


def test_all_that_is_measured_of_a_busy_gpu(looked):
    gpu = looked(card := Card())
    first = gpu.sample(10.0, [4242])
    assert (first.absent["power_w"], first.absent["utilization"]) == (TWO_LOOKS, TWO_LOOKS)
    later(card, 1.0)
    said = gpu.sample(11.0, [4242])
    assert said.power_w == pytest.approx(250.0)
    assert said.utilization == pytest.approx(0.9)
    assert said.energy_j == pytest.approx(255.0)  # of the whole card, not of its tile
    assert (said.power_limit_w, said.power_method, said.temperature_c) == (300.0, "energy", 64.0)
    assert (said.sm_clock_hz, said.sm_clock_max_hz, said.limits) == (1.4e9, 1.55e9, ("power cap",))
    assert (said.memory_used_bytes, said.memory_total_bytes) == (40 << 30, 48 << 30)
    assert said.trainer_memory_bytes == 9 << 30
    assert (said.lost, said.absent) == ("", {})
    assert gpu.computes([4242])
    assert not gpu.computes([1])


def test_a_counter_that_begins_anew_or_stands_still_gives_no_rate(looked):
    gpu = looked(card := Card())
    gpu.sample(10.0)
    assert gpu.sample(11.0).absent["power_w"] == TWO_LOOKS  # its clock stands still
    later(card, 1.0)
    card.energy = [(0, at) for _, at in card.energy]
    assert gpu.sample(12.0).power_w is None
    later(card, 1.0)
    assert gpu.sample(13.0).power_w == pytest.approx(250.0)


def test_two_tiles_are_one_gpu(looked):
    card = Card()
    card.clocks = [
        {"type": 0, "max": 1600.0, "actual": 1600.0, "throttleReasons": 0},
        {"type": 0, "max": 1600.0, "actual": 1200.0, "throttleReasons": THERMAL | POWER_CAP},
    ]
    card.engines = [
        {"type": 1, "onSubdevice": 1, "activeTime": 0, "timestamp": 0},
        {"type": 1, "onSubdevice": 1, "activeTime": 0, "timestamp": 0},
    ]
    card.memory = [{"location": 1, "free": 1 << 30, "size": 64 << 30}] * 2
    gpu = looked(card)
    gpu.sample(10.0)
    card.engines[0] |= {"activeTime": 1_000_000, "timestamp": 1_000_000}
    card.engines[1] |= {"activeTime": 500_000, "timestamp": 1_000_000}
    said = gpu.sample(11.0)
    assert (said.sm_clock_hz, said.limits) == (1.2e9, ("power cap", "thermal"))
    assert said.utilization == pytest.approx(0.75)
    assert (said.memory_used_bytes, said.memory_total_bytes) == (126 << 30, 128 << 30)


def test_what_a_driver_does_not_give_has_its_reason(looked):
    card = Card(sensors=[], limits=[], refuses={"zesDeviceEnumPowerDomains": NO_PERMISSION})
    card.refuses["zesDeviceProcessesGetState"] = UNSUPPORTED
    gpu = looked(card)
    gpu.sample(10.0)
    absent = gpu.sample(11.0, [4242]).absent
    assert absent["power_w"] == absent["power_limit_w"] == "no permission"
    assert absent["temperature_c"] == "the driver shows none"
    assert absent["trainer_memory_bytes"] == "not supported here"
    assert not gpu.computes([4242])


def test_a_limit_that_is_off_or_of_a_current_is_none(looked):
    off = {"level": 1, "limitUnit": 2, "enabled": 0, "limit": 1}
    card = Card(limits=[off, {"level": 1, "limitUnit": 1, "enabled": 1, "limit": 1}])
    assert looked(card).sample(10.0).absent["power_limit_w"] == "none is set"


@pytest.mark.parametrize(("milliwatts", "watts"), [(0, None), (1, 0.001)])
def test_a_limit_of_nothing_is_none(looked, milliwatts, watts):
    card = Card(limits=[{"level": 1, "limitUnit": 2, "enabled": 1, "limit": milliwatts}])
    assert looked(card).sample(10.0).power_limit_w == watts


def test_a_gpu_that_is_lost_says_so_and_a_library_that_is_gone_is_an_error(looked):
    gpu = looked(card := Card())
    card.refuses["zesFrequencyGetState"] = LOST
    assert gpu.sample(10.0).lost == gpu.lost == "GPU is lost: reset, removed, or its driver was updated"
    gpu = looked(card := Card())
    card.refuses["zesMemoryGetState"] = GONE
    with pytest.raises(IntelError):
        gpu.sample(10.0)


def test_a_clock_that_is_not_known_is_none(looked):
    card = Card()
    card.clocks[0]["actual"] = -1.0
    card.clocks[0]["max"] = -1.0
    said = looked(card).sample(10.0)
    assert (said.sm_clock_hz, said.sm_clock_max_hz) == (None, None)


@pytest.mark.parametrize(
    ("flag", "limits"),
    [
        *enumerate([("power cap",), ("power cap",), ("hardware slowdown",), ("thermal",), ("power brake",)]),
        *enumerate([("application clocks",), (), (), ("thermal",), ("power cap",), ()], start=5),
    ],
)
def test_what_holds_the_clock_down_has_the_word_of_its_flag(looked, flag, limits):
    card = Card()
    card.clocks[0]["throttleReasons"] = 1 << flag
    assert looked(card).sample(10.0).limits == limits


def test_a_clock_that_stands_still_is_one(looked):
    card = Card()
    card.clocks[0]["actual"] = 0.5
    assert looked(card).sample(10.0).sm_clock_hz == 5e5
    card.clocks[0]["actual"] = 0.0
    assert looked(card).sample(10.0).sm_clock_hz == 0.0


@pytest.mark.parametrize("unknown", [-1.0, -0.5, float("nan"), float("inf")])
def test_of_two_tiles_with_one_known_clock_it_is_that_one(looked, unknown):
    card = Card()
    card.clocks = [
        {"type": 0, "max": 1600.0, "actual": actual, "throttleReasons": 0} for actual in (unknown, 1200.0)
    ]
    assert looked(card).sample(10.0).sm_clock_hz == 1.2e9
