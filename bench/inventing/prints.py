"""An invented training as its script printed it, and what of it stands there."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from .rows import ROWS, TABLE_HEAD, table_line
from .scripts import (
    BARS,
    BATCHES,
    COUNT_ALL,
    CSV,
    EPOCH_MEAN,
    EPOCH_SO_FAR,
    EPOCHS_AND_BATCHES,
    HEADED,
    HEADS,
    INTERVAL,
    KERAS,
    MEAN,
    NOTHING,
    OF_BARS,
    OF_EPOCHS,
    PER_STEP,
    RATE,
    SO_FAR,
    TABLE,
)
from .trainings import Begin, End, Evaluation, Save, Step

if TYPE_CHECKING:
    from .scripts import Script
    from .trainings import Course

CRASH = (
    "Traceback (most recent call last):",
    '  File "train.py", line 211, in <module>',
    "    main()",
    '  File "train.py", line 160, in main',
    "    loss.backward()",
    "RuntimeError: CUDA error: an illegal memory access was encountered",
)

SMOOTHING = 0.3


@dataclass
class Printed:
    """The text of a log, and its truth."""

    text: str = ""
    rows: list[Step] = field(default_factory=list)  # that have a row
    losses: list[float] = field(default_factory=list)  # as printed
    validations: list[float] = field(default_factory=list)  # as printed
    last_of_ranks: float = 0.0  # the newest row's loss, of the rank that printed last
    summaries: list[Step] = field(default_factory=list)  # the last steps of epochs that have a line of their own
    means: list[float] = field(default_factory=list)  # of losses, as those lines print them
    evaluations: int = 0  # that left any word
    evaluated: set[int] = field(default_factory=set)  # the rows before each: of two with as many one is counted
    saves: int = 0  # that left any word


class Bar:
    """A bar of tqdm: its rate is smoothed, but for the last frame's, which is the mean of all."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.steps = self.seconds = 0.0
        self.done, self.spent_s = 0, 0.0

    def frame(self, done: int, of: int, spent_s: float) -> str:
        """The newest frame, without what closes it."""
        steps, seconds = done - self.done, spent_s - self.spent_s
        self.done, self.spent_s = done, spent_s
        self.steps = SMOOTHING * steps + (1 - SMOOTHING) * self.steps
        self.seconds = SMOOTHING * seconds + (1 - SMOOTHING) * self.seconds
        rate = done / spent_s if done == of else self.steps / self.seconds
        share, left_s = done / of, (of - done) / rate
        speed = f"{rate:5.2f}it/s" if rate >= 1 else f"{1 / rate:5.2f}s/it"
        drawn = "█" * int(10 * share)
        clock = f"{int(spent_s) // 60:02d}:{int(spent_s) % 60:02d}<{int(left_s) // 60:02d}:{int(left_s) % 60:02d}"
        title = f"{self.title}: " if self.title else ""
        return f"{title}{100 * share:3.0f}%|{drawn:<10}| {done}/{of} [{clock}, {speed}"


