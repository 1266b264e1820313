"""Evaluations, with a stand-in for torch's modules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import EVALUATION

from .conftest import Parts, backward, begun, durations, evaluate, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock, Recorder


def test_from_eval_to_train_is_an_evaluation(watcher: Watcher, recorder: Recorder, parts: Parts) -> None:
    model = parts.made()
    assert model.eval() is model
    assert not model.training
    assert not spans(recorder, EVALUATION), "it is under way"
    assert watcher.is_in_eval
    model.eval()  # once more
    model.train(False)
    assert not spans(recorder, EVALUATION)
    assert model.train() is model
    assert model.training
    assert [event.detail for event in spans(recorder, EVALUATION)] == ["from model.eval() to model.train()"]
    assert (begun(recorder), watcher.is_in_eval) == (1, False)


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


def test_the_model_that_is_loaded_at_the_end_is_evaluated_anew(
    recorder: Recorder, parts: Parts, trained: Any, clock: Clock
) -> None:
    best = parts.made()
    best.training = False  # saved in evaluation's mode
    evaluate(trained, clock)
    clock.passes(5)  # a save
    evaluate(sys.modules["torch"].load(best), clock)
    recorder._timeline.finish(clock.now_ns, recorder.evaluated_until_ns)
    assert durations(recorder) == [2]
    assert begun(recorder) == 2


def test_weights_that_are_loaded_into_the_model_are_evaluated_anew(
    recorder: Recorder, trained: Any, clock: Clock
) -> None:
    evaluate(trained, clock)
    trained.eval()
    assert begun(recorder) == 1, "it is still evaluated"
    clock.passes(5)
    trained.load_state_dict()
    evaluate(trained, clock)
    trained.train()
    assert durations(recorder) == [2, 2]


@pytest.mark.parametrize(("saves", "expected"), [(True, [2, 2]), (False, [9])])
def test_two_evaluations_with_a_save_between_them_are_two(
    saves: bool, expected: list[float], watcher: Watcher, recorder: Recorder, trained: Any, clock: Clock
) -> None:
    evaluate(trained, clock)
    clock.passes(3)
    watcher.saved_ns = clock.now_ns if saves else 0
    clock.passes(2)
    evaluate(trained, clock)
    trained.train()
    assert durations(recorder) == expected


def test_weights_are_loaded_for_an_evaluation_that_has_begun(
    recorder: Recorder, trained: Any, clock: Clock
) -> None:
    trained.eval()
    trained.load_state_dict()  # an average of them
    evaluate(trained, clock)
    trained.train()
    assert durations(recorder) == [2]


def test_an_average_that_alone_is_evaluated_is_the_models(
    recorder: Recorder, parts: Parts, trained: Any, clock: Clock
) -> None:
    average = parts.made()
    average.training = False
    for _ in range(2):
        evaluate(average, clock)
        trained.train()
    assert durations(recorder) == [2, 2]


def test_a_copy_that_helps_to_train_is_not_evaluated(
    watcher: Watcher, recorder: Recorder, parts: Parts, trained: Any, clock: Clock
) -> None:
    teacher, target, layer = parts.made(), parts.made(), parts.module(parts.module())
    for one in (teacher, target, layer):
        one.training = False
    for _ in range(3):
        evaluate(teacher, clock)
        backward(watcher)
        target.eval()
        trained.train()
        layer.eval()
    assert durations(recorder) == []
    assert begun(recorder) == 2, "each once"


def test_before_it_trains_no_copy_is_evaluated(
    watcher: Watcher, recorder: Recorder, parts: Parts, trained: Any
) -> None:
    watcher.iteration = 0
    parts.made().eval()
    trained.load_state_dict()
    assert begun(recorder) == 0


def test_what_was_in_evaluation_s_mode_before_the_training_is_no_stranger(
    watcher: Watcher, recorder: Recorder, parts: Parts, trained: Any
) -> None:
    watcher.iteration = 0
    (copy := parts.made()).eval()
    watcher.iteration = 1
    copy.train().eval()
    assert begun(recorder) == 1
