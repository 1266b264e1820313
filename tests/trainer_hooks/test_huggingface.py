"""The callback for the `Trainer`, called as transformers 5 calls it; tests/frameworks has the real one."""

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

ARGUMENTS: dict[str, Any] = {
    "eval_strategy": "no", "eval_steps": None, "save_strategy": "no", "save_steps": 500,
    "per_device_train_batch_size": 8, "gradient_accumulation_steps": 2, "world_size": 4,
    "bf16": False, "fp16": False, "torch_compile": False,
}  # fmt: skip


class Trainer:
    """Calls the callback in the order of the real one."""

    def __init__(
        self, adapter: Any, clock: Clock, settings: dict[str, Any] | None = None, **arguments: Any
    ) -> None:
        self.made: list[Recorder] = adapter.Hooks
        self.callback = adapter.ItermonCallback("tiny", **(settings or {}))
        self.clock = clock
        self.args = SimpleNamespace(**{**ARGUMENTS, **arguments})
        self.state = SimpleNamespace(max_steps=9, logging_steps=3, global_step=0)
        self.control = SimpleNamespace(should_log=False, should_evaluate=False, should_save=False)

    def call(self, event: str, **named: Any) -> None:
        getattr(self.callback, event)(self.args, self.state, self.control, **named)

    @property
    def hooks(self) -> Recorder:
        return self.made[-1] if self.made else Recorder()

    def begin(self, model: Any = None) -> Config:
        """Begin the training; the settings that it reported."""
        self.call("on_train_begin", model=model)
        _, config = self.hooks.events
        assert isinstance(config, Config)
        return config

    def step(self, **will: bool) -> None:
        """Wait for data for a second, then two micro-steps of a second; `will` is what the trainer does next."""
        self.clock.passes(1)
        self.call("on_step_begin")
        self.clock.passes(1)
        self.call("on_substep_end")
        self.seen()
        self.clock.passes(1)
        self.call("on_pre_optimizer_step")
        self.seen()
        self.state.global_step += 1
        vars(self.control).update({"should_log": False, "should_evaluate": False, "should_save": False, **will})
        self.call("on_step_end")

    def seen(self) -> list[Event]:
        """What the run holds by now: the daemon thread's turn."""
        return self.hooks.events

    def of(self, *kinds: type[Event]) -> list[Any]:
        return [event for event in self.hooks.events if isinstance(event, kinds)]


@pytest.fixture
def loaded(adapter: Callable[..., Any]) -> Any:
    return adapter("huggingface", {"transformers": {"TrainerCallback": object}})


@pytest.fixture
def trainer(loaded: Any, clock: Clock) -> Trainer:
    return Trainer(loaded, clock)


