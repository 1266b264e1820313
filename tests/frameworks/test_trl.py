"""TRL's trainers are Hugging Face's, and take the same callback: here the one for fine-tuning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from itermon.events import CHECKPOINT, EVALUATION, Event, Iteration, Message, SpanEnd

pytest.importorskip("trl", reason="trl is not installed: make test-frameworks runs this")

SCRIPT = """
from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer
from itermon.trainer_hooks.huggingface import ItermonCallback
samples = Dataset.from_list([{"input_ids": [i % 7 for i in range(16)]} for _ in range(48)])
model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=32, n_positions=16))
words = Tokenizer(models.WordLevel({str(i): i for i in range(32)}, unk_token="0"))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="1", pad_token="2", unk_token="0")
arguments = SFTConfig("out", max_steps=6, per_device_train_batch_size=4, logging_steps=3, eval_strategy="steps",
    eval_steps=3, save_strategy="steps", save_steps=3, use_cpu=True, bf16=False, report_to=[], disable_tqdm=True,
    max_length=16, dataset_kwargs={"skip_prepare_dataset": True})
SFTTrainer(model, arguments, train_dataset=samples, eval_dataset=samples, processing_class=tokenizer,
    callbacks=[ItermonCallback("tuned", block_size=16)]).train()
"""


def test_fine_tuning_has_its_steps_evaluations_saves_and_losses(train: Callable[..., list[Event]]) -> None:
    events = train(SCRIPT)
    steps = [event for event in events if isinstance(event, Iteration)]
    assert [step.index for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.data_wait_s is not None for step in steps] == [True] * 6
    kinds = [event.kind for event in events if isinstance(event, SpanEnd) and not event.void]
    assert (kinds.count(EVALUATION), kinds.count(CHECKPOINT)) == (2, 2)
    assert [event for event in events if getattr(event, "loss", None) is not None]
    assert not [event for event in events if isinstance(event, Message)]
