"""The real Lightning Trainer on a model that is built here: data waits, accumulation, validation, saving."""

from __future__ import annotations

from collections.abc import Callable

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
    SpanEnd,
)

pytest.importorskip("lightning", reason="lightning is not installed: make test-frameworks runs this")

Train = Callable[..., list[Event]]

SCRIPT = """
import time, torch
from torch.utils.data import DataLoader, Dataset
import lightning.pytorch as pl
from itermon.trainer_hooks.lightning import ItermonCallback
class Slow(Dataset):
    def __init__(self, delay): self.delay = delay
    def __len__(self): return 24
    def __getitem__(self, i):
        time.sleep(self.delay)
        return torch.randn(8)
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def training_step(self, batch, i):
        time.sleep(0.5 * (i == 1))  # the hooks' thread has several of its ticks inside the first iteration
        return self.layer(batch).mean()
    def validation_step(self, batch, i): self.log("val_loss", self.layer(batch).mean())
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), lr=0.125)
class Manual(Model):
    automatic_optimization = False
    def training_step(self, batch, i):
        for optimizer in self.optimizers():
            self.layer(batch).mean().backward()
            optimizer.step()
    def configure_optimizers(self):
        return [torch.optim.SGD(self.parameters(), lr=0.125), torch.optim.SGD(self.parameters(), lr=0.125)]
class Failing(Model):
    def training_step(self, batch, i): raise RuntimeError("CUDA out of memory")
trainer = pl.Trainer(accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
    callbacks=[ItermonCallback("tiny"), pl.callbacks.ModelCheckpoint("out", every_n_train_steps=2)], {arguments})
trainer.fit({model}(), DataLoader(Slow(0.02), batch_size=2), DataLoader(Slow(0.01), batch_size=4))
"""


def script(model: str = "Model", arguments: str = "max_epochs=1, accumulate_grad_batches=2") -> str:
    return SCRIPT.format(model=model, arguments=arguments)


def iterations(events: list[Event]) -> list[Iteration]:
    return [event for event in events if isinstance(event, Iteration)]


def ends(events: list[Event], kind: str) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == kind]


def test_what_a_training_does_is_told_as_the_trainer_did_it(train: Train) -> None:
    events = train(script())
    assert not [event for event in events if isinstance(event, Message)]
    info, config, *_, end = events
    assert isinstance(info, RunInfo)
    assert info.framework == "lightning"
    assert isinstance(end, End)
    assert end.reason == "finished"
    assert isinstance(config, Config)
    assert (config.gradient_accumulation, config.max_iterations, config.precision) == (2, 6, "fp32")
    steps = iterations(events)
    assert [step.index for step in steps] == [0, 1, 2, 3, 4, 5]
    assert all(step.loss is not None and step.learning_rate == 0.125 for step in steps)
    progress = [(event.micro_step, event.micro_steps) for event in events if isinstance(event, Progress)]
    assert progress[0] == (1, 2), (
        "of those in one tick of the hooks the last is reported, none of an iteration that is over"
    )
    assert set(progress) <= {(1, 2), (2, 2)}
    assert sum(step.data_wait_s or 0.0 for step in steps) >= 24 * 0.02 * 0.8, "each sample takes 20 ms"


def test_validation_and_saving_are_spans_and_the_sanity_check_is_none(train: Train) -> None:
    events = train(
        script(arguments="max_epochs=1, val_check_interval=6, num_sanity_val_steps=2"), sleeps_alone=True
    )
    evaluations, saves = ends(events, EVALUATION), ends(events, CHECKPOINT)
    assert [event.iteration for event in evaluations] == [6, 12]
    assert all(event.duration_s is not None and event.duration_s >= 24 * 0.01 for event in evaluations)
    assert all("val_loss" in event.values for event in evaluations)
    assert [event.iteration for event in saves] == [2, 4, 6, 8, 10, 12]
    assert saves[0].detail.endswith(".ckpt")
    assert iterations(events)[6].data_wait_s is not None
    assert iterations(events)[6].data_wait_s < 0.2  # type: ignore[operator]


def test_two_optimizers_of_one_batch_are_one_iteration(train: Train) -> None:
    events = train(script("Manual", "max_epochs=1"))
    assert [step.index for step in iterations(events)] == list(range(12))
    assert {event.micro_steps for event in events if isinstance(event, Progress)} <= {None}


def test_a_training_that_fails_is_told_so(train: Train) -> None:
    events = train(script("Failing"), check=False)
    assert isinstance(events[-1], End)
    assert events[-1].reason == "failed"