def test_a_step_lasts_from_the_end_of_the_one_before_with_its_micro_steps(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step()
    trainer.step()
    trainer.call("on_train_end")
    assert trainer.hooks.events[0] == RunInfo(name="tiny", framework="transformers")
    steps = [(step.index, step.duration_s, step.loss) for step in trainer.of(Iteration)]
    assert steps == [(1, 3.0, None), (2, 3.0, None)]
    progress = [(event.micro_step, event.micro_steps) for event in trainer.of(Progress)]
    assert progress == [(1, 2), (2, 2), (1, 2), (2, 2)]
    assert trainer.of(Message, End, SpanBegin, SpanEnd) == []


def test_what_is_logged_belongs_to_the_step_before_and_logging_takes_no_time_of_it(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step(should_log=True)
    assert trainer.of(Iteration) == []
    trainer.clock.passes(5)
    trainer.call("on_log", logs={"loss": 2.5, "grad_norm": 0.5, "learning_rate": 0.125, "epoch": 1})
    trainer.step()
    first, second = trainer.of(Iteration)
    assert (first.index, first.duration_s, first.loss) == (1, 3.0, 2.5)
    assert (first.gradient_norm, first.learning_rate) == (0.5, 0.125)
    assert (second.index, second.duration_s, second.loss) == (2, 8.0, None)


def test_a_log_without_a_step_reports_none(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_log", logs={"train_runtime": 3.0})
    assert trainer.of(Iteration, Message) == []


def test_a_step_whose_log_never_comes_is_reported_at_the_end(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step(should_log=True)
    trainer.call("on_train_end")
    *_, step = trainer.hooks.events
    assert isinstance(step, Iteration)
    assert (step.index, step.loss) == (1, None)


def test_a_step_whose_log_never_comes_is_reported_before_the_next(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step(should_log=True)
    trainer.step()
    assert [(step.index, step.duration_s) for step in trainer.of(Iteration)] == [(1, 3.0), (2, 3.0)]


def test_a_log_of_nothing_ends_the_step_too(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step(should_log=True)
    trainer.call("on_log")
    assert [step.loss for step in trainer.of(Iteration)] == [None]


def test_a_training_that_came_to_no_end_has_failed_when_the_next_begins(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_begin")
    first, second = trainer.made
    assert [event.reason for event in first.events if isinstance(event, End)] == ["failed"]
    assert not [event for event in second.events if isinstance(event, End)]


def test_a_training_that_is_over_ends_as_a_run_when_the_next_begins(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_end")
    with trainer.hooks.evaluation():
        trainer.clock.passes(2)
    assert trainer.of(End) == []
    assert [span.duration_s for span in trainer.of(SpanEnd)] == [2.0]
    with Hooks("another"):
        assert [end.reason for end in trainer.of(End)] == ["finished"]


def test_what_no_callback_is_told_of_is_watched_from_the_training_on(trainer: Trainer, loaded: Any) -> None:
    trainer.state.global_step = 6
    trainer.begin()
    assert loaded.watched_for == [(trainer.hooks, 7)]


def test_a_training_that_cannot_be_reported_says_so_once_and_goes_on(
    trainer: Trainer, capsys: pytest.CaptureFixture[str]
) -> None:
    del trainer.args.bf16
    trainer.call("on_train_begin")
    trainer.step(should_evaluate=True)
    trainer.call("on_log", logs={"loss": 1.0})
    trainer.step()
    trainer.call("on_train_end")
    assert trainer.made == []
    (line,) = capsys.readouterr().err.splitlines()
    assert "on_train_begin" in line
    assert "bf16" in line


def test_the_trainers_arguments_and_the_models_shape_are_settings(loaded: Any, clock: Clock) -> None:
    shape = SimpleNamespace(num_hidden_layers=12, num_attention_heads=6, hidden_size=768, vocab_size=50257)
    config = Trainer(loaded, clock, eval_steps=100.0, eval_strategy="steps").begin(SimpleNamespace(config=shape))
    assert config == Config(
        origin="hook", micro_batch_size=8, gradient_accumulation=2, world_size=4, max_iterations=9, log_interval=3,
        evaluation_interval=100, precision="fp32", compiled=False, layers=12, heads=6, embedding=768,
        vocabulary=50257,
    )  # fmt: skip


@pytest.mark.parametrize(("loader", "known"), [(range(9), 5), ([], 1), (iter([1]), None), (None, None)])
def test_an_epochs_length_is_known_where_its_loader_has_one(
    loader: object, known: int | None, loaded: Any, clock: Clock
) -> None:
    trainer = Trainer(loaded, clock)
    trainer.call("on_train_begin", model=None, train_dataloader=loader)
    assert trainer.of(Config)[-1].iterations_per_epoch == known


def test_the_users_own_settings_win(loaded: Any, clock: Clock) -> None:
    config = Trainer(loaded, clock, {"micro_batch_size": 3, "block_size": 16}).begin()
    assert (config.micro_batch_size, config.block_size, config.world_size) == (3, 16, 4)


@pytest.mark.parametrize(
    ("strategy", "steps", "known"),
    [
        ("steps", 1, 1),
        ("steps", 1.0, 1),
        ("steps", 0.1, None),  # a share of the run
        (SimpleNamespace(value="steps"), 50, 50),  # an enum, as it really is
        (SimpleNamespace(value="epoch"), 50, None),
        ("no", 50, None),
        ("steps", None, None),
    ],
)
def test_an_interval_is_known_where_it_is_in_steps(
    strategy: object, steps: float | None, known: int | None, loaded: Any, clock: Clock
) -> None:
    evaluating = Trainer(loaded, clock, eval_strategy=strategy, eval_steps=steps).begin()
    assert (evaluating.evaluation_interval, evaluating.checkpoint_interval) == (known, None)
    saving = Trainer(loaded, clock, save_strategy=strategy, save_steps=steps).begin()
    assert (saving.evaluation_interval, saving.checkpoint_interval) == (None, known)


def test_precision_and_compilation_are_the_arguments_own(loaded: Any, clock: Clock) -> None:
    assert Trainer(loaded, clock, bf16=True, torch_compile=True).begin().precision == "bf16"
    assert Trainer(loaded, clock, fp16=True).begin().precision == "fp16"
    assert Trainer(loaded, clock, torch_compile=True).begin().compiled is True


def test_a_trainer_that_never_logs_has_no_interval_of_logs(trainer: Trainer) -> None:
    trainer.state.logging_steps = 0
    assert trainer.begin().log_interval is None


@pytest.mark.parametrize(("reads", "tokens"), [("input_ids", [96, 80, None]), ("pixel_values", [None] * 3)])
def test_tokens_are_those_that_the_trainer_counts_since_the_step_before(
    trainer: Trainer, reads: str, tokens: list[int | None]
) -> None:
    """Also of a resumed training; the numbers of a picture are none."""
    trainer.state.num_input_tokens_seen = 1_000
    trainer.begin(SimpleNamespace(main_input_name=reads))
    for seen in (96, 80, 0):
        trainer.state.num_input_tokens_seen += seen
        trainer.step()
    trainer.call("on_train_end")
    assert [step.tokens for step in trainer.of(Iteration)] == tokens


def test_a_training_that_was_over_has_not_failed_when_the_next_begins(trainer: Trainer) -> None:
    trainer.begin()
    trainer.call("on_train_end")
    trainer.call("on_train_begin")
    first, _ = trainer.made
    assert "failed" not in [event.reason for event in first.events if isinstance(event, End)]


def test_where_the_trainer_counts_no_tokens_nobody_does(trainer: Trainer) -> None:
    trainer.begin()
    trainer.step()
    trainer.step()
    assert [step.tokens for step in trainer.of(Iteration)] == [None, None]
