"""All counters of one device in one call: NVML's field values, and their change since the last pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import INVALID_ARGUMENT, NOT_SUPPORTED, NvmlError

if TYPE_CHECKING:
    from ..gpus.asking import Asker

_ALL_LINKS = 0xFFFFFFFF

# Question -> field id and scope (NVML_FI_DEV_* of nvml.h).
FIELDS: dict[str, tuple[int, int]] = {
    "energy": (83, 0),  # mJ since the driver's load; Volta and later
    "power": (185, 0),  # mW, mean of the last second; Ampere (but for GA100) and later
    "power of the module": (185, 1),  # the same of GPU and CPU together: Grace Hopper may have only this
    "power cap": (74, 0),  # ns for which the clock was held down, by reason
    "thermal": (269, 0),
    "hardware thermal": (270, 0),
    "power brake": (271, 0),
    "pcie_write": (197, 0),  # bytes out of the GPU; may wrap
    "pcie_read": (198, 0),
    "nvlink_write": (138, _ALL_LINKS),  # KiB
    "nvlink_read": (139, _ALL_LINKS),
}
_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
_WRAP = 1 << 32


class Counters:
    """Reads the fields that this device has. `values` are the newest, `elapsed_s` the time between two passes."""

    def __init__(self, ask: Asker, handle: Any) -> None:
        self._ask = ask
        self._handle = handle
        self._before: dict[str, float] = {}
        self._before_s = 0.0
        self.values: dict[str, float] = {}
        self.elapsed_s: float | None = None

    def read(self) -> None:
        """One batched call for all fields that were not refused before."""
        self._before, before_s = self.values, self._before_s
        self.values = {}
        wanted = [name for name in FIELDS if self._ask.wanted(name)]
        answers = self._ask.ask("fields", "nvmlDeviceGetFieldValues", self._handle, [FIELDS[n] for n in wanted])
        # After the call: what it answers is of then, and a call can take seconds.
        self._before_s = self._ask.library.clock()
        self.elapsed_s = self._before_s - before_s if self._before else None
        for name, answer in zip(wanted, answers or (), strict=False):
            code = answer.nvmlReturn
            if code:
                # A field that the driver does not know is an invalid argument, and stays one.
                self._ask.refuse(name, NvmlError(NOT_SUPPORTED if code == INVALID_ARGUMENT else code, name))
            elif answer.valueType < len(_MEMBERS):
                self.values[name] = getattr(answer.value, _MEMBERS[answer.valueType])

    def change(self, name: str) -> float | None:
        """By how much the counter grew since the last pass; `None` if that is not known.

        A counter of 32 bits that stepped back has wrapped: at most once, as far as one can know.
        """
        new, old = self.values.get(name), self._before.get(name)
        if new is None or old is None:
            return None
        if new < old and old < _WRAP and name.startswith("pcie"):
            return new - old + _WRAP
        return new - old if new >= old else None

    def rate(self, name: str) -> float | None:
        """The counter's growth per second."""
        change = self.change(name)
        return None if change is None or not self.elapsed_s or self.elapsed_s <= 0 else change / self.elapsed_s

    def why(self, name: str) -> str:
        """The reason that there is no value, or no rate."""
        return (
            self._ask.why(name) or self._ask.why("fields") or ("" if name in self._before else "needs two samples")
        )
