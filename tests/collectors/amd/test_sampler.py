"""AMD's GPUs against a package that stands in for AMD's: no hardware was at hand."""

from __future__ import annotations

from typing import Any

import pytest

from itermon.collectors.amd.library import Library
from itermon.collectors.amd.sampler import AmdSampler
from itermon.collectors.gpus.passes import RETRY_S
from itermon.collectors.nvml.inspection import inspect
from itermon.events import GpuSample, Message

from .amdsmi_standin import (
    NO_DRIVER,
    NO_PERMISSION,
    NOT_FOUND,
    NOT_INIT,
    AmdSmiException,
    AmdSmiLibraryException,
    Standin,
    _Place,
    mi300x,
)


class Trainer:
    """A trainer with process 4242, in an environment."""

    def __init__(self, missing: str = "", **variables: str) -> None:
        self._missing, self._variables = missing, variables

    def pids(self) -> set[int]:
        return {4242}

    def missing(self) -> str:
        return self._missing

    def variable(self, name: str) -> str | None:
        return self._variables.get(name)


class Machine:
    """A sampler over a stand-in, and its clock."""

    def __init__(self, *gpus: dict[str, Any], wish: str | None = "all", trainer: Trainer | None = None) -> None:
        self.now_s = 100.0
        self.package = Standin(*gpus)
        self.library = Library(lambda: self.now_s)
        self.library.module = self.package
        self.sampler = AmdSampler(wish, trainer, library=self.library, wall=lambda: 1_000.0 + self.now_s)

    def samples(self) -> list[GpuSample]:
        return [event for event in self.sampler.sample() if isinstance(event, GpuSample)]

    def said(self) -> list[str]:
        return [event.text for event in self.sampler.sample() if isinstance(event, Message)]


def test_a_busy_gpu_gives_every_field_in_our_units() -> None:
    (sample,) = Machine(mi300x(), trainer=Trainer()).samples()
    assert (sample.at_s, sample.gpu, sample.name) == (1_100.0, 0, "AMD Instinct MI300X")
    assert (sample.power_w, sample.power_method, sample.power_limit_w) == (742.0, "sensor", 750.0)
    assert (sample.memory_used_bytes, sample.memory_total_bytes) == (150_000 << 20, 196_592 << 20)
    assert (sample.utilization, sample.temperature_c) == (0.99, 71.0)
    assert (sample.sm_clock_hz, sample.sm_clock_max_hz) == (1.404e9, 2.1e9)
    assert sample.energy_j == pytest.approx(15.3)
    assert sample.limits == ("power cap",)


def test_two_hundred_and_fifty_six_gpus_of_a_machine_are_looked_at() -> None:
    assert [sample.gpu for sample in Machine(*[mi300x()] * 257).samples()] == [*range(256)]


def test_what_a_part_does_not_measure_is_absent_with_the_reason() -> None:
    """A Radeon: average power, a limit in W, no violations, all bits set for none."""
    radeon = mi300x() | {
        "amdsmi_get_power_info": {"current_socket_power": "N/A", "average_socket_power": 210},
        "amdsmi_get_power_cap_info": {"power_cap": 300},
        "amdsmi_get_gpu_activity": {"gfx_activity": "N/A"},
        "amdsmi_get_clock_info": {"clk": 0xFFFFFFFF, "max_clk": 10**9},
        "amdsmi_get_temp_metric": lambda place, _: (
            48 if place is _Place.EDGE else AmdSmiLibraryException(NO_PERMISSION)
        ),
    }
    del radeon["amdsmi_get_violation_status"]
    (sample,) = Machine(radeon).samples()
    assert (sample.power_w, sample.power_limit_w, sample.temperature_c) == (210.0, 300.0, 48.0)
    assert (sample.utilization, sample.sm_clock_hz, sample.sm_clock_max_hz, sample.limits) == (None,) * 4
    assert sample.absent["utilization"] == "no data"
    assert sample.absent["sm_clock_max_hz"] == "implausible: 1e+15"
    assert sample.absent["limits"] == "not supported here"


def test_what_is_not_supported_is_asked_once_and_what_failed_again_after_a_while() -> None:
    gpu = mi300x() | {
        "amdsmi_get_energy_count": AmdSmiLibraryException(NO_PERMISSION),
        "amdsmi_get_gpu_activity": ValueError("no answer"),
    }
    machine = Machine(gpu)
    for _ in range(3):
        machine.samples()
    assert machine.package.calls.count("amdsmi_get_energy_count") == 1
    assert machine.package.calls.count("amdsmi_get_gpu_activity") == 1
    machine.now_s += 31.0
    machine.samples()
    assert machine.package.calls.count("amdsmi_get_energy_count") == 1
    assert machine.package.calls.count("amdsmi_get_gpu_activity") == 2


