"""YOLOv5, YOLOv7 and YOLOv8 and later (Ultralytics): columns and a bar on one line, in each epoch.

          Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size
        116/349      12.4G    0.03731    0.01365          0         96        640:  43%|████▎     | 74/171 [00:50<01:05,  1.48it/s]
        116/349      12.4G    0.03731    0.01365          0         96        640: 43% ━━━━━─────── 74/171 1.5it/s 50.2s<1:05    2025
Times come from the bar (see `bars.py`); data loading is in them, validation and checkpoints are not (they have a bar of their
own, or none). The losses are running means of the epoch; `loss` is their sum, or v7's own total. YOLOv7's `results.txt` has
one line an epoch and no time; rows without a bar, as wandb's `output.log` keeps them, tell the epoch and its losses. Where
a logger kept neither, the headings count the epochs, and the rows `all` of their validations are what is known of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, Config, Message, PrintedLoss, SpanEnd, Strength
from ....patterns import lazy_pattern
from ...base import Example
from ...means.ultralytics_bar import OwnClock, drawn
from ...means.ultralytics_losses import loss_of, names_total, total_of
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START, OTHER_BAR, Bar
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, finite, number, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .....events import Event, RunInfo

_ROW = lazy_pattern(r"(?:^|\s)(\d{1,6})/(\d{1,6})\s+\d[\d.]{0,8}[GM]\s+([-+\d.aeinf\s]{3,200}):")
_NAMES = {"precision": "P", "recall": "R", "map_50": "mAP50", "map_50_95": "mAP50-95"}
_LAST_TWO = lazy_pattern(
    r"\s*[Cc]lass(?:es)?\s+[Ii]mages\s.{0,60}?P\s+R\s+([A-Za-z][\w@.:]{0,30})\s+([A-Za-z][\w@.:-]{0,30}?)(?=[:)]{0,2}(?:\s|$))"
)
"""What a validation's heading calls its third and fourth result: those of v3 are `P R mAP@0.5 F1`."""
_MEANS = {"map_50": lazy_pattern(r"mAP@?0?\.?50?"), "map_50_95": lazy_pattern(r"mAP@?0?\.?50?[-:]0?\.?95")}
"""How the versions spell what `_NAMES` has."""
_FOUR = r"\s+(?P<{0}precision>N)\s+(?P<{0}recall>N)\s+(?P<{0}map_50>N)\s+(?P<{0}map_50_95>N)"
_ALSO = {"seg_loss": "mask", "pose_loss": "pose"}
"""Of what the second four results of a row are, by a loss that the heading names; the first are of the boxes."""
_OF_OBJECTS = lazy_pattern(r"\bobj(?:_loss)?\b")
"""A loss that v3, v5 and v7 name in the heading, whose epochs are counted from 0: later ones have none, and count from 1."""
_BY_HEADINGS = "no row of the training is in this log: its epochs are counted by their headings"


