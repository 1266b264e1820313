"""Micro-steps, with a stand-in for torch's tensors."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import (
    BACKWARD,
    BEFORE_STEP,
    FORWARD,
    OPTIMIZER,
    SYNC,
    Config,
    Iteration,
    Phases,
    Progress,
)
from itermon.trainer_hooks.automatic import (
    backward,
)
from itermon.trainer_hooks.automatic.gpu_phases import gpu_phases

from ..conftest import Recorder

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock


@pytest.fixture
def backward_of(watcher: Watcher, module: Callable[..., ModuleType]) -> Callable[[], Any]:
    class Tensor:
        is_cpu = True

        def backward(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
            return (arguments, named)

    module("torch._tensor", Tensor=Tensor)
    backward.install(watcher)
    return lambda: Tensor().backward(1, retain_graph=True)


def steps(watcher: Watcher) -> None:
    """An optimizer's step."""
    watcher.stamps.stamp(BEFORE_STEP)
    for act in watcher.on_step:
        act()


def ends_iteration(watcher: Watcher, recorder: Recorder) -> None:
    recorder.iteration(watcher.iteration)
    watcher.iteration += 1
    for act in watcher.on_iteration:
        act()


def test_backwards_are_the_micro_steps_of_an_iteration(
    watcher: Watcher, recorder: Recorder, backward_of: Callable[[], Any]
) -> None:
    assert backward_of() == ((1,), {"retain_graph": True})
    found = []
    for count in (3, 3, 2, 3, 2, 2):
        for _ in range(count):
            backward_of()
        (progress,) = [event for event in recorder.events[-1:] if isinstance(event, Progress)]
        found.append((progress.iteration, progress.micro_step, progress.micro_steps))
        steps(watcher)
        ends_iteration(watcher, recorder)
    assert found == [(0, 4, None), (1, 3, None), (2, 2, None), (3, 3, None), (4, 2, None), (5, 2, None)]
    backward_of()
    (progress,) = [event for event in recorder.events[-1:] if isinstance(event, Progress)]
    assert (progress.micro_step, progress.micro_steps) == (1, 2)
    assert [event.gradient_accumulation for event in recorder.events if isinstance(event, Config)] == [2]


def test_what_is_rarely_there_is_looked_for_once(
    watcher: Watcher, recorder: Recorder, backward_of: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(backward, "gpu_phases", lambda: looked.append("GPU"))
    monkeypatch.setattr(backward.other_ranks, "are_there", lambda: bool(looked.append("ranks")))
    watcher.stamps.on_host = True
    for _ in range(3):
        backward_of()
        steps(watcher)
        ends_iteration(watcher, recorder)
    assert (looked, watcher.on_step, watcher.on_iteration) == (["GPU", "ranks"], [], [])
    watcher.look_again()  # a process group was made
    backward_of()
    assert looked == ["GPU", "ranks", "ranks"]


def test_another_threads_backward_is_no_micro_step(
    watcher: Watcher, recorder: Recorder, backward_of: Callable[[], Any]
) -> None:
    called: list[str] = []
    watcher.on_backward.append(lambda: called.append("backward"))
    watcher.trainer_thread = -1
    assert backward_of() == ((1,), {"retain_graph": True})
    assert (called, recorder.events) == ([], [])


class GpuEvent:
    """A stand-in for `torch.cuda.Event`: every stamp comes 10 ms after the one before, and at once."""

    now_ms = 0.0

    def __init__(self, *, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        GpuEvent.now_ms += 10
        self.at_ms = GpuEvent.now_ms

    def query(self) -> bool:
        return True

    def elapsed_time(self, later: GpuEvent) -> float:
        return later.at_ms - self.at_ms


def test_with_cuda_each_iteration_gets_the_gpus_time_by_phase(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], backward_of: Callable[[], Any]
) -> None:
    cuda = SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        Event=GpuEvent,
        is_current_stream_capturing=lambda: False,
    )
    module("torch", cuda=cuda)
    for _ in range(2):
        backward_of()
        GpuEvent.now_ms += 100  # clipping
        steps(watcher)
        ends_iteration(watcher, recorder)
    (phases,) = [event for event in recorder.events if isinstance(event, Phases)]
    assert phases == Phases(
        iteration=1, phases={FORWARD: 0.01, BACKWARD: 0.01, BEFORE_STEP: 0.11, OPTIMIZER: 0.01}
    )


