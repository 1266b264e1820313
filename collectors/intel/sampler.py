"""All Intel GPUs, pass after pass."""

from __future__ import annotations

from typing import Any

from ..clean import clean
from ..gpus.choice import Chosen
from ..gpus.device import Device
from ..gpus.passes import Passes
from .gpu import Gpu
from .library import IntelError, Library

_GPU = 1  # ze_device_type_t
_AFFINITY = "ZE_AFFINITY_MASK"
"""Which GPUs a process sees: numbers, each with `.TILE` perhaps."""


class IntelSampler(Passes[Gpu, Library]):
    """`Passes` of Intel's GPUs."""

    NAME, MAKER, PACKAGE = "Level Zero", "Intel", "pyzes"
    LIBRARY = Library

    def _open(self) -> list[Gpu]:
        self.library.open()
        found: list[Gpu] = []
        for driver in self.library.handles("zesDriverGet", "zes_driver_handle_t"):
            for handle in self.library.handles("zesDeviceGet", "zes_device_handle_t", driver):
                device = self._device(len(found), handle)
                if device is not None:
                    found.append(Gpu(self.library, device))
        return found

    def _device(self, number: int, handle: Any) -> Device | None:
        """`None`: it is no GPU."""
        try:
            said = self.library.filled("zesDeviceGetProperties", "zes_device_properties_t", handle)
        except IntelError as error:
            if error.is_of_all:
                raise
            return Device(number, None, lost=error.reason)
        if said.core.type != _GPU:
            return None
        name = clean(bytes(said.core.name).decode(errors="replace"))
        return Device(number, handle, name, bytes(said.core.uuid.id).hex())

    def _visible(self, there: list[Device]) -> Chosen:
        setting = self._trainer.variable(_AFFINITY)
        numbers = {part.strip().partition(".")[0] for part in (setting or "").split(",")} - {""}
        if not numbers:
            return Chosen(there)
        chosen = [device for device in there if str(device.number) in numbers]
        why = "" if chosen else f"no GPU: {_AFFINITY}={setting} hides all of them; --gpu all shows them"
        return Chosen(chosen, why)
