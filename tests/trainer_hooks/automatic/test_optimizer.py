"""Which step of which optimizer ends an iteration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    Iteration,
)
from itermon.trainer_hooks.automatic.optimizer import Boundaries

from .conftest import Recorder, iterations

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


class Optimizer:
    def __init__(self, rate: float = 0.1, steps: int | None = None) -> None:
        self.param_groups = [{"lr": rate}, {"lr": rate / 2}]
        self.state: dict[str, dict[str, object]] = {} if steps is None else {"parameter": {"step": steps}}


def test_two_optimizers_in_one_iteration_are_one_iteration(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, first, second = Boundaries(watcher), Optimizer(0.5), Optimizer()
    for _ in range(3):
        boundaries.stepped(first, (), {})
        boundaries.stepped(second, (), {})
    assert iterations(recorder) == [0, 1, 2]
    assert {event.learning_rate for event in recorder.events if isinstance(event, Iteration)} == {0.5}


def test_a_second_phase_with_another_optimizer_is_followed(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, first, second = Boundaries(watcher), Optimizer(), Optimizer()
    boundaries.stepped(first, (), {})
    for _ in range(60):
        boundaries.stepped(second, (), {})
    assert len(iterations(recorder)) == 1 + 60 - 50
    del first
    third = Boundaries(watcher)
    third.stepped(Optimizer(), (), {})  # gone at once
    third.stepped(second, (), {})
    assert len(iterations(recorder)) == 13


def test_a_resumed_run_goes_on_counting(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, optimizer = Boundaries(watcher), Optimizer(steps=5001)
    boundaries.stepped(optimizer, (), {})
    boundaries.stepped(optimizer, (), {})
    assert iterations(recorder) == [5000, 5001]


class OnGpu:
    is_cpu = False

    def __int__(self) -> int:
        raise AssertionError("read: that would wait for the GPU")


@pytest.mark.parametrize("state", [{"step": OnGpu()}, {"momentum_buffer": 1.0}, {"step": 0}, {"step": 1}])
def test_a_run_whose_steps_are_not_known_counts_from_0(
    state: dict[str, object], watcher: Watcher, recorder: Recorder
) -> None:
    boundaries, optimizer = Boundaries(watcher), Optimizer()
    optimizer.state = {"parameter": state}
    boundaries.stepped(optimizer, (), {})
    assert iterations(recorder) == [0]


def test_a_step_that_the_scaler_skips_is_an_iteration(watcher: Watcher, recorder: Recorder) -> None:
    boundaries, optimizer = Boundaries(watcher), Optimizer()

    class GradScaler:
        overflow = False

        def step(self, optimizer: Optimizer) -> str:
            if not self.overflow:
                boundaries.stepped(optimizer, (), {})
            return "result"

    boundaries.wrap_scaler(SimpleNamespace(GradScaler=GradScaler))  # type: ignore[arg-type]
    scaler = GradScaler()
    scaler.overflow = True
    assert scaler.step(optimizer) == "result"
    assert recorder.events == [], "whose step it was is not known before the first is made"
    scaler.overflow = False
    assert scaler.step(optimizer) == "result"
    assert iterations(recorder) == [0]
    scaler.overflow = True
    assert scaler.step(optimizer) == "result"
    assert iterations(recorder) == [0, 1]
