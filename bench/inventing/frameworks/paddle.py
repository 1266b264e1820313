"""PaddleDetection (rows of an epoch's steps) and PaddleSeg (rows of iterations)."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .vision import Vision, clock, mean

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class PaddleDetection(Vision):
    """Rows from step 0 on; a row's loss is the median, its time the mean of the `log_iter` newest steps."""

    name = "paddledetection"
    stamp = "[%m/%d %H:%M:%S] {logger} INFO: "
    counts = ("batch",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.logger = self.random.choice(["ppdet.engine", "ppdet.engine.callbacks"])
        self.shows_memory = self.random.random() < 0.4
        self.snapshot_every = self.random.choice([1, 1, 2])

    def epoch_begins(self) -> None:
        self.timer_s = self.now_s

    def after_step(self, one: Iteration) -> None:
        if one.batch % self.every:
            return
        phase, every = self.plan.phases[0], self.every
        steps_left = (phase.epochs - one.epoch) * phase.batches - one.batch
        left_s = steps_left * mean(self.times_s, len(self.times_s))
        loss, each_s = round(median(self.all_losses[-every:]), 6), mean(self.times_s, every)
        memory = ", max_mem_reserved: 3451 MB, max_mem_allocated: 3000 MB" if self.shows_memory else ""
        self.log(
            f"Epoch: [{one.epoch}] [{one.batch:{len(str(phase.batches))}d}/{phase.batches}] "
            f"learning_rate: 0.001000 {self.parts(loss, '.6f', ' ')} loss: {loss:.6f} "
            f"eta: {clock(left_s)} batch_cost: {each_s:.4f} data_cost: {mean(self.data_s, every):.4f} "
            f"ips: {self.plan.batch_size / each_s:.4f} images/s{memory}",
            self.logger,
        )
        self.told(one, (loss,), (one.batch,))

    def epoch_trained(self) -> None:
        epochs = self.plan.phases[0].epochs
        if (self.epoch + 1) % self.snapshot_every and self.epoch + 1 < epochs:
            return
        self.say_save()
        if not self.evaluates:
            return
        images = self.plan.evaluation_batches * 4
        begins_s, ends_s = self.evaluate()
        metric = self.metric(VALID, "score")
        self.tape.say(
            f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {metric:.3f}", self.now_s
        )
        rate = images / (ends_s - begins_s)
        self.log(f"Total sample number: {images}, average FPS: {rate}", self.logger)
        is_best = metric >= self.best_metric
        self.best_metric = max(metric, self.best_metric)
        self.log(f"Best test bbox ap is {self.best_metric:0.3f}.", self.logger)
        if is_best:
            self.say_save()

    def say_save(self) -> None:
        self.save()
        self.log("Save checkpoint: output/yolov3", "ppdet.utils.checkpoint")

    def evaluation_step(self, number: int, _of: int, _spent_s: float) -> None:
        if (number - 1) % 100 == 0:
            self.log(f"Eval iter: {number - 1}", self.logger)


class PaddleSeg(Vision):
    """A row's loss and costs are means since the row before, without saves and evaluations."""

    name = "paddleseg"
    counts = ("step",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        old, new = "%Y-%m-%d %H:%M:%S [INFO]\t", "[%Y/%m/%d %H:%M:%S] INFO: "
        self.stamp = self.script.stamp = self.random.choice([old, new])
        self.saved_at = 0

    def begins(self) -> None:
        rule = "-" * 48
        self.log(f"\n{rule}\nbatch_size: {self.plan.batch_size}\niters: {self.total}\n{rule}")

    def epoch_begins(self) -> None:
        """Nothing: it goes by iterations."""

    epoch_trained = epoch_begins

    def after_step(self, one: Iteration) -> None:
        done, batches = one.place + 1, self.plan.phases[0].batches
        self.data_s[-1] -= max(0.0, self.times_s[-1] - one.took_s)  # its clock begins behind both
        self.times_s[-1] = one.took_s
        if done % self.every == 0:
            each_s, loss = mean(self.times_s, self.every), round(mean(self.all_losses, self.every), 4)
            left_s = int((self.total - done) * each_s)
            left = f"{left_s // 3600:02d}:{left_s // 60 % 60:02d}:{left_s % 60:02d}"
            self.log(
                f"[TRAIN] epoch: {(done - 1) // batches + 1}, iter: {done}/{self.total}, loss: {loss:.4f}, "
                f"lr: 0.009000, batch_cost: {each_s:.4f}, reader_cost: {mean(self.data_s, self.every):.5f}, "
                f"ips: {self.plan.batch_size / each_s:.4f} samples/sec | ETA {left}"
            )
            self.told(one, (loss,), (done,))
        if done % self.saves_every == 0 or done == self.total:
            if self.evaluates:
                self.say_evaluation(done)
            self.save()
            if self.evaluates:
                if self.saved_at == done:
                    self.save()
                self.log(
                    f"[EVAL] The model with the best validation mIoU ({self.best_metric:.4f}) was saved at iter "
                    f"{self.saved_at}."
                )

    def say_evaluation(self, done: int) -> None:
        of = self.plan.evaluation_batches
        self.log(f"Start evaluating (total_samples: {of}, total_iters: {of})...")
        self.evaluate()
        metric = self.metric(VALID, "score")
        self.log(
            f"[EVAL] #Images: {of} mIoU: {metric:.4f} Acc: {metric + 0.1:.4f} Kappa: {metric:.4f} Dice: 0.7000"
        )
        self.value(VALID, "acc", round(metric + 0.1, 4))
        if self.ends_evaluation("mIoU", metric):
            self.saved_at = done
        self.log("[EVAL] Class IoU: \n[0.9  0.5]")

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        bar = "=" * (30 * number // of)
        bar += "." * (30 - len(bar))
        each = f"{spent_s / number * 1e3:.0f}ms/step"
        frame = (
            f"{number:{len(str(of))}d}/{of} [{bar}] - {spent_s:.0f}s {each} - batch_cost: {spent_s / number:.4f}"
        )
        self.tape.draw(frame + " - reader cost: 0.0012", self.now_s, "\n" if number == of else "\r")
