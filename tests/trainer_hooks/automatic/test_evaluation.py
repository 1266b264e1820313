"""Evaluations, with a stand-in for torch's modules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import (
    EVALUATION,
    SpanBegin,
)
from itermon.trainer_hooks.automatic import (
    evaluation,
)

from .conftest import Recorder, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


class Module:
    """As torch's: `eval` calls `train(False)`."""

    def __init__(self, *, trains: bool = True) -> None:
        self.training, self._trains = True, trains

    def train(self, mode: bool = True) -> Module:
        self.training = mode
        return self

    def eval(self) -> Module:
        return self.train(False)

    def parameters(self) -> list[Any]:
        return [SimpleNamespace(requires_grad=False), SimpleNamespace(requires_grad=self._trains)]


@pytest.fixture
def module_class(watcher: Watcher, module: Callable[..., ModuleType]) -> Any:
    class Fresh(Module):
        def train(self, mode: bool = True) -> Module:
            return super().train(mode)

        def eval(self) -> Module:
            return super().eval()

    module("torch.nn.modules.module", Module=Fresh)
    evaluation.install(watcher)
    return Fresh


def test_from_eval_to_train_is_an_evaluation(recorder: Recorder, module_class: Any) -> None:
    model, train = module_class(), module_class.train
    assert model.eval() is model
    assert not model.training
    assert not spans(recorder, EVALUATION), "it is under way"
    model.eval()  # once more
    model.train(False)
    assert not spans(recorder, EVALUATION)
    assert model.train() is model
    assert model.training
    assert [event.detail for event in spans(recorder, EVALUATION)] == ["from model.eval() to model.train()"]
    assert module_class.train is train, "its own again, until the next evaluation"
    assert len([event for event in recorder.events if isinstance(event, SpanBegin)]) == 1


def test_a_second_model_in_an_evaluation_begins_none(recorder: Recorder, module_class: Any) -> None:
    model, other, done = module_class(), module_class(), module_class()
    done.training = False
    done.eval()
    assert [event for event in recorder.events if isinstance(event, SpanBegin)] == []
    model.eval()
    other.eval()
    assert len([event for event in recorder.events if isinstance(event, SpanBegin)]) == 1


def test_a_backward_ends_an_evaluation(watcher: Watcher, recorder: Recorder, module_class: Any) -> None:
    module_class().eval()
    for _ in range(2):
        for act in watcher.on_backward:
            act()
    assert len(spans(recorder, EVALUATION)) == 1


def test_a_teacher_and_another_threads_model_are_not_evaluated(
    watcher: Watcher, recorder: Recorder, module_class: Any
) -> None:
    module_class(trains=False).eval()
    watcher.trainer_thread = -1
    module_class().eval()
    assert [event for event in recorder.events if isinstance(event, SpanBegin)] == []
