"""Waiting for other ranks, with stand-ins for torch's collectives, its autograd and DistributedDataParallel."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import BACKWARD, BEFORE_FORWARD, BEFORE_STEP, FORWARD, OPTIMIZER, SYNC, Message, Phases
from itermon.trainer_hooks.automatic import backward, other_ranks

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock
    from .conftest import Recorder

Put = Callable[..., ModuleType]


class Group:
    def __init__(self, size: int = 4) -> None:
        self.size = lambda: size


@pytest.fixture
def compiles() -> dict[str, bool]:
    return {"now": False}


@pytest.fixture
def torch(module: Put, compiles: dict[str, bool]) -> ModuleType:
    return module("torch", compiler=SimpleNamespace(is_compiling=lambda: compiles["now"]), cuda=None)


@pytest.fixture
def dist(watcher: Watcher, clock: Clock, module: Put, torch: ModuleType) -> Iterator[ModuleType]:
    """`torch.distributed`, whose `all_reduce` waits two seconds; the iteration has begun."""

    def all_reduce(tensor: int, *, group: str = "") -> tuple[int, str]:
        clock.passes(2.0)
        return tensor, group

    class Work:
        def wait(self, timeout: float = 0.0) -> bool:
            clock.passes(3.0)
            return True

    dist = module("torch.distributed", all_reduce=all_reduce, reduce_scatter_single=all_reduce)
    of_torch = {"all_reduce": all_reduce, "reduce_scatter_single": all_reduce, "Work": Work}
    module("torch.distributed.distributed_c10d", GroupMember=SimpleNamespace(WORLD=Group()), **of_torch)
    dist.Work = Work  # type: ignore[attr-defined]
    watcher.stamps.on_host = watcher.stamps.ranks = True
    watcher.stamps.of(0, clock.now_ns, [])
    other_ranks.install(watcher)
    return dist


def spent(watcher: Watcher) -> dict[str, float]:
    """By phase, but for the optimizer, that would have the rest."""
    (phases,) = [event for event in watcher.stamps.of(1, time.perf_counter_ns(), []) if isinstance(event, Phases)]
    return {phase: seconds for phase, seconds in phases.phases.items() if phase != OPTIMIZER}


def test_the_time_in_a_collective_is_a_wait(watcher: Watcher, clock: Clock, dist: ModuleType) -> None:
    clock.passes(1.0)
    assert dist.all_reduce(3, group="all") == (3, "all")
    clock.passes(1.0)
    watcher.stamps.stamp(FORWARD)
    assert spent(watcher) == {SYNC: 2.0, FORWARD: 2.0}


def test_what_goes_on_meanwhile_is_waited_for_later(watcher: Watcher, clock: Clock, dist: ModuleType) -> None:
    clock.passes(1.0)
    assert dist.Work().wait(timeout=5.0) is True
    watcher.stamps.stamp(FORWARD)
    assert spent(watcher) == {SYNC: 3.0, FORWARD: 1.0}


def test_sharded_tensors_wait_in_a_function_of_their_own(
    watcher: Watcher, clock: Clock, dist: ModuleType, module: Put
) -> None:
    module("torch.distributed._functional_collectives", wait_tensor=lambda tensor: clock.passes(1.5) or tensor)
    other_ranks.install(watcher)
    norm: Any = sys.modules["torch.distributed._functional_collectives"]
    assert norm.wait_tensor(3) == 3
    watcher.stamps.stamp(BEFORE_STEP)
    assert spent(watcher) == {SYNC: 1.5, BEFORE_STEP: 0.0}


def test_fsdp_scatters_by_the_newer_name(watcher: Watcher, dist: ModuleType) -> None:
    dist.reduce_scatter_single(3)
    watcher.stamps.stamp(BACKWARD)
    assert spent(watcher) == {SYNC: 2.0, BACKWARD: 0.0}


def test_another_threads_collective_and_one_that_is_compiled_are_none(
    watcher: Watcher, dist: ModuleType, compiles: dict[str, bool]
) -> None:
    compiles["now"] = True
    dist.all_reduce(3)
    compiles["now"] = False
    watcher.trainer_thread = -1
    dist.all_reduce(3)
    watcher.stamps.stamp(FORWARD)
    assert spent(watcher) == {SYNC: 0.0, FORWARD: 4.0}


@pytest.mark.parametrize("doing", ["trains", "evaluates", "compiles", "is another thread"])
def test_before_a_forward_pass_buffers_are_waited_for(
    doing: str, watcher: Watcher, clock: Clock, dist: ModuleType, module: Put, compiles: dict[str, bool]
) -> None:
    class DistributedDataParallel:
        def __init__(self) -> None:
            self.training = doing != "evaluates"

        def _pre_forward(self, batch: int) -> int:
            clock.passes(0.5)
            return batch

    module("torch.nn.parallel.distributed", DistributedDataParallel=DistributedDataParallel)
    other_ranks.install(watcher)
    clock.passes(1.0)
    compiles["now"] = doing == "compiles"
    thread, watcher.trainer_thread = watcher.trainer_thread, -1 if "thread" in doing else watcher.trainer_thread
    assert DistributedDataParallel()._pre_forward(7) == 7
    watcher.trainer_thread = thread
    clock.passes(2.0)
    watcher.stamps.stamp(FORWARD)
    waited = {BEFORE_FORWARD: 1.0, SYNC: 0.5, FORWARD: 2.0}
    expected = waited if doing == "trains" else {SYNC: 0.0, FORWARD: 3.5}
    assert spent(watcher) == expected


@pytest.mark.parametrize(("size", "there"), [(4, True), (1, False), (None, False)])
def test_one_rank_alone_waits_for_nobody(size: int | None, there: bool, module: Put) -> None:
    group = None if size is None else Group(size)
    module("torch.distributed.distributed_c10d", GroupMember=SimpleNamespace(WORLD=group))
    assert other_ranks.are_there() == there


class Loss:
    """A tensor on the CPU. Its backward: the hooks, then the gradients, then what was queued, in its order."""

    is_cpu = True
    requires_grad = True
    clock: Clock
    queued: list[Callable[[], None]]

    def __init__(self) -> None:
        self.hooks: list[Callable[[Any], None]] = []

    def register_hook(self, hook: Callable[[Any], None]) -> Any:
        self.hooks.append(hook)
        return SimpleNamespace(remove=lambda: self.hooks.remove(hook))

    def backward(self) -> None:
        for hook in self.hooks:
            hook(1.0)
        self.clock.passes(1.0)
        self.queued.append(lambda: self.clock.passes(5.0))  # as DistributedDataParallel does
        for act in self.queued:
            act()
        self.queued.clear()


@pytest.fixture
def loss(watcher: Watcher, clock: Clock, dist: ModuleType, module: Put, monkeypatch: pytest.MonkeyPatch) -> Loss:
    Loss.clock, Loss.queued = clock, []
    engine = SimpleNamespace(queue_callback=Loss.queued.append)
    module("torch.autograd", Variable=SimpleNamespace(_execution_engine=engine))
    module("torch._tensor", Tensor=Loss)
    monkeypatch.setattr(Loss, "backward", Loss.backward)  # to be put back
    monkeypatch.setattr(backward, "gpu_phases", lambda: None)
    backward.install(watcher)
    return Loss()


def test_a_backward_is_ones_own_until_its_gradients_are_ready(watcher: Watcher, loss: Loss) -> None:
    loss.backward()
    loss.backward()  # of a graph that was kept: its hook is not there twice
    assert loss.hooks == []
    assert spent(watcher) == {FORWARD: 0.0, BACKWARD: 2.0, SYNC: 10.0}


def test_without_gradients_nothing_is_asked_of_the_loss(watcher: Watcher, recorder: Recorder, loss: Loss) -> None:
    loss.requires_grad = False
    loss.backward()
    assert spent(watcher) == {FORWARD: 0.0, BACKWARD: 6.0, SYNC: 0.0}
    assert not [event for event in recorder.events if isinstance(event, Message)]


def test_a_loss_on_another_device_has_no_phases_by_the_wall_clock(watcher: Watcher, loss: Loss) -> None:
    loss.is_cpu = False
    loss.backward()
    assert watcher.stamps.of(1, time.perf_counter_ns(), []) == []


def test_what_makes_other_ranks_answers_what_it_answers() -> None:
    looks: list[int] = []
    watched = other_ranks._followed(lambda *a, **b: (a, b), SimpleNamespace(look_again=lambda: looks.append(1)))  # type: ignore[arg-type]
    assert watched(1, backend="gloo") == ((1,), {"backend": "gloo"})
    assert looks == [1]
