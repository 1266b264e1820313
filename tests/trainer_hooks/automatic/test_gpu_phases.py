"""The GPU's time by phase, with stand-ins for CUDA's events: nothing is ever waited for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    BACKWARD,
    FORWARD,
    OPTIMIZER,
    Phases,
)
from itermon.trainer_hooks.automatic.gpu_phases import GpuPhases, gpu_phases

if TYPE_CHECKING:
    from .conftest import Recorder


class GpuEvent:
    """A stand-in for `torch.cuda.Event`: the GPU comes to it when the test says so."""

    now_ms = 0.0
    made = 0

    def __init__(self) -> None:
        GpuEvent.made += 1
        self.at_ms: float | None = None

    def record(self) -> None:
        GpuEvent.now_ms += 10
        self.at_ms = GpuEvent.now_ms

    def query(self) -> bool:
        return self.at_ms is not None and self.at_ms <= self.reached_ms

    def elapsed_time(self, later: GpuEvent) -> float:
        assert self.at_ms is not None
        assert later.at_ms is not None
        return later.at_ms - self.at_ms

    reached_ms = 0.0


def train_one(phases: GpuPhases, micro_steps: int = 2) -> None:
    for _ in range(micro_steps):
        phases.stamp(FORWARD)
        phases.stamp(BACKWARD)
    phases.stamp("")
    phases.stamp(OPTIMIZER)


def test_gpu_phases_are_read_when_the_gpu_has_passed_them_and_never_waited_for() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 0.0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(3):
        train_one(phases)
        assert phases.turn(iteration) == []
    GpuEvent.reached_ms = 120.0  # the end of iteration 1
    train_one(phases)
    # Between the last backward and the step lies what belongs to no phase.
    assert phases.turn(3) == [(1, {FORWARD: 0.02, BACKWARD: 0.02, OPTIMIZER: 0.01})]
    GpuEvent.reached_ms = 1e9
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(4)] == [2, 3, 4]


def test_gpu_events_are_used_again_and_bounded_while_the_gpu_lags() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms, GpuEvent.made = 0.0, 1e9, 0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(100):
        train_one(phases)
        for _, seconds in phases.turn(iteration):
            assert seconds == {FORWARD: 0.02, BACKWARD: 0.02, OPTIMIZER: 0.01}
    assert GpuEvent.made == 7, "six an iteration, and the last of the one before"
    GpuEvent.reached_ms = 0.0
    for iteration in range(100):
        train_one(phases, 100)
        phases.turn(iteration)
    assert GpuEvent.made < 2000


def test_nothing_is_asked_of_the_gpu_while_a_graph_is_captured() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms, GpuEvent.made = 0.0, 1e9, 0
    capturing = True
    phases = GpuPhases(GpuEvent, lambda: capturing)
    train_one(phases)
    assert phases.turn(0) == []
    assert GpuEvent.made == 0
    capturing = False
    train_one(phases)
    assert phases.turn(1) == [], "its beginning was not seen"
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(2)] == [2]


def test_an_iteration_whose_end_is_captured_or_that_has_none_is_left_out_with_the_one_after_it() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 1e9
    capturing = False
    phases = GpuPhases(GpuEvent, lambda: capturing)
    train_one(phases)
    assert phases.turn(0) == []
    train_one(phases)
    capturing = True
    assert phases.turn(1) == []
    capturing = False
    assert phases.turn(2) == [], "nothing was stamped"
    for iteration in (3, 4):
        train_one(phases)
        found = phases.turn(iteration)
    assert found == [(4, {FORWARD: 0.02, BACKWARD: 0.02, OPTIMIZER: 0.01})]


def test_an_iteration_is_read_when_the_gpu_has_passed_its_very_end() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 0.0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(2):
        train_one(phases)
        assert phases.turn(iteration) == []
    for reached_ms in (110.0, 119.0):
        GpuEvent.reached_ms = reached_ms
        train_one(phases)
        assert phases.turn(2) == []
    GpuEvent.reached_ms = 120.0
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(3)] == [1]


@pytest.mark.parametrize(("micro_steps", "is_read"), [(30, True), (31, False)])
def test_an_iteration_of_more_than_thirty_micro_steps_is_left_out(micro_steps: int, is_read: bool) -> None:
    """64 stamps: of the end before, two each, one before the step and one after it."""
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 1e9
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(2):
        train_one(phases, micro_steps)
        found = phases.turn(iteration)
    assert bool(found) == is_read
    if is_read:
        assert found[0][1] == {FORWARD: pytest.approx(0.3), BACKWARD: pytest.approx(0.3), OPTIMIZER: 0.01}


def test_without_torch_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert gpu_phases() is None


@pytest.mark.parametrize(("available", "initialised"), [(True, True), (True, False), (False, True)])
def test_with_a_gpu_that_is_in_use_its_events_take_times(
    available: bool, initialised: bool, module: Callable[..., ModuleType]
) -> None:
    cuda = SimpleNamespace(
        is_available=lambda: available,
        is_initialized=lambda: initialised,
        is_current_stream_capturing=lambda: False,
        Event=lambda *, enable_timing: GpuEvent() if enable_timing else None,
    )
    module("torch", cuda=cuda)
    phases = gpu_phases()
    assert (phases is not None) == (available and initialised)
    if phases is not None:
        GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 1e9
        for iteration in range(2):
            train_one(phases)
            found = phases.turn(iteration)
        assert found == [(1, {FORWARD: 0.02, BACKWARD: 0.02, OPTIMIZER: 0.01})]


def test_phases_come_as_an_event_of_their_iteration(recorder: Recorder) -> None:
    recorder.phases(7, {FORWARD: 0.5})
    assert recorder.events == [Phases(iteration=7, phases={FORWARD: 0.5})]


def test_of_iterations_that_the_gpu_never_reaches_sixteen_are_kept() -> None:
    GpuEvent.now_ms, GpuEvent.reached_ms = 0.0, 0.0
    phases = GpuPhases(GpuEvent, lambda: False)
    for iteration in range(30):
        train_one(phases)
        assert phases.turn(iteration) == []
    GpuEvent.reached_ms = 1e9
    train_one(phases)
    assert [iteration for iteration, _ in phases.turn(30)] == list(range(14, 31))
