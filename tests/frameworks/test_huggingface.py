"""The real Hugging Face Trainer on a model that is built here: data waits, accumulation, evaluation, saving."""

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

pytest.importorskip("transformers", reason="transformers is not installed: make test-frameworks runs this")

Train = Callable[..., list[Event]]

SCRIPT = """
import time, torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from itermon.trainer_hooks.huggingface import ItermonCallback
class Slow(Dataset):
    def __len__(self): return 24
    def __getitem__(self, i):
        time.sleep(0.02)
        ids = torch.arange(16) % 7 + i % 3
        return {{"input_ids": ids, "labels": ids}}
model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=32, n_positions=16))
calls = []
def second_is_slow(*_):  # the hooks' thread has several of its ticks inside the first iteration
    calls.append(None)
    if len(calls) == 2:
        time.sleep(0.5)
model.register_forward_pre_hook(second_is_slow)
arguments = dict(output_dir="out", max_steps=6, per_device_train_batch_size=2, gradient_accumulation_steps=2,
    logging_steps=2, report_to=[], use_cpu=True, disable_tqdm=True, learning_rate=0.01, eval_strategy="steps",
    eval_steps=3, save_strategy="steps", save_steps=3)
arguments.update({arguments})
callback = ItermonCallback("tiny", block_size=16)
trainer = Trainer(model, TrainingArguments(**arguments), train_dataset=Slow(), eval_dataset=Slow(),
                  callbacks=[callback])
{train}
"""


def script(arguments: str = "", train: str = "trainer.train()") -> str:
    return SCRIPT.format(arguments=f"dict({arguments})", train=train)


def iterations(events: list[Event]) -> list[Iteration]:
    return [event for event in events if isinstance(event, Iteration)]


def ends(events: list[Event], kind: str) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == kind]


def test_what_a_training_does_is_told_as_the_trainer_did_it(train: Train) -> None:
    events = train(script())
    assert not [event for event in events if isinstance(event, Message)]
    info, config, *_, end = events
    assert isinstance(info, RunInfo)
    assert info.framework == "transformers"
    assert isinstance(end, End)
    assert end.reason == "finished"
    assert isinstance(config, Config)
    known = (config.micro_batch_size, config.gradient_accumulation, config.block_size, config.max_iterations)
    assert known == (2, 2, 16, 6)
    assert (config.layers, config.embedding, config.vocabulary) == (1, 16, 32)
    assert (config.evaluation_interval, config.checkpoint_interval) == (3, 3)
    steps = iterations(events)
    assert [step.index for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.loss is not None for step in steps] == [False, True] * 3
    progress = [(event.micro_step, event.micro_steps) for event in events if isinstance(event, Progress)]
    assert progress[0] == (1, 2), (
        "of those in one tick of the hooks the last is reported, none of an iteration that is over"
    )
    assert set(progress) <= {(1, 2), (2, 2)}
    waits = [step.data_wait_s or 0.0 for step in steps]
    assert sum(waits) >= 24 * 0.02, "each sample takes 20 ms"
    assert min(waits) >= 0.02, "the trainer fetches one batch ahead: the first waits longer, the last less"


def test_evaluation_and_saving_are_spans_of_the_next_iteration(train: Train) -> None:
    events = train(script(), sleeps_alone=True)
    evaluations, saves = ends(events, EVALUATION), ends(events, CHECKPOINT)
    assert [event.iteration for event in evaluations] == [4, 7]
    assert [event.iteration for event in saves] == [4, 7]
    assert all(event.duration_s is not None and event.duration_s >= 24 * 0.02 for event in evaluations)
    assert all("val_loss" in event.values for event in evaluations)
    fourth = iterations(events)[3]
    assert fourth.duration_s is not None
    assert evaluations[0].duration_s is not None
    assert fourth.duration_s > evaluations[0].duration_s
    assert fourth.data_wait_s is not None
    assert fourth.data_wait_s < 0.3, "neither the evaluation nor the saving is a wait for data"


def test_saving_only_the_best_is_a_save_too(train: Train) -> None:
    events = train(script("save_strategy='best', metric_for_best_model='eval_loss'"))
    assert ends(events, CHECKPOINT)
    assert len(ends(events, EVALUATION)) == 2
    assert [step.index for step in iterations(events)] == [1, 2, 3, 4, 5, 6]


def test_epochs_that_end_are_followed(train: Train) -> None:
    events = train(script("max_steps=-1, num_train_epochs=1, eval_strategy='epoch', save_strategy='epoch'"))
    assert [step.index for step in iterations(events)] == [1, 2, 3, 4, 5, 6]
    assert len(ends(events, EVALUATION)) == len(ends(events, CHECKPOINT)) == 1


def test_a_broken_hook_does_not_disturb_the_training(train: Train) -> None:
    broken = "callback._micro_step = None\ntrainer.train()\nassert trainer.state.global_step == 6"
    events = train(script(train=broken))
    assert any(isinstance(event, Message) and "failed" in event.text for event in events)
    assert len(iterations(events)) == 6


def test_a_resumed_training_goes_on_counting(train: Train) -> None:
    again = "trainer.train(resume_from_checkpoint='out/checkpoint-3')"
    train(script("max_steps=3", "callback._name = 'first'\ntrainer.train()"), name="first")
    assert [step.index for step in iterations(train(script(train=again), name="tiny"))] == [4, 5, 6]


def test_a_training_that_failed_has_ended_when_the_next_one_begins(train: Train) -> None:
    events = train(
        script(
            train="""callback._name, computed = "first", trainer.compute_loss
def fails(*_, **__): raise RuntimeError("out of memory")
trainer.compute_loss = fails
try: trainer.train()
except RuntimeError: pass
callback._name, trainer.compute_loss = "second", computed
trainer.train()"""
        ),
        name="first",
    )
    assert isinstance(events[-1], End)
    assert events[-1].reason == "failed"


def test_without_the_callback_evaluations_are_seen_too(train: Train) -> None:
    watched = """
callback = itermon = None
import time
def timed(*arguments, evaluate=trainer.evaluate, **named):
    begun = time.perf_counter()
    try: return evaluate(*arguments, **named)
    finally: open("seconds", "a").write(f"{time.perf_counter() - begun}\\n")
trainer.evaluate = timed
trainer.train()
"""
    plain = SCRIPT.replace("import time, torch", "import itermon; itermon.watch('tiny')\nimport time, torch", 1)
    plain = plain.replace("callbacks=[callback]", "callbacks=[]")
    events = train(plain.format(arguments="dict()", train=watched))
    assert [step.index for step in iterations(events)] == [0, 1, 2, 3, 4, 5]
    assert [event.iteration for event in ends(events, EVALUATION)] == [3, 6]
    assert all((event.duration_s or 0.0) >= 24 * 0.02 for event in ends(events, EVALUATION))
