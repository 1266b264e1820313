"""All devices, pass after pass: chosen, sampled, lost, looked for again, back."""

from __future__ import annotations

import os
import time
from math import inf
from typing import TYPE_CHECKING, Protocol

from ...events import GpuSample, Message, Severity
from ...words import rounded_duration
from ..clean import clean
from .choice import Chosen, asked_for, visible
from .devices import Device, devices
from .errors import NvmlError, trouble
from .gpu import Gpu, no_answer
from .library import Library
from .processes import host_ids
from .xid import XidEvents, address, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ...events import Event

RETRY_S = 30.0
"""A GPU or a driver that is gone is looked for again this often: that initialises NVML anew."""
LOOK_S = 10.0
"""Processes and ECC counts are asked this seldom: they hold the driver's lock for milliseconds."""


class Trainer(Protocol):
    """What the choice of GPUs needs to know of the trainer."""

    def pids(self) -> Collection[int]:
        """The process ids of its tree; empty if the trainer is not known."""
        ...

    def missing(self) -> str:
        """Why there is no trainer here whose GPUs could be sampled; "" if there is one."""
        ...

    def variable(self, name: str) -> str | None:
        """One of its environment variables (ours, if it is not known); `None` if that is not set."""
        ...


class Nobody:
    """No trainer is asked for: any GPU is of interest, and our own environment says which are visible."""

    def pids(self) -> Collection[int]:
        """None."""
        return ()

    def missing(self) -> str:
        """Nothing is."""
        return ""

    def variable(self, name: str) -> str | None:
        """Ours."""
        return os.environ.get(name)


class NvmlSampler:
    """A `Sampler` (see `sampling`) of the GPUs that `wish` (`--gpu`) names, or that the trainer uses.

    `wall` is Unix time, for the events; all else goes by the library's own clock.
    """

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
        self._seen = False  # any sample yet?
        self._note = ""
        self._trouble = ""  # why NVML as a whole does not answer
        self._xids = XidEvents(self.library)
        self._newest_xid: dict[str, int] = {}  # by UUID: they outlive an initialisation
        self._open_again_s = -inf
        self._look_again_s = -inf
        self._reported: dict[str, str] = {}  # subject -> the last message about it

    def sample(self) -> list[Event]:
        """One pass over the chosen devices. What does not answer is in every sample, and once in a message."""
        now_s = self.library.clock()
        absent = "" if self._wish else self._trainer.missing()
        if absent:
            # An old log, or one of another machine: the GPUs here are not its own, nor taken for them.
            return [] if self._seen else self._report("NVML", absent)
        try:
            if now_s >= self._open_again_s:
                self._reopen()
            if self._trouble:
                return [no_answer(device, self._trouble, self._wall()) for device in self._chosen]
            if now_s >= self._look_again_s:
                self._look_again_s = now_s + LOOK_S
                self._ask_rarely()
            xids = self._xid_messages()
            samples = [self._sample(gpu) for gpu in self._gpus if gpu.device in self._chosen]
            self._seen = self._seen or bool(samples)
        except NvmlError as error:
            self.close()
            self._trouble = trouble(error)
            self._open_again_s = now_s + RETRY_S
            samples = [no_answer(device, self._trouble, self._wall()) for device in self._chosen]
            return [*self._report("NVML", self._trouble), *samples]
        if any(gpu.lost for gpu in self._gpus):
            self._open_again_s = min(self._open_again_s, now_s + RETRY_S)
        lost = [m for s in samples for m in self._report(f"GPU {s.gpu}", s.lost)]
        return [*self._report("NVML", self._note), *xids, *lost, *samples]

    def hung(self, longer_than_s: float) -> list[Event]:
        """For each chosen device: which call does not come back, and for how long."""
        under_way = self.library.under_way
        if under_way is None or (for_s := self.library.clock() - under_way[1]) < longer_than_s:
            return []
        why = f"the driver hangs: {under_way[0]} has not come back for {rounded_duration(for_s)}"
        if not self._chosen:
            return self._report("hang", f"the driver hangs: {under_way[0]} does not come back")
        return [no_answer(device, why, self._wall()) for device in self._chosen]

    def close(self) -> None:
        """Give every handle back and shut NVML down."""
        for gpu in self._gpus:
            gpu.close()
        self._gpus = []
        self._xids.close()
        self.library.close()

    def _reopen(self) -> None:
        self.close()
        self.library.open()
        self._trouble = ""
        self._open_again_s = inf
        self._look_again_s = -inf
        self._gpus = [Gpu(self.library, device) for device in devices(self.library)]
        for gpu in self._gpus:
            gpu.xid = self._newest_xid.get(gpu.device.uuid)
            if gpu.device.mig is None and not gpu.lost:
                gpu.listen(self._xids)

    def _ask_rarely(self) -> None:
        for gpu in self._gpus:
            gpu.ask_rarely()
        self._chosen, self._note = self._choose([gpu.device for gpu in self._gpus])

    def _choose(self, there: list[Device]) -> Chosen:
        if not there:
            return Chosen([], "no GPU: the NVIDIA driver is there, but shows none")
        if self._wish:
            return asked_for(there, self._wish)
        pids = self._trainer.pids() if self._host_ids else ()
        used = [gpu.device for gpu in self._gpus if gpu.computes(pids)]
        if used:
            return Chosen(used)
        setting = self._trainer.variable("CUDA_VISIBLE_DEVICES")
        chosen = visible(there, setting, self._trainer.variable("CUDA_DEVICE_ORDER"))
        if not chosen.devices:
            return Chosen([], f"no GPU: CUDA_VISIBLE_DEVICES={setting} hides all of them; --gpu all shows them")
        return chosen

    def _sample(self, gpu: Gpu) -> GpuSample:
        return gpu.sample(self._wall(), self._trainer.pids(), host_ids=self._host_ids)

    def _xid_messages(self) -> list[Event]:
        messages: list[Event] = []
        for where, xid in self._xids.read():
            for gpu in self._gpus:
                if gpu.device.handle is not None and address(gpu.device.handle) == where:
                    gpu.xid = self._newest_xid[gpu.device.uuid] = xid
                    text = f"GPU {gpu.device.number}: {describe(xid)}"
                    messages.append(Message(text, level=Severity.ERROR, at_s=self._wall()))
        return messages

    def _report(self, subject: str, text: str) -> list[Event]:
        """A message, if this is news of the subject; "" means that all is well (again)."""
        before = self._reported.get(subject, "")
        if text == before:
            return []
        self._reported[subject] = text
        of_one_gpu = subject.startswith("GPU")
        if not text and not of_one_gpu:
            return []  # the samples show it
        words = f"{subject}: {text or 'it answers again'}" if of_one_gpu else text
        return [Message(clean(words), at_s=self._wall(), about="" if of_one_gpu else "gpu")]
