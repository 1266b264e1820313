"""The Hugging Face `Trainer`: `eval_steps` and `save_steps`."""

import torch
from stopwatch_inside import Stopwatch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Lines(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index):
        ids = torch.arange(32) % 60 + index % 4
        return {"input_ids": ids, "labels": ids}


class Timed(Trainer):
    """The stopwatch, around the methods that the Trainer's loop calls."""

    def training_step(self, *arguments, **named):
        loss = super().training_step(*arguments, **named)
        watch.iteration()
        return loss

    def evaluate(self, *arguments, **named):
        with watch.part("evaluation"):
            return super().evaluate(*arguments, **named)

    def _save_checkpoint(self, *arguments, **named):
        with watch.part("checkpoint"):
            return super()._save_checkpoint(*arguments, **named)


class Begun(TrainerCallback):
    """The training begins where the Trainer's own `train_runtime` does: it has a model and an optimizer by then."""

    def on_train_begin(self, *_, **__):
        watch.start()


config = GPT2Config(vocab_size=64, n_positions=32, n_embd=64, n_layer=2, n_head=2)
arguments = TrainingArguments(
    "out", max_steps=60, per_device_train_batch_size=8, per_device_eval_batch_size=16, eval_strategy="steps",
    eval_steps=20, save_steps=30, logging_steps=10, report_to=[], use_cpu=True, disable_tqdm=True,
)  # fmt: skip
trainer = Timed(
    GPT2LMHeadModel(config), arguments, train_dataset=Lines(480), eval_dataset=Lines(256), callbacks=[Begun()]
)
watch = Stopwatch()
trainer.train()
watch.write()
