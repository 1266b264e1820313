"""What fills up: each thing's course through the run, asked anew every few samples, by events alone."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ...events import CHECKPOINT, EVALUATION, GpuSample
from .course import Course
from .forecast import forecast
from .jumps import NEAR, Jumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...events import HostSample, SpanEnd
    from ..findings import Filling
    from .jumps import Jump

MEMORY, MACHINE, GPU, SHARED, DISK = "memory", "machine memory", "GPU memory", "shared memory", "disk"

RARELY = 32
"""It is asked anew after so many samples, or after a sixteenth of the few there are: a few milliseconds each."""

MOST = 128
"""Things that are followed: a GPU, or an instance of it, each."""


class Fillings:
    """Everything of a run that may fill up."""

    def __init__(self) -> None:
        self._things: dict[tuple[str, int, int], _Thing] = {}

    def clear(self) -> None:
        """Another process begins: its memory is its own."""
        self._things.clear()

    def add(self, sample: GpuSample | HostSample, iteration: int) -> None:
        """Take in a sample that came after `iteration`."""
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
        self._key = key
        self._course = Course()
        self._newest: deque[tuple[float, float]] = deque(maxlen=4 * NEAR)  # time, value
        self._jumps = {kind: Jumps(kind) for kind in (EVALUATION, CHECKPOINT)}

    def add(self, iteration: int, at_s: float, value: float, limit: float) -> None:
        self._course.add(iteration, at_s, value)
        self._newest.append((at_s, value))
        for jumps in self._jumps.values():
            jumps.add(value)
        samples = self._course.samples
        if samples % max(1, min(RARELY, samples // 16)) == 0:
            name, gpu, _ = self._key
            self.found = forecast(name, gpu if name == GPU else None, self._course, limit, self._jump())

    def stop(self, event: SpanEnd, iteration: int) -> None:
        if event.kind in self._jumps:
            begin_s = None if event.at_s is None else event.at_s - (event.duration_s or 0.0)
            before = [value for at_s, value in self._newest if begin_s is None or at_s <= begin_s]
            self._jumps[event.kind].stop(iteration, before[-NEAR:])

    def _jump(self) -> Jump | None:
        return next((found for jumps in self._jumps.values() if (found := jumps.found()) is not None), None)


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
