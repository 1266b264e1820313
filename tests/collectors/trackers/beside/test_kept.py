"""What is kept of a tracker's run."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from itermon.collectors.trackers.beside import kept as module
from itermon.collectors.trackers.beside.kept import Kept, iterations_of
from itermon.events import Config, End, GpuSample, Iteration, Iterations, PrintedLoss, RunInfo

if TYPE_CHECKING:
    import pytest

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


def test_as_many_iterations_and_samples_are_kept_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    kept = Kept("W&B")
    kept.add([*(Iteration(n) for n in range(4)), *(GpuSample(float(n)) for n in range(4))])
    assert (list(kept.iterations), len(kept.take_samples())) == ([0, 1, 2], 3)
    kept.add([GpuSample(9.0)])
    assert len(kept.take_samples()) == 1, "what was taken makes room"


def test_of_settings_that_change_without_end_a_hundred_are_kept() -> None:
    kept = Kept("W&B")
    kept.add(Config(origin=str(n)) for n in range(101))
    assert [config.origin for config in kept.configs] == [str(n) for n in range(100)]


def test_the_newest_and_the_oldest_time_are_those_of_whatever_has_one() -> None:
    kept = Kept("W&B")
    kept.add([Iteration(1)])
    assert (kept.oldest_s, kept.newest_s) == (None, None)
    kept.add([Iteration(2, at_s=0.0), Iteration(3, at_s=-1.0), End(at_s=7.0)])
    assert (kept.oldest_s, kept.newest_s) == (-1.0, 7.0)


def test_a_loss_that_is_there_stays_and_one_that_is_missing_is_taken() -> None:
    kept = Kept("W&B")
    kept.add([Iteration(1), PrintedLoss(1, 3.0), Iteration(2, loss=0.0), PrintedLoss(2, 3.0)])
    assert [one.loss for one in kept.iterations.values()] == [3.0, 0.0]
    assert kept.iterations[1].scalars is None


def test_of_many_iterations_no_more_than_were_asked_for() -> None:
    assert [one.index for one in iterations_of([Iteration(0), Iteration(1), Iteration(2)], 2)] == [0, 1]
    assert [one.index for one in iterations_of([BLOCK, Iteration(9)], 3)] == [1, 2, 3]
    assert [one.index for one in iterations_of([RunInfo(), Iteration(0), BLOCK], 4)] == [0, 1, 2, 3]
