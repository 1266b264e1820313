"""Keras: the bar of `Model.fit`, and its text logs.

    Epoch 5/10
    1875/1875 [==============================] - 40s 22ms/step - loss: 0.3352 - accuracy: 0.8813 - val_loss: 0.35
    1875/1875 ━━━━━━━━━━━━━━━━━━━━ 4s 2ms/step - accuracy: 0.85 - loss: 0.41                                             Keras 3
    1875/1875 - 4s - 2ms/step - accuracy: 0.85 - loss: 0.41                                                 with verbose=2
`22ms/step` is the mean since the epoch began (since 2.4: since its first step), in whole units; so a line stands for all steps since
the one before. Validation and saves are in an epoch's last line, which the bar draws behind all callbacks. `loss` is the epoch's mean so far. Where no time a
step is printed (verbose=2 before 2022) the epoch's seconds stand for it. Before 2.4 arrays were counted in samples (`us/sample`,
or `4us/step`; `Train on 60000 samples`, `Found 60000 images`): the first frame of a bar tells how many are a batch; without one an iteration is
an epoch. A full bar that names no loss is one of `predict`. Where nothing names samples, they are known by frames that all stand at multiples of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import Iteration, Message
from ...base import Example
from ...epoch_bars.samples_or_steps import Counted
from ...families.keras.fits import Broken, Fits
from ...families.keras.frames import Frame, time_of
from ...families.keras.validations import Validations
from ...families.pairs import metrics, words
from ...families.thinned import Thinned
from ...means.means_so_far import MeansSoFar
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine

if TYPE_CHECKING:
    from .....events import Event

_MOST_EPOCHS = 1e9  # a heading with more is none: the batches below it would count beyond all bounds


class Keras(Validations):
    """Means since the epoch began, turned into means since the last line."""

    name = "Keras"
    about = "time a step: a mean since the last line, in whole ms; without validation; loss is the epoch's mean"
    lines = (
        Line("/", r"(?<![\d/.-])(?P<batch>\d+)/(?P<batches>\d+)(?! .{1,90} - batch_cost: \d)(?! +(?:\[=+\] - |━+ )\S+ [\d.]+[um]?s/step *(?:\\n)?\"?,?$) +(?! *\d{1,2}:\d\d(?!\S* \d{1,9}(?:us|ms|s)/))(?:\[=+\] - ETA: \d[\d:smh]{0,9} - [^\[\]]{1,200}? - |\[[=>.]*\] - |[━= ]* *|- )(?P<stamp>\d+(?:[smh]|:\d\d)[\d:smh]*)"
             r"(?P<rest> (?:- )?(?:[\d.]+(?:us|ms|s)/(?:step|sample)|\w+: ).*)$", "step"),
        Line("ETA:", r"(?P<batch>\d+)/(?P<batches>\d+) +(?:\[[=>.]*\] - |[━= ]* *)(?:ETA: )?", "frame"),
        Line("Epoch ", r"^\s*\"?Epoch (?P<epoch>\d+)/(?P<epochs>\d+)", "epoch", distinctive=False),
        Line("- loss: ", r"^\s*\"? ?(?:- )?(?P<duration_s>\d+)s (?:\d+[um]?s/(?:step|sample|epoch) )?(?P<rest>- loss: .*)$", "whole_epoch"),
        Line("Train on ", r"^\s*\"?Train on (?P<samples>\d+) samples", "trained_on", distinctive=False),
        Line("Found ", r"^\s*\"?Found (?P<samples>\d+) images belonging to \d+ classes", "found", distinctive=False),
        Line("Saving checkpoints for", r"Saving checkpoints for (?P<iteration>\d+)", "checkpoint", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch 1/2
100/100 ━━━━━━━━━━━━━━━━━━━━ 0s 52ms/step - accuracy: 0.50 - loss: 2.0
100/100 ━━━━━━━━━━━━━━━━━━━━ 6s 60ms/step - accuracy: 0.50 - loss: 1.9 - val_accuracy: 0.50 - val_loss: 1.8
Epoch 2/2
100/100 ━━━━━━━━━━━━━━━━━━━━ 0s 50ms/step - accuracy: 0.60 - loss: 1.5
100/100 ━━━━━━━━━━━━━━━━━━━━ 6s 58ms/step - accuracy: 0.60 - loss: 1.4 - val_accuracy: 0.60 - val_loss: 1.3
""",
            iterations=((100, 0.052, 100, 1.9), (200, 0.05, 100, 1.4)),
            evaluations=(
                (100, {"val_accuracy": 0.5, "val_loss": 1.8}),
                (200, {"val_accuracy": 0.6, "val_loss": 1.3}),
            ),
            variant="Keras 3, whose last frame is drawn again with the validation",
        ),
        Example(
            """
Epoch 1/2
99/100 ━━━━━━━━━━━━━━━━━━━━ 0s 52ms/step - accuracy: 0.50 - loss: 2.0
100/100 ━━━━━━━━━━━━━━━━━━━━ 8s 80ms/step - accuracy: 0.50 - loss: 1.9 - val_accuracy: 0.50 - val_loss: 1.8
""",
            iterations=((99, None, 0, 2.0), (100, 0.052, 100, 1.9)),
            evaluations=((100, {"val_accuracy": 0.5, "val_loss": 1.8}),),
            variant="Keras 3, whose last steps have the validation in their seconds",
        ),
        Example(
            """
Epoch 1/10
1875/1875 [==============================] - 40s 20ms/step - loss: 0.5 - accuracy: 0.88 - val_loss: 0.35
Epoch 2/10
1000/1875 [===============>..............] - ETA: 11s - loss: 0.37
1875/1875 [==============================] - 39s 21ms/step - loss: 0.25
313/313 [==============================] - 2s 6ms/step - loss: 0.5
""",
            iterations=((1875, 0.02, 1875, 0.5), (3750, 0.021, 1875, 0.25)),
            evaluations=((1875, {"val_loss": 0.35}), (3750, {"val_loss": 0.5})),
            variant="Keras 2",
        ),
        Example(
            """
Epoch 1/2
1875/1875 ━━━━━━━━━━━━━━━━━━━━ 4s 2ms/step - accuracy: 0.85 - loss: 0.5 - val_accuracy: 0.9 - val_loss: 0.41
""",
            iterations=((1875, 0.002, 1875, 0.5),),
            evaluations=((1875, {"val_accuracy": 0.9, "val_loss": 0.41}),),
            variant="Keras 3",
        ),
        Example(
            """
Epoch 1/2
50/50 - 2s - 40ms/step - accuracy: 0.85 - loss: 0.5 - val_loss: 0.41
Epoch 2/2
50/50 - 3s - 50ms/step - loss: 0.25
""",
            iterations=((50, 0.04, 50, 0.5), (100, 0.05, 50, 0.25)),
            evaluations=((50, {"val_loss": 0.41}),),
            variant="Keras with verbose=2",
        ),
        Example(
            """
Epoch 1/2
50/50 - 20s - loss: 0.5 - val_loss: 0.41
Epoch 2/2
50/50 - 65s - loss: 0.25 - 65s/epoch - 1s/step
""",
            iterations=((50, 0.4, 50, 0.5), (100, 1.3, 50, 0.25)),
            evaluations=((50, {"val_loss": 0.41}),),
            variant="Keras with verbose=2 in 2021",
        ),
        Example(
            """
Epoch 1/2
 - 7s - loss: 0.5 - acc: 0.8 - val_loss: 0.41
Epoch 2/2
8s 40ms/step - loss: 0.25 - acc: 0.9
""",
            iterations=((1, 7.0, 1, 0.5), (2, 8.0, 1, 0.25)),
            evaluations=((1, {"val_loss": 0.41}),),
            variant="Keras with verbose=2 until 2019, which tells of epochs alone",
        ),
        Example(
            """
Epoch 1/2
60000/60000 [==============================] - 5s 80us/sample - loss: 0.5 - val_loss: 0.41
""",
            iterations=((1, 4.8, 1, 0.5),),
            evaluations=((1, {"val_loss": 0.41}),),
            variant="Keras of 2018, in samples",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch = 1.0
        self._epochs: float | None = None
        self._done = self._batches = 0.0  # of the epoch at hand
        self._means, self._counted, self._fits = MeansSoFar(), Counted(), Fits()
        self._newest: Frame | None = None
        self._waits: Frame | None = None  # the newest: too near to the row before, or to be drawn again
        self._thinned = Thinned(lambda rest: (*metrics(words(rest)),), ": ")
        self._broken = Broken()
        self._whole = False  # are epochs all that is told of?

    @property
    def of_an_epoch(self) -> float | None:
        """1 where an iteration is an epoch, for no more is known."""
        return 1.0 if self._counted.unit == 0 or self._whole else None

    @handler()
    def epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """The heading of an epoch."""
        if not max(fields["epoch"], fields["epochs"]) <= _MOST_EPOCHS:
            return []
        before = self._flush()
        if fields["epoch"] <= self._epoch:
            before += self._broken_off()
        self._broken.over()
        over = self._done > 0 and (self._fits.called_anew() or self._done == self._batches)
        if fields["epoch"] < self._epoch or (fields["epoch"] == self._epoch and over):
            before = self._told(before, line)
            self._another_fit()
            before += [self.run_info(line)] if before else []
            self.announced = bool(before)
        self._epoch, self._epochs, self._batches, self._newest = fields["epoch"], fields["epochs"], 0.0, None
        self._begin()
        self._counted.begin()
        return before

    def _another_fit(self) -> list[Event]:
        before, self._newest = self._flush(), None
        self.last = self.last_at_s = self.total = None
        self.announced, self._epoch, self._batches = False, 1.0, 0.0
        self._begin()
        self._counted.another_fit()
        return before

    def _fit_of_one(self, frame: Frame) -> list[Event]:
        """A full bar behind a full one may be of a call for one epoch, which prints no heading."""
        if not self._done == self._batches == frame.batches == frame.done:
            return []
        own = frame.validated and self._last_validated == self.last
        if self._epochs is None or not self._fits.is_another(words(frame.rest).get("loss"), validated=own):
            return []
        if self._epoch < self._epochs:  # the heading of its next epoch was lost
            before, self._newest, self._epoch = self._flush(), None, self._epoch + 1
            self._begin()
            return before
        before, self._epochs = self._another_fit(), 1.0
        return before

    def _told(self, events: list[Event], line: LogLine) -> list[Event]:
        """Rows that were held back, behind the word that their training began, where it was not said yet."""
        untold, self.announced = bool(events) and not self.announced, self.announced or bool(events)
        return [self.run_info(line), *events] if untold else events

    @handler(iterations=True, texts=("rest",))
    def whole_epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """` - 7s - loss: 0.5`: all that verbose=2 printed of an epoch until 2019, which is the iteration then."""
        if self._epochs is None or self._done:
            return []
        rest, self._whole = fields.pop("rest"), True
        read = words(rest)
        fields |= {"iteration": self._epoch, "total": self._epochs, "loss": read.get("loss")}
        fields["learning_rate"] = read.get("lr")
        fields["scalars"] = metrics(read)
        holds = self._holds(line, validation=" val_" in rest)
        return [*holds, *self._in_order(self.iteration(fields, line), rest, line)]

    @handler(numbers=("samples",))
    def trained_on(self, fields: Fields, _line: LogLine) -> list[Event]:
        """`Train on 60000 samples, validate on 10000 samples`: its bars count samples."""
        self._counted.samples = fields["samples"]
        self._fits.call(headed=self._epochs is not None)
        return []

    @handler(numbers=("samples",))
    def found(self, fields: Fields, _line: LogLine) -> list[Event]:
        """`Found 10222 images belonging to 120 classes.`: a bar of as many counts images."""
        self._counted.images.add(fields["samples"])
        return []

    @handler()
    def frame(self, fields: Fields, line: LogLine) -> list[Event]:
        """A bar that is not full: the first one of an epoch is drawn after its first batch."""
        before = self._another_fit() if self._fits.anew(line.text) else []
        self._counted.see(fields["batch"], begun=not self._done)
        if not self._of_something_else(fields["batches"]):
            self._broken.see(fields, line)
        return before

    @handler(iterations=True, texts=("rest", "stamp"))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A frame of the bar, or an epoch's last line."""
        frame = Frame(fields, fields.pop("rest"), fields.pop("stamp"), line)
        self._broken.over()
        anew = self._fit_of_one(frame)
        before, self._newest = self._newest, frame
        if before is None or not frame.goes_on(before):
            return [*anew, *self._flush(), *self._read(frame, None)]
        waited, first, self._waits = self._waits, self._left_out(frame), None
        if waited is not None and not first and not waited.is_drawn_again:
            self._thinned.see(waited.rest)
        return [*first, *self._read(frame, before)]

    def _left_out(self, later: Frame) -> list[Event]:
        """The row of an epoch's first step that waits, where it took long and no later mean holds it."""
        steps, first = not self._done and self._counted.unit in (None, 1.0), self._waits
        leaves = steps and first is not None and self._means.leave_out(first.left_out_s(later), later.spent(None))
        return self._read(first, None, last=True) if leaves and first is not None else []

    def _flush(self) -> list[Event]:
        """What follows is not of this bar: its newest frame tells how far it came, however few steps behind the one before."""
        waited, self._waits = self._waits, None
        return [] if waited is None else self._read(waited, None, last=True)

    def release(self) -> list[Event]:
        """See `HoldingParser.release`: what follows comes too late, if at all."""
        line = self._broken.newest[1] if self._broken.newest else LogLine.of("", None, self.calendar)
        return self._told([*self._flush(), *self._broken_off()], line)

    def _broken_off(self) -> list[Event]:
        """The bar went no further: a frame without a time tells how far it came, and its loss is of so many steps alone."""
        newest, unit, first = self._broken.over(), self._counted.unit, self.last is None
        if newest is None or not unit or newest[0]["batch"] <= self._done:
            return []
        self._done, batches = newest[0]["batch"], newest[0]["batches"]
        fields = self._counted.place(self._epoch, self._epochs, self._done, batches) | {"averaged_over": 0}
        found = self.iteration(fields, newest[1])
        passed = int(fields["iteration"]) if first and self._epoch == 1 else 0  # no row has told of them
        return [replace(one, averaged_over=passed) if isinstance(one, Iteration) else one for one in found]

    def _read(self, frame: Frame, before: Frame | None, *, last: bool = False) -> list[Event]:
        """`before`: the frame of the same bar before this one. `last`: nothing is to be waited for."""
        fields, rest, line, done, batches = frame.fields, frame.rest, frame.line, frame.done, frame.batches
        if self._of_something_else(batches):
            return self._evaluated(frame) if done == batches else []
        if done == self._done == batches and self._epochs is not None:  # drawn again, with the validation
            return self._validated(rest, line)
        if done <= self._done and self._done == batches:  # headings were lost
            self._epoch += 1
            self._begin()
        few = done - self._done < max(1.0, batches / 20) and done < batches
        if not last and (few or frame.is_drawn_again):
            self._waits = frame
            return []
        word = self._counted.decide(frame, self._batches)
        told = [Message(word, at_s=line.at_s)] if word else []
        unit = self._counted.unit or batches
        if unit == batches > done:
            self._thinned.see(rest)
            return []
        read = words(rest)
        alone, saves = not self._done and before is None, done == batches and not frame.validated
        holds = self._holds(line, validation=alone and frame.holds_validation, saves=alone and saves)
        fields |= time_of(frame, before, unit, self._means, told=not self._ones.tell_nothing)
        self._done = done
        fields |= self._counted.place(self._epoch, self._epochs, done, batches)
        fields["loss"], fields["learning_rate"] = read.get("loss"), read.get("lr") or read.get("learning_rate")
        fields["scalars"], self._fits.newest = metrics(read), fields["loss"]
        found = self.iteration(fields, line)
        thinned = self._thinned.row(rest, self.last or 0) if found else []
        return [*holds, *self._in_order(found, rest, line, [*thinned, *told])]

    def _begin(self) -> None:
        self._done = 0.0
        self._means.begin()

    def _of_something_else(self, batches: float) -> bool:
        """A bar of another length, after the epoch's was full and before the next heading: of `evaluate`, of `predict`."""
        self._batches = self._batches or batches
        return self._epochs is not None and self._done == self._batches != batches

    def _evaluated(self, frame: Frame) -> list[Event]:
        timed = self._last_validated == -1 and not self._ones.tell_nothing
        found = frame.found(besides=self._last_validated == self.last, timed=timed)
        return self.evaluation({"iteration": self.last} | found, frame.line)
