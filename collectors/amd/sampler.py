"""All AMD GPUs, pass after pass."""

from __future__ import annotations

from ..clean import clean
from ..gpus.choice import Chosen, visible
from ..gpus.device import Device
from ..gpus.passes import Passes
from .gpu import Gpu
from .library import AmdError, Library

_MOST_GPUS = 256
_VISIBLE = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
"""ROCm obeys all three; the first that is set is believed."""


class AmdSampler(Passes[Gpu, Library]):
    """`Passes` of AMD's GPUs."""

    NAME, MAKER, PACKAGE = "AMD", "AMD", "amdsmi"
    LIBRARY = Library

    def _open(self) -> list[Gpu]:
        self.library.open()
        handles = self.library.call("amdsmi_get_processor_handles")
        return [Gpu(self.library, self._device(i, h)) for i, h in enumerate(handles[:_MOST_GPUS])]

    def _device(self, number: int, handle: object) -> Device:
        try:
            asic = self.library.call("amdsmi_get_gpu_asic_info", handle)
            name = asic.get("market_name", "") if isinstance(asic, dict) else ""
        except AmdError as error:
            if error.is_of_all:
                raise
            name = ""
        try:
            uuid = str(self.library.call("amdsmi_get_gpu_device_uuid", handle))
        except AmdError:
            uuid = ""
        return Device(number, handle, "" if name == "N/A" else clean(str(name)), clean(uuid))

    def _visible(self, there: list[Device]) -> Chosen:
        for variable in _VISIBLE:
            if (setting := self._trainer.variable(variable)) is not None:
                chosen = visible(there, setting).devices
                why = "" if chosen else f"no GPU: {variable}={setting} hides all of them; --gpu all shows them"
                return Chosen(chosen, why)
        return Chosen(there)