class Ultralytics(BarParser):
    """The bar whose title is a row of losses."""

    draws_bars = False  # ... of epochs that are numbered: a tracker's word of a new run shows nothing beside that
    name = "Ultralytics YOLO"
    about = (
        "times from the epoch's bar, with data; without validation and checkpoint; losses are the epoch's means"
    )
    time_includes = (DATA,)
    lines: ClassVar[tuple[Line, ...]] = (
        Line(" [", rf"\d+/\d+\s+\d[\d.]*[GM]\s+[-+\d.aeinf\s]{{3,200}}:.{{0,400}}?{BAR.pattern}", "bar"),
        Line("it", r"\d+/\d+\s+\d[\d.]*[GM]\s+[-+\d.aeinf\s]{3,200}:\s+\d+% [━─╸╺ ]{0,60}(?P<batch>\d+)/(?P<batches>\d+) +"
             r"(?P<rate>N)(?P<unit>it/s|s/it) +(?P<stamp>[\d.:smh]+)", "new_bar"),
        Line("/", r"^\s*(?P<iteration>\d+)/(?P<total>\d+)\s+\d[\d.]*[GM]\s+(?P<rest>[-+\d.aeinf\s]+)$", "results"),
        Line("/", r"^\s*(?P<iteration>\d+)/(?P<total>\d+)\s+\d[\d.]*[GM]\s+(?P<rest>[-+\d.aeinf\s]{3,200}):[^%]*$", "cut"),
        Line("Epoch", r"^\s*Epoch\s+(?:GPU_mem|gpu_mem)\s+(?P<columns>.{0,200})$", "heading"),
        Line("completed in", r"epochs completed in (?P<duration_h>N) hours", "completed"),
        Line("Starting training for", r"^Starting training for (?P<epochs>N) epochs", "starts"),
        Line("Resuming training", r"^Resuming training .{1,300} from epoch (?P<epoch>N) to (?P<epochs>N) total epochs", "resumes"),
        Line("summary", r"\bsummary: \d+ layers, (?P<size>\d[\d,]{0,20}) parameters", "model", distinctive=False),
        OTHER_BAR,
        BAR_START,
        Line("it", r"^\s*[Cc]lass(?:es)?\s[^%]{3,200}:\s+\d+% [━─╸╺ ]{0,60}(?P<batch>\d+)/(?P<batches>\d+) +"
             r"(?P<rate>N)(?P<unit>it/s|s/it) +(?P<stamp>[\d.:smh]+)", "new_results"),
        Line("Class", r"^\s*Class\s+Images\s+", "known"),
        Line("all", rf"^\s*all\s+\d+\s+\d+{_FOUR.format('')}(?:{_FOUR.format('also_')})?\s*$", "found"),
    )  # fmt: skip
    examples = (
        Example(
            """
     Epoch   gpu_mem       box       obj       cls    labels  img_size
     0/349      3.6G    0.5    0.25          0         96        640:   0%|          | 0/171 [00:00<?, ?it/s]
     0/349      3.6G    0.5    0.25          0         96        640:   1%|          | 1/171 [00:02<05:40,  2.00s/it]
     0/349      3.6G    0.5    0.25          0         96        640:   1%|          | 2/171 [00:04<05:38,  2.00s/it]
     1/349      3.6G    0.5    0.25          0         96        640:   1%|          | 1/171 [00:01<02:50,  1.00s/it]
""",
            iterations=((1, 2.0, 1, 0.75), (2, 2.0, 1, 0.75), (172, 1.0, 1, 0.75)),
            variant="YOLOv5",
        ),
        Example(
            """
      0/99     3.97G   0.08988    0.0183   0.02755    0.1357       193       640   0.02414   0.01988  0.002193 0.0003665    0.1184   0.03287   0.02922
      1/99     9.23G   0.08519   0.01677   0.02507    0.127       227       640  0.006589   0.05485  0.002794 0.0004173    0.1078   0.04016   0.02699
""",
            iterations=((0, None, 1, 0.1357), (1, None, 1, 0.127)),
            variant="YOLOv7's results",
        ),
        Example(
            """
      1/100      2.5G      1.25      1.5      1.25         16        640: 43% ━━━━━─────── 74/171 2.0it/s 37.0s<48.5s
""",
            iterations=((74, 0.5, 74, 4.0),),
            variant="Ultralytics of 2025",
        ),
        Example(
            """
Starting training for 2 epochs...

      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size
                   all         90        300      0.500      0.500       0.50      0.250

      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size
                   all         90        300      0.750      0.500       0.50      0.375
""",
            iterations=((1, None, 1, None), (2, None, 1, None)),
            evaluations=(
                (1, {"P": 0.5, "R": 0.5, "mAP50": 0.5, "mAP50-95": 0.25}),
                (2, {"P": 0.75, "R": 0.5, "mAP50": 0.5, "mAP50-95": 0.375}),
            ),
            variant="without bars",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._own_bar = OwnClock()
        self._row_of = ""  # the epoch whose bar is drawn
        self._shown = False  # what the newest validation found, since its bar
        self._rows = False  # of the training, in whatever form
        self._headed = False  # an epoch has its heading, and nothing else so far
        self._also = ""
        self._names = _NAMES  # as the newest validation's heading has them
        self._of_objects = False  # the newest heading names a loss of objects
        self._has_total: bool | None = None  # ... and their sum; `None`: there was no heading
        self._epochs, self._done = None, 0.0
        self._apart: dict[str, float] | None = (
            None  # what the newest validation found whose epoch's row stands elsewhere
        )
        self._over = self._waits = (
            False  # the log has said what all of it took: what is evaluated behind that is the best model, but for a row that came late
        )

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Are there rows of the training? Where two streams went into one file, they may stand behind all that counts epochs."""
        lines = [*lines]
        super().learn(lines, scattered=scattered)
        self._see_names(next((text for text in lines if _LAST_TWO.match(text)), ""))
        self._rows = self._rows or any(_ROW.search(text) for text in lines)

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The heading of a validation's results may be the title of its bar."""
        self._see_names(text)
        return super().line(text, at_s)

    def _see_names(self, text: str) -> None:
        if "lass" in text and (two := _LAST_TWO.match(text)) is not None:
            last = zip(_MEANS, two.groups(), strict=True)
            self._names = _NAMES | {
                name: _NAMES[name] if _MEANS[name].fullmatch(said) else said for name, said in last
            }

    def release(self) -> list[Event]:
        """And what the newest validation of another block found."""
        events, apart, self._apart = super().release(), self._apart, None
        return [*events, PrintedLoss(self.last, scalars=apart)] if apart and self.last is not None else events

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A row of another epoch has another bar, though both be full and took as long."""
        row = _ROW.search(line.text)
        if self._over and row is None:
            return []
        if row:
            self._is_counted_from(int(row[1]), int(row[2]))
        self._rows, self._over = True, False
        if row and row[1] != self._row_of:
            self._row_of, self.newest, self.clock = row[1], None, self.clock.anew()
        if bar == self.newest:
            return []  # the same once more, as where output was pasted twice
        shown, self._shown, before = self._shown, False, self._evaluating
        if shown and before is not None and before.full and bar.seconds_each != before.seconds_each:
            self._evaluating = None  # another validation, though it took as many seconds
        return super().frame(bar, line)

    def trains(self, bar: Bar) -> bool:
        """The bars of training have a row of losses as their title."""
        return _ROW.search(bar.title + ":") is not None

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A batch: its number through the epochs, and the losses of the row."""
        if not (row := _ROW.search(line.text)) or not bar.total:
            return []
        first, epochs, self.unit = int(row[1]), int(row[2]), ""
        one_based = self._one_based(first)
        before = (first - one_based) * bar.total
        fields |= {
            "iteration": before + bar.n,
            "total": (epochs + 1 - one_based) * bar.total,
            "loss": loss_of(row[3].split(), has_total=self._has_total),
        }
        return self.iteration(fields, line)

    @handler(iterations=True, numbers=("rate",), texts=("stamp", "unit"))
    def new_bar(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The bar that Ultralytics draws itself since 2025: same facts, another order; its clock alone tells times."""
        bar, self._rows, self._over = drawn("", fields), True, False
        row = _ROW.search(line.text)
        if row and row[1] != self._row_of:
            self._row_of = row[1]
            self._own_bar.begin()
        read = self._own_bar.time_of(bar) | {"elapsed_s": bar.elapsed_s}
        evaluating, over = self._evaluating, self._evaluation_over(line)
        told = self.step(read, bar, line)
        if not told and (evaluating is None or evaluating.full):
            self._evaluating = evaluating  # the same row once more, and so may its validation be
        return [*over, *told]

    @handler(numbers=("rate",), texts=("stamp", "unit"))
    def new_results(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """That of the validation behind each epoch: at its end it shows what all of it took."""
        return self.frame(drawn("validation", fields)._replace(seconds_each=None), line)

    @handler(iterations=True, numbers=(*_NAMES, *(f"also_{name}" for name in _NAMES)))
    def found(self, fields: Fields, line: LogLine) -> list[Event]:
        """What the validation behind the newest epoch found, over all classes."""
        if self._over and not self._waits:  # of the best model: that it was is all that counts
            told, self._shown = self._shown, True
            return (
                []
                if told or self.last is None
                else [SpanEnd(EVALUATION, None, self.last, strength=Strength.GUESS)]
            )
        self._shown, self._waits = True, False
        held = {self._result(name): value for name, value in fields.items() if finite(value) is not None}
        if over := self._epoch_over(line):
            return [*over, *self.evaluation({"iteration": self.last} | held, line)]
        if not self._rows:  # behind the last epoch, of the best model
            return []
        self._apart = held if self.last is None else None
        return [PrintedLoss(self.last, scalars=held)] if held and self.last is not None else []

    def _result(self, name: str) -> str:
        of = self._names[name.removeprefix("also_")]
        return f"{self._also or 'second'} {of}" if name.startswith("also_") else of

    @handler()
    def starts(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A training begins; a heading without anything behind it was of one that crashed."""
        self.started = self.started or (self.last is not None and not self._rows)
        self._headed, self._over, self._epochs = False, False, fields["epochs"]
        self._done = 0.0 if self.started else self._done
        return []

    @handler()
    def resumes(self, fields: Fields, _line: LogLine) -> list[Event]:
        """It goes on at an epoch, which no heading says."""
        self._headed, self._done = False, fields["epoch"] - 1
        return []

    @handler(texts=("columns",))
    def heading(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch begins, and another one may be over."""
        over, self._headed = self._epoch_over(line), True
        self._of_objects = _OF_OBJECTS.search(fields["columns"]) is not None
        self._has_total = names_total(fields["columns"])
        self._also = next((word for loss, word in _ALSO.items() if loss in fields["columns"]), "")
        return over

    @handler()
    def completed(self, fields: Fields, line: LogLine) -> list[Event]:
        """The training is over, and so is its last epoch."""
        self._waits = self._evaluating is not None and self._evaluating.full and not self._shown
        over, self._over = [*self._epoch_over(line), *self._evaluation_over(line)], True
        self._shown = False
        return [*over, *self.took(fields, line)]

    @handler(texts=("size",))
    def model(self, fields: Fields, _line: LogLine) -> list[Event]:
        """What is trained: it is told of once more behind its training, with its layers joined."""
        if self.last is not None:
            return []
        return [Config(origin="log", parameters=whole(number(fields["size"].replace(",", ""))))]

    def _epoch_over(self, line: LogLine) -> list[Event]:
        """An epoch of which no row tells, where none has one."""
        headed, self._headed = self._headed, False
        if not headed or self._rows:
            return []
        self._done, self.unit = self._done + 1, "epoch"
        said = [] if self.last is not None else [Message(_BY_HEADINGS, at_s=line.at_s)]
        return [*self.iteration({"iteration": self._done, "total": self._epochs}, line), *said]

    def run_info(self, line: LogLine) -> RunInfo:
        """From one validation to the next is all that an epoch does."""
        info = super().run_info(line)
        return info if self._rows else replace(info, time_includes=(EVALUATION, CHECKPOINT, DATA))

    @handler(iterations=True, texts=("rest",))
    def results(self, fields: Fields, line: LogLine) -> list[Event]:
        """A line of `results.txt`: an epoch. Beside bars it is a row that ends before its bar."""
        if self._row_of:
            return []
        self._rows, self._over, self.unit = True, False, "epoch"
        self._is_counted_from(fields["iteration"], fields["total"])
        fields["loss"] = total_of(fields.pop("rest").split())
        fields["total"] = whole(fields["total"])
        return self.iteration(fields, line)

    @handler(iterations=True, texts=("rest",))
    def cut(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row whose bar was cut off (wandb keeps it so): it gives the epoch, unless bars gave more."""
        self._rows, self._over = True, False
        self._is_counted_from(fields["iteration"], fields["total"])
        if self.bar_total is not None:
            return []
        self.unit = "epoch"
        fields["loss"] = loss_of(fields.pop("rest").split(), has_total=self._has_total)
        return self.iteration(fields, line)

    def _is_counted_from(self, epoch: float, last: float) -> None:
        """Where epochs are counted from 0 the last one's number is one less than there are: rows without a bar say so too."""
        says = self._of_objects if self._epochs is None else last == self._epochs - 1
        if epoch == 0 or says:
            self._first_epoch = 0

    def _one_based(self, epoch: int) -> int:
        """v8 counts epochs from 1, v5 and v7 from 0 (and print the last one's number as the total)."""
        if self._first_epoch is None:
            self._first_epoch = 1 if epoch == 1 else 0
        return self._first_epoch
