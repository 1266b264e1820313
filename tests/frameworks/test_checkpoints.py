"""Checkpoints of real frameworks in the automatic mode, beside a stopwatch in the script."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from itermon.events import CHECKPOINT, DRAIN, Event, Message, SpanEnd

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")

Train = Callable[..., list[Event]]

HEAD = """
import os, time
import itermon
hooks = itermon.watch("auto")
import torch
clock = []
class stopwatch:
    def __enter__(self): self.begun = time.perf_counter()
    def __exit__(self, *_):
        clock.append(time.perf_counter() - self.begun)
        hooks.message(f"took {clock[-1]}", "error")
def train(model, steps=2):
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(steps):
        sum(p.sum() for p in model.parameters()).backward()
        optimizer.step()
"""


def saves(events: list[Event]) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == CHECKPOINT]


def near_the_stopwatch(events: list[Event]) -> bool:
    """Are there as many as it saw, each within 2 % or 5 ms of it?"""
    texts = [event.text for event in events if isinstance(event, Message)]
    took = [float(text.split()[1]) for text in texts if text.startswith("took")]
    measured = [event.duration_s or 0.0 for event in saves(events)]
    return len(took) == len(measured) and all(
        abs(one - other) < max(0.005, 0.02 * other) for one, other in zip(measured, took, strict=True)
    )


def test_a_model_that_transformers_writes_is_one_checkpoint_with_all_its_bytes(train: Train) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    events = train(
        HEAD
        + """
from transformers import GPT2Config, GPT2LMHeadModel
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_head=2, n_embd=256, vocab_size=8000, n_positions=64))
train(model)
with stopwatch(): model.save_pretrained("out", max_shard_size="4MB")
hooks.message(f"size {sum(os.path.getsize('out/' + name) for name in os.listdir('out'))}", "error")
"""
    )
    assert near_the_stopwatch(events)
    (size,) = [float(e.text.split()[1]) for e in events if isinstance(e, Message) and "size" in e.text]
    assert [(event.detail, event.values) for event in saves(events)] == [("out", {"bytes": size})]


def test_a_state_that_accelerate_writes_is_one_checkpoint(train: Train) -> None:
    pytest.importorskip("accelerate", reason="accelerate is not installed")
    events = train(
        HEAD
        + """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(512, 512)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
for _ in range(2):
    accelerator.backward(model(torch.randn(4, 512)).mean())
    optimizer.step()
    with stopwatch(): accelerator.save_state("state")
"""
    )
    assert near_the_stopwatch(events)
    assert [event.detail for event in saves(events)] == ["state", "state"]
    assert all(event.values["bytes"] > 3 * 512 * 512 * 4 for event in saves(events))


@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_a_file_that_lightning_writes_itself_is_a_checkpoint(package: str, train: Train) -> None:
    pytest.importorskip("lightning", reason="lightning is not installed")
    events = train(
        HEAD
        + f"""
import {package} as pl
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(512, 512)
    def training_step(self, batch, i): return self.layer(batch).mean()
    def configure_optimizers(self): return torch.optim.AdamW(self.parameters())
class Timed(pl.Trainer):
    def save_checkpoint(self, *arguments, **named):
        with stopwatch(): super().save_checkpoint(*arguments, **named)
trainer = Timed(accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
    max_steps=4, callbacks=[pl.callbacks.ModelCheckpoint("out", every_n_train_steps=2, save_top_k=-1)])
trainer.fit(Model(), torch.utils.data.DataLoader(torch.randn(16, 512), batch_size=4))
"""
    )
    assert near_the_stopwatch(events)
    assert len(saves(events)) == 2
    assert all(event.detail.endswith(".ckpt") and event.values["bytes"] > 1_000_000 for event in saves(events))


def test_a_file_that_fabric_writes_is_a_checkpoint(train: Train) -> None:
    pytest.importorskip("lightning", reason="lightning is not installed")
    events = train(
        HEAD
        + """
from lightning.fabric import Fabric
fabric = Fabric(accelerator="cpu", devices=1)
model = torch.nn.Linear(512, 512)
train(model)
with stopwatch(): fabric.save("a.ckpt", {"model": model})
"""
    )
    assert near_the_stopwatch(events)
    ((detail, values),) = [(event.detail, event.values) for event in saves(events)]
    assert detail == "a.ckpt"
    assert values["bytes"] > 512 * 512 * 4


def test_a_checkpoint_that_is_written_meanwhile_ends_for_the_training_before_it_is_written(train: Train) -> None:
    events = train(
        HEAD
        + """
import torch.distributed.checkpoint as dcp
class Slow(dcp.FileSystemWriter):
    def write_data(self, plan, planner):
        time.sleep(0.3)
        return super().write_data(plan, planner)
model = torch.nn.Linear(512, 512)
train(model)
with stopwatch(): future = dcp.async_save(model.state_dict(), checkpoint_id="dcp", storage_writer=Slow("dcp"))
train(model, steps=1)
future.result()
train(model)
"""
    )
    assert near_the_stopwatch(events)
    assert [event.detail for event in saves(events)] == ["dcp"]
    (drain,) = [event for event in events if isinstance(event, SpanEnd) and event.kind == DRAIN]
    assert drain.duration_s is not None
    assert 0.2 < drain.duration_s < 3
