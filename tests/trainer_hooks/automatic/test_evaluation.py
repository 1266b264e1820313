"""Evaluations, with a stand-in for torch's modules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
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

    from ..conftest import Clock


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

    module("torch.nn.modules.module", Module=Fresh)
    evaluation.install(watcher)
    return Parts(Fresh)


def begun(recorder: Recorder) -> int:
    return len([event for event in recorder.events if isinstance(event, SpanBegin)])


def backward(watcher: Watcher) -> None:
    for act in watcher.on_backward:
        act()


def test_from_eval_to_train_is_an_evaluation(recorder: Recorder, parts: Parts) -> None:
    model = parts.made()
    assert model.eval() is model
    assert not model.training
    assert not spans(recorder, EVALUATION), "it is under way"
    model.eval()  # once more
    model.train(False)
    assert not spans(recorder, EVALUATION)
    assert model.train() is model
    assert model.training
    assert [event.detail for event in spans(recorder, EVALUATION)] == ["from model.eval() to model.train()"]
    assert begun(recorder) == 1


def test_a_model_with_an_eval_of_its_own_is_seen(recorder: Recorder, parts: Parts) -> None:
    model = parts.made(parts.own_eval)
    assert model.named_parameters(prefix="a.") == ["a.weight"], "its optimizer asks for them"
    model.eval()
    assert begun(recorder) == 1
    model.train()
    model.train(mode=False)  # as users write it
    parts.made(parts.own_eval).train()
    model.train()
    assert len(spans(recorder, EVALUATION)) == 2


def test_train_is_wrapped_for_models_alone(parts: Parts) -> None:
    layer, train = parts.module(), parts.module.train
    layer.named_parameters()
    assert parts.module.train is train, "every layer's `train` is torch's own"
    parts.made().named_parameters()
    wrapped = parts.model.train
    assert wrapped is not train
    parts.made().named_parameters()
    assert parts.model.train is wrapped, "once"


def test_classes_without_end_are_not_wrapped(parts: Parts) -> None:
    classes = [type(f"Model{n}", (parts.module,), {}) for n in range(150)]
    for one in classes:
        parts.made(one).named_parameters()
    assert 90 < sum("train" in vars(one) for one in classes) < 110


def test_a_part_of_what_wraps_the_model_ends_its_evaluation(recorder: Recorder, parts: Parts) -> None:
    inner = parts.made()
    wrapper = parts.made(parts.own_eval)
    wrapper._modules[0] = inner
    wrapper.named_parameters()
    wrapper.eval()
    inner.named_parameters()
    inner.train()
    assert len(spans(recorder, EVALUATION)) == 1


def test_a_second_model_in_an_evaluation_begins_none_and_ends_none(
    watcher: Watcher, recorder: Recorder, parts: Parts
) -> None:
    model, other, done = parts.made(), parts.made(), parts.made()
    watcher.is_model = lambda module: module in (model, done)
    done.training = False
    done.eval()
    assert begun(recorder) == 0
    model.eval()
    other.eval()
    other.train()
    assert (begun(recorder), spans(recorder, EVALUATION)) == (1, [])
    model.train()
    assert len(spans(recorder, EVALUATION)) == 1


def test_a_model_that_learns_was_not_evaluated(watcher: Watcher, recorder: Recorder, parts: Parts) -> None:
    model = parts.made()
    model.eval()
    for _ in range(2):
        backward(watcher)
    model.train()
    assert [event.void for event in spans(recorder, EVALUATION)] == [True]


def test_the_last_evaluation_was_over_when_it_last_left_no_grad(
    watcher: Watcher, recorder: Recorder, parts: Parts, module: Callable[..., ModuleType], clock: Clock
) -> None:
    class NoGrad:
        def __enter__(self) -> None: ...
        def __exit__(self, *error: object) -> None: ...

    own = NoGrad.__exit__
    module("torch.autograd.grad_mode", no_grad=NoGrad)
    model = parts.made()
    model.named_parameters()
    for ends in (model.train, lambda: backward(watcher)):
        model.training = True
        model.eval()
        assert NoGrad.__exit__ is not own
        ends()
        assert NoGrad.__exit__ is own, "only while an evaluation lasts"
    model.training = True
    model.eval()
    for _ in range(2):
        with NoGrad():
            clock.passes(1)
    clock.passes(10)  # to plot what came out
    assert recorder.events
    recorder._timeline.finish(clock.now_ns, recorder.evaluated_until_ns)
    assert [event.duration_s for event in spans(recorder, EVALUATION) if not event.void] == [0, 2]


def test_what_is_not_trained_and_another_threads_model_are_not_evaluated(
    watcher: Watcher, recorder: Recorder, parts: Parts
) -> None:
    watcher.is_model = lambda _: False
    parts.made().eval()
    watcher.is_model = lambda _: True
    model = parts.made()
    model.eval()
    watcher.trainer_thread = -1
    model.train()
    parts.made().eval()
    assert begun(recorder) == 1
    assert spans(recorder, EVALUATION) == [], "another thread says nothing of it"


def test_an_evaluation_outlives_its_model(recorder: Recorder, parts: Parts) -> None:
    model = parts.made()
    model.eval()
    del model
    parts.made().train()
    assert len(spans(recorder, EVALUATION)) == 1