@pytest.mark.parametrize(
    ("code", "words"),
    [(NO_DRIVER, "the AMD driver is not loaded"), (NO_PERMISSION, "no permission"), (77, "error 77")],
)
def test_a_library_that_does_not_open_is_said_once_and_tried_again(code: int, words: str) -> None:
    machine = Machine(mi300x())
    machine.package.init = code
    assert machine.said() == [words]
    assert machine.said() == []
    machine.package.init = 0
    machine.now_s += RETRY_S
    assert machine.samples()[0].power_w == 742.0


def test_one_gpu_is_lost_and_the_others_go_on_until_it_is_back() -> None:
    lost = mi300x()
    machine = Machine(mi300x(), lost)
    machine.samples()
    lost["amdsmi_get_power_info"] = AmdSmiLibraryException(NOT_FOUND)
    events = machine.sampler.sample()
    assert [event.lost for event in events if isinstance(event, GpuSample)] == ["", "GPU is not there any more"]
    assert [event.text for event in events if isinstance(event, Message)] == ["GPU 1: GPU is not there any more"]
    lost["amdsmi_get_power_info"] = {"current_socket_power": 100}
    machine.now_s += RETRY_S
    machine.samples()
    machine.now_s += RETRY_S
    assert machine.samples()[1].power_w == 100.0


def test_a_driver_that_goes_away_is_opened_anew() -> None:
    gpu = mi300x()
    machine = Machine(gpu)
    machine.samples()
    gpu["amdsmi_get_power_info"] = AmdSmiLibraryException(NOT_INIT)
    (sample,) = machine.samples()
    assert sample.lost == "the library is not initialised"
    assert "amdsmi_shut_down" in machine.package.calls
    gpu["amdsmi_get_power_info"] = {"current_socket_power": 100}
    machine.now_s += RETRY_S
    assert machine.samples()[0].power_w == 100.0


@pytest.mark.parametrize("answer", [None, "text", {}, [], 7, {"vram_used": "N/A"}, {"power_cap": float("nan")}])
def test_answers_of_any_shape_are_no_values(answer: object) -> None:
    gpu = dict.fromkeys(mi300x(), answer)
    (sample,) = Machine(gpu).samples()
    assert sample.power_w is None
    assert sample.power_limit_w is None


def test_an_exception_without_a_code_is_a_refusal() -> None:
    (sample,) = Machine(mi300x() | {"amdsmi_get_power_info": AmdSmiException()}).samples()
    assert sample.absent["power_w"] == "refused"


def test_a_call_that_hangs_is_named() -> None:
    machine = Machine(mi300x())
    machine.samples()
    machine.library.under_way = ("amdsmi_get_power_info", machine.now_s)
    assert machine.sampler.hung(2.0) == []
    machine.now_s += 3.0
    (sample,) = machine.sampler.hung(2.0)
    assert isinstance(sample, GpuSample)
    assert sample.lost.startswith("the driver hangs: amdsmi_get_power_info")


def test_the_trainers_gpus_are_chosen_by_its_processes_then_by_what_it_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("itermon.collectors.gpus.passes.host_ids", lambda: True)
    idle = mi300x() | {"amdsmi_get_gpu_process_list": []}
    used = Machine(idle, mi300x(), wish=None, trainer=Trainer()).samples()
    assert [sample.gpu for sample in used] == [1]
    assert used[0].trainer_memory_bytes == 9 << 30
    seen = Machine(idle, idle, wish=None, trainer=Trainer(HIP_VISIBLE_DEVICES="0")).samples()
    assert [sample.gpu for sample in seen] == [0]
    hidden = Machine(idle, wish=None, trainer=Trainer(HIP_VISIBLE_DEVICES=""))
    assert hidden.said() == ["no GPU: HIP_VISIBLE_DEVICES= hides all of them; --gpu all shows them"]
    assert Machine(idle, wish=None, trainer=Trainer("an old log")).said() == ["an old log"]
    assert Machine().said() == ["no GPU: the AMD driver is there, but shows none"]


def test_the_inspection_asks_them_as_it_asks_nvml() -> None:
    machine = Machine(mi300x())
    found = inspect(sampler=machine.sampler, sleep=lambda _: None)
    assert [gpu.power_w for gpu in found.gpus] == [742.0]
    assert (found.trouble, found.driver, found.nvml) == ("", "", "")
    assert "amdsmi_get_power_info" in found.took_s


@pytest.mark.parametrize(
    ("said", "read"),
    [(0xFFFE, 0xFFFE), (0xFFFF, None), (0x10000, 0x10000), (0x1FFFE, 0x1FFFE), (0xFFFFFFFF, None)],
)
def test_all_bits_of_two_bytes_or_of_four_are_no_figure(said: int, read: int | None) -> None:
    memory = {"vram_total": 196_592, "vram_used": said}
    (sample,) = Machine(mi300x() | {"amdsmi_get_gpu_vram_usage": memory}).samples()
    assert sample.memory_used_bytes == (None if read is None else read << 20)
