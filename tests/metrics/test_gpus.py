"""Which GPUs are a rank's own."""

from __future__ import annotations

from collections.abc import Sequence

from waiting import eventually

from itermon.events import Event, GpuSample
from itermon.metrics.gpus import GpuWatch, own


def sample(gpu: int, *, used: int | None = None, lost: str = "", watts: float = 1.0) -> GpuSample:
    return GpuSample(1.0, gpu=gpu, uuid=f"GPU-{gpu}", power_w=watts, trainer_memory_bytes=used, lost=lost)


def test_those_on_which_the_trainer_has_memory_are_its_own() -> None:
    assert [
        s.gpu for s in own([sample(0, used=0), sample(1, used=5), sample(2), sample(3, used=1, lost="gone")])
    ] == [1]


def test_where_nobody_sees_whose_they_are_only_a_single_one_is() -> None:
    assert [s.gpu for s in own([sample(4)])] == [4]
    assert own([sample(0), sample(1)]) == []
    assert own([sample(0), sample(1, lost="gone")]) == []


class Sampler:
    def __init__(self, pid: int) -> None:
        self.pid = pid

    def sample(self) -> Sequence[Event]:
        return [sample(self.pid, used=1)]

    def hung(self, longer_than_s: float) -> Sequence[Event]:
        return []

    def close(self) -> None:
        pass


def test_each_rank_has_the_newest_samples_of_its_process() -> None:
    watch = GpuWatch(Sampler)
    key = ("gpt2", 0)
    assert watch.newest(key) == []
    watch.watch({key: 7})
    eventually(lambda: [s.gpu for s in watch.newest(key)] == [7])
    watch.watch({key: 8})  # another process of this rank
    eventually(lambda: [s.gpu for s in watch.newest(key)] == [8])
    watch.close()
    assert watch.newest(key) == []
