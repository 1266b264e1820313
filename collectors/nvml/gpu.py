"""One device, one sample: every field of `GpuSample`, or the reason that it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import GpuSample
from ..gpu_bounds import plausible
from .asking import Asker
from .errors import GONE, NvmlError, words
from .measuring import Measuring
from .processes import Usage, read

if TYPE_CHECKING:
    from collections.abc import Collection

    from .devices import Device
    from .library import Library
    from .measuring import Part
    from .xid import XidEvents

# A device that answers none of these answers nothing.
_VITAL = ("memory_used_bytes", "power_w", "temperature_c", "utilization", "sm_clock_hz", "sm_activity")


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
                return self._checked(at_s, {**self._measuring.read(), **self._health(trainer, host_ids=host_ids)})
            except NvmlError as error:
                self._lose(error)
        return no_answer(self.device, self.lost, at_s)

    def close(self) -> None:
        """Give back what the driver lent."""
        self._measuring.close()

    def _lose(self, error: NvmlError) -> None:
        if error.code in GONE:
            raise error
        self.lost = words(error.code)
        self.close()

    def _checked(self, at_s: float, part: Part) -> GpuSample:
        """The sample: a value that cannot be is no value."""
        known: dict[str, Any] = {}
        absent: dict[str, str] = {}
        for field, (value, why) in part.items():
            if value is None:
                absent[field] = why or "no data"
            elif not plausible(field, value):
                absent[field] = f"implausible: {value:.6g}"
            else:
                known[field] = value
        if not any(field in known for field in _VITAL):
            self.lost = f"answers nothing: {absent['memory_used_bytes']}"
            self.close()
            return no_answer(self.device, self.lost, at_s)
        known["power_method"] = self._measuring.power_method if "power_w" in known else ""
        device = self.device
        return GpuSample(
            at_s=at_s,
            gpu=device.number,
            mig=device.mig,
            name=device.name,
            uuid=device.uuid,
            absent=absent,
            **known,
        )

    def _health(self, trainer: Collection[int], *, host_ids: bool) -> Part:
        memory, why = None, self.ask.why("processes")
        if self._usage is not None:
            memory, why = self._usage.of(trainer, believed=host_ids)
        return {
            "ecc_errors": (self._ecc, self.ask.why("ecc_errors")),
            "xid": (self.xid, self.ask.why("xid") or "none seen"),
            "trainer_memory_bytes": (memory, why),
        }


def no_answer(device: Device, why: str, at_s: float) -> GpuSample:
    """The sample of a device that does not answer."""
    return GpuSample(at_s=at_s, gpu=device.number, mig=device.mig, name=device.name, uuid=device.uuid, lost=why)
