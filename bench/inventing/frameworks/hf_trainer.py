"""Hugging Face Trainer: dictionaries on stdout, bars and words on stderr; both in one file, or the first alone."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .tqdm_frames import TqdmFrames
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration

STEPS, EPOCHS = "steps", "epochs"


class HfDictionaries(Trainer):
    """stdout alone."""

    name = "hf-dictionaries"
    has_bar = has_words = False

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        random, phase = self.random, self.plan.phases[0]
        self.quotes = random.random() < 0.4  # since 5
        self.rounds_epoch = self.has_bar or random.random() < 0.5  # not without a bar
        self.logs_epochs, self.logs_first = random.random() < 0.12, random.random() < 0.2
        validates = VALID in self.plan.sets
        self.evaluates = random.choice([STEPS, EPOCHS, EPOCHS]) if validates else ""
        self.evaluate_every = random.choice([1, 2, 3]) * self.script.every if random.random() < 0.5 else 50
        self.evaluate_every = max(self.evaluate_every, phase.steps // 12)
        self.saves = random.choice(["", STEPS, EPOCHS])
        self.save_every = self.evaluate_every * random.choice([1, 2])
        self.prefix = random.choice(["", "[INFO|trainer.py:{line}] {stamp},{ms:03d} >> "])
        self.extras = random.choice(["", "", "", "sft", "throughput", "memory", "old"])
        self.has_words = self.has_words and random.random() < 0.5
        self.settings = {"accumulation": 1}
        self.asides = self.has_bar and random.random() < 0.3
        self.all_losses: list[float] = []
        self.logged_at, self.bar, self.inner = 0, None, None

    def dictionary(self, pairs: dict[str, object]) -> str:
        """As it is printed: since 5 each number in quotes, with four digits."""
        if self.rounds_epoch:
            pairs["epoch"] = round(float(pairs["epoch"]), 2)
        if self.quotes:
            return str({name: f"{one:.4g}" if isinstance(one, float) else one for name, one in pairs.items()})
        return str(pairs)

    def line(self, text: str) -> None:
        """Of stdout."""
        bars = [one for one in (self.bar, self.inner) if one is not None]
        for one in bars:
            self.tape.say(one.cleared(), self.now_s, "")
        self.tape.say(text, self.now_s)

    def redraw(self) -> None:
        """What was cleared; it counts what was done since the newest update."""
        for one in (self.bar, self.inner):
            if one is not None:
                self.tape.say(one.frame(self.now_s), self.now_s, "")

    def word(self, text: str, line: int = 2128) -> None:
        """Of stderr, with the logger's own head."""
        if self.has_words:
            stamp = datetime.fromtimestamp(self.now_s, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
            head = self.prefix.format(line=line, stamp=stamp, ms=int(self.now_s * 1e3) % 1000)
            self.tape.say(head + text, self.now_s)

    @property
    def epochs(self) -> float:
        one = self.tape.iterations[-1]
        return one.epoch + (one.batch + 1) / self.plan.phases[0].batches

    def begins(self) -> None:
        phase, size = self.plan.phases[0], self.plan.batch_size
        self.steps = phase.epochs * phase.batches
        self.word("***** Running training *****")
        self.word(f"  Num examples = {phase.batches * size:,}")
        self.word(f"  Num Epochs = {phase.epochs:,}")
        self.word(f"  Instantaneous batch size per device = {size:,}")
        self.word(f"  Total train batch size (w. parallel, distributed & accumulation) = {size:,}")
        self.word("  Gradient Accumulation steps = 1")
        self.word(f"  Total optimization steps = {self.steps:,}")
        self.began_s = self.now_s
        if self.has_bar:
            self.bar = TqdmFrames(self.steps, self.now_s)
            self.tape.say(self.bar.frame(self.now_s), self.now_s, "")

    def stepped(self, one: Iteration) -> None:
        self.all_losses.append(self.losses[-1])
        done, ends = one.place + 1, one.batch == self.plan.phases[0].batches - 1
        if self.bar and (frame := self.bar.update(one.ends_s)):
            self.tape.say(frame, one.ends_s, "")
            self.told(one, (), (done,))
        if self.asides and one.place % 37 == 11:
            self.tape.say(
                "/usr/lib/python3/site-packages/torch/utils/x.py:429: UserWarning: slow path", self.now_s
            )
        logs = done % self.script.every == 0 if not self.logs_epochs else False
        if logs or (self.logs_first and done == 1):
            self._log(one)
        self._beside(done, STEPS)
        if ends:
            if self.logs_epochs:
                self._log(one)
            self._beside(done, EPOCHS)

    def _beside(self, done: int, when: str) -> None:
        if self.evaluates == when and (when == EPOCHS or done % self.evaluate_every == 0):
            self._evaluated()
        if self.saves == when and (when == EPOCHS or done % self.save_every == 0):
            self._saved(done)

    def _log(self, one: Iteration) -> None:
        recent = self.all_losses[self.logged_at :]
        self.logged_at = len(self.all_losses)
        loss = round(sum(recent) / len(recent), 4)
        pairs: dict[str, object] = {"loss": loss}
        if self.extras != "old":
            pairs["grad_norm"] = self.random.uniform(0.4, 3)
        pairs["learning_rate"] = 5e-5 * (1 - (one.place + 1) / self.steps)
        if self.extras == "sft":
            pairs |= {"num_tokens": 1024.0 * (one.place + 1), "mean_token_accuracy": self.random.uniform(0.5, 0.8)}
        if self.extras == "memory":
            pairs |= {"memory/max_mem_active(gib)": 20.51, "memory/device_mem_reserved(gib)": 22.1}
        pairs["epoch"] = self.epochs
        if self.extras == "throughput":
            pairs["throughput"] = 1024.0 / one.took_s
        self.line(self.dictionary(pairs))
        self.redraw()  # without it nobody knows the dictionary's step
        shown = float(f"{loss:.4g}") if self.quotes else loss
        self.told(one, (shown,), (one.place + 1,))

    def _evaluated(self) -> None:
        phase, size = self.plan.phases[0], self.plan.batch_size
        self.word(
            "\n***** Running Evaluation *****" if not self.prefix else "***** Running Evaluation *****", 4117
        )
        self.word(f"  Num examples = {self.plan.evaluation_batches * size}", 4119)
        self.word(f"  Batch size = {size}", 4122)
        begins_s, ends_s = self.evaluate()
        loss = self.metric(VALID, "loss") * (1 + 1e-6)
        took_s, of = ends_s - begins_s, self.plan.evaluation_batches
        pairs: dict[str, object] = (
            {"eval_loss": loss, "eval_accuracy": 0.5} if phase.batches % 2 else {"eval_loss": loss}
        )
        pairs |= {
            "eval_runtime": round(took_s, 4),
            "eval_samples_per_second": round(of * size / took_s, 3),
            "eval_steps_per_second": round(of / took_s, 3),
            "epoch": self.epochs,
        }
        self.line(self.dictionary(pairs))
        self.value(VALID, "loss", float(f"{loss:.4g}") if self.quotes else loss)
        self.redraw()
        if self.bar:
            self.told(self.tape.iterations[-1], (), (self.bar.done,))
        if self.inner:
            self.tape.say(self.inner.cleared(), self.now_s, "")
            self.inner = None

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:  # noqa: ARG002
        if not self.has_bar:
            return
        if self.inner is None:
            self.inner = TqdmFrames(of, self.now_s, row=1)
            self.tape.say(self.inner.frame(self.now_s), self.now_s, "")
        if frame := self.inner.update(self.now_s):
            self.tape.say(frame, self.now_s, "")

    def _saved(self, done: int) -> None:
        path = f"out/checkpoint-{done}"
        self.word(f"Saving model checkpoint to {path}", 3410)
        self.word(f"Configuration saved in {path}/config.json", 472)
        self.save(told=self.has_words)
        self.word(f"Model weights saved in {path}/model.safetensors", 2690)

    def ends(self) -> None:
        took_s, size = self.now_s - self.began_s, self.plan.batch_size
        self.word(
            "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n", 2394
        )
        pairs: dict[str, object] = {
            "train_runtime": round(took_s, 4),
            "train_samples_per_second": round(self.steps * size / took_s, 3),
            "train_steps_per_second": round(self.steps / took_s, 3),
            "train_loss": sum(self.all_losses) / len(self.all_losses),
            "epoch": self.epochs,
        }
        self.line(self.dictionary(pairs))
        self.redraw()
        if self.bar:
            self.tape.say(self.bar.frame(self.now_s, closes=True), self.now_s)
            self.told(self.tape.iterations[-1], (), (self.bar.done,))
            self.bar = None


class HfBoth(HfDictionaries):
    """Both in one file, as a program without buffers writes them."""

    name = "hf-both"
    has_bar = has_words = True
