"""What is kept of a tracker's run."""

from __future__ import annotations

from array import array

from itermon.collectors.trackers.beside.kept import Kept, iterations_of
from itermon.events import Config, End, GpuSample, Iteration, Iterations, PrintedLoss, RunInfo

BLOCK = Iterations(array("q", [1, 2, 3]), *(array("d", [0.5] * 3) for _ in range(3)))


def test_each_kind_has_its_place() -> None:
    kept = Kept("W&B")
    config = Config(origin="W&B config")
    kept.add([RunInfo(host="box"), config, config, Iteration(7, at_s=9.0), GpuSample(30.0), GpuSample(5.0), End()])
    assert (kept.info.host, kept.configs, list(kept.iterations)) == ("box", [config], [7])
    assert (kept.oldest_s, kept.newest_s) == (5.0, 30.0)
    assert [sample.at_s for sample in kept.take_samples()] == [5.0, 30.0]
    assert kept.take_samples() == []
    kept.begin()
    assert (kept.iterations, kept.end, kept.configs) == ({}, None, [])


def test_what_was_logged_of_an_iteration_stands_with_it() -> None:
    kept = Kept("W&B")
    kept.add([Iteration(7, loss=2.0, scalars={"a": 1.0}), PrintedLoss(7, 3.0, scalars={"b": 2.0}), PrintedLoss(8)])
    assert kept.iterations == {7: Iteration(7, loss=2.0, scalars={"a": 1.0, "b": 2.0})}


def test_the_first_iterations_also_of_blocks() -> None:
    assert [one.index for one in iterations_of([Iteration(0), BLOCK, Iteration(9)], 3)] == [0, 1, 2]
    assert len(iterations_of([BLOCK, BLOCK], 100)) == 6
