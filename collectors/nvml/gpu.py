"""One device, one sample: every field of `GpuSample`, or the reason that it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..gpus.asking import Asker
from ..gpus.device import answered, no_answer
from .errors import NvmlError
from .measuring import Measuring
from .processes import read

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...events import GpuSample
    from ..gpus.device import Device
    from ..gpus.usage import Usage
    from .library import Library
    from .measuring import Part
    from .xid import XidEvents


class Gpu:
    """Samples one device, and knows when it is lost. Raises `NvmlError` only where NVML as a whole is gone."""

    def __init__(self, library: Library, device: Device) -> None:
        self.device = device
        self.lost = device.lost
        self.xid: int | None = None
        self.ask = Asker(library)
        self._measuring = Measuring(self.ask, device)
        self._usage: Usage | None = None
        self._ecc: int | None = None

    def ask_rarely(self) -> None:
        """Ask what takes the driver long: the processes, the ECC count."""
        if self.lost:
            return
        try:
            self._usage = read(self.ask, self.device.handle)
            self._ecc = self.ask.ask("ecc_errors", "nvmlDeviceGetTotalEccErrors", self.device.handle, 1, 0)
        except NvmlError as error:
            self._lose(error)

    def listen(self, xids: XidEvents) -> None:
        """Have the driver report this GPU's Xids."""
        try:
            xids.register(self.device.handle, self.ask)
        except NvmlError as error:
            self._lose(error)

    def computes(self, trainer: Collection[int]) -> bool:
        """Whether one of these processes computed here when last looked."""
        return self._usage is not None and any(pid in trainer for pid in self._usage.memory_bytes)

    def sample(self, at_s: float, trainer: Collection[int] = (), *, host_ids: bool = True) -> GpuSample:
        """All that this device reports now. `trainer` are the ids of the trainer's processes."""
        if not self.lost:
            try:
                return self._answered(at_s, {**self._measuring.read(), **self._health(trainer, host_ids=host_ids)})
            except NvmlError as error:
                self._lose(error)
        return no_answer(self.device, self.lost, at_s)

    def close(self) -> None:
        """Give back what the driver lent."""
        self._measuring.close()

    def _lose(self, error: NvmlError) -> None:
        if error.is_of_all:
            raise error
        self.lost = error.reason
        self.close()

    def _answered(self, at_s: float, part: Part) -> GpuSample:
        sample = answered(self.device, at_s, part, self._measuring.power_method)
        if sample.lost:
            self.lost = sample.lost
            self.close()
        return sample

    def _health(self, trainer: Collection[int], *, host_ids: bool) -> Part:
        memory, why = None, self.ask.why("processes")
        if self._usage is not None:
            memory, why = self._usage.of(trainer, believed=host_ids)
        return {
            "ecc_errors": (self._ecc, self.ask.why("ecc_errors")),
            "xid": (self.xid, self.ask.why("xid") or "none seen"),
            "trainer_memory_bytes": (memory, why),
        }
