"""What a framework's own trainer does in one call, with stand-ins for the trainers."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import EVALUATION, Iteration, SpanBegin
from itermon.trainer_hooks.automatic import trainers

from .conftest import Recorder, spans

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock


@pytest.fixture
def transformers(clock: Clock, watcher: Watcher, module: Callable[..., ModuleType]) -> Any:
    """As transformers': a set of several evaluates each of them, and a step fetches all its batches first."""

    class Trainer:
        def evaluate(self, sets: int = 1) -> dict[str, float]:
            if sets > 1:
                self.evaluate()
            clock.passes(10)
            return {"eval_loss": 1.5}

        def predict(self) -> tuple[str]:
            clock.passes(4)
            return ("predictions",)

        def get_batch_samples(self, count: int) -> str:
            clock.passes(count)
            return "batches"

    module("transformers.trainer", Trainer=Trainer)
    trainers.install(watcher)
    return Trainer()


@pytest.fixture(params=["lightning.pytorch", "pytorch_lightning"])
def loop(request: pytest.FixtureRequest, clock: Clock, watcher: Watcher, module: Callable[..., ModuleType]) -> Any:
    """As Lightning's loop of validation, whose fetcher's iterator may fetch ahead; its trainer rehearses it."""

    class Fetcher:
        def __iter__(self) -> Fetcher:
            clock.passes(2)
            return self

        def __next__(self) -> str:
            clock.passes(1)
            return "batch"

    class Loop:
        fetcher = Fetcher()
        trainer = SimpleNamespace(callback_metrics={"val_loss": 2.5})

        def run(self) -> list[Any]:
            iter(self.fetcher)
            self._on_evaluation_start()
            next(self.fetcher)
            clock.passes(9)
            self._on_evaluation_end()
            return []

        def _on_evaluation_start(self) -> None:
            """Callbacks are told."""

        def _on_evaluation_end(self) -> None:
            clock.passes(30)  # a callback that saves

    class Trainer:
        def _run_sanity_check(self) -> None:
            loop.run()

    loop = Loop()
    module(f"{request.param}.loops.evaluation_loop", _EvaluationLoop=Loop)
    module(f"{request.param}.loops.fetchers", _DataFetcher=Fetcher)
    module(f"{request.param}.trainer.trainer", Trainer=Trainer)
    trainers.install(watcher)
    loop.rehearse = Trainer()._run_sanity_check  # type: ignore[attr-defined]
    return loop


def test_a_trainers_evaluation_lasts_as_long_as_its_call_with_the_loss_that_came_out(
    transformers: Any, recorder: Recorder, watcher: Watcher
) -> None:
    assert transformers.evaluate(sets=2) == {"eval_loss": 1.5}
    assert transformers.predict() == ("predictions",)
    found = [(event.duration_s, event.values) for event in spans(recorder, EVALUATION)]
    assert found == [(20.0, {"val_loss": 1.5}), (4.0, {})]
    assert not watcher.evaluates


def test_who_looks_for_evaluations_by_modes_knows_while_a_trainer_evaluates(
    watcher: Watcher, module: Callable[..., ModuleType]
) -> None:
    seen: list[bool] = []
    trainer = type("Trainer", (), {"evaluate": lambda self: seen.append(watcher.evaluates)})
    module("transformers.trainer", Trainer=trainer)
    trainers.install(watcher)
    trainer().evaluate()  # type: ignore[attr-defined]
    assert seen == [True]


def test_an_evaluation_that_fails_is_over(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType]
) -> None:
    def fails(trainer: object) -> None:
        raise RuntimeError("out of memory")

    trainer = type("Trainer", (), {"evaluate": fails})
    module("transformers.trainer", Trainer=trainer)
    trainers.install(watcher)
    with pytest.raises(RuntimeError, match="out of memory"):
        trainer().evaluate()  # type: ignore[attr-defined]
    assert [event.values for event in spans(recorder, EVALUATION)] == [{}]
    assert not watcher.evaluates


def test_a_wait_is_the_fetch_alone(transformers: Any, recorder: Recorder, clock: Clock) -> None:
    clock.passes(5)  # somebody's callback
    assert transformers.get_batch_samples(3) == "batches"
    clock.passes(7)
    recorder.iteration(0)
    assert [event.data_wait_s for event in recorder.events if isinstance(event, Iteration)] == [3.0]


def test_lightnings_validation_is_one_evaluation_and_its_fetches_no_wait(loop: Any, recorder: Recorder) -> None:
    next(iter(loop.fetcher))
    loop.run()
    recorder.iteration(0)
    found = [(event.duration_s, event.values) for event in spans(recorder, EVALUATION)]
    assert found == [(10.0, {"val_loss": 2.5})]
    waits = [event.data_wait_s for event in recorder.events if isinstance(event, Iteration)]
    assert waits == [2.0 + 1.0 + 2.0], "its workers' start is one"


@pytest.mark.parametrize("loss", [SimpleNamespace(is_cpu=False), "no number", None])
def test_a_loss_that_one_would_have_to_wait_for_is_left_out(loss: object, loop: Any, recorder: Recorder) -> None:
    loop.trainer.callback_metrics["val_loss"] = loss
    loop.run()
    assert [event.values for event in spans(recorder, EVALUATION)] == [{}]


def test_the_rehearsal_before_the_training_is_none_of_it(loop: Any, recorder: Recorder, watcher: Watcher) -> None:
    loop.rehearse()
    recorder.iteration(0)
    assert [event for event in recorder.events if isinstance(event, SpanBegin)] == []
    assert [event.data_wait_s for event in recorder.events if isinstance(event, Iteration)] == [None]
    assert watcher.is_trainer


def test_another_threads_trainer_is_none_of_ours(transformers: Any, recorder: Recorder, watcher: Watcher) -> None:
    watcher.trainer_thread = -1
    transformers.evaluate()
    transformers.get_batch_samples(1)
    recorder.iteration(0)
    assert len(recorder.events) == 1