class Printer:
    """Writes one course by one script."""

    def __init__(self, course: Course, script: Script, seed: int) -> None:
        self.plan, self.script, self.course = course.plan, script, course
        self.random = Random(seed)
        self.head = Random(f"head {seed}").sample(HEADS, 4)
        self.printed = Printed()
        self.begun_s = self.epoch_s = self.last_s = 0.0
        self.first_place, self.last_row_place = 0, -1
        self.epoch_losses: list[float] = []
        self.epoch_seconds: list[float] = []
        self.csv_head = False
        self.is_first_row, self.processes = True, 0
        self.newest = Step(0, 0, 0, 0.0, 0.0, 0.0)
        self.bar = Bar("")

    def write(self) -> Printed:
        handlers = {
            Begin: self._begin,
            Step: self._step,
            Evaluation: self._evaluation,
            Save: self._save,
            End: self._end,
        }
        for one in self.course.happenings:
            handlers[type(one)](one)  # type: ignore[operator]
        return self.printed

    def _say(self, text: str, at_s: float, end: str = "\n") -> None:
        self.printed.text += self.script.line(text, at_s) + end

    def _begin(self, one: Begin) -> None:
        script, plan = self.script, self.plan
        self.begun_s = self.epoch_s = self.last_s = one.at_s
        self.first_place, self.last_row_place = one.place, one.place - 1
        self.epoch_losses = []
        if script.kind == CSV:
            return
        self.is_first_row, self.processes = True, self.processes + 1
        if plan.separate and script.folds and len(plan.ends) > 1:
            self._say(f"===== Fold {self.processes}/{len(plan.ends)} =====", one.at_s)
        elif script.head or len(plan.ends) > 1:  # who appends to a log prints a head
            self._say("Using device: cuda", one.at_s)
            self._say("Building the model: 12 layers, 768 wide", one.at_s)
            self._say(
                f"Namespace(batch_size={plan.batch_size}, epochs={plan.epochs}, lr=0.001, seed=42)", one.at_s
            )
            for line in self.head:
                self._say(line, one.at_s)
        if one.resumed:
            self._say(
                f"Resuming from checkpoint checkpoints/last.pt (epoch {one.epoch + script.epoch_from})", one.at_s
            )
        if script.kind == TABLE:
            self._say(table_line(TABLE_HEAD, bars=script.epochs_in_rows), one.at_s)

    def _step(self, one: Step) -> None:
        script = self.script
        if one.batch == 0:
            self.epoch_s, self.epoch_losses = one.ends_s - one.duration_s, []
        self.epoch_losses.append(one.loss)
        self.newest = one
        is_last = one.batch == self.plan.batches - 1
        if script.kind in (KERAS, HEADED) and one.batch == 0:
            self._say(f"Epoch {one.epoch + 1}/{self.plan.epochs}", one.ends_s - one.duration_s)
            if script.kind == HEADED:
                self._say("-" * 10, one.ends_s - one.duration_s)
        if script.kind in OF_BARS:
            self._step_of_bar(one, is_last=is_last)
        elif script.kind == KERAS:
            if is_last and not self.plan.evaluates:
                self._keras(one, one.ends_s)
        elif script.kind in OF_EPOCHS:
            if is_last:
                self._epoch_row(one)
        elif (one.place if script.kind in COUNT_ALL else one.batch) % script.every == (
            script.every - 1
        ) * script.batch_from:
            self._row(one)
        if is_last and script.summary and script.kind in (EPOCHS_AND_BATCHES, BATCHES):
            mean = sum(self.epoch_losses) / len(self.epoch_losses)
            took_s = one.ends_s - self.epoch_s
            self._say(
                f"Epoch {one.epoch + script.epoch_from} done, average loss: {mean:.4f}, took {took_s:.1f}s",
                one.ends_s,
            )
            self.printed.summaries.append(one)
            self.printed.means.append(round(mean, 4))

    def _row(self, one: Step) -> None:
        script = self.script
        loss = f"{one.loss:.4f}"
        if script.kind in ROWS:
            text = ROWS[script.kind](self, one, loss)
        else:
            mean = sum(self.epoch_losses) / len(self.epoch_losses)
            text = f"{script.loss_word}{script.join}{loss}" + (f" ({mean:.4f})" if script.mean_loss else "")
            parts = [self._place(one), text, *self._columns(one), self.time(one)]
            text = script.separator.join(filter(None, parts))
        self._say(text, one.ends_s)
        for rank in range(1, script.ranks):  # each its own batch's loss, a little later
            loss = f"{one.loss * (1 + 0.002 * rank):.4f}"
            self._say(text.replace(f"{one.loss:.4f}", loss, 1), one.ends_s + 0.002 * rank)
        self._counted(one, round(one.loss, 4))
        self.printed.last_of_ranks = float(loss)

    def _keras(self, one: Step, ends_s: float, validation: str = "") -> None:
        """An epoch's bar, once it is full: its seconds have the validation in them."""
        mean, took_s = sum(self.epoch_losses) / len(self.epoch_losses), ends_s - self.epoch_s
        batches, each_s = self.plan.batches, took_s / self.plan.batches
        each = f"{each_s:.0f}s" if each_s >= 1 else f"{each_s * 1e3:.0f}ms"
        self._say(
            f"{batches}/{batches} [{'=' * 30}] - {took_s:.0f}s {each}/step - loss: {mean:.4f}{validation}", ends_s
        )
        self._counted(one, round(mean, 4))

    def _counted(self, one: Step, loss: float) -> None:
        self.printed.rows.append(one)
        self.printed.losses.append(loss)
        self.last_s, self.last_row_place, self.is_first_row = one.ends_s, one.place, False

    def _columns(self, one: Step) -> list[str]:
        return [extra(self.random, one.place / self.plan.total) for extra in self.script.extras]

    def _place(self, one: Step) -> str:
        plan, script = self.plan, self.script
        return script.place.format(
            sep=script.separator,
            epoch=one.epoch + script.epoch_from,
            epochs=plan.epochs,
            batch=one.batch + script.batch_from,
            batches=plan.batches,
            place=one.place + script.batch_from,
            total=plan.total,
            samples=(one.batch + script.batch_from) * plan.batch_size,
            all_samples=plan.batches * plan.batch_size,
            percent=100 * one.batch / plan.batches,
            percent_all=100 * one.place / plan.total,
        )

    def time(self, one: Step) -> str:
        script = self.script
        steps = max(1, one.place - self.last_row_place)
        since_s = one.ends_s - self.last_s
        if script.times == NOTHING:
            return ""
        seconds = {
            PER_STEP: one.duration_s,
            INTERVAL: since_s,
            EPOCH_SO_FAR: one.ends_s - self.epoch_s,
            SO_FAR: one.ends_s - self.begun_s,
            MEAN: (one.ends_s - self.begun_s) / (one.place - self.first_place + 1),
            EPOCH_MEAN: (one.ends_s - self.epoch_s) / (one.batch + 1),
            RATE: self.plan.batch_size * steps / since_s,
        }[script.times]
        return script.time(seconds)

    def _epoch_row(self, one: Step) -> None:
        """A row of an epoch: its evaluation's loss comes with the evaluation's own words."""
        script, mean = self.script, sum(self.epoch_losses) / len(self.epoch_losses)
        loss = f"{mean:.4f}"
        self.epoch_seconds.append(one.ends_s - self.last_s)
        if script.kind == CSV:
            if not self.csv_head:
                self.printed.text += "epoch,train_loss,lr,seconds\n"
                self.csv_head = True
            text = f"{one.epoch + script.epoch_from},{loss},0.001,{one.ends_s - self.last_s:.3f}"
        elif script.kind == HEADED:
            text = f"train Loss: {loss} Acc: 0.71"
        else:
            text = f"{script.loss_word}{script.join}{loss}"
            text = script.separator.join(
                filter(None, [self._place(one), text, *self._columns(one), self.time(one)])
            )
        self._say(text, one.ends_s)
        self._counted(one, float(loss))

    def _step_of_bar(self, one: Step, *, is_last: bool) -> None:
        script, batches = self.script, self.plan.batches
        if one.batch == 0 or not self.bar.done:
            self.bar = Bar(f"Epoch {one.epoch + script.epoch_from}" if script.kind == BARS else "")
        if one.batch % script.every and not is_last:
            return
        text = self.bar.frame(one.batch + 1, batches, one.ends_s - self.epoch_s)
        self._say(f"{text}, loss={one.loss:.4f}]", one.ends_s, "\n" if is_last else "\r")
        self._counted(one, round(one.loss, 4))

    def _evaluation(self, one: Evaluation) -> None:
        script, loss = self.script, f"{one.loss:.4f}"
        if script.kind == KERAS:
            self._keras(self.newest, one.ends_s, f" - val_loss: {loss}")
        if script.kind == CSV or (script.evaluation == "silent" and script.kind not in (KERAS, HEADED)):
            return
        self.printed.evaluations += 1
        self.printed.evaluated.add(len(self.printed.rows))
        if script.kind in (KERAS, HEADED):
            if script.kind == HEADED:
                self._say(f"val Loss: {loss} Acc: 0.70", one.ends_s)
            self.printed.validations.append(float(loss))
            return
        if script.evaluation == "announced":
            self._say("Evaluating on the validation set ...", one.begins_s)
        if script.evaluation in ("rows", "same rows"):
            self._evaluation_rows(one)
        if script.evaluation == "bar":
            bar = Bar("Validating")
            for number, at_s in enumerate(one.batch_s, 1):
                text = bar.frame(number, len(one.batch_s), at_s - one.begins_s)
                self._say(f"{text}]", at_s, "\n" if number == len(one.batch_s) else "\r")
        self._say(
            f"Validation: {script.validation_word}{script.join}{loss}{script.separator}accuracy: 0.71", one.ends_s
        )
        self.printed.validations.append(float(loss))

    def _evaluation_rows(self, one: Evaluation) -> None:
        script = self.script
        for number, at_s in enumerate(one.batch_s):
            if script.evaluation == "rows":
                place = f"Test: [{number:>3}/{len(one.batch_s)}]"
                self._say(f"{place}\tTime {self.plan.evaluation_s:.3f}\tLoss {one.loss:.4f}", at_s)
            else:
                place = f"Val Epoch: [{one.epoch + script.epoch_from}][{number}/{len(one.batch_s)}]"
                self._say(f"{place}{script.separator}{script.loss_word}{script.join}{one.loss:.4f}", at_s)

    def _save(self, one: Save) -> None:
        if self.script.kind != CSV and self.script.says_saves:
            self._say(
                f"Saving checkpoint to checkpoints/epoch_{one.epoch + self.script.epoch_from}.pt", one.begins_s
            )
            self.printed.saves += 1

    def _end(self, one: End) -> None:
        if self.script.kind == CSV:
            return
        if one.how == "finished" and self.script.says_end:
            self._say(f"Training finished in {one.at_s - self.begun_s:.1f} seconds", one.at_s)
        elif one.how == "crashed":
            self.printed.text += "\n".join(CRASH) + "\n"
        elif one.how == "interrupted":
            self.printed.text += "\n".join([*CRASH[:-1], "KeyboardInterrupt"]) + "\n"
