"""All NVIDIA GPUs, pass after pass, with the Xids that their driver reports."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...events import Message, Severity
from ..gpus.choice import Chosen, visible
from ..gpus.passes import Passes
from .devices import devices
from .errors import NvmlError, trouble
from .gpu import Gpu
from .library import Library
from .xid import XidEvents, address, describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import Event
    from ..gpus.asking import DriverError
    from ..gpus.device import Device
    from ..gpus.trainer import Trainer


class NvmlSampler(Passes[Gpu, Library]):
    """`Passes` of NVIDIA's GPUs and MIG instances."""

    NAME, MAKER, PACKAGE = "NVML", "NVIDIA", "nvidia-ml-py"
    LIBRARY = Library

    def __init__(
        self,
        wish: str | None = None,
        trainer: Trainer | None = None,
        *,
        library: Library | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(wish, trainer, library=library, wall=wall)
        self._xids = XidEvents(self.library)
        self._newest_xid: dict[str, int] = {}  # by UUID: they outlive an initialisation

    def close(self) -> None:
        """Give every handle back and shut NVML down."""
        for gpu in self._gpus:
            gpu.close()
        self._xids.close()
        super().close()

    def _open(self) -> list[Gpu]:
        self.library.open()
        gpus = [Gpu(self.library, device) for device in devices(self.library)]
        for gpu in gpus:
            gpu.xid = self._newest_xid.get(gpu.device.uuid)
            if gpu.device.mig is None and not gpu.lost:
                gpu.listen(self._xids)
        return gpus

    def _visible(self, there: list[Device]) -> Chosen:
        setting = self._trainer.variable("CUDA_VISIBLE_DEVICES")
        chosen = visible(there, setting, self._trainer.variable("CUDA_DEVICE_ORDER"))
        if not chosen.devices:
            return Chosen([], f"no GPU: CUDA_VISIBLE_DEVICES={setting} hides all of them; --gpu all shows them")
        return chosen

    def _why(self, error: DriverError) -> str:
        return trouble(error) if isinstance(error, NvmlError) else str(error)

    def _news(self) -> list[Event]:
        messages: list[Event] = []
        for where, xid in self._xids.read():
            for gpu in self._gpus:
                if gpu.device.handle is not None and address(gpu.device.handle) == where:
                    gpu.xid = self._newest_xid[gpu.device.uuid] = xid
                    text = f"GPU {gpu.device.number}: {describe(xid)}"
                    messages.append(Message(text, level=Severity.ERROR, at_s=self._wall()))
        return messages
