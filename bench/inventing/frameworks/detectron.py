"""detectron2's `CommonMetricPrinter`, and its predecessor's `MetricLogger`."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .vision import WEIGHTS, Vision, clock, mean

if TYPE_CHECKING:
    from ..strange.tape import Iteration

WINDOW = 20
WARM_UP = 3
FILE, SCREEN = "[%m/%d %H:%M:%S] {logger} INFO: ", "[%m/%d %H:%M:%S {logger}]: "


class Detectron2(Vision):
    """Losses are medians of 20 steps, the time a mean since the third step, without what hooks do."""

    name = "detectron2"
    stamp = SCREEN
    counts = ("step",)
    intervals = (20, 20, 20, 50)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.stamp = self.script.stamp = self.random.choice([FILE, SCREEN])
        self.prefix = "detectron2" if self.stamp == FILE else "d2"
        self.shows_last = self.random.random() < 0.6
        self.hooks_s = 0.0

    def begins(self) -> None:
        self.log(
            f"Running with full config:\nSOLVER:\n  IMS_PER_BATCH: {self.plan.batch_size}\n"
            f"  MAX_ITER: {self.total}\nTEST:\n  EVAL_PERIOD: {self.evaluates_every if self.evaluates else 0}\n",
            "detectron2",
        )
        self.log("Starting training from iteration 0", f"{self.prefix}.engine.train_loop")

    def epoch_begins(self) -> None:
        """Nothing: epochs are unknown to it."""

    epoch_trained = epoch_begins

    def after_step(self, one: Iteration) -> None:
        self.times_s[-1] = one.took_s
        self.data_s[-1] = one.waited_s  # of `next(loader)` alone: what hooks do lies before it
        done, begins_s = one.place + 1, self.now_s
        if done % self.saves_every == 0 or done == self.total:
            name = f"model_{one.place:07d}" if done % self.saves_every == 0 else "model_final"
            self.log(f"Saving checkpoint to ./output/{name}.pth", "fvcore.common.checkpoint")
            self.save()
        if self.evaluates and done % self.evaluates_every == 0 and done < self.total:
            self.say_evaluation()
        if done % self.every == 0 or done == self.total:
            self.say_row(one)
        self.hooks_s += self.now_s - begins_s

    def say_row(self, one: Iteration) -> None:
        loss = float(f"{median(self.all_losses[-WINDOW:]):.4g}")
        times_s = self.times_s[WARM_UP - 1 :]
        left_s = median(times_s[-1000:]) * (self.total - one.place - 1) if times_s else 0.0
        losses = "  ".join(f"{name}: {loss * weight:.4g}" for name, weight in WEIGHTS.items())
        times = f"time: {mean(times_s, len(times_s)):.4f}  " if times_s else ""
        times += f"last_time: {times_s[-1]:.4f}  " if times_s and self.shows_last else ""
        times += f"data_time: {mean(self.data_s, WINDOW):.4f}  "
        times += f"last_data_time: {self.data_s[-1]:.4f}  " if self.shows_last else ""
        self.log(
            f" eta: {clock(left_s)}  iter: {one.place}  total_loss: {loss:.4g}  {losses}    {times} lr: 0.00025  "
            f"max_mem: 3451M",
            f"{self.prefix}.utils.events",
        )
        self.told(one, (loss,), (one.place,))

    def say_evaluation(self) -> None:
        of, logger = self.plan.evaluation_batches, f"{self.prefix}.evaluation.evaluator"
        self.log(f"Start inference on {of} batches", logger)
        self.said_s = self.now_s - 5
        begins_s, ends_s = self.evaluate()
        took_s = ends_s - begins_s
        each = f"({took_s / of:.6f} s / iter per device, on 1 devices)"
        self.log(f"Total inference time: {clock(took_s)}.{int(took_s * 1e6) % 1000000:06d} {each}", logger)
        self.log(f"Total inference pure compute time: {clock(took_s)} {each}", logger)
        metric = self.metric(VALID, "score")
        said = 100 * metric
        self.log("Evaluation results for bbox: \n|   AP   |  AP50  |\n|:------:|:------:|", "coco_evaluation")
        self.tape.say(f"| {said:.3f} | {said + 10:.3f} |", self.now_s)
        logger = f"{self.prefix}.evaluation.testing"
        self.log("copypaste: Task: bbox", logger)
        self.log("copypaste: AP,AP50", logger)
        self.log(f"copypaste: {said:.4f},{said + 10:.4f}", logger)
        self.value(VALID, "AP", said)

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        if number <= 10 or self.now_s - self.said_s < 5:
            return
        self.said_s, each_s = self.now_s, spent_s / number
        self.log(
            f"Inference done {number}/{of}. Dataloading: {each_s * 0.05:.4f} s/iter. "
            f"Inference: {each_s * 0.9:.4f} s/iter. Eval: {each_s * 0.05:.4f} s/iter. "
            f"Total: {each_s:.4f} s/iter. ETA={clock(each_s * (of - number))}",
            f"{self.prefix}.evaluation.evaluator",
        )

    def ends(self) -> None:
        kept_s, logger = sum(self.times_s[WARM_UP:]), f"{self.prefix}.engine.hooks"
        steps = self.total - WARM_UP
        each_s = kept_s / max(1, steps)
        self.log(f"Overall training speed: {steps} iterations in {clock(kept_s)} ({each_s:.4f} s / it)", logger)
        whole_s = kept_s + self.hooks_s
        self.log(f"Total training time: {clock(whole_s)} ({clock(self.hooks_s)} on hooks)", logger)
        if self.evaluates:
            self.say_evaluation()


class MaskrcnnBenchmark(Vision):
    """A median of 20 steps and a mean since the first; saves and evaluations are in the next step's time."""

    name = "maskrcnn-benchmark"
    stamp = "%Y-%m-%d %H:%M:%S,{ms} {logger} INFO: "
    counts = ("step",)
    intervals = (20,)

    def begins(self) -> None:
        self.log(f"Running with config:\nSOLVER:\n  IMS_PER_BATCH: {self.plan.batch_size}\n", "maskrcnn_benchmark")
        self.log("Start training", "maskrcnn_benchmark.trainer")
        self.begun_s = self.timer_s = self.now_s

    def epoch_begins(self) -> None:
        """Nothing: epochs are unknown to it."""

    epoch_trained = epoch_begins

    def after_step(self, one: Iteration) -> None:
        done = one.place + 1
        if done % 20 == 0 or done == self.total:
            values = {"loss": self.all_losses}
            values |= {name: [w * loss for loss in self.all_losses] for name, w in WEIGHTS.items()}
            self.say_row(done, values | {"time": self.times_s, "data": self.data_s})
            loss, all_loss = lower_median(self.all_losses), mean(self.all_losses, len(self.all_losses))
            self.told(one, (round(loss, 4), round(all_loss, 4)), (done,))
        if done % self.saves_every == 0:
            self.say_save(f"model_{done:07d}")
        if self.evaluates and done % self.evaluates_every == 0:
            self.say_evaluation(done)
        if done == self.total:
            self.say_save("model_final")

    def say_row(self, done: int, values: dict[str, list[float]], prefix: str = "") -> None:
        left_s = mean(self.times_s, len(self.times_s)) * (self.total - done)
        meters = "  ".join(
            f"{name}: {lower_median(all_):.4f} ({mean(all_, len(all_)):.4f})" for name, all_ in values.items()
        )
        self.log(
            f"{prefix}eta: {clock(left_s)}  iter: {done}  {meters}  lr: 0.002500  max mem: 3451",
            "maskrcnn_benchmark.trainer",
        )

    def say_save(self, name: str) -> None:
        self.log(f"Saving checkpoint to ./{name}.pth", "maskrcnn_benchmark.utils.checkpoint")
        self.save()

    def say_evaluation(self, done: int) -> None:
        logger, images = "maskrcnn_benchmark.inference", self.plan.evaluation_batches * 4
        self.log(f"Start evaluation on [Validation] dataset({images} images).", logger)
        begins_s, ends_s = self.evaluate()
        took_s = ends_s - begins_s
        self.log(f"Total run time: {clock(took_s)} ({took_s / images} s / img per device, on 1 devices)", logger)
        loss = self.metric(VALID, "loss")
        losses = [round(loss + more, 4) for more in (-0.01, 0.0, 0.01)]
        self.say_row(done, {"loss": losses}, "[Validation]:   ")
        self.value(VALID, "loss", loss)

    def ends(self) -> None:
        took_s = self.now_s - self.begun_s
        said = f"{clock(took_s)}.{int(took_s * 1e6) % 1000000:06d} ({took_s / self.total:.4f} s / it)"
        self.log(f"Total training time: {said}", "maskrcnn_benchmark.trainer")


def lower_median(values: list[float]) -> float:
    kept = sorted(values[-WINDOW:])
    return kept[(len(kept) - 1) // 2]
