"""The callback for Lightning's `Trainer`, called as Lightning 2.6 calls it; tests/frameworks has the real one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    End,
    Event,
    Iteration,
    Message,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
)

from .conftest import Clock, Recorder


class Callback:
    """Lightning's own, from which ours inherits."""


class Trainer:
    """What the callback reads of the real one, and its calls in their order."""

    def __init__(self, adapter: Any, clock: Clock, **settings: Any) -> None:
        self.made: list[Recorder] = adapter.Hooks
        self.callback = adapter.ItermonCallback("tiny", **settings)
        self.clock = clock
        self.global_step = 0
        self.optimizers = [SimpleNamespace(param_groups=[{"lr": 0.125}, {"lr": 0.25}])]
        self.lightning_module = SimpleNamespace(automatic_optimization=True)
        self.accumulate_grad_batches: float = 2
        self.max_steps, self.estimated_stepping_batches = -1, 6.0
        self.world_size, self.precision = 4, "32-true"
        self.sanity_checking = False
        self.callback_metrics: dict[str, object] = {}
        self.saved: list[object] = []

    def save_checkpoint(self, filepath: str, weights_only: bool = False) -> str:
        self.clock.passes(30)
        self.saved.append((filepath, weights_only))
        return "done"

    def call(self, event: str, *arguments: Any) -> None:
        getattr(self.callback, event)(self, self.lightning_module, *arguments)

    def begin(self) -> Config:
        """Begin the training; the settings that it reported."""
        self.call("on_train_start")
        _, config = self.hooks.events
        assert isinstance(config, Config)
        return config

    def batch(self, *, steps: int = 0, outputs: object = None) -> None:
        """Wait for data for a second, then a batch of two, after which the optimizers have made so many steps."""
        self.clock.passes(1)
        self.call("on_train_batch_start", "batch", 0)
        self.clock.passes(2)
        self.global_step += steps
        self.call("on_train_batch_end", outputs, "batch", 0)
        assert self.hooks.events, "the daemon thread has its turn"

    @property
    def hooks(self) -> Recorder:
        return self.made[-1] if self.made else Recorder()

    def of(self, *kinds: type[Event]) -> list[Any]:
        return [event for event in self.hooks.events if isinstance(event, kinds)]


@pytest.fixture
def loaded(adapter: Callable[..., Any]) -> Any:
    return adapter("lightning", {"lightning": {}, "lightning.pytorch": {"Callback": Callback}})


@pytest.fixture
def trainer(loaded: Any, clock: Clock) -> Trainer:
    return Trainer(loaded, clock)


def test_the_package_of_the_old_name_is_used_where_the_trainer_uses_it(adapter: Callable[..., Any]) -> None:
    old = type("Callback", (), {})
    assert issubclass(adapter("lightning", {"pytorch_lightning": {"Callback": old}}).ItermonCallback, old)
    both = {
        "pytorch_lightning": {"Callback": old}, "lightning": {}, "lightning.pytorch": {"Callback": Callback},
    }  # fmt: skip
    assert issubclass(adapter("lightning", both).ItermonCallback, Callback)


def test_an_iteration_ends_with_the_batch_after_which_the_optimizer_has_stepped(trainer: Trainer) -> None:
    trainer.begin()
    for _ in range(2):
        trainer.batch(outputs={"loss": 3.5})
        trainer.batch(steps=1, outputs={"loss": 2.5})
    trainer.call("on_train_end")
    assert trainer.hooks.events[0] == RunInfo(name="tiny", framework="lightning")
    steps = [(step.index, step.duration_s, step.data_wait_s, step.loss) for step in trainer.of(Iteration)]
    assert steps == [(0, 6.0, 2.0, 2.5), (1, 6.0, 2.0, 2.5)]
    assert {step.learning_rate for step in trainer.of(Iteration)} == {0.125}
    progress = [(event.iteration, event.micro_step, event.micro_steps) for event in trainer.of(Progress)]
    assert progress == [(0, 1, 2), (1, 1, 2)]
    assert [end.reason for end in trainer.of(End)] == ["finished"]
    assert trainer.of(Message, SpanBegin, SpanEnd) == []


