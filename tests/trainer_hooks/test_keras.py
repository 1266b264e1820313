"""The callback for Keras, called as Keras 3.15 calls it; tests/frameworks has the real one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import CHECKPOINT, EVALUATION, Config, End, EndReason, Iteration, Message, Progress, SpanEnd

if TYPE_CHECKING:
    from .conftest import Clock, Recorder


class Callback:
    """Keras's own, from which ours inherits."""

    def set(self, model: Any, params: dict[str, Any]) -> None:
        self.model, self.params = model, params


class Model:
    """What the callback reads of the real one."""

    def __init__(self, clock: Clock, steps_per_execution: int = 1, accumulation: int | None = None) -> None:
        self.optimizer = SimpleNamespace(iterations=40, gradient_accumulation_steps=accumulation)
        self.steps_per_execution = steps_per_execution
        self.clock = clock

    def save(self, filepath: str, overwrite: bool = True) -> str:
        self.clock.passes(30)
        return "saved"

    def save_weights(self, filepath: str) -> None:
        self.clock.passes(10)


class Fit:
    """Calls the callback in the order of `model.fit`."""

    def __init__(self, adapter: Any, model: Model, clock: Clock, **settings: Any) -> None:
        self.made: list[Recorder] = adapter.Hooks
        self.callback = adapter.ItermonCallback("tiny", **settings)
        self.model, self.clock = model, clock

    def begin(self, epochs: int = 2, steps: int | None = 4, epoch: int = 0) -> None:
        self.callback.set(self.model, {"epochs": epochs, "steps": steps})
        self.callback.on_train_begin({})
        self.callback.on_epoch_begin(epoch, {})

    def batch(self, batch: int, loss: float | None = 0.5) -> None:
        self.clock.passes(1)
        self.callback.on_train_batch_end(batch, {} if loss is None else {"accuracy": 1.0, "loss": loss})

    def of(self, *kinds: type) -> list[Any]:
        return [event for event in self.made[-1].events if isinstance(event, kinds)]

    def times(self) -> list[tuple[int, float | None]]:
        return [(each.index, each.duration_s) for each in self.of(Iteration)]


@pytest.fixture
def loaded(adapter: Callable[..., Any]) -> Any:
    keras = {"callbacks": SimpleNamespace(Callback=Callback), "backend": SimpleNamespace(backend=lambda: "jax")}
    return adapter("keras.callback", {"keras": keras})


@pytest.fixture
def fit(loaded: Any, clock: Clock) -> Fit:
    return Fit(loaded, Model(clock), clock)


def test_a_batch_is_an_iteration_with_the_loss_that_keras_shows(fit: Fit) -> None:
    fit.begin()
    for batch in range(4):
        fit.batch(batch, loss=8.0 / (batch + 1))
    fit.callback.on_epoch_end(0, {})
    fit.callback.on_train_end({})
    assert fit.times() == [(40, 1.0), (41, 1.0), (42, 1.0), (43, 1.0)], "the optimizer has made 40 steps before"
    assert [each.loss for each in fit.of(Iteration)] == [8.0, 4.0, 8.0 / 3, 2.0]
    assert fit.of(Config)[-1].max_iterations == 48
    assert fit.of(Message) == []
    assert fit.of(End)[0].reason == EndReason.FINISHED


def test_what_threads_bring_out_of_order_is_put_in_order(fit: Fit) -> None:
    fit.begin()
    for batch in (1, 0, 3, 2):
        fit.batch(batch, loss=float(batch))
    assert [(each.index, each.duration_s, each.loss) for each in fit.of(Iteration)] == [
        (40, 2.0, 0.0), (41, 0.0, 1.0), (42, 2.0, 2.0), (43, 0.0, 3.0)
    ]  # fmt: skip


def test_the_batches_of_one_execution_share_its_time_and_the_last_one_may_be_short(
    loaded: Any, clock: Clock
) -> None:
    fit = Fit(loaded, Model(clock, steps_per_execution=2), clock)
    fit.begin(steps=5)
    for end in (1, 3, 5):  # Keras counts the last as a whole one
        fit.batch(end)
    fit.callback.on_epoch_end(0, {})
    assert fit.times() == [(40, 0.5), (41, 0.5), (42, 0.5), (43, 0.5), (44, 1.0)]
    assert [each.loss for each in fit.of(Iteration)] == [None, 0.5, None, 0.5, 0.5]


def test_where_nobody_knows_an_epochs_length_its_end_brings_the_rest(loaded: Any, clock: Clock) -> None:
    fit = Fit(loaded, Model(clock, steps_per_execution=3), clock)
    fit.begin(steps=None)
    fit.batch(2)
    fit.batch(3)
    fit.callback.on_epoch_end(0, {})
    assert [index for index, _ in fit.times()] == [40, 41, 42, 43]
    assert fit.of(Config)[-1].max_iterations is None


def test_accumulated_batches_are_micro_steps(loaded: Any, clock: Clock) -> None:
    fit = Fit(loaded, Model(clock, accumulation=2), clock)
    fit.begin(epochs=3, steps=4, epoch=1)
    for batch in range(4):
        fit.batch(batch)
        fit.of()
    assert fit.times() == [(40, 2.0), (41, 2.0)]
    assert [(each.micro_step, each.micro_steps) for each in fit.of(Progress)] == [(1, 2), (1, 2)]
    assert fit.of(Config)[-1].max_iterations == 44, "two epochs are left"
    assert fit.of(Config)[-1].gradient_accumulation == 2


def test_what_tests_is_an_evaluation_with_its_loss(fit: Fit) -> None:
    fit.begin()
    fit.callback.on_test_begin({})
    fit.clock.passes(5)
    fit.callback.on_test_end({"loss": 0.25})
    (evaluation,) = fit.of(SpanEnd)
    assert (evaluation.kind, evaluation.duration_s, evaluation.values) == (EVALUATION, 5.0, {"val_loss": 0.25})


def test_saving_while_it_trains_is_a_checkpoint_and_the_model_is_left_as_it_was(fit: Fit) -> None:
    fit.begin()
    assert fit.model.save("a.keras", overwrite=False) == "saved"
    fit.model.save_weights("b.weights.h5")
    fit.callback.on_train_end({})
    fit.model.save("c.keras")
    saves = [(each.kind, each.detail, each.duration_s) for each in fit.of(SpanEnd)]
    assert saves == [(CHECKPOINT, "a.keras", 30.0), (CHECKPOINT, "b.weights.h5", 10.0)]
    assert {"save", "save_weights"}.isdisjoint(vars(fit.model))


def test_a_training_that_came_to_no_end_has_failed_when_the_next_begins(fit: Fit) -> None:
    fit.begin()
    fit.batch(0)
    fit.begin()
    fit.model.save("a.keras")
    assert len(fit.of(SpanEnd)) == 1, "wrapped once"
    assert next(each for each in fit.made[0].events if isinstance(each, End)).reason == EndReason.FAILED


def test_what_the_model_lacks_is_a_warning_and_no_error(fit: Fit) -> None:
    del fit.model.optimizer
    fit.begin()
    fit.batch(0)
    (warning, *_) = fit.of(Message)
    assert "optimizer" in warning.text
