"""mmengine: `LoggerHook` with means of windows that may be shorter or longer than from row to row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .vision import Vision, clock, mean

if TYPE_CHECKING:
    from ..strange.tape import Iteration

WORDS = ("coco/bbox_mAP", "accuracy/top1", "mIoU")


class MmengineByEpoch(Vision):
    """Its timer begins with each epoch."""

    name = "mmengine-epochs"
    stamp = "%Y/%m/%d %H:%M:%S - mmengine - INFO - "
    counts = ("batch",)
    kind = "Epoch"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.every = self.script.every = min(self.every, self.plan.phases[0].batches)
        self.window = self.random.choice([10, self.every, self.every, 50])
        self.word = self.random.choice(WORDS)
        self.ignores_last = self.random.random() < 0.7
        self.spent_s = 0.0
        self.valid_s: list[float] = []
        self.computes_s = self.random.choice([0.01, 1.5])  # the metrics, behind the last batch

    def begins(self) -> None:
        self.log(
            f"Config:\ndefault_hooks = dict(\n    logger=dict(interval={self.every}, type='LoggerHook'),\n"
            f"    timer=dict(type='IterTimerHook'))\n"
            f"log_processor = dict(by_epoch={self.kind == 'Epoch'}, type='LogProcessor', "
            f"window_size={self.window})\n"
            f"train_dataloader = dict(\n    batch_size={self.plan.batch_size},\n    num_workers=2)\n"
        )
        self.log("Checkpoints will be saved to work_dirs/net.")

    def epoch_begins(self) -> None:
        self.timer_s = self.now_s

    def after_step(self, one: Iteration) -> None:
        batches = self.plan.phases[0].batches
        self.spent_s += self.times_s[-1]
        is_last = one.batch + 1 == batches
        if (one.place + 1) % 1000 == 0 or is_last:
            self.log("Exp name: net_20240501_080000")
        shows_last = is_last and (not self.ignores_last or batches <= self.every)
        if (one.batch + 1) % self.every == 0 or shows_last:
            epoch = f"[{one.epoch + 1}]".rjust(len(str(self.plan.phases[0].epochs)) + 3)
            inner = str(one.batch + 1).rjust(len(str(batches)))
            self.say_row(one, f"Epoch(train){epoch}[{inner}/{batches}]", one.batch + 1)

    def say_row(self, one: Iteration, place: str, count: int) -> None:
        loss = round(mean(self.all_losses, self.window), 4)
        left_s = self.spent_s / (one.place + 1) * (self.total - one.place - 1)
        self.log(
            f"{place}  lr: {1e-3:.4e}  eta: {clock(left_s)}  time: {mean(self.times_s, self.window):.4f}  "
            f"data_time: {mean(self.data_s, self.window):.4f}  memory: 3451  loss: {loss:.4f}  "
            f"{self.parts(loss, '.4f', '  ')}"
        )
        self.told(one, (loss,), (count,))

    def epoch_trained(self) -> None:
        epoch = self.epoch + 1
        self.log(f"Saving checkpoint at {epoch} epochs")
        self.save()
        if self.evaluates and epoch % self.plan.evaluation_every == 0:
            self.say_evaluation(f"[{epoch}]", f"at {epoch} epoch", f"epoch_{epoch}")

    def say_evaluation(self, place: str, at: str, file: str) -> None:
        """`place`: its epoch, where it goes by epochs."""
        self.place, self.valid_s, of = place, [], self.plan.evaluation_batches
        begins_s, ends_s = self.evaluate()
        self.timer_s, self.now_s = ends_s, ends_s + self.computes_s
        self.tape.stops[-1].ends_s = self.now_s
        metric = self.metric(VALID, "score")
        each_s = (ends_s - begins_s) / of
        self.log(
            f"{self.kind}(val) {place}[{of}/{of}]    {self.word}: {metric:.4f}  "
            f"data_time: {each_s / 10:.4f}  time: {each_s:.4f}"
        )
        if self.ends_evaluation(self.word, metric):
            name = self.word.replace("/", "_")
            self.save()
            self.log(f"The best checkpoint with {metric:.4f} {self.word} {at} is saved to best_{name}_{file}.pth.")

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        self.valid_s.append(spent_s - sum(self.valid_s))
        if number % self.every == 0:
            inner = str(number).rjust(len(str(of)))
            each_s, left_s = mean(self.valid_s, self.window), spent_s / number * (of - number)
            place = self.place.rjust(len(str(self.plan.phases[0].epochs)) + 3) if self.place else " "
            self.log(
                f"{self.kind}(val){place}[{inner}/{of}]    eta: {clock(left_s)}  time: {each_s:.4f}  "
                f"data_time: {each_s / 10:.4f}  memory: 600  "
            )


class MmengineByIteration(MmengineByEpoch):
    """Its timer goes on: a save is in the next step's time, and of an evaluation what follows its last batch."""

    name = "mmengine-iterations"
    counts = ("step",)
    kind = "Iter"

    def epoch_begins(self) -> None:
        if not self.epoch:
            self.timer_s = self.now_s

    def after_step(self, one: Iteration) -> None:
        done = one.place + 1
        self.spent_s += self.times_s[-1]
        if done % 1000 == 0 or one.batch + 1 == self.plan.phases[0].batches:
            self.log("Exp name: net_20240501_080000")
        if done % self.every == 0:
            count = str(done).rjust(len(str(self.total)))
            self.say_row(one, f"Iter(train) [{count}/{self.total}]", done)
        if done % self.saves_every == 0 or done == self.total:
            self.log(f"Saving checkpoint at {done} iterations")
            self.save()
        if self.evaluates and (done % self.evaluates_every == 0 or done == self.total):
            self.say_evaluation("", f"at {done} iter", f"iter_{done}")

    def epoch_trained(self) -> None:
        """Nothing: epochs are unknown to it."""
