"""What one device measures, part by part: each field's value, or why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .counters import Counters
from .gpm import Gpm

if TYPE_CHECKING:
    from ..gpus.asking import Asker
    from ..gpus.device import Device

LIMITS = {
    0x001: "idle",
    0x002: "application clocks",
    0x004: "power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "thermal",
    0x040: "hardware thermal",
    0x080: "power brake",
    0x100: "display clocks",
}
"""Clock-event reasons (nvml.h), in words."""

_LIMIT_COUNTERS = ("power cap", "thermal", "hardware thermal", "power brake")
_LIMIT_SHARE = 0.01  # of the interval: held down for less is no limit

_SM = 1  # nvmlClockType_t
_WHOLE = "of a MIG instance: NVML measures it for the whole GPU only"
_NOT_PER_INSTANCE = (
    "fields",
    "energy",
    "sensor",
    "power_limit_w",
    "utilization",
    "temperature_c",
    "sm_clock_hz",
    "sm_clock_max_hz",
    "limits",
    "ecc_errors",
    "xid",
)

Part = dict[str, tuple[Any, str]]
"""Some fields of `GpuSample`: the value (`None`: there is none), and the reason if there is none."""


class Measuring:
    """Asks one device for everything that one pass needs. Raises `NvmlError` where it, or NVML, is gone."""

    def __init__(self, ask: Asker, device: Device) -> None:
        self.ask = ask
        self.device = device
        self.power_method = ""
        for question in _NOT_PER_INSTANCE if device.mig is not None else ():
            ask.never(question, _WHOLE)
        self._counters = Counters(ask, device.handle)
        self._gpm = Gpm(ask, device)

    def read(self) -> Part:
        """All fields that are asked every time."""
        self._counters.read()
        self._gpm.read()
        return {**self._power(), **self._memory(), **self._work(), **self._clocks(), **self._traffic()}

    def close(self) -> None:
        """Give back what the driver lent."""
        self._gpm.close()

    def _power(self) -> Part:
        counters, ask = self._counters, self.ask
        energy_mj = counters.values.get("energy")
        if energy_mj is None and ask.why("fields"):  # a driver without field values may still have the counter
            energy_mj = ask.ask("energy", "nvmlDeviceGetTotalEnergyConsumption", self.device.handle)
        power_mw, self.power_method = counters.rate("energy"), "energy"
        # No GPU takes nothing: a counter that stands still has not been updated yet.
        if not power_mw:
            power_mw, self.power_method = self._sensor_mw()
        limit_mw = ask.ask("power_limit_w", "nvmlDeviceGetEnforcedPowerLimit", self.device.handle)
        return {
            "energy_j": (_scaled(energy_mj, 1e-3), counters.why("energy")),
            "power_w": (_scaled(power_mw, 1e-3), ask.why("sensor")),
            "power_limit_w": (_scaled(limit_mw, 1e-3), ask.why("power_limit_w")),
        }

    def _sensor_mw(self) -> tuple[float | None, str]:
        """The sensor's mean of the last second where it gives one (Ampere and later), else its reading."""
        values, ask = self._counters.values, self.ask
        reading = values.get("power") or ask.ask("sensor", "nvmlDeviceGetPowerUsage", self.device.handle)
        if reading:
            return reading, "sensor"
        return values.get("power of the module") or None, "sensor of the module"

    def _memory(self) -> Part:
        nvml, ask, handle = self.ask.library.module, self.ask, self.device.handle
        # Version 2 reports what the driver keeps for itself; version 1 counts it as used.
        version = getattr(nvml, "nvmlMemory_v2", None)
        memory = ask.ask("memory", "nvmlDeviceGetMemoryInfo", handle, version) if version else None
        reserved = memory.reserved if memory else None
        if memory is None:
            memory = ask.ask("memory_v1", "nvmlDeviceGetMemoryInfo", handle)
        why = ask.why("memory_v1")
        return {
            "memory_used_bytes": (memory.used if memory else None, why),
            "memory_total_bytes": (memory.total if memory else None, why),
            "memory_reserved_bytes": (reserved, why or "counted as used: " + ask.why("memory")),
        }

    def _work(self) -> Part:
        gpm, rates = self._gpm, self.ask.ask("utilization", "nvmlDeviceGetUtilizationRates", self.device.handle)
        part: Part = {
            f: (gpm.values.get(f), gpm.why(f)) for f in ("sm_activity", "tensor_activity", "dram_activity")
        }
        part["utilization"] = (_scaled(rates.gpu, 0.01) if rates else None, self.ask.why("utilization"))
        return part

    def _clocks(self) -> Part:
        ask, handle = self.ask, self.device.handle
        celsius = ask.ask(
            "temperature_c", "nvmlDeviceGetTemperatureV", handle, 0, instead="nvmlDeviceGetTemperature"
        )
        clock_mhz = ask.ask("sm_clock_hz", "nvmlDeviceGetClockInfo", handle, _SM)
        most_mhz = ask.ask("sm_clock_max_hz", "nvmlDeviceGetMaxClockInfo", handle, _SM)
        return {
            "temperature_c": (_scaled(celsius, 1.0), ask.why("temperature_c")),
            "sm_clock_hz": (_scaled(clock_mhz, 1e6), ask.why("sm_clock_hz")),
            "sm_clock_max_hz": (_scaled(most_mhz, 1e6), ask.why("sm_clock_max_hz")),
            "limits": (self._limits(), ask.why("limits")),
        }

    def _limits(self) -> tuple[str, ...] | None:
        """What holds the clock down now, and what did so since the last pass, by the driver's own counters."""
        bits = self.ask.ask(
            "limits",
            "nvmlDeviceGetCurrentClocksEventReasons",
            self.device.handle,
            instead="nvmlDeviceGetCurrentClocksThrottleReasons",
        )
        if bits is None:
            return None
        held = {name for name in _LIMIT_COUNTERS if (self._counters.rate(name) or 0.0) / 1e9 > _LIMIT_SHARE}
        return tuple(name for bit, name in LIMITS.items() if bits & bit or name in held)

    def _traffic(self) -> Part:
        """GPM's means where there are any: they do not wrap. Else the counters' growth."""
        counters, gpm = self._counters, self._gpm
        part: Part = {}
        for way in ("pcie_read", "pcie_write"):
            field = f"{way}_bytes_per_s"
            rate = gpm.values.get(field)
            part[field] = (counters.rate(way) if rate is None else rate, counters.why(way))
        links = [gpm.values.get("nvlink_read"), gpm.values.get("nvlink_write")]
        if None in links:
            links = [_scaled(counters.rate(way), 1024.0) for way in ("nvlink_read", "nvlink_write")]
        both = [rate for rate in links if rate is not None]
        part["nvlink_bytes_per_s"] = (sum(both) if len(both) == len(links) else None, counters.why("nvlink_read"))
        return part


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
