"""All AMD GPUs, pass after pass: chosen, sampled, lost, looked for again, back."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from ...events import GpuSample, Message
from ...words import rounded_duration
from ..clean import clean
from ..nvml.choice import Chosen, asked_for, visible
from ..nvml.devices import Device
from ..nvml.processes import host_ids
from ..nvml.sampler import LOOK_S, RETRY_S, Nobody
from .gpu import Gpu, no_answer
from .library import GONE, AmdError, Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import Event
    from ..nvml.sampler import Trainer

_MOST_GPUS = 256
_VISIBLE = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
"""ROCm obeys all three; the first that is set is believed."""


class AmdSampler:
    """A `Sampler` (see `sampling`) of the AMD GPUs that `wish` (`--gpu`) names, or that the trainer uses."""

    def __init__(
        self,
        wish: str | None = None,
        trainer: Trainer | None = None,
        *,
        library: Library | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.library = library or Library()
        self._wish = wish
        self._trainer = trainer or Nobody()
        self._wall = wall
        self._host_ids = host_ids()
        self._gpus: list[Gpu] = []
        self._chosen: list[Device] = []
        self._note = ""
        self._trouble = ""  # why the library as a whole does not answer
        self._open_again_s = -inf
        self._look_again_s = -inf
        self._reported: dict[str, str] = {}  # subject -> the last message about it

    def sample(self) -> list[Event]:
        """One pass over the chosen GPUs. What does not answer is in every sample, and once in a message."""
        now_s = self.library.clock()
        if not self._wish and (absent := self._trainer.missing()):
            return self._report("AMD", absent)  # the GPUs here are not those of an old log
        try:
            if now_s >= self._open_again_s:
                self._reopen()
            if self._trouble:
                return [no_answer(device, self._trouble, self._wall()) for device in self._chosen]
            if now_s >= self._look_again_s:
                self._look_again_s = now_s + LOOK_S
                self._ask_rarely()
            samples = [self._sample(gpu) for gpu in self._gpus if gpu.device in self._chosen]
        except AmdError as error:
            self.close()
            self._trouble = str(error)
            self._open_again_s = now_s + RETRY_S
            lost = [no_answer(device, self._trouble, self._wall()) for device in self._chosen]
            return [*self._report("AMD", self._trouble), *lost]
        if any(gpu.lost for gpu in self._gpus):
            self._open_again_s = min(self._open_again_s, now_s + RETRY_S)
        news = [m for s in samples for m in self._report(f"GPU {s.gpu}", s.lost)]
        return [*self._report("AMD", self._note), *news, *samples]

    def hung(self, longer_than_s: float) -> list[Event]:
        """For each chosen GPU: which call does not come back, and for how long."""
        under_way = self.library.under_way
        if under_way is None or (for_s := self.library.clock() - under_way[1]) < longer_than_s:
            return []
        why = f"the driver hangs: {under_way[0]} has not come back for {rounded_duration(for_s)}"
        if not self._chosen:
            return self._report("hang", f"the driver hangs: {under_way[0]} does not come back")
        return [no_answer(device, why, self._wall()) for device in self._chosen]

    def close(self) -> None:
        """Shut the library down."""
        self._gpus = []
        self.library.close()

    def _reopen(self) -> None:
        self.close()
        self._trouble = ""
        self.library.open()
        self._open_again_s = inf
        self._look_again_s = -inf
        handles = self.library.call("amdsmi_get_processor_handles")
        self._gpus = [Gpu(self.library, self._device(i, h)) for i, h in enumerate(handles[:_MOST_GPUS])]

    def _device(self, number: int, handle: object) -> Device:
        try:
            asic = self.library.call("amdsmi_get_gpu_asic_info", handle)
            name = asic.get("market_name", "") if isinstance(asic, dict) else ""
        except AmdError as error:
            if error.code in GONE:
                raise
            name = ""
        try:
            uuid = str(self.library.call("amdsmi_get_gpu_device_uuid", handle))
        except AmdError:
            uuid = ""
        return Device(number, handle, "" if name == "N/A" else clean(str(name)), clean(uuid))

    def _ask_rarely(self) -> None:
        for gpu in self._gpus:
            gpu.ask_rarely()
        self._chosen, self._note = self._choose([gpu.device for gpu in self._gpus])

    def _choose(self, there: list[Device]) -> Chosen:
        if not there:
            return Chosen([], "no GPU: the AMD driver is there, but shows none")
        if self._wish:
            return asked_for(there, self._wish)
        pids = self._trainer.pids() if self._host_ids else ()
        used = [gpu.device for gpu in self._gpus if gpu.computes(pids)]
        if used:
            return Chosen(used)
        for variable in _VISIBLE:
            if (setting := self._trainer.variable(variable)) is not None:
                chosen = visible(there, setting).devices
                why = "" if chosen else f"no GPU: {variable}={setting} hides all of them; --gpu all shows them"
                return Chosen(chosen, why)
        return Chosen(there)

    def _sample(self, gpu: Gpu) -> GpuSample:
        return gpu.sample(self._wall(), self._trainer.pids(), host_ids=self._host_ids)

    def _report(self, subject: str, text: str) -> list[Event]:
        """A message, if this is news of the subject; "" means that all is well (again)."""
        if text == self._reported.get(subject, ""):
            return []
        self._reported[subject] = text
        of_one_gpu = subject.startswith("GPU")
        if not text and not of_one_gpu:
            return []  # the samples show it
        words = f"{subject}: {text or 'it answers again'}" if of_one_gpu else text
        return [Message(clean(words), at_s=self._wall(), about="" if of_one_gpu else "gpu")]
