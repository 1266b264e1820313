"""The GPUs of the trainers that are followed, each asked for in a thread of its own: a driver may hang."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from ..collectors.gpu_sampler import gpu_sampler
from ..collectors.sampling import SamplingSource
from ..collectors.source import Feed
from ..events import GpuSample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..collectors.sampling import Sampler

INTERVAL_S = 10.0
Key = tuple[str, int]


class GpuWatch:
    """The newest samples of each rank's own GPUs; `sampler` makes one for a process."""

    def __init__(self, sampler: Callable[[int], Sampler] | None = None) -> None:
        self._sampler = sampler or (lambda pid: gpu_sampler(None, OneProcess(pid)))
        self._feeds: dict[Key, tuple[int, Feed]] = {}
        self._newest: dict[Key, dict[tuple[int, int | None], GpuSample]] = {}

    def watch(self, pids: Mapping[Key, int]) -> None:
        """These are the ranks whose GPUs are wanted now, by their processes."""
        for key, (pid, feed) in list(self._feeds.items()):
            if pids.get(key) != pid:
                feed.stop()
                del self._feeds[key]
                self._newest.pop(key, None)
        for key in pids.keys() - self._feeds.keys():
            feed = Feed()
            feed.add(SamplingSource("GPU sampling", self._sampler(pids[key]), interval_s=INTERVAL_S))
            self._feeds[key] = pids[key], feed

    def newest(self, key: Key) -> list[GpuSample]:
        """The newest sample of each GPU that is this rank's own; none where nobody knows whose they are."""
        if key in self._feeds:
            for batch in self._feeds[key][1].drain():
                samples = [event for event in batch.events if type(event) is GpuSample]
                if samples:
                    self._newest[key] = {(sample.gpu, sample.mig): sample for sample in own(samples)}
        return list(self._newest.get(key, {}).values())

    def close(self) -> None:
        """Ask no more."""
        self.watch({})


def own(samples: Sequence[GpuSample]) -> list[GpuSample]:
    """Those on which the trainer has memory; where the driver does not see whose it is, the only one there is."""
    there = [sample for sample in samples if not sample.lost]
    used = [sample for sample in there if sample.trainer_memory_bytes]
    return used or (there if len(samples) == 1 else [])


class OneProcess:
    """A rank's process, which computes itself: none of its children is looked for."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def pids(self) -> frozenset[int]:
        """That process."""
        return frozenset((self._pid,))

    def missing(self) -> str:
        """Nothing: it lives, as its recording shows."""
        return ""

    def variable(self, name: str) -> str | None:
        """One of its environment variables."""
        try:
            environment: dict[str, str] = psutil.Process(self._pid).environ()
        except (psutil.Error, OSError):
            return None
        return environment.get(name)
