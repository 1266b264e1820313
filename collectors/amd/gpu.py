"""One AMD GPU, one sample: every field of `GpuSample` that amdsmi has, or the reason that it is not there."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ..gpus.asking import Asker
from ..gpus.device import answered, no_answer
from ..gpus.usage import Usage
from .library import AmdError

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...events import GpuSample
    from ..gpus.device import Answer, Device
    from .library import Library

MEBI = 1 << 20
_MICROWATTS = 20e3  # a limit is given in µW, by some versions in W: no GPU may take so many of these
_ELSEWHERE = "amdsmi does not give it"

VIOLATIONS = {
    "active_ppt_pwr": "power cap",
    "active_socket_thrm": "thermal",
    "active_vr_thrm": "thermal",
    "active_hbm_thrm": "thermal",
    "active_prochot_thrm": "hardware thermal",
}
"""What holds the clock down (amdsmi_violation_status_t), in the words of `GpuSample.limits`."""

_NOT_MEASURED = frozenset({0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF})


class Gpu:
    """Samples one GPU, and knows when it is lost. Raises `AmdError` only where the library as a whole is gone."""

    def __init__(self, library: Library, device: Device) -> None:
        self.library = library
        self.device = device
        self.lost = device.lost
        self.usage: Usage | None = None
        self._asker = Asker(library)
        self._limits: Answer = (None, "not asked yet")

    def ask_rarely(self) -> None:
        """Ask what takes long: the processes; and the violations, for which the library waits 100 ms."""
        if self.lost:
            return
        try:
            said, _ = self._ask("amdsmi_get_gpu_process_list")
            self.usage = Usage(_processes(said)) if isinstance(said, list) else None
            self._limits = self._violations()
        except AmdError as error:
            self._lose(error)

    def computes(self, trainer: Collection[int]) -> bool:
        """Whether one of these processes computed here when last looked."""
        return self.usage is not None and any(pid in trainer for pid in self.usage.memory_bytes)

    def sample(self, at_s: float, trainer: Collection[int] = (), *, host_ids: bool = True) -> GpuSample:
        """All that this GPU reports now. `trainer` are the ids of the trainer's processes."""
        if not self.lost:
            try:
                return self._answered(at_s, {**self._measured(), **self._processes(trainer, host_ids=host_ids)})
            except AmdError as error:
                self._lose(error)
        return no_answer(self.device, self.lost, at_s)

    def _measured(self) -> dict[str, Answer]:
        power, no_power = self._ask("amdsmi_get_power_info")
        cap, no_cap = self._ask("amdsmi_get_power_cap_info")
        memory, no_memory = self._ask("amdsmi_get_gpu_vram_usage")
        busy, not_busy = self._ask("amdsmi_get_gpu_activity")
        clock, no_clock = self._ask("amdsmi_get_clock_info", ("AmdSmiClkType", "GFX"))
        energy, no_energy = self._ask("amdsmi_get_energy_count")
        limit = _number(cap, "power_cap")
        counted, microjoules = _number(energy, "energy_accumulator"), _number(energy, "counter_resolution")
        return {
            # MI300 and later measure the first, earlier ones the second; the third is there from ROCm 7 on.
            "power_w": (
                _number(power, "current_socket_power", "average_socket_power", "socket_power"),
                no_power,
            ),
            "power_limit_w": (limit and limit * (1e-6 if limit > _MICROWATTS else 1.0), no_cap),
            "energy_j": (counted * microjoules * 1e-6 if counted and microjoules else None, no_energy),
            "memory_used_bytes": (_scaled(_number(memory, "vram_used"), MEBI), no_memory),
            "memory_total_bytes": (_scaled(_number(memory, "vram_total"), MEBI), no_memory),
            "utilization": (_scaled(_number(busy, "gfx_activity"), 0.01), not_busy),
            "temperature_c": self._temperature(),
            "sm_clock_hz": (_scaled(_number(clock, "clk"), 1e6), no_clock),
            "sm_clock_max_hz": (_scaled(_number(clock, "max_clk"), 1e6), no_clock),
            "limits": self._limits,
        }

    def _temperature(self) -> Answer:
        """The hottest point: Instincts from MI300 on have no other."""
        now = ("AmdSmiTemperatureMetric", "CURRENT")
        for place in ("HOTSPOT", "EDGE"):
            said, why = self._ask("amdsmi_get_temp_metric", ("AmdSmiTemperatureType", place), now)
            if isinstance(said, int | float):
                return float(said), ""
        return None, why

    def _violations(self) -> Answer:
        said, why = self._ask("amdsmi_get_violation_status")
        if not isinstance(said, dict):
            return None, why
        known = {name: said.get(name) for name in VIOLATIONS}
        if not any(isinstance(active, bool | int) for active in known.values()):
            return None, "not supported here"
        held = {VIOLATIONS[name] for name, active in known.items() if isinstance(active, bool | int) and active}
        return tuple(sorted(held)), ""

    def _processes(self, trainer: Collection[int], *, host_ids: bool) -> dict[str, Answer]:
        if self.usage is None:
            return {"trainer_memory_bytes": (None, _ELSEWHERE)}
        return {"trainer_memory_bytes": self.usage.of(trainer, believed=host_ids)}

    def _ask(self, call: str, *constants: tuple[str, str]) -> Answer:
        """The answer, or `None` and the reason. Raises `AmdError` only where the GPU, or all of them, are gone."""
        question = " ".join((call, *(name for _, name in constants)))
        if self._asker.wanted(question):
            try:
                named = [self.library.constant(kind, name) for kind, name in constants]
                return self.library.call(call, self.device.handle, *named), "no data"
            except AmdError as error:
                self._asker.refuse(question, error)
        return None, self._asker.why(question)

    def _lose(self, error: AmdError) -> None:
        if error.is_of_all:
            raise error
        self.lost = str(error)

    def _answered(self, at_s: float, part: dict[str, Answer]) -> GpuSample:
        sample = answered(self.device, at_s, part, "sensor")
        self.lost = sample.lost
        return sample


def _number(said: object, *keys: str) -> float | None:
    """The first of `keys` that is a number: what a part does not measure is "N/A", or all its bits are set."""
    for key in keys:
        value = said.get(key) if isinstance(said, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if isfinite(value) and value not in _NOT_MEASURED:
            return float(value)
    return None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _processes(said: list[Any]) -> dict[int, int | None]:
    found: dict[int, int | None] = {}
    for one in said:
        pid = _number(one, "pid")
        if pid:
            usage = one.get("memory_usage")
            memory = _number(usage, "vram_mem") if isinstance(usage, dict) else None
            found[int(pid)] = None if memory is None else int(memory)
    return found
