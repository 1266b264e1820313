"""All GPUs of one maker, pass after pass: chosen, sampled, lost, looked for again, back."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ...events import Message
from ...words import rounded_duration
from ..clean import clean
from .asking import DriverError
from .choice import Chosen, asked_for
from .device import no_answer
from .trainer import Nobody
from .usage import host_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ...events import Event, GpuSample
    from .device import Device
    from .trainer import Trainer

RETRY_S = 30.0
"""A GPU or a driver that is gone is looked for again this often: that initialises its library anew."""

LOOK_S = 10.0
"""Processes and ECC counts are asked this seldom: they hold the driver's lock for milliseconds."""


class Library(Protocol):
    """A driver's library: it says which call is under way, and since when by `clock`."""

    clock: Callable[[], float]
    under_way: tuple[str, float] | None

    def close(self) -> None:
        """Shut it down, if it is initialised."""
        ...


class Gpu(Protocol):
    """One GPU that can be sampled; `lost` says why it no longer can."""

    device: Device
    lost: str

    def ask_rarely(self) -> None:
        """Ask what takes the driver long."""
        ...

    def computes(self, trainer: Collection[int]) -> bool:
        """Whether one of these processes computed here when last looked."""
        ...

    def sample(self, at_s: float, trainer: Collection[int] = (), *, host_ids: bool = True) -> GpuSample:
        """All that it reports now. `trainer` are the ids of the trainer's processes."""
        ...


OneGpu = TypeVar("OneGpu", bound=Gpu)
OneLibrary = TypeVar("OneLibrary", bound=Library)


class Passes(ABC, Generic[OneGpu, OneLibrary]):
    """A `Sampler` (see `sampling`) of the GPUs that `wish` (`--gpu`) names, or that the trainer uses.

    A maker's own gives what is written in capitals, and the abstract methods, which may raise a `DriverError`.
    `wall` is Unix time, for the events; all else goes by the library's clock.
    """

    NAME: ClassVar[str]
    """Of the library, in messages."""

    MAKER: ClassVar[str]

    PACKAGE: ClassVar[str]
    """Through which the library is called, by the name that it is installed by."""

    LIBRARY: ClassVar[type[Any]]

    def __init__(
        self,
        wish: str | None = None,
        trainer: Trainer | None = None,
        *,
        library: OneLibrary | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.library: OneLibrary = library or self.LIBRARY()
        self._wish = wish
        self._trainer = trainer or Nobody()
        self._wall = wall
        self._host_ids = host_ids()
        self._gpus: list[OneGpu] = []
        self._chosen: list[Device] = []
        self._seen = False  # any sample yet?
        self._note = ""
        self._trouble = ""  # why the library as a whole does not answer
        self._open_again_s = -inf
        self._look_again_s = -inf
        self._reported: dict[str, str] = {}  # subject -> the last message about it

    @abstractmethod
    def _open(self) -> list[OneGpu]:
        """Initialise the library: all GPUs."""

    @abstractmethod
    def _visible(self, there: list[Device]) -> Chosen:
        """Those that the trainer's environment leaves visible."""

    def _why(self, error: DriverError) -> str:
        """Why the library does not answer, for a person."""
        return str(error)

    def _news(self) -> list[Event]:
        """What the driver reports beside the samples."""
        return []

    def sample(self) -> list[Event]:
        """One pass over the chosen GPUs. What does not answer is in every sample, and once in a message."""
        now_s = self.library.clock()
        absent = "" if self._wish else self._trainer.missing()
        if absent:
            # An old log, or one of another machine: the GPUs here are not its own, nor taken for them.
            return [] if self._seen else self._report(self.NAME, absent)
        try:
            if now_s >= self._open_again_s:
                self._reopen()
            if self._trouble:
                return self._unanswered(self._trouble)
            if now_s >= self._look_again_s:
                self._look_again_s = now_s + LOOK_S
                self._ask_rarely()
            news = self._news()
            samples = [self._sample(gpu) for gpu in self._gpus if gpu.device in self._chosen]
            self._seen = self._seen or bool(samples)
        except DriverError as error:
            self.close()
            self._trouble = self._why(error)
            self._open_again_s = now_s + RETRY_S
            return [*self._report(self.NAME, self._trouble), *self._unanswered(self._trouble)]
        if any(gpu.lost for gpu in self._gpus):
            self._open_again_s = min(self._open_again_s, now_s + RETRY_S)
        lost = [m for s in samples for m in self._report(f"GPU {s.gpu}", s.lost)]
        return [*self._report(self.NAME, self._note), *news, *lost, *samples]

    def hung(self, longer_than_s: float) -> list[Event]:
        """For each chosen GPU: which call does not come back, and for how long."""
        under_way = self.library.under_way
        if under_way is None or (for_s := self.library.clock() - under_way[1]) < longer_than_s:
            return []
        if not self._chosen:
            return self._report("hang", f"the driver hangs: {under_way[0]} does not come back")
        return self._unanswered(
            f"the driver hangs: {under_way[0]} has not come back for {rounded_duration(for_s)}"
        )

    def close(self) -> None:
        """Give everything back and shut the library down."""
        self._gpus = []
        self.library.close()

    def _reopen(self) -> None:
        self.close()
        self._gpus = self._open()
        self._trouble = ""
        self._open_again_s = inf
        self._look_again_s = -inf

    def _ask_rarely(self) -> None:
        for gpu in self._gpus:
            gpu.ask_rarely()
        self._chosen, self._note = self._choose([gpu.device for gpu in self._gpus])

    def _choose(self, there: list[Device]) -> Chosen:
        if not there:
            return Chosen([], f"no GPU: the {self.MAKER} driver is there, but shows none")
        if self._wish:
            return asked_for(there, self._wish)
        pids = self._trainer.pids() if self._host_ids else ()
        used = [gpu.device for gpu in self._gpus if gpu.computes(pids)]
        return Chosen(used) if used else self._visible(there)

    def _sample(self, gpu: OneGpu) -> GpuSample:
        return gpu.sample(self._wall(), self._trainer.pids(), host_ids=self._host_ids)

    def _unanswered(self, why: str) -> list[Event]:
        return [no_answer(device, why, self._wall()) for device in self._chosen]

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
