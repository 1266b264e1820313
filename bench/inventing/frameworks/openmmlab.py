"""mmcv 1.x: `TextLoggerHook` of the runners by epoch and by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .vision import Vision, clock, mean

if TYPE_CHECKING:
    from ..strange.tape import Iteration

SLEEP_S = 2.0  # before an epoch's first batch


class MmcvByEpoch(Vision):
    """A row's times and losses are means of its `interval` steps; the last rows of an epoch are left out.

    Its timer begins with each epoch; the sleep at an epoch's beginning is in the first step's data time.
    """

    name = "mmcv-epochs"
    stamp = "%Y-%m-%d %H:%M:%S,{ms} - mmdet - INFO - "
    counts = ("batch",)
    metric_word = "bbox_mAP"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.every = self.script.every = min(self.every, self.plan.phases[0].batches)
        self.buffer: list[int] = []  # places since it was cleared
        self.printed_s = 0.0
        self.ignores_last = self.random.random() < 0.7
        self.draws = self.random.random() < 0.5
        self.in_workflow = self.random.random() < 0.3
        self.epochs_to_save = self.random.choice([1, 1, 2])

    def begins(self) -> None:
        phase = self.plan.phases[0]
        self.say_config(f"runner = dict(type='EpochBasedRunner', max_epochs={phase.epochs})")
        flow = "[('train', 1), ('val', 1)]" if self.evaluates and self.in_workflow else "[('train', 1)]"
        self.log(f"workflow: {flow}, max: {phase.epochs} epochs")
        self.log("Checkpoints will be saved to work_dirs/retina by HardDiskBackend.")

    def say_config(self, runner: str) -> None:
        self.log(
            f"Config:\ndata = dict(\n    samples_per_gpu={self.plan.batch_size},\n    workers_per_gpu=2)\n"
            f"log_config = dict(interval={self.every}, hooks=[dict(type='TextLoggerHook')])\n{runner}\n"
        )
        self.log("Start running, host: user@node, work_dir: work_dirs/retina")

    def epoch_begins(self) -> None:
        self.buffer.clear()
        self.timer_s = self.now_s
        self.waits_s = SLEEP_S

    def after_step(self, one: Iteration) -> None:
        batches = self.plan.phases[0].batches
        self.buffer.append(one.place)
        is_last = one.batch + 1 == batches
        if (one.batch + 1) % self.every == 0 or (is_last and not self.ignores_last):
            if is_last:
                self.log("Exp name: retina_r50.py")
            self.say_row(one, f"Epoch [{one.epoch + 1}][{one.batch + 1}/{batches}]", one.batch + 1)

    def say_row(self, one: Iteration, place: str, count: int) -> None:
        newest = min(self.every, len(self.buffer))
        took_s, loss = mean(self.times_s, newest), round(mean(self.all_losses, newest), 4)
        self.printed_s += took_s * self.every
        left_s = self.printed_s / (one.place + 1) * (self.total - one.place - 1)
        self.log(
            f"{place}\tlr: {1e-3:.3e}, eta: {clock(left_s)}, time: {took_s:.3f}, "
            f"data_time: {mean(self.data_s, newest):.3f}, memory: 3451, "
            f"{self.parts(loss, '.4f', ', ')}, loss: {loss:.4f}"
        )
        self.told(one, (loss,), (count,))

    def epoch_trained(self) -> None:
        epoch = self.epoch + 1
        if epoch % self.epochs_to_save == 0:
            self.log(f"Saving checkpoint at {epoch} epochs")
            self.save()
        if not self.evaluates:
            return
        if self.in_workflow:
            self.now_s += SLEEP_S
            self.evaluate()
            self.tape.stops[-1].begins_s -= SLEEP_S
            loss = self.metric(VALID, "loss")
            self.log("Exp name: retina_r50.py")
            self.log(f"Epoch(val) [{epoch}][{self.plan.evaluation_batches}]\tloss: {loss:.4f}")
            self.value(VALID, "loss", loss)
        elif epoch % self.plan.evaluation_every == 0:
            self.evaluate()
            self.log("Exp name: retina_r50.py")
            self.say_evaluation(f"Epoch(val) [{epoch}]", f"epoch_{epoch}", f"at {epoch} epoch.")

    def say_evaluation(self, place: str, file: str, at: str) -> None:
        word, metric = self.metric_word, self.metric(VALID, "score")
        is_best = metric > self.best_metric
        if is_best:
            self.save()
            self.log(f"Now best checkpoint is saved as best_{word}_{file}.pth.")
            self.log(f"Best {word} is {metric:.4f} {at}")
        self.log(f"{place}[{self.plan.evaluation_batches}]\t{word}: {metric:.4f}, {word}_50: {metric + 0.1:.4f}")
        self.ends_evaluation(word, metric)

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        if not self.draws or self.in_workflow:
            return
        if number == 1:
            self.tape.draw(f"[{' ' * 50}] 0/{of}, elapsed: 0s, ETA:", self.now_s, "")
        rate, marks = number / spent_s, int(50 * number / of)
        bar = ">" * marks + " " * (50 - marks)
        left_s = int(spent_s / number * (of - number) + 0.5)
        frame = f"\r[{bar}] {number}/{of}, {rate:.1f} task/s, elapsed: {int(spent_s + 0.5)}s, ETA: {left_s:5}s"
        self.tape.draw(frame, self.now_s, "\n" if number == of else "")


class MmcvByIteration(MmcvByEpoch):
    """Its timer goes on: a save is in its own step's time, an evaluation in the next one's."""

    name = "mmcv-iterations"
    stamp = "%Y-%m-%d %H:%M:%S,{ms} - mmseg - INFO - "
    counts = ("step",)
    metric_word = "mIoU"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.in_workflow = False

    def begins(self) -> None:
        self.say_config(f"runner = dict(type='IterBasedRunner', max_iters={self.total})")
        self.log(f"workflow: [('train', 1)], max: {self.total} iters")
        self.log("Checkpoints will be saved to work_dirs/retina by HardDiskBackend.")

    def epoch_begins(self) -> None:
        if not self.epoch:
            self.timer_s = self.now_s
        self.waits_s = SLEEP_S if self.epoch else 0.0

    def after_step(self, one: Iteration) -> None:
        done = one.place + 1
        self.buffer.append(one.place)
        if done % self.saves_every == 0:
            self.log(f"Saving checkpoint at {done} iterations")
            begins_s, ends_s = self.save()
            self.times_s[-1] += ends_s - begins_s
            self.timer_s = ends_s
        if done % self.every == 0:
            self.say_row(one, f"Iter [{done}/{self.total}]", done)
        if self.evaluates and done % self.evaluates_every == 0:
            self.buffer.clear()
            self.evaluate()
            self.say_evaluation("Iter(val) ", f"iter_{done}", f"at {done} iter.")

    def epoch_trained(self) -> None:
        """Nothing: epochs are unknown to it."""
