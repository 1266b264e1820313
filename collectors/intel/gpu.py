"""One Intel GPU, one sample: every field of `GpuSample` that Sysman has, or the reason that it is not there."""

from __future__ import annotations

import ctypes
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from ..gpus.asking import Asker
from ..gpus.device import answered, no_answer
from ..gpus.usage import Usage
from .library import IntelError
from .parts import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ...events import GpuSample
    from ..gpus.device import Answer, Device
    from .library import Library
    from .parts import Parts

TWO_LOOKS = "needs two samples"

REASONS = {
    1 << 0: "power cap",
    1 << 1: "power cap",
    1 << 2: "hardware slowdown",  # the limit of its current
    1 << 3: "thermal",
    1 << 4: "power brake",
    1 << 5: "application clocks",
    1 << 8: "thermal",
    1 << 9: "power cap",
}
"""What holds the clock down (zes_freq_throttle_reason_flags_t), in the words of `GpuSample.limits`."""

_POWER = 2  # zes_limit_unit_t
_SUSTAINED = 1  # zes_power_level_t


class Counted(NamedTuple):
    """A counter and its own time, both in millionths (of a joule or a second)."""

    value: int
    at: int


class Gpu:
    """Samples one GPU, and knows when it is lost. Raises `IntelError` only where the library is gone."""

    def __init__(self, library: Library, device: Device) -> None:
        self.library = library
        self.device = device
        self.lost = device.lost
        self.usage: Usage | None = None
        self._asker = Asker(library)
        self._parts: Parts | None = None
        self._before: dict[str, list[Counted]] = {}  # by field: what the counters said in the last sample

    def ask_rarely(self) -> None:
        """Ask what takes long: the parts of the GPU, once, and the processes."""
        if self.lost:
            return
        try:
            self._parts = self._parts or parts_of(self.library, self.device.handle)
            said, _ = self._ask("processes", self._processes)
            self.usage = None if said is None else Usage(said)
        except IntelError as error:
            self._lose(error)

    def computes(self, trainer: Collection[int]) -> bool:
        """Whether one of these processes computed here when last looked."""
        return self.usage is not None and any(pid in trainer for pid in self.usage.memory_bytes)

    def sample(self, at_s: float, trainer: Collection[int] = (), *, host_ids: bool = True) -> GpuSample:
        """All that this GPU reports now. `trainer` are the ids of the trainer's processes."""
        if not self.lost and self._parts is not None:
            try:
                measured = self._measured(self._parts)
            except IntelError as error:
                self._lose(error)
            else:
                usage, why = self.usage, self._why("processes")
                measured["trainer_memory_bytes"] = usage.of(trainer, believed=host_ids) if usage else (None, why)
                sample = answered(self.device, at_s, measured, "energy")
                self.lost = sample.lost
                return sample
        return no_answer(self.device, self.lost, at_s)

    def _measured(self, parts: Parts) -> dict[str, Answer]:
        energy, no_energy = self._counted("power_w", "pwr", parts.power, self._energy)
        busy, not_busy = self._counted("utilization", "engine", parts.engines, self._busy)
        state, no_clock = self._each("freq", parts.clock, "zesFrequencyGetState", "zes_freq_state_t")
        memory, no_memory = self._each("mem", parts.memory, "zesMemoryGetState", "zes_mem_state_t")
        joules = self._before.get("power_w")
        return {
            "power_w": (energy, no_energy),
            "energy_j": (joules[0].value * 1e-6 if joules else None, self._why("power_w")),
            "power_limit_w": self._limit(parts),
            "utilization": (busy, not_busy),
            "temperature_c": self._temperature(parts),
            "sm_clock_hz": (_clock(state), no_clock),
            "sm_clock_max_hz": (parts.clock_max_hz, no_clock),
            "memory_used_bytes": (sum(one.size - one.free for one in memory) if memory else None, no_memory),
            "memory_total_bytes": (sum(one.size for one in memory) if memory else None, no_memory),
            "limits": (_limits(state), no_clock),
        }

    def _each(self, kind: str, handles: list[Any], call: str, structure: str) -> Answer:
        """What `call` says of each of a kind of parts."""
        if not handles:
            return None, self._absent(kind)
        return self._ask(kind, lambda: [self.library.filled(call, structure, handle) for handle in handles])

    def _counted(self, field: str, kind: str, handles: list[Any], read: Callable[[Any], Counted]) -> Answer:
        """How fast counters grew since the last sample: the mean of all handles; each by its own clock."""
        if not handles:
            return None, self._absent(kind)
        now, why = self._ask(field, lambda: [read(handle) for handle in handles])
        before = self._before.pop(field, None)
        if now is None:
            return None, why
        self._before[field] = now
        pairs = list(zip(now, before or (), strict=False))
        if not pairs or any(new.at <= old.at or new.value < old.value for new, old in pairs):
            return None, TWO_LOOKS
        return sum((new.value - old.value) / (new.at - old.at) for new, old in pairs) / len(pairs), ""

    def _energy(self, handle: Any) -> Counted:
        said = self.library.filled("zesPowerGetEnergyCounter", "zes_power_energy_counter_t", handle)
        return Counted(said.energy, said.timestamp)

    def _busy(self, handle: Any) -> Counted:
        said = self.library.filled("zesEngineGetActivity", "zes_engine_stats_t", handle)
        return Counted(said.activeTime, said.timestamp)

    def _limit(self, parts: Parts) -> Answer:
        """The sustained power limit that is on."""
        if not parts.power:
            return None, self._absent("pwr")
        limits, why = self._ask("power_limit_w", lambda: self._limits_of(parts.power[0]))
        on = [one for one in limits or () if one.enabled and one.limit > 0]
        watts = [one.limit * 1e-3 for one in on if one.limitUnit == _POWER and one.level == _SUSTAINED]
        return (min(watts), "") if watts else (None, why or "none is set")

    def _limits_of(self, handle: Any) -> list[Any]:
        return self.library.handles("zesPowerGetLimitsExt", "zes_power_limit_ext_desc_t", handle)

    def _temperature(self, parts: Parts) -> Answer:
        if not parts.sensors:
            return None, self._absent("temp")
        said, why = self._ask("temperature_c", lambda: [self._celsius(handle) for handle in parts.sensors])
        return (max(said) if said else None), why

    def _celsius(self, handle: Any) -> float:
        celsius = ctypes.c_double()
        self.library.call("zesTemperatureGetState", handle, ctypes.byref(celsius))
        return celsius.value

    def _processes(self) -> dict[int, int | None]:
        found = self.library.handles("zesDeviceProcessesGetState", "zes_process_state_t", self.device.handle)
        return {int(one.processId): int(one.memSize) for one in found if one.processId}

    def _ask(self, question: str, asked: Callable[[], Any]) -> Answer:
        """The answer, or `None` and the reason. Raises `IntelError` only where the GPU, or all, are gone."""
        if self._asker.wanted(question):
            try:
                return asked(), ""
            except IntelError as error:
                self._asker.refuse(question, error)
        return None, self._why(question)

    def _why(self, question: str) -> str:
        return self._asker.why(question)

    def _absent(self, kind: str) -> str:
        return (self._parts.refused.get(kind) if self._parts else None) or "the driver shows none"

    def _lose(self, error: IntelError) -> None:
        if error.is_of_all:
            raise error
        self.lost = error.reason


def _clock(states: list[Any] | None) -> float | None:
    """Of several tiles that of the slowest: the others wait for it. Below 0 it is not known."""
    known = [one.actual for one in states or () if isfinite(one.actual) and one.actual >= 0]
    return min(known) * 1e6 if known else None


def _limits(states: list[Any] | None) -> tuple[str, ...] | None:
    if states is None:
        return None
    held = {words for one in states for flag, words in REASONS.items() if one.throttleReasons & flag}
    return tuple(sorted(held))
