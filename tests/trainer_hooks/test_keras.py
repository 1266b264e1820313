"""The callback for Keras, called as Keras 3.15 calls it; tests/frameworks has the real one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import CHECKPOINT, EVALUATION, Config, End, EndReason, Iteration, Message, Progress, SpanEnd
from itermon.trainer_hooks import Hooks, guard, one_run

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
        self.to_fit: Callable[[], None] = lambda: None
        self.evaluated: Any = {"loss": 0.25}

    def fit(self) -> str:
        self.to_fit()
        return "history"

    def evaluate(self, **_: Any) -> Any:
        self.clock.passes(5)
        return self.evaluated

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
def loaded(adapter: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    for method in ("fit", "evaluate", "save", "save_weights"):
        monkeypatch.setattr(Model, method, getattr(Model, method))  # its own again afterwards
    callbacks, backend = SimpleNamespace(Callback=Callback), SimpleNamespace(backend=lambda: "jax")
    keras = {"Model": Model, "callbacks": callbacks, "backend": backend}
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
    assert fit.of(Config)[-1].iterations_per_epoch == 4
    assert fit.of(Message) == []
    assert fit.of(End) == [], "what follows is of the run too"


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
    assert fit.of(Config)[-1].iterations_per_epoch is None


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


@pytest.mark.parametrize("result", [{"loss": 0.25, "accuracy": 1.0}, [0.25, 1.0], 0.25])
def test_evaluating_is_an_evaluation_with_its_loss_while_it_trains_and_afterwards(fit: Fit, result: Any) -> None:
    fit.begin()
    fit.model.evaluated = result
    assert fit.model.evaluate(return_dict=True) is result
    fit.callback.on_train_end({})
    fit.model.evaluate()
    found = [(each.kind, each.duration_s, each.values) for each in fit.of(SpanEnd)]
    assert found == [(EVALUATION, 5.0, {"val_loss": 0.25})] * 2


@pytest.mark.parametrize("result", [{}, [], None])
def test_an_evaluation_without_a_loss_is_one(fit: Fit, result: Any) -> None:
    fit.begin()
    fit.model.evaluated = result
    fit.model.evaluate()
    assert [each.values for each in fit.of(SpanEnd)] == [{}]


def test_saving_is_a_checkpoint_while_it_trains_and_afterwards(fit: Fit) -> None:
    fit.begin()
    assert fit.model.save("a.keras", overwrite=False) == "saved"
    fit.model.save_weights("b.weights.h5")
    fit.callback.on_train_end({})
    fit.model.save("c.keras")
    assert {each.kind for each in fit.of(SpanEnd)} == {CHECKPOINT}
    saves = [(each.detail, each.duration_s) for each in fit.of(SpanEnd)]
    assert saves == [("a.keras", 30.0), ("b.weights.h5", 10.0), ("c.keras", 30.0)]


def test_a_model_that_is_not_trained_is_none_of_the_run_and_a_trained_one_stays_as_it_was(
    fit: Fit, loaded: Any, clock: Clock
) -> None:
    fit.begin()
    another = Model(clock)
    assert another.evaluate() == another.evaluated
    assert another.save("another.keras") == "saved"
    assert another.fit() == fit.model.fit() == "history"
    assert fit.of(SpanEnd) == []
    assert vars(another).keys() == vars(fit.model).keys()


def ends(made: Any) -> list[str]:
    return [each.reason for each in made.events if isinstance(each, End)]


def test_each_training_of_a_process_is_a_run_and_ends_when_the_next_begins(fit: Fit) -> None:
    fit.begin()
    fit.callback.on_train_end({})
    assert ends(fit.made[0]) == [], "an evaluation may follow"
    one_run.begins(Hooks(record=False, serve=False))
    assert ends(fit.made[0]) == [EndReason.FINISHED]
    fit.begin()
    assert ends(fit.made[0]) == [EndReason.FINISHED], "once"


@pytest.mark.parametrize(
    ("error", "reason"), [(ValueError("memory"), EndReason.FAILED), (KeyboardInterrupt(), EndReason.INTERRUPTED)]
)
def test_a_training_that_fails_has_failed_when_the_next_begins(
    fit: Fit, error: BaseException, reason: EndReason
) -> None:
    def trains() -> None:
        fit.begin()
        raise error

    fit.model.to_fit = trains
    with pytest.raises(type(error)):
        fit.model.fit()
    assert ends(fit.made[0]) == [], "the process may end by it, with its code"
    one_run.begins(Hooks(record=False, serve=False))
    assert ends(fit.made[0]) == [reason]


def test_a_training_that_came_to_no_end_has_failed_when_its_callback_begins_another(fit: Fit) -> None:
    fit.begin()
    fit.batch(0)
    fit.begin()
    fit.model.save("a.keras")
    assert len(fit.of(SpanEnd)) == 1, "wrapped once"
    assert ends(fit.made[0]) == [EndReason.FAILED]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_tuner_can_copy_the_callback_for_each_of_its_trainings(fit: Fit, copied: Any) -> None:
    fit.callback._settings["block_size"] = 8
    fit.begin()
    fit.callback = copied(fit.callback)
    assert fit.callback.hooks is None
    fit.begin()
    assert len(fit.made) == 2
    assert fit.of(Config)[0].block_size == 8


def test_what_the_model_lacks_is_a_warning_and_no_error(fit: Fit) -> None:
    del fit.model.optimizer
    fit.begin()
    fit.batch(0)
    (warning, *_) = fit.of(Message)
    assert "optimizer" in warning.text


def test_executions_that_threads_bring_out_of_order_are_put_in_order(loaded: Any, clock: Clock) -> None:
    fit = Fit(loaded, Model(clock, steps_per_execution=2), clock)
    fit.begin(steps=6)
    fit.batch(3)
    assert fit.times() == []
    fit.batch(1)
    fit.batch(5)
    assert fit.times() == [(40, 1.0), (41, 1.0), (42, 0.0), (43, 0.0), (44, 0.5), (45, 0.5)]


def test_the_callback_makes_no_step_wait(loaded: Any) -> None:
    assert loaded.ItermonCallback.async_safe is True


@pytest.mark.parametrize("steps", [None, 0])
def test_a_model_that_says_nothing_of_executions_has_one_a_batch(steps: Any, loaded: Any, clock: Clock) -> None:
    fit = Fit(loaded, Model(clock, steps_per_execution=steps), clock)
    fit.begin()
    fit.batch(0)
    assert fit.times() == [(40, 1.0)]


def test_an_epoch_has_fewer_iterations_than_batches_where_gradients_are_accumulated(
    loaded: Any, clock: Clock
) -> None:
    fit = Fit(loaded, Model(clock, accumulation=2), clock)
    fit.begin(steps=8)
    assert fit.of(Config)[-1].iterations_per_epoch == 4


def test_a_training_that_is_over_does_not_fail_by_what_comes_after_it(fit: Fit) -> None:
    fit.begin()
    fit.callback.on_train_end({})
    fit.callback.failed(ValueError("in another callback"))
    one_run.begins(Hooks(record=False, serve=False))
    assert ends(fit.made[0]) == [EndReason.FINISHED]


def test_a_training_that_cannot_be_reported_says_so_once_and_goes_on(
    loaded: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guard, "_without_hooks", set())  # none was said yet

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("no descriptors")

    fit = Fit(loaded, Model(clock), clock)
    loaded.Hooks = broken
    fit.begin()
    fit.batch(0)
    fit.callback.on_epoch_end(0, {})
    fit.callback.on_train_end({})
    (line,) = capsys.readouterr().err.splitlines()
    assert "no descriptors" in line
