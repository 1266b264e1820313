"""Modules that stand in for torch's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from itermon.events import EVALUATION, Iteration, SpanBegin, SpanEnd
from itermon.trainer_hooks.automatic import evaluation
from itermon.trainer_hooks.automatic.watcher import Watcher

from ..conftest import Clock, Recorder


@pytest.fixture
def recorder() -> Recorder:
    recorder = Recorder()
    recorder.begin()
    return recorder


@pytest.fixture
def watcher(recorder: Recorder) -> Watcher:
    return Watcher(recorder)  # type: ignore[arg-type]


def iterations(recorder: Recorder) -> list[int]:
    return [event.index for event in recorder.events if isinstance(event, Iteration)]


def spans(recorder: Recorder, kind: str) -> list[SpanEnd]:
    return [event for event in recorder.events if isinstance(event, SpanEnd) and event.kind == kind]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Put a module that has `contents` into `sys.modules`, as if the trainer had imported it."""

    def put(name: str, **contents: Any) -> ModuleType:
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put


class Module:
    """As torch's: `eval` calls `train(False)`, which calls that of every part."""

    def __init__(self, *parts: Module) -> None:
        self.training = True
        self._modules = dict(enumerate(parts))

    def train(self, mode: bool = True) -> Module:
        self.training = mode
        for part in self._modules.values():
            part.train(mode)
        return self

    def eval(self) -> Module:
        return self.train(False)

    def named_parameters(self, prefix: str = "") -> list[str]:
        return [prefix + "weight"]

    def load_state_dict(self) -> None: ...


class NoGrad:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


class Parts:
    """torch's module, and models made of it; `model_class.module` is torch's own."""

    def __init__(self, module_class: Any) -> None:
        class Model(module_class):  # type: ignore[misc]
            pass

        class OwnEval(module_class):  # type: ignore[misc]
            """As transformers 5 has it: torch's own is never called."""

            def eval(self) -> Any:
                return self.train(False)

        self.module, self.model, self.own_eval = module_class, Model, OwnEval

    def made(self, model_class: Any = None) -> Any:
        return (model_class or self.model)(self.module(), self.module())


@pytest.fixture
def parts(watcher: Watcher, module: Callable[..., ModuleType]) -> Parts:
    class Fresh(Module):
        def train(self, mode: bool = True) -> Module:
            return super().train(mode)

        def eval(self) -> Module:
            return super().eval()

        def named_parameters(self, prefix: str = "") -> list[str]:
            return super().named_parameters(prefix)

        def load_state_dict(self) -> None:
            return super().load_state_dict()

    module("torch.nn.modules.module", Module=Fresh)
    module("torch", load=lambda model: model)
    evaluation.install(watcher)
    return Parts(Fresh)


@pytest.fixture
def trained(watcher: Watcher, parts: Parts, module: Callable[..., ModuleType]) -> Any:
    """A model that has learned for a while; all others of its class are copies of it."""
    module("torch.autograd.grad_mode", no_grad=NoGrad)
    model = parts.made()
    watcher.iteration = 100
    watcher.is_model = lambda module: module is model
    watcher.is_copy = lambda module: isinstance(module, parts.model)
    return model


def begun(recorder: Recorder) -> int:
    return len([event for event in recorder.events if isinstance(event, SpanBegin)])


def backward(watcher: Watcher) -> None:
    for act in watcher.on_backward:
        act()


def durations(recorder: Recorder) -> list[float | None]:
    return [event.duration_s for event in spans(recorder, EVALUATION) if not event.void]


def evaluate(model: Any, clock: Clock) -> None:
    model.eval()
    with NoGrad():
        clock.passes(2)
