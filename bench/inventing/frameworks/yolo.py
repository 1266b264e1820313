"""YOLOv5 and Ultralytics YOLOv8: a heading and a bar an epoch, the bar of its validation, and what that found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import TRAIN, VALID
from .tqdm_bars import OwnBar, TqdmBar
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Yolo8(Trainer):
    """Ultralytics 8: epochs from 1, losses are the epoch's running means. Until 2025 its bars are tqdm's."""

    name = "yolov8"
    words = ("box_loss", "cls_loss", "dfl_loss")
    first_epoch = 1
    own_bars = False

    def begins(self) -> None:
        self.parts = self.random.choice([(0.2, 0.5, 0.3), (0.45, 0.25, 0.3)])
        self.images = self.plan.batch_size * self.plan.phases[0].batches
        self.saves = self.random.random() < 0.8
        self.fitness = (0.0, 0)
        epochs = self.plan.phases[0].epochs
        self.say("YOLOv8n summary: 225 layers, 3157200 parameters, 3157184 gradients, 8.9 GFLOPs")
        self.say("")
        self.say("Image sizes 640 train, 640 val")
        self.say("Using 8 dataloader workers")
        self.say("Logging results to runs/detect/train")
        self.say(f"Starting training for {epochs} epochs...")

    def say(self, text: str) -> None:
        self.tape.say(text, self.now_s)

    def heading(self) -> str:
        return ("%11s" * (4 + len(self.words))) % ("Epoch", "GPU_mem", *self.words, "Instances", "Size")

    def epoch_begins(self) -> None:
        self.say("")
        self.say(self.heading())
        batches = self.plan.phases[0].batches
        self.bar = (OwnBar if self.own_bars else TqdmBar)(self.tape, "", batches, self.now_s)

    def row(self, losses: list[float]) -> str:
        said = [f"{one:11.4g}" for one in losses]
        epoch = f"{self.epoch + 1}/{self.plan.phases[0].epochs}"
        return f"{epoch:>11}{'2.58G':>11}" + "".join(said) + f"{self.random.randint(20, 300):11.4g}{640:11.4g}"

    def losses_so_far(self) -> list[float]:
        mean = sum(self.losses) / len(self.losses)
        return [float(f"{mean * part:.4g}") for part in self.parts]

    def stepped(self, one: Iteration) -> None:
        losses = self.losses_so_far()
        self.bar.title = self.row(losses)
        pieces = self.tape.now
        self.bar.draw(self.now_s)
        if self.tape.now > pieces:  # a row that counts what was drawn last
            self.value(TRAIN, "loss so far", sum(losses))
        pieces = self.tape.now if not self.own_bars else pieces
        self.bar.step(one.batch + 1, self.now_s)
        if one.batch + 1 == self.bar.total:
            self.bar.close(self.now_s)
        if self.tape.now > pieces:
            self.told(one, (sum(losses),), (self.epoch + self.first_epoch,))

    def validate(self) -> None:
        """Its bar has the heading of its results as its title."""
        title = ("%22s" + "%11s" * 6) % ("Class", "Images", "Instances", "Box(P", "R", "mAP50", "mAP50-95)")
        bar = (OwnBar if self.own_bars else TqdmBar)(self.tape, title, self.plan.evaluation_batches, self.now_s)
        self.evaluation_bar = bar
        self.evaluate()
        bar.close(self.now_s)
        self.found()

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        self.evaluation_bar.step(min(number, of), self.evaluation_bar.began_s + spent_s)

    def found(self) -> list[float]:
        """What it found, over all classes: precision, recall, and both means."""
        results = [self.metric(VALID, "acc") * part for part in (1, 0.9, 0.8, 0.5)]
        said = [f"{one:11.3g}" for one in results]
        self.say(f"{'all':>22}{128:11d}{929:11d}" + "".join(said))
        for name, one in zip(("P", "R", "mAP50", "mAP50-95"), said, strict=True):
            self.value(VALID, name, float(one))
        return results

    def epoch_trained(self) -> None:
        if VALID in self.plan.sets or self.epoch + 1 == self.plan.phases[0].run_epochs:
            self.validate()
        if self.saves:
            self.save()

    def ends(self) -> None:
        phase, spent_s = self.plan.phases[0], self.now_s - self.phase_s
        self.say("")
        if phase.run_epochs < phase.epochs:
            self.say("EarlyStopping: Training stopped early as no improvement observed in last 3 epochs.")
        self.say(f"{phase.run_epochs} epochs completed in {spent_s / 3600:.3f} hours.")
        self.now_s += 0.3
        self.say("Optimizer stripped from runs/detect/train/weights/last.pt, 6.5MB")
        self.say("Optimizer stripped from runs/detect/train/weights/best.pt, 6.5MB")
        self.say("")
        self.say("Validating runs/detect/train/weights/best.pt...")
        self.say("YOLOv8n summary (fused): 168 layers, 3151904 parameters, 0 gradients, 8.7 GFLOPs")
        self._again()
        self.say("Speed: 0.2ms preprocess, 2.1ms inference, 0.0ms loss, 0.9ms postprocess per image")
        self.say("Results saved to runs/detect/train")

    def _again(self) -> None:
        """The best model's results: of no epoch of the training."""
        values = len(self.tape.values)
        self.validate()
        del self.tape.values[values:]


class Yolo8Own(Yolo8):
    """Since 8.3.190: bars of its own."""

    name = "yolov8-own"
    own_bars = True


class Yolo5(Yolo8):
    """YOLOv5 6: epochs from 0, and the last one's number is the total; one line of nothing behind each epoch."""

    name = "yolov5"
    words = ("box_loss", "obj_loss", "cls_loss")
    first_epoch = 0

    def heading(self) -> str:
        if self.plan.batch_size > 32:
            return ("%10s" * 7) % ("Epoch", "gpu_mem", "box", "obj", "cls", "labels", "img_size")
        return super().heading()

    def row(self, losses: list[float]) -> str:
        width = 10 if self.plan.batch_size > 32 else 11
        epoch, last = self.epoch, self.plan.phases[0].epochs - 1
        said = "".join(f"{one:{width}.4g}" for one in [*losses, self.random.randint(20, 300), 640])
        return f"{f'{epoch}/{last}':>{width}}{'3.27G':>{width}}{said}"


class Yolo8Words(Yolo8):
    """The standard output alone, where the bars went to another file."""

    name = "yolov8-words"

    def epoch_begins(self) -> None:
        self.say("")
        self.say(self.heading())
        if self.epoch and VALID not in self.plan.sets:  # that it is over nothing else says
            self.told(self.tape.iterations[-1], (), (self.epoch,), of_epoch=True)

    def stepped(self, one: Iteration) -> None:
        """Nothing: no bar."""

    def validate(self) -> None:
        self.evaluate()
        self.found()

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        """No bar."""

    def epoch_trained(self) -> None:
        pieces = self.tape.now
        super().epoch_trained()
        if self.tape.now > pieces:  # evaluated
            self.told(self.tape.iterations[-1], (), (self.epoch + 1,), of_epoch=True)