@pytest.mark.parametrize(("available", "initialized"), [(False, False), (True, False)])
def test_without_cuda_there_are_no_phases(
    available: bool, initialized: bool, module: Callable[..., ModuleType]
) -> None:
    cuda = SimpleNamespace(is_available=lambda: available, is_initialized=lambda: initialized)
    module("torch", cuda=cuda)
    assert gpu_phases() is None


def test_a_loop_that_waits_for_no_data_begins_with_its_first_backward_or_step(
    watcher: Watcher, module: Callable[..., ModuleType], clock: Clock
) -> None:
    class Tensor:
        def backward(self) -> None:
            clock.passes(0.5)

    module("torch._tensor", Tensor=Tensor)
    backward.install(watcher)
    for first, expected_s in ((Tensor().backward, 0.75), (lambda: steps(watcher), 0.25)):
        recorder = Recorder()
        watcher.hooks = watcher.loop = recorder  # type: ignore[assignment]
        watcher.look_again()
        first()
        clock.passes(0.25)
        recorder.iteration(0)
        (iteration,) = [event for event in recorder.events if isinstance(event, Iteration)]
        assert iteration.duration_s == expected_s


class ReadyAtOnce:
    """A stand-in for `OwnGradients`: two parts of the gradients are ready in each backward."""

    def __init__(self, ready: Callable[[], None]) -> None:
        self.ready = ready
        self.asked: list[str] = []

    def expect(self, _loss: object) -> None:
        self.asked.append("expect")

    def forget(self) -> None:
        self.asked.append("forget")


class Stamped(list[str]):
    """A stand-in for the phases of a GPU."""

    def stamp(self, phase: str) -> None:
        self.append(phase)

    def turn(self, _iteration: int) -> list[tuple[int, dict[str, float]]]:
        return []


@pytest.mark.parametrize("gpu", [None, Stamped()])
def test_with_other_ranks_what_follows_the_gradients_is_waiting(
    watcher: Watcher, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch, gpu: Stamped | None
) -> None:
    made: list[ReadyAtOnce] = []

    class Tensor:
        is_cpu = True

        def backward(self) -> None:
            made[0].ready()
            made[0].ready()

    monkeypatch.setattr(backward, "OwnGradients", lambda ready: made.append(ReadyAtOnce(ready)) or made[0])
    monkeypatch.setattr(backward, "gpu_phases", lambda: gpu)
    monkeypatch.setattr(backward.other_ranks, "are_there", lambda: True)
    module("torch._tensor", Tensor=Tensor)
    backward.install(watcher)
    for _ in range(2):
        Tensor().backward()
    assert made[0].asked == ["expect", "forget"] * 2
    assert [phase for phase, *_ in watcher.stamps.waiting] == [FORWARD, BACKWARD, SYNC] * 2
    watcher.optimizer_step_ends()
    for act in (*watcher.on_step, *watcher.on_iteration):
        act()
    if gpu is not None:
        assert gpu == [FORWARD, BACKWARD, SYNC] * 2 + [OPTIMIZER, BEFORE_STEP, OPTIMIZER]


def test_the_gpus_phases_end_before_others_act_on_an_iterations_end(
    watcher: Watcher, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tensor:
        def backward(self) -> None: ...

    gpu = Stamped()
    monkeypatch.setattr(backward, "gpu_phases", lambda: gpu)
    module("torch._tensor", Tensor=Tensor)
    watcher.on_iteration = [lambda: gpu.append("first"), lambda: gpu.append("second")]
    backward.install(watcher)
    watcher.look_again()
    Tensor().backward()
    gpu.clear()
    for act in watcher.on_iteration:
        act()
    assert gpu == [OPTIMIZER, "first", "second"]


@pytest.mark.parametrize(
    ("about", "is_known"), [({"is_cpu": True}, True), ({"is_cpu": False}, False), ({}, False)]
)
def test_a_loss_is_on_the_host_where_it_says_so(
    about: dict[str, bool], is_known: bool, watcher: Watcher, module: Callable[..., ModuleType]
) -> None:
    tensor_class = type("Tensor", (), {"backward": lambda _: None, **about})
    module("torch._tensor", Tensor=tensor_class)
    backward.install(watcher)
    tensor_class().backward()  # type: ignore[attr-defined]
    assert watcher.stamps.on_host is is_known
