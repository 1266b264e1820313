"""What fills up: each thing's course through the run, asked anew every few samples, by events alone."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ...events import CHECKPOINT, EVALUATION, GpuSample
from ..findings import MemoryJump
from .course import Course
from .forecast import forecast, lifts
from .jumps import NEAR, Jumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...events import HostSample, SpanEnd
    from ..findings import Filling
    from .jumps import Jump

MEMORY, MACHINE, GPU, SHARED, DISK = "memory", "machine memory", "GPU memory", "shared memory", "disk"

RARELY = 32
"""It is asked anew after so many samples, or after a sixteenth of the few there are: a few milliseconds each."""

EPOCH = "epoch"
"""A kind of jump: no stop, but data is read from the beginning, and its workers may begin anew."""

MOST = 128
"""Things that are followed: a GPU, or an instance of it, each."""


class Fillings:
    """Everything of a run that may fill up."""

    def __init__(self) -> None:
        self._things: dict[tuple[str, int, int], _Thing] = {}
        self._epoch: tuple[int, int] | None = None  # how long one is, and the newest

    def clear(self) -> None:
        """Another process begins: its memory is its own."""
        self._things.clear()
        self._epoch = None

    def add(self, sample: GpuSample | HostSample, iteration: int, in_an_epoch: int | None = None) -> None:
        """Take in a sample that came after `iteration`, of so many `in_an_epoch` where that is known."""
        if in_an_epoch:
            self._count(iteration, in_an_epoch)
        for key, value, limit in _gpu(sample) if isinstance(sample, GpuSample) else _host(sample):
            if key not in self._things and len(self._things) == MOST:
                continue
            thing = self._things.setdefault(key, _Thing(key))
            thing.add(iteration, sample.at_s, value, limit)

    def stop(self, event: SpanEnd, iteration: int) -> None:
        """An evaluation or a checkpoint is over."""
        if not event.void:
            for thing in self._things.values():
                thing.stop(event, iteration)

    def _count(self, iteration: int, in_an_epoch: int) -> None:
        """An epoch may have ended since the sample before."""
        epoch = in_an_epoch, (iteration + 1) // in_an_epoch
        if self._epoch is not None and self._epoch[0] == in_an_epoch and epoch[1] > self._epoch[1]:
            for thing in self._things.values():
                thing.jump(EPOCH, iteration)
        self._epoch = epoch

    def jumps(self) -> tuple[MemoryJump, ...]:
        """What grows by jumps, where nothing is known of its end."""
        found = [thing.jumps for thing in self._things.values() if thing.jumps is not None]
        if any(one.what == MEMORY for one in found):
            found = [one for one in found if one.what != MACHINE]
        return tuple(found)

    def found(self) -> tuple[Filling, ...]:
        """What will be full, the first of it first."""
        found = [thing.found for thing in self._things.values() if thing.found is not None]
        if any(one.what == MEMORY for one in found):  # it is the trainer's, and the machine's with it
            found = [one for one in found if one.what != MACHINE]
        return tuple(sorted(found, key=lambda one: one.full_at_iteration))


class _Thing:
    """One of them: `found` is what was last known of its end."""

    def __init__(self, key: tuple[str, int, int]) -> None:
        self.found: Filling | None = None
        self.jumps: MemoryJump | None = None  # where nothing is known of its end
        self._key = key
        self._course = Course()
        self._newest: deque[tuple[float, float]] = deque(maxlen=4 * NEAR)  # time, value
        self._levels = {kind: Jumps(kind) for kind in (EVALUATION, CHECKPOINT, EPOCH)}

    def add(self, iteration: int, at_s: float, value: float, limit: float) -> None:
        self._course.add(iteration, at_s, value)
        self._newest.append((at_s, value))
        for levels in self._levels.values():
            levels.add(value)
        samples = self._course.samples
        if samples % max(1, min(RARELY, samples // 16)) == 0:
            name, gpu, _ = self._key
            self.found = forecast(name, gpu if name == GPU else None, self._course, limit, self._jump())
            self.jumps = self._jumping(limit) if self.found is None else None

    def stop(self, event: SpanEnd, iteration: int) -> None:
        if event.kind in self._levels:
            begin_s = None if event.at_s is None else event.at_s - (event.duration_s or 0.0)
            self.jump(event.kind, iteration, begin_s)

    def jump(self, kind: str, iteration: int, begin_s: float | None = None) -> None:
        """It may jump now, at what began at `begin_s`; `None`: in no time."""
        before = [value for at_s, value in self._newest if begin_s is None or at_s <= begin_s]
        self._levels[kind].stop(iteration, before[-NEAR:])

    def _jumping(self, limit: float) -> MemoryJump | None:
        name, gpu, _ = self._key
        jump = None if name == DISK else self._jump(few=True)  # checkpoints that are kept are no fault
        newest = min(value for _, value in [*self._newest][-NEAR:])
        if jump is None or not lifts(jump, self._course, newest, limit):
            return None
        return MemoryJump(name, jump.kind, jump.each, jump.times, gpu if name == GPU else None)

    def _jump(self, *, few: bool = False) -> Jump | None:
        all_of = (jumps.found(few=few) for jumps in self._levels.values())
        return next((found for found in all_of if found is not None), None)


def _gpu(sample: GpuSample) -> Iterator[tuple[tuple[str, int, int], float, float]]:
    if sample.memory_used_bytes is not None and sample.memory_total_bytes:
        mig = -1 if sample.mig is None else sample.mig
        yield (GPU, sample.gpu, mig), sample.memory_used_bytes, sample.memory_total_bytes


def _host(sample: HostSample) -> Iterator[tuple[tuple[str, int, int], float, float]]:
    """The trainer's memory grows into what the machine, or its control group, has left."""
    used, limit = sample.memory_charged_bytes, sample.memory_limit_bytes
    if used is None or limit is None:
        limit = sample.memory_total_bytes
        used = None if limit is None else limit - (sample.memory_available_bytes or limit)
    if used is not None and limit:
        yield (MACHINE, 0, 0), used, limit
        if sample.resident_bytes is not None:
            left = min(limit - used, sample.memory_available_bytes or limit)
            yield (MEMORY, 0, 0), sample.resident_bytes, sample.resident_bytes + left
    if sample.shared_used_bytes is not None and sample.shared_total_bytes:
        yield (SHARED, 0, 0), sample.shared_used_bytes, sample.shared_total_bytes
    if sample.disk_free_bytes is not None:
        yield (DISK, 0, 0), -sample.disk_free_bytes, 0
