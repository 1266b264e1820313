"""Loops that evaluate without a word of it, with stand-ins for torch's modules and loaders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import BACKWARD, EVALUATION, Iteration, SpanBegin
from itermon.trainer_hooks.automatic import dataloader

from .conftest import Recorder, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock


class Hooked:
    """Its hooks can be taken away."""

    hooks: list[Callable[..., None]]

    def register(self, hook: Callable[..., None]) -> Any:
        self.hooks.append(hook)
        return SimpleNamespace(remove=lambda: self.hooks.remove(hook))


class Loop(Hooked):
    """What a script has: gradients or none, a model that takes a second, and loaders that take a quarter."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.gradients, self.hooks = clock, True, []
        self.model = Model()

    def forward(self, model: Model) -> None:
        for hook in tuple(self.hooks):
            hook(model, ())
        self.clock.passes(1.0)
        for hook in tuple(model.hooks):
            hook(model, (), None)


class Model(Hooked):
    def __init__(self) -> None:
        self.hooks = []
        self.register_forward_hook = self.register


@pytest.fixture
def loop(clock: Clock, watcher: Watcher, module: Callable[..., ModuleType]) -> Loop:
    loop = Loop(clock)
    module("torch", is_grad_enabled=lambda: loop.gradients)
    module("torch.nn.modules.module", register_module_forward_pre_hook=loop.register)

    class _BaseDataLoaderIter:
        left = 3

        def __next__(self) -> int:
            clock.passes(0.25)
            if not self.left:
                raise StopIteration
            self.left -= 1
            return self.left

        def __iter__(self) -> Iterator[int]:
            return self  # type: ignore[return-value]

    loop.loader = _BaseDataLoaderIter  # type: ignore[attr-defined]
    loader = type("DataLoader", (), {"__iter__": None})
    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter, DataLoader=loader)
    dataloader.install(watcher)
    watcher.iteration = 7
    watcher.is_model = lambda module: module is loop.model
    return loop


def run(loop: Loop, model: Any, *, most: int = 9, gradients: bool = False) -> None:
    """An epoch of another loader without gradients, of `most` batches; then the training goes on."""
    loop.gradients = gradients
    for count, _ in enumerate(loop.loader(), 1):  # type: ignore[attr-defined]
        loop.forward(model)
        if count == most:
            break
    loop.gradients = True
    next(loop.loader())  # type: ignore[attr-defined]


def durations(recorder: Recorder) -> list[float | None]:
    return [event.duration_s for event in spans(recorder, EVALUATION) if not event.void]


def test_batches_without_gradients_for_the_model_are_an_evaluation(loop: Loop, recorder: Recorder) -> None:
    run(loop, loop.model)
    assert durations(recorder) == [4.0], "to the end of the loader"
    run(loop, loop.model)
    run(loop, loop.model, most=2)
    assert durations(recorder) == [4.0, 4.0, 2.5], "where the loop leaves it, to the last forward"
    assert (loop.hooks, loop.model.hooks) == ([], [])
    recorder.iteration(7)
    (iteration,) = [event for event in recorder.events if isinstance(event, Iteration)]
    assert iteration.data_wait_s == 0.75, "of the training's own three batches"


def test_a_teacher_and_what_has_gradients_are_none(loop: Loop, recorder: Recorder) -> None:
    run(loop, Model())
    run(loop, loop.model, gradients=True)
    assert not [event for event in recorder.events if isinstance(event, SpanBegin)]
    assert (loop.hooks, loop.model.hooks) == ([], [])


@pytest.mark.parametrize("known", ["evaluates", "is_in_eval", "compiles"])
def test_what_is_known_or_must_not_be_disturbed_is_left_alone(
    known: str, loop: Loop, watcher: Watcher, recorder: Recorder
) -> None:
    setattr(watcher, known, True)
    run(loop, loop.model)
    assert (durations(recorder), getattr(watcher, known)) == ([], True)


def test_before_the_first_iteration_the_loop_is_being_prepared(
    loop: Loop, watcher: Watcher, recorder: Recorder
) -> None:
    watcher.iteration = 0
    run(loop, loop.model)
    assert durations(recorder) == []


def test_a_backward_ends_it(loop: Loop, watcher: Watcher, recorder: Recorder) -> None:
    loop.gradients = False
    next(loop.loader())  # type: ignore[attr-defined]
    loop.forward(loop.model)
    assert watcher.evaluates
    for act in watcher.on_backward:
        act()
    assert durations(recorder) == [1.25]
    assert (watcher.evaluates, watcher.on_backward, loop.model.hooks) == (False, [], [])


def run_each(loop: Loop, model: Any, batches: int = 3, *, learns: bool = False, gradients: bool = False) -> None:
    """A loader's batches, each `forward` without gradients and nothing else; then the training goes on."""
    for _ in range(batches):
        next(loop.loader_now)  # type: ignore[attr-defined]
        loop.gradients = gradients
        loop.forward(model)
        loop.gradients = True
        if learns:
            loop.stamps.stamp(BACKWARD)  # type: ignore[attr-defined]


@pytest.fixture
def each(loop: Loop, watcher: Watcher) -> Loop:
    loop.loader_now = loop.loader()  # type: ignore[attr-defined]
    loop.stamps = watcher.stamps  # type: ignore[attr-defined]
    watcher.stamps.stamp(BACKWARD)
    return loop


def test_gradients_off_for_each_batch_alone_are_an_evaluation_too(each: Loop, recorder: Recorder) -> None:
    run_each(each, each.model)
    next(each.loader())  # type: ignore[attr-defined]
    assert durations(recorder) == [3.75], "from the first fetch to the last forward"
    assert (each.hooks, each.model.hooks) == ([], [])
    recorder.iteration(7)
    (iteration,) = [event for event in recorder.events if isinstance(event, Iteration)]
    assert iteration.data_wait_s == 0.25, "of the training's own batch"


@pytest.mark.parametrize(
    "other",
    [
        {"learns": True},  # its own labels, from the model itself, before it learns from the batch
        {"gradients": True},  # several batches for one backward
        {"batches": 1},
    ],
)
def test_one_witness_is_none(other: dict[str, Any], each: Loop, recorder: Recorder) -> None:
    run_each(each, each.model, **other)
    next(each.loader())  # type: ignore[attr-defined]
    assert not [event for event in recorder.events if isinstance(event, SpanBegin)]
    assert (each.hooks, each.model.hooks) == ([], [])


def test_a_loader_whose_batches_are_learnt_from_two_at_a_time_is_looked_at_once(each: Loop) -> None:
    run_each(each, each.model, 2, gradients=True)
    each.stamps.stamp(BACKWARD)  # type: ignore[attr-defined]
    each.loader_now.left = 2  # type: ignore[attr-defined]
    for _ in range(2):
        next(each.loader_now)  # type: ignore[attr-defined]
        assert each.hooks == []