def test_a_step_that_returns_its_loss_itself_or_none_is_read_too(trainer: Trainer) -> None:
    trainer.begin()
    trainer.batch(steps=1, outputs=1.5)
    trainer.batch(steps=1)
    assert [step.loss for step in trainer.of(Iteration)] == [1.5, None]


@pytest.mark.parametrize(("optimizers", "first"), [(1, 6), (2, 3)])
def test_the_optimizers_of_one_batch_are_one_iteration_in_a_resumed_run_too(
    optimizers: int, first: int, trainer: Trainer
) -> None:
    trainer.optimizers += [SimpleNamespace(param_groups=[{"lr": 0.5}])] * (optimizers - 1)
    trainer.global_step = 6
    trainer.begin()
    trainer.batch(steps=optimizers)
    trainer.batch(steps=optimizers)
    steps = [(step.index, step.learning_rate) for step in trainer.of(Iteration)]
    assert steps == [(first, 0.125), (first + 1, 0.125)]


def test_a_module_that_steps_its_optimizers_itself_has_no_known_number_of_micro_steps(trainer: Trainer) -> None:
    trainer.lightning_module.automatic_optimization = False
    trainer.optimizers = []
    assert trainer.begin().gradient_accumulation is None
    trainer.batch()
    trainer.batch(steps=1)
    assert [event.micro_steps for event in trainer.of(Progress)] == [None]
    assert [(step.index, step.learning_rate) for step in trainer.of(Iteration)] == [(0, None)]


def test_a_learning_rate_that_is_no_float_is_not_read(trainer: Trainer) -> None:
    class OnGpu:
        def __float__(self) -> float:
            raise AssertionError("read: that would wait for the GPU")

    trainer.optimizers[0].param_groups[0]["lr"] = OnGpu()
    trainer.begin()
    trainer.batch(steps=1)
    assert [step.learning_rate for step in trainer.of(Iteration)] == [None]


def test_a_training_after_one_that_broke_off_counts_its_micro_steps_anew(trainer: Trainer) -> None:
    trainer.begin()
    trainer.batch()
    trainer.call("on_exception", RuntimeError("CUDA out of memory"))
    trainer.begin()
    trainer.batch()
    assert [event.micro_step for event in trainer.of(Progress)] == [1]


def test_a_validation_lasts_as_long_as_it_does_and_is_no_wait_for_data(trainer: Trainer) -> None:
    trainer.begin()
    trainer.batch(steps=1)
    trainer.clock.passes(0.5)
    trainer.call("on_validation_start")
    trainer.clock.passes(20)
    trainer.callback_metrics["val_loss"] = 1.5
    trainer.call("on_validation_end")
    trainer.batch(steps=1)
    (evaluation,) = trainer.of(SpanEnd)
    assert (evaluation.kind, evaluation.duration_s, evaluation.values) == (EVALUATION, 20.0, {"val_loss": 1.5})
    assert trainer.of(Iteration)[1].data_wait_s == 0.5 + 1.0


@pytest.mark.parametrize(
    ("loss", "values"),
    [(None, {}), (SimpleNamespace(is_cpu=False), {}), (2.0, {"val_loss": 2.0})],
)
def test_a_loss_of_the_validation_is_read_where_nobody_has_to_wait_for_it(
    loss: object, values: dict[str, float], trainer: Trainer
) -> None:
    trainer.begin()
    trainer.callback_metrics["val_loss"] = loss
    trainer.call("on_validation_start")
    trainer.call("on_validation_end")
    assert [span.values for span in trainer.of(SpanEnd)] == [values]
    assert trainer.of(Message) == []


