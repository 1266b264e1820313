"""ESPnet2: the lines of its reporter, for some batches, and for an epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


def number(value: float) -> str:
    """As the reporter prints it."""
    return f"{value:.3f}" if 1e-3 < abs(value) <= 1e3 else f"{value:.3e}"


def _one(value: float, unit: str) -> str:
    said = f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{said} {unit}{'' if said == '1' else 's'}"


def timespan(seconds: float) -> str:
    """`3 minutes and 15.5 seconds`, as humanfriendly says it."""
    if seconds < 60:
        return _one(seconds, "second")
    parts = [_one(seconds // 3600, "hour")] * (seconds >= 3600) + [_one(seconds // 60 % 60, "minute")]
    parts = [*(one for one in parts if not one.startswith("0 ")), _one(seconds % 60, "second")]
    return ", ".join(parts[:-1]) + " and " + parts[-1]


class EspNet2(Trainer):
    """`iter_time` is the wait, `train_time` that of an update; an epoch's last batches have no line."""

    name = "espnet2"
    stamp = "[node07] %Y-%m-%d %H:%M:%S,{ms:03d} "

    def begins(self) -> None:
        self.accumulates = self.random.choice([1, 1, 1, 2])
        self.plots = self.random.random() < 0.5
        self.wait_part = self.random.choice([0.001, 0.05, 0.4])
        self.settings["wait part"] = self.wait_part
        batches = self.plan.phases[0].batches
        self.script.every = min(self.random.choice([max(batches // 20, 10), 50]), batches)
        self.line("abs_task:1157", "Model structure:")
        self.say("ESPnetASRModel(")
        self.say(")")
        self.line("abs_task:1160", "Optimizer: Adam ( lr: 5e-08 weight_decay: 1e-06 )")
        self.told_batches, self.since_s = 0, self.now_s
        self.results: list[tuple[float, int]] = []

    def say(self, text: str) -> None:
        self.tape.pieces.append(text + "\n")
        self.tape.times_s.append(self.now_s)

    def line(self, place: str, text: str) -> None:
        self.tape.say(f"({place}) INFO: {text}", self.now_s)

    def epoch_begins(self) -> None:
        epochs = self.plan.phases[0].epochs
        heading = f"{self.epoch + 1}/{epochs}epoch started"
        if self.epoch:
            left_s = (self.now_s - self.phase_s) / self.epoch * (epochs - self.epoch)
            heading += f". Estimated time to finish: {timespan(left_s)}"
        self.line("trainer:284", heading)
        self.told_batches, self.updates = 0, []
        self.update_s = self.began_s = self.now_s

    def means(self, steps: list[Iteration], losses: list[float], updates: list[float]) -> list[str]:
        each_s = sum(one.took_s for one in steps) / len(steps)
        loss = sum(losses) / len(losses)
        said = [f"iter_time={number(each_s * self.wait_part)}", f"forward_time={number(0.3 * each_s)}"]
        said += [f"loss_ctc={number(loss * 1.1)}", f"loss_att={number(loss * 0.95)}", f"acc={number(0.6)}"]
        said += [f"loss={number(loss)}", f"backward_time={number(0.2 * each_s)}"]
        if updates:
            mean_s = sum(updates) / len(updates)
            said += [f"optim_step_time={number(0.05 * mean_s)}", f"optim0_lr0={number(2.5e-4)}"]
            said += [f"train_time={number(mean_s)}"]
        return said

    def stepped(self, one: Iteration) -> None:
        done = one.batch + 1
        if done % self.accumulates == 0:
            self.updates.append(self.now_s - self.update_s)
            self.update_s = self.now_s
        if done % self.script.every:
            return
        first, self.told_batches = self.told_batches, done
        losses, steps = self.losses[first:], self.tape.iterations[-(done - first) :]
        updates = self.updates[-len(steps) // self.accumulates :]
        said = ", ".join(self.means(steps, losses, updates))
        self.line("trainer:672", f"{self.epoch + 1}epoch:train:{first + 1}-{done}batch: {said}")
        self.told(one, (float(number(sum(losses) / len(losses))),), (one.place + 1,))

    def epoch_trained(self) -> None:
        batches = self.plan.phases[0].batches
        trained_s = self.now_s - self.began_s
        begins_s, ends_s = self.evaluate()
        plotted_s = 0.0
        if self.plots:
            plotted_s = 4 * self.plan.evaluation_s
            self.now_s += plotted_s
        steps = self.tape.iterations[-batches:]
        train = ", ".join(self.means(steps, self.losses, self.updates))
        loss = float(number(self.metric(VALID, "loss")))
        peak = "gpu_max_cached_mem_GB=9.873"
        said = f"[train] {train}, time={timespan(trained_s)}, total_count={(self.epoch + 1) * batches}, {peak}, "
        count = (self.epoch + 1) * self.plan.evaluation_batches
        said += f"[valid] loss_ctc={number(loss * 1.1)}, acc=0.612, loss={number(loss)}, "
        said += f"time={timespan(ends_s - begins_s)}, total_count={count}, {peak}"
        said += f", [att_plot] time={timespan(plotted_s)}, total_count=0, {peak}" if self.plots else ""
        self.line("trainer:338", f"{self.epoch + 1}epoch results: {said}")
        self.value(VALID, "loss", loss)
        self.value(VALID, "val_acc", 0.612)
        self.value(VALID, "val_loss_ctc", float(number(loss * 1.1)))
        self.results.append((loss, self.epoch + 1))
        self.save()
        best = min(self.results)[1] == self.epoch + 1
        self.line(
            "trainer:386" if best else "trainer:384",
            "The best model has been updated: valid.acc" if best else "There are no improvements in this epoch",
        )
        if self.epoch > 2:
            self.line("trainer:440", f"The model files were removed: exp/asr/{self.epoch - 2}epoch.pth")

    def ends(self) -> None:
        phase = self.plan.phases[0]
        if phase.run_epochs < phase.epochs:
            said = "has not been improved 3 epochs continuously. The training was stopped at"
            self.line("reporter:382", f"[Early stopping] valid.acc {said} {phase.run_epochs}epoch")
        else:
            self.line("trainer:458", f"The training was finished at {phase.epochs} epochs ")
        self.line(
            "average_nbest_models:69",
            'Averaging 10best models: criterion="valid.acc": exp/valid.acc.ave_10best.pth',
        )
