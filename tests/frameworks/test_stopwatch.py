"""Real trainers beside a stopwatch in their script: evaluations, checkpoints, waits, by callback and without one.

`--hooks` stands for what `itermon run --hooks` does: its folder is on the path of the trainer.

The script's clock counts its sleeps alone, so the hooks' figure is the stopwatch's, to the rounding of an event.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from itermon.events import CHECKPOINT, EVALUATION, End, Event, Iteration, Message, RunInfo, SpanEnd
from itermon.trainer_hooks.startup import startup_folder

Train = Callable[..., list[Event]]

HEAD = """
import time, torch
clock = {"data": 0.0, "evaluation": 0.0, "checkpoint": 0.0}
class stopwatch:
    def __init__(self, of): self.of = of
    def __enter__(self): self.begun = time.perf_counter()
    def __exit__(self, *_): clock[self.of] += time.perf_counter() - self.begun
class Slow(torch.utils.data.Dataset):
    def __init__(self, item): self.item = item
    def __len__(self): return 16
    def __getitem__(self, i):
        with stopwatch("data" if self.item.trains else "none"): time.sleep(0.01)
        return self.item(i)
clock["none"] = 0.0
"""

TRANSFORMERS = """
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, TrainingArguments
def item(i): return {{"input_ids": torch.arange(16) % 7, "labels": torch.arange(16) % 7}}
item.trains = True
class Trainer(transformers.Trainer):  # the script's own stopwatch
    def evaluate(self, *arguments, **named):
        item.trains = False
        try:
            with stopwatch("evaluation"): return super().evaluate(*arguments, **named)
        finally: item.trains = True
    def _save_checkpoint(self, *arguments, **named):
        with stopwatch("checkpoint"): super()._save_checkpoint(*arguments, **named)
class Busy(transformers.TrainerCallback):
    def on_step_begin(self, *_, **__): time.sleep(0.03)
    def on_step_end(self, *_, **__): time.sleep(0.03)
callbacks = [Busy()]
if {callback}:
    from itermon.trainer_hooks.huggingface import ItermonCallback
    callbacks.append(ItermonCallback("tiny", block_size=16))
class Model(GPT2LMHeadModel):
    def state_dict(self, *arguments, **named):
        time.sleep(0.02)
        return super().state_dict(*arguments, **named)
model = Model(GPT2Config(n_layer=1, n_head=2, n_embd=64, vocab_size=4096, n_positions=16))
arguments = TrainingArguments(output_dir="out", max_steps=4, per_device_train_batch_size=2, logging_steps=2,
    report_to=[], use_cpu=True, disable_tqdm=True, eval_strategy="steps", eval_steps=2, save_strategy="steps",
    save_steps=2)
trainer = Trainer(model, arguments, train_dataset=Slow(item), eval_dataset=Slow(item), callbacks=callbacks)
trainer.train()
trainer.evaluate()
with stopwatch("checkpoint"): trainer.save_model("last")
print(clock)
"""

LIGHTNING = """
import lightning.pytorch as pl
def item(i): return torch.randn(256)
item.trains = True
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(256, 1024)
    def training_step(self, batch, i): return self.layer(batch).mean()
    def validation_step(self, batch, i): self.log("val_loss", self.layer(batch).mean())
    def test_step(self, batch, i): self.layer(batch).mean()
    def configure_optimizers(self): return torch.optim.AdamW(self.parameters())
    def on_save_checkpoint(self, _): time.sleep(0.02)
class Clock(pl.Callback):
    def begins(self, trainer, _):
        item.trains = False
        if not trainer.sanity_checking: self.begun = time.perf_counter()
    def ends(self, trainer, _):
        item.trains = True
        if not trainer.sanity_checking: clock["evaluation"] += time.perf_counter() - self.begun
    on_validation_start = on_test_start = begins
    on_validation_end = on_test_end = ends
    def on_train_batch_start(self, *_): time.sleep(0.03)
    def on_train_batch_end(self, *_): time.sleep(0.03)
class Trainer(pl.Trainer):
    def save_checkpoint(self, *arguments, **named):
        with stopwatch("checkpoint"): super().save_checkpoint(*arguments, **named)
callbacks = [Clock(), pl.callbacks.ModelCheckpoint("out", every_n_train_steps=2, save_top_k=-1)]
if {callback}:
    from itermon.trainer_hooks.lightning import ItermonCallback
    callbacks.append(ItermonCallback("tiny"))
trainer = Trainer(accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
    max_steps=4, val_check_interval=2, callbacks=callbacks)
model, train, evaluate = Model(), *(torch.utils.data.DataLoader(Slow(item), batch_size=4) for _ in "12")
trainer.fit(model, train, evaluate)
trainer.validate(model, evaluate, verbose=False)
trainer.test(model, evaluate, verbose=False)
trainer.save_checkpoint("last.ckpt")
print(clock)
"""

TELL = """
import json
open("clock.json", "w").write(json.dumps(clock))
"""

BOTH = {"transformers": (TRANSFORMERS, 3, 3), "lightning": (LIGHTNING, 4, 3)}
"""The script, its evaluations and its checkpoints: one of each after the training, at least."""


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = (str(startup_folder()), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


def measured(events: list[Event], kind: str) -> list[float]:
    return [event.duration_s or 0.0 for event in events if isinstance(event, SpanEnd) and event.kind == kind]


def near(seconds: float, stopwatch_s: float) -> bool:
    """The same, to the rounding of the events; and some time went by."""
    return stopwatch_s > 0.01 and abs(seconds - stopwatch_s) < 0.0001


@pytest.mark.parametrize("framework", BOTH)
@pytest.mark.parametrize("how", ["callback", "callback and --hooks", "--hooks"])
def test_what_a_trainer_does_in_its_training_and_after_it_lasts_as_long_as_a_stopwatch_says(
    framework: str, how: str, train: Train, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed: make test-frameworks runs this")
    if "--hooks" in how:
        request.getfixturevalue("hooked")
    script, evaluations, saves = BOTH[framework]
    events = train(HEAD + script.format(callback="callback" in how) + TELL, sleeps_alone=True)
    clock = request.getfixturevalue("clock_of_the_script")
    assert len(measured(events, EVALUATION)) == evaluations
    assert len(measured(events, CHECKPOINT)) == saves
    assert near(sum(measured(events, EVALUATION)), clock["evaluation"])
    assert near(sum(measured(events, CHECKPOINT)), clock["checkpoint"])
    steps = [event for event in events if isinstance(event, Iteration)]
    first = 1 if framework == "transformers" and "callback" in how else 0
    assert [step.index for step in steps] == list(range(first, first + 4))
    assert near(sum(step.data_wait_s or 0.0 for step in steps), clock["data"])
    assert not [event for event in events if isinstance(event, Message)]
    (end,) = [event for event in events if isinstance(event, End)]
    assert end.reason == "finished"
    infos = [event for event in events if isinstance(event, RunInfo)]
    assert infos[-1].framework == (framework if "callback" in how else "torch")
