"""Evaluations: what begins none, what ends one, and what stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import EVALUATION

from .conftest import NoGrad, Parts, backward, begun, durations, evaluate, spans

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock, Recorder


def test_a_hundred_classes_of_models_are_watched_and_no_more(parts: Parts) -> None:
    classes = [type(f"Model{n}", (parts.module,), {}) for n in range(102)]
    for one in classes:
        parts.made(one).named_parameters()
    assert ["train" in vars(one) for one in classes] == [True] * 100 + [False] * 2


def test_a_layer_of_a_class_of_its_own_is_no_model(parts: Parts) -> None:
    class Layer(parts.module):  # type: ignore[misc, name-defined]
        pass

    Layer().named_parameters()
    assert "train" not in vars(Layer)


def test_a_class_is_watched_once_however_often_its_models_are_evaluated(parts: Parts) -> None:
    model = parts.made()
    model.eval()
    watched = parts.model.train
    model.train()
    model.eval()
    assert parts.model.train is watched


def test_what_somebody_else_tells_of_or_another_thread_does_begins_no_evaluation(
    watcher: Watcher, recorder: Recorder, parts: Parts
) -> None:
    watcher.evaluates = True
    parts.made().eval()
    watcher.evaluates, own_thread, watcher.trainer_thread = False, watcher.trainer_thread, -1
    parts.made().eval()
    assert begun(recorder) == 0
    watcher.trainer_thread = own_thread
    parts.made().eval()
    assert begun(recorder) == 1


@pytest.fixture
def asked(watcher: Watcher, trained: Any) -> list[Any]:
    """Of which modules it was asked whether they are copies of the model: it takes time."""
    asked: list[Any] = []
    watcher.is_copy = lambda module: bool(asked.append(module))
    return asked


@pytest.mark.parametrize(("iteration", "times"), [(0, 0), (1, 1), (2, 1)])
def test_what_is_no_copy_is_asked_for_once_while_it_trains(
    iteration: int, times: int, watcher: Watcher, parts: Parts, asked: list[Any]
) -> None:
    other = parts.made()
    other.training = False
    watcher.iteration = iteration
    for _ in range(3):
        other.eval()
    assert asked == [other] * times
    watcher.iteration = 5
    other.eval()
    assert asked == [other]


def test_what_was_to_be_trained_may_yet_be_the_model(
    watcher: Watcher, recorder: Recorder, parts: Parts, asked: list[Any]
) -> None:
    other = parts.made()
    other.eval()
    assert asked == [other]
    assert begun(recorder) == 0
    watcher.is_model = lambda module: module is other
    other.load_state_dict()
    other.eval()
    assert begun(recorder) == 1


def test_weights_that_were_loaded_are_those_of_one_evaluation(
    watcher: Watcher, recorder: Recorder, trained: Any
) -> None:
    trained.training = False
    trained.load_state_dict()
    trained.eval()
    backward(watcher)
    trained.eval()
    assert begun(recorder) == 1, "it has been in evaluation's mode since"


def test_weights_that_are_loaded_in_an_evaluation_that_proves_to_be_none_are_not_evaluated(
    watcher: Watcher, recorder: Recorder, trained: Any
) -> None:
    trained.eval()
    trained.load_state_dict()
    backward(watcher)
    trained.eval()
    assert begun(recorder) == 1


@pytest.mark.parametrize(("iteration", "thread"), [(0, None), (100, -1)])
def test_what_is_loaded_before_it_trains_or_by_another_thread_is_not_evaluated(
    iteration: int, thread: int | None, watcher: Watcher, recorder: Recorder, trained: Any
) -> None:
    trained.training = False
    own_thread = watcher.trainer_thread
    watcher.iteration, watcher.trainer_thread = iteration, thread or own_thread
    trained.load_state_dict()
    watcher.trainer_thread = own_thread
    trained.eval()
    assert begun(recorder) == 0


def test_a_copy_that_is_evaluated_ends_it_by_its_own_train(
    recorder: Recorder, parts: Parts, trained: Any, clock: Clock
) -> None:
    average = parts.made()
    evaluate(average, clock)
    average.train()
    assert durations(recorder) == [2]


def test_when_what_was_evaluated_is_gone_any_train_ends_it(
    watcher: Watcher, recorder: Recorder, parts: Parts, clock: Clock
) -> None:
    model = parts.made()
    model.eval()
    watcher.is_model = lambda _: False
    parts.made().train()
    assert spans(recorder, EVALUATION) == [], "that is another's"
    del model
    parts.made().train()
    assert len(spans(recorder, EVALUATION)) == 1


def test_who_else_asks_for_backwards_is_told_of_them_after_an_evaluation_too(
    watcher: Watcher, parts: Parts
) -> None:
    def act() -> None: ...

    watcher.on_backward.append(act)
    model = parts.made()
    model.eval()
    assert len(watcher.on_backward) == 2
    model.train()
    assert watcher.on_backward == [act]


def test_a_mode_may_hold_an_error_back_in_an_evaluation_too(
    parts: Parts, module: Callable[..., ModuleType]
) -> None:
    class Holding(NoGrad):
        def __exit__(self, *error: object) -> bool:  # type: ignore[override]
            return True

    module("torch.autograd.grad_mode", inference_mode=Holding)
    parts.made().eval()
    with Holding():
        raise ValueError
