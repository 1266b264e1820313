"""fairseq: its simple lines of 2019 and since 2020, and its JSON; it validates and saves in the epoch's loop."""

from __future__ import annotations

import json
from math import exp
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


def short(value: float, digits: int) -> str:
    """Rounded, and without zeros."""
    return f"{round(value, digits):g}"


class Fairseq(Trainer):
    """Speeds are those since the newest line, `wall` is all since the process began."""

    name = "fairseq-json"
    stamp = "%Y-%m-%d %H:%M:%S | INFO | "
    is_json = True

    def begins(self) -> None:
        batches = self.plan.phases[0].batches
        self.script.every = min(self.script.every, batches - 1)
        self.saves = self.random.random() < 0.7
        self.inside = self.random.choice(
            [0, 0, max(2, batches // 2)]
        )  # --validate-interval-updates and that of saves
        self.prepared_s = self.now_s - self.plan.prepare_s
        self.window: list[float] = []
        self.window_s, self.trained_in_window_s = None, 0.0
        self.say("fairseq_cli.train", "num. model params: 54,812,672 (num. trained: 54,812,672)")
        self.say("fairseq_cli.train", "training on 1 devices (GPUs/TPUs)")
        self.say("fairseq_cli.train", f"max tokens per GPU = 4096 and batch size per GPU = {self.plan.batch_size}")

    def say(self, name: str, text: str) -> None:
        self.tape.say(f"{name} | {text}", self.now_s)

    def epoch_begins(self) -> None:
        self.say("fairseq.trainer", f"begin training epoch {self.epoch + 1}")
        self.say("fairseq_cli.train", "Start iterating over samples")

    def stats(self, steps: int, since_s: float, loss: float) -> dict[str, str]:
        """What stands in a line about so many updates."""
        words, spent_s = 3500.0 + self.plan.batch_size, max(self.now_s - since_s, 1e-6)
        updates = len(self.tape.iterations)
        return {
            "loss": short(loss, 3),
            "nll_loss": short(loss * 0.9, 3),
            "ppl": short(2 ** (loss * 0.9), 2),
            "wps": short(steps * words / spent_s, 1),
            "ups": short(steps / spent_s, 2),
            "wpb": short(words, 1),
            "bsz": short(self.plan.batch_size * 3.7, 1),
            "num_updates": f"{updates}",
            "lr": f"{1.25e-7 * updates:g}",
            "gnorm": short(1 + exp(-updates / 100), 3),
            "loss_scale": "128",
            "train_wall": short(self.trained_in_window_s, 0),
            "gb_free": "12.4",
            "wall": short(self.now_s - self.prepared_s, 0),
        }

    def stepped(self, one: Iteration) -> None:
        self.window.append(self.losses[-1])
        self.trained_in_window_s += one.took_s
        self.window_s = self.window_s if self.window_s is not None else self.now_s  # the first is not counted
        done, updates = one.batch + 1, one.place + 1
        if updates % self.script.every == 0:
            steps = len(self.window) - (len(self.window) == updates)
            loss = sum(self.window) / len(self.window)
            self._inner(self.stats(steps, self.window_s, loss), one)
            self.window, self.window_s, self.trained_in_window_s = [], self.now_s, 0.0
        if done == self.plan.phases[0].batches or (self.inside and updates % self.inside == 0):
            self._validate_and_save(updates, of_epoch=done == self.plan.phases[0].batches)

    def _inner(self, stats: dict[str, str], one: Iteration) -> None:
        size = self.plan.phases[0].batches
        if self.is_json:
            head = {"epoch": self.epoch + 1, "update": round(self.epoch + (one.batch + 1) / size, 3)}
            self.say("train_inner", json.dumps({**head, **stats}))
        else:
            said = ", ".join(f"{name}={value}" for name, value in stats.items())
            self.say("train_inner", f"epoch {self.epoch + 1:03d}:  {one.batch + 1:5d} / {size:d} {said}")
        self.told(one, (float(stats["loss"]),), (one.place + 1,))

    def _validate_and_save(self, updates: int, *, of_epoch: bool) -> None:
        loss = 0.0
        if VALID in self.plan.sets:
            self._begins_validation()
            self.evaluate()
            loss = float(short(self.metric(VALID, "loss"), 3))
            stats = {"loss": f"{loss:g}", "nll_loss": short(loss * 0.9, 3), "ppl": "12.5", "wps": "48321.5"}
            self._summary("valid", {**stats, "wpb": "2451.1", "bsz": "101", "num_updates": f"{updates}"})
            self.value(VALID, "loss", loss)
        if self.saves:
            self._save(updates, loss, of_epoch=of_epoch)

    def _begins_validation(self) -> None:
        self.say("fairseq_cli.train", 'begin validation on "valid" subset')

    def _save(self, updates: int, loss: float, *, of_epoch: bool) -> None:
        path = (
            f"checkpoints/checkpoint{self.epoch + 1}.pt"
            if of_epoch
            else f"checkpoints/checkpoint_{self.epoch + 1}_{updates}.pt"
        )
        self.say(
            "fairseq.checkpoint_utils",
            f"Preparing to save checkpoint for epoch {self.epoch + 1} @ {updates} updates",
        )
        self.say("fairseq.trainer", f"Saving checkpoint to {path}")
        begins_s, ends_s = self.save()
        self.say("fairseq.trainer", f"Finished saving checkpoint to {path}")
        where = f"(epoch {self.epoch + 1} @ {updates} updates, score {loss if loss else None})"
        self.say(
            "fairseq.checkpoint_utils",
            f"Saved checkpoint {path} {where} (writing took {ends_s - begins_s} seconds)",
        )

    def _summary(self, of_set: str, stats: dict[str, str]) -> None:
        if self.is_json:
            said = {f"{of_set}_{name}": value for name, value in stats.items()}
            self.say(of_set, json.dumps({"epoch": self.epoch + 1, **said}))
            return
        subset = "valid on 'valid' subset | " if of_set == "valid" else ""
        said = " | ".join(f"{name} {value}" for name, value in stats.items())
        self.say(of_set, f"epoch {self.epoch + 1:03d} | {subset}{said}")

    def epoch_trained(self) -> None:
        self.say("fairseq_cli.train", f"end of epoch {self.epoch + 1} (average epoch stats below)")
        stats = self.stats(len(self.losses), self.epoch_s, sum(self.losses) / len(self.losses))
        self._summary("train", stats | {"train_wall": short(self.trained_s - self.epoch_s, 0)})
        self.sums_up(self.tape.iterations[-1], float(stats["loss"]))

    def sums_up(self, last: Iteration, loss: float) -> None:
        """An epoch's end may count more updates than its newest row."""
        if self.tape.rows and last is not self.tape.rows[-1].iteration:
            self.told(last, (*self.tape.rows[-1].losses, loss), (last.place + 1,))

    def ends(self) -> None:
        self.say("fairseq_cli.train", f"done training in {self.now_s - self.phase_s:.1f} seconds")


class FairseqSimple(Fairseq):
    """`--log-format simple` since 2020."""

    name = "fairseq-simple"
    is_json = False


class FairseqOld(Fairseq):
    """That of 2019: nothing is stamped; speeds and losses are means since the epoch began."""

    name = "fairseq-old"
    stamp = ""
    is_json = False

    def say(self, name: str, text: str) -> None:
        if not name.startswith("fairseq") or text.startswith(("Saved", "done", "num.", "training on")):
            self.tape.say(f"| {text.replace('Saved', 'saved')}", self.now_s)

    def stepped(self, one: Iteration) -> None:
        done, size = one.batch + 1, self.plan.phases[0].batches
        if one.batch and one.batch % self.script.every == 0:
            stats = self.stats(
                done - 1, self.tape.iterations[one.place - one.batch].ends_s, sum(self.losses) / done
            )
            stats.pop("gb_free")
            for name in ("loss", "nll_loss", "wpb", "bsz", "gnorm"):
                stats[name] = f"{float(stats[name]):.3f}"
            for name in ("wps", "ups"):
                stats[name] = f"{round(float(stats[name])):g}"
            said = ", ".join(f"{name}={value}" for name, value in stats.items())
            self.say("", f"epoch {self.epoch + 1:03d}:  {one.batch:5d} / {size:d} {said}")
            self.told(one, (float(stats["loss"]),), (one.place + 1,))
        if done == size:
            stats = self.stats(done, self.epoch_s, sum(self.losses) / done)
            self._summary("train", stats)
            self.sums_up(one, float(stats["loss"]))
            self._validate_and_save(one.place + 1, of_epoch=True)

    def epoch_trained(self) -> None:
        """It was told of before the validation."""
