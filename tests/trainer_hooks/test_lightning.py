"""The callback for Lightning's `Trainer`, called as Lightning 2.6 calls it; tests/frameworks has the real one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.events import (
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
from itermon.trainer_hooks import Hooks

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

    def call(self, event: str, *arguments: Any) -> None:
        getattr(self.callback, event)(self, self.lightning_module, *arguments)

    def begin(self) -> Config:
        """Begin the training; the settings that it reported."""
        self.call("on_train_start")
        _, config = self.hooks.events
        assert isinstance(config, Config)
        return config

    def batch(self, *, steps: int = 0, outputs: object = None) -> None:
        """Wait a second for data, then a batch of two seconds, after which optimizers have made so many steps."""
        self.clock.passes(1)
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
    steps = [(step.index, step.duration_s, step.loss) for step in trainer.of(Iteration)]
    assert steps == [(0, 6.0, 2.5), (1, 6.0, 2.5)]
    assert {step.learning_rate for step in trainer.of(Iteration)} == {0.125}
    progress = [(event.iteration, event.micro_step, event.micro_steps) for event in trainer.of(Progress)]
    assert progress == [(0, 1, 2), (1, 1, 2)]
    assert trainer.of(Message, SpanBegin, SpanEnd, End) == []


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


@pytest.mark.parametrize(
    ("error", "reason"), [(KeyboardInterrupt(), "interrupted"), (RuntimeError("CUDA out of memory"), "failed")]
)
def test_what_ended_the_training_is_the_reason_of_its_end(
    error: BaseException, reason: str, trainer: Trainer
) -> None:
    trainer.begin()
    trainer.call("on_exception", error)
    assert [end.reason for end in trainer.of(End)] == [reason]


def test_a_training_that_is_over_ends_as_a_run_when_the_next_begins(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_end")
    with trainer.hooks.evaluation():
        trainer.clock.passes(2)
    assert [span.duration_s for span in trainer.of(SpanEnd)] == [2.0]
    assert trainer.of(End) == []
    with Hooks("another"):
        assert [end.reason for end in trainer.of(End)] == ["finished"]


def test_a_training_that_came_to_no_end_has_failed_when_the_next_begins(trainer: Trainer) -> None:
    trainer.begin()
    trainer.begin()
    assert [[event.reason for event in made.events if isinstance(event, End)] for made in trainer.made] == [
        ["failed"],
        [],
    ]


def test_what_no_callback_is_told_of_is_watched_from_the_training_on(trainer: Trainer, loaded: Any) -> None:
    trainer.global_step = 6
    trainer.begin()
    assert loaded.watched_for == [(trainer.hooks, 6)]


def test_a_training_that_cannot_be_reported_says_so_once_and_goes_on(
    trainer: Trainer, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer.precision = None  # type: ignore[assignment]
    del trainer.world_size
    trainer.call("on_train_start")
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


@pytest.mark.parametrize(("batches", "known"), [(9, 5), (float("inf"), None), (0, None), (None, None)])
def test_an_epochs_length_is_known_where_its_batches_are(
    batches: float | None, known: int | None, trainer: Trainer
) -> None:
    trainer.num_training_batches = batches
    assert trainer.begin().iterations_per_epoch == known


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