def test_the_check_before_the_training_is_no_evaluation(trainer: Trainer) -> None:
    trainer.begin()
    trainer.sanity_checking = True
    trainer.call("on_validation_start")
    trainer.call("on_validation_end")
    trainer.sanity_checking = False
    trainer.batch(steps=1)
    assert trainer.of(SpanBegin, SpanEnd) == []
    assert trainer.of(Iteration)[0].data_wait_s == 1.0


def test_saving_is_a_span_and_no_wait_and_gives_what_the_trainers_own_gives(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_batch_start", "batch", 0)
    assert trainer.save_checkpoint("a.ckpt", weights_only=True) == "done"
    trainer.batch(steps=1)
    (save,) = trainer.of(SpanEnd)
    assert (save.kind, save.duration_s, save.detail) == (CHECKPOINT, 30.0, "a.ckpt")
    assert [begin.detail for begin in trainer.of(SpanBegin)] == ["a.ckpt"]
    assert trainer.saved == [("a.ckpt", True)]
    assert trainer.of(Iteration)[0].data_wait_s == 1.0


def test_saving_that_fails_is_over_and_fails_for_the_trainer(trainer: Trainer) -> None:
    def full(filepath: str) -> None:
        raise OSError("No space left on device")

    trainer.save_checkpoint = full  # type: ignore[method-assign,assignment]
    trainer.begin()
    with pytest.raises(OSError, match="No space"):
        trainer.save_checkpoint("a.ckpt")
    trainer.batch(steps=1)
    assert [span.kind for span in trainer.of(SpanEnd)] == [CHECKPOINT]


def test_a_second_training_of_one_trainer_reports_a_save_once(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_end")
    trainer.begin()
    trainer.save_checkpoint("a.ckpt")
    assert len(trainer.of(SpanEnd)) == 1
    assert len(trainer.saved) == 1


@pytest.mark.parametrize(
    ("error", "reason"), [(KeyboardInterrupt(), "interrupted"), (RuntimeError("CUDA out of memory"), "failed")]
)
def test_what_ended_the_training_is_the_reason_of_its_end(
    error: BaseException, reason: str, trainer: Trainer
) -> None:
    trainer.begin()
    trainer.call("on_exception", error)
    assert [end.reason for end in trainer.of(End)] == [reason]


def test_a_training_that_cannot_be_reported_says_so_once_and_goes_on(
    trainer: Trainer, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer.precision = None  # type: ignore[assignment]
    del trainer.world_size
    trainer.call("on_train_start")
    trainer.call("on_train_batch_start", "batch", 0)
    trainer.call("on_validation_start")
    trainer.call("on_validation_end")
    trainer.call("on_exception", RuntimeError("CUDA out of memory"))
    trainer.call("on_train_end")
    (line,) = capsys.readouterr().err.splitlines()
    assert "on_train_start" in line
    assert "world_size" in line


@pytest.mark.parametrize(
    ("most", "estimated", "known"),
    [(100, 60.0, 60), (50, 60.0, 50), (-1, float("inf"), None), (0, float("inf"), 0), (-1, 0, 0)],
)
def test_the_end_of_the_run_is_what_comes_first(
    most: int, estimated: float, known: int | None, trainer: Trainer
) -> None:
    trainer.max_steps, trainer.estimated_stepping_batches = most, estimated
    assert trainer.begin().max_iterations == known


@pytest.mark.parametrize(
    ("precision", "known"),
    [("32-true", "fp32"), ("bf16-mixed", "bf16"), ("16-mixed", "fp16"), (16, "fp16"), ("64-true", None)],
)
def test_settings_are_the_trainers_and_the_users_own_win(
    precision: object, known: str | None, loaded: Any, clock: Clock
) -> None:
    trainer = Trainer(loaded, clock, block_size=16, world_size=8)
    trainer.precision = precision  # type: ignore[assignment]
    config = trainer.begin()
    assert config == Config(
        origin="hook", gradient_accumulation=2, world_size=8, max_iterations=6, precision=known, block_size=16
    )
