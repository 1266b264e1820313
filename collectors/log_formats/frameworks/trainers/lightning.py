"""PyTorch Lightning: its progress bar, tqdm's or Rich's. (`metrics.csv` of its CSV logger: see `tables.py`.)

    Epoch 0:  43%|████▎     | 87/202 [01:01<01:21,  1.43it/s, v_num=3, train_loss_step=1.110]
    Epoch 0/9 ━━━━━━━╸━━━━━━━━━ 87/202 0:01:01 • 0:01:21 1.43it/s v_num: 3 train_loss_step: 1.110
    Validation DataLoader 0:  47%|████▋     | 9/19 [01:11<01:19,  0.13it/s]
Lightning's rate is the mean since the epoch began, so no batch's time is in it: a window of at least ten elapsed seconds is
reported as one, to a second. Where bars are left of few epochs, the checkpoint callback's lines count them. Before 2.0 an epoch's bar counted its validation batches too. A batch is an iteration here: with
`accumulate_grad_batches` a step of the optimizer is several. Data loading is in the time; validation has its own bar.
Many scripts draw a bar `Epoch 3: 43%|` with tqdm, whose rate is another: only its own words tell of Lightning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, PrintedLoss, Witness
from ....patterns import lazy_pattern
from ...base import Example, Specificity
from ...between.late_values import LateValues
from ...families.pairs import words
from ...parsing.bar_clocks import WindowClock
from ...parsing.bar_parser import BarParser
from ...parsing.bars import BAR, BAR_START, OTHER_BAR, Bar, find_bar, unsure_s
from ...parsing.grammar import Line, LineKind, handler
from ...parsing.phases import validates
from ...parsing.values import ended, finite
from ...parsing.which_bar_trains import EPOCH

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_FEWEST = 3
"""Epochs that the checkpoint callback tells of, before it is believed more than the bars."""
_UNSURE = 0.1
"""What the digits of two rates leave open of the time between them is no more than this part of it."""
_SANITY = lazy_pattern(r"Sanity Checking|Validation sanity check")
_EPOCH_BAR = rf"^Epoch \d+: *(?:\d+%)?\|[^|]{{0,400}}\| *{BAR.pattern}"


class Lightning(BarParser):
    """Windows of the epoch's bar."""

    draws_bars = False  # ... of epochs that are numbered
    name = "Lightning"
    about = (
        "a batch's mean over ten or more elapsed seconds of the epoch's bar, with data; validation has its own bar"
    )
    time_includes: ClassVar[tuple[str, ...]] = (DATA,)
    lines: ClassVar[tuple[Line, ...]] = (
        Line("Epoch", rf"(?=.{{1,4000}}?\b(?:v_num|\w{{1,60}}_(?:step|epoch))=){_EPOCH_BAR}", "bar"),
        Line("Epoch", _EPOCH_BAR, "bar", distinctive=False),
        Line("Epoch", r"Epoch (?P<epoch>\d+)(?:/\d+)? +[━╸╺ ]+ +(?P<batch>\d+)/(?P<batches>\d+) (?P<stamp>\d+:\d\d:\d\d) • [-\d:]+ "
             r"[\d.]+it/s(?P<rest>.*)$", "rich"),
        Line("DataLoader", r"^(?:Validation|Sanity Checking|Testing|Predicting)(?: DataLoader \d+)?: ", "titled_bar"),
        Line(" step ", r"\bEpoch (?P<epoch>\d+), (?:global )?step (?P<iteration>\d+): '?(?P<monitor>[\w./@ -]{1,80}?)'? "
             r"(?:reached (?P<reached>N) \(best [-+.\w]{1,30}\), saving model to |was not in top \d)", "checked", distinctive=False),
        Line("Sanity Checking", r"^Sanity Checking", "known"),
        Line("LOCAL_RANK", r"LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES", "known"),
        Line("`Trainer", r"`Trainer\.fit` stopped: `max_\w+=\d+` reached", "done"),
        Line("GPU available:", r"GPU available: \w+.{0,20}, used: ", "known"),
        OTHER_BAR,
        BAR_START,
    )  # fmt: skip
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
Epoch 0:   0%|          | 0/40 [00:00<?, ?it/s]
Epoch 0:  10%|█         | 4/40 [00:04<00:36,  1.00s/it, v_num=0, train_loss_step=2.5]
Epoch 0:  25%|██▌       | 10/40 [00:10<00:30,  1.00s/it, v_num=0, train_loss_step=2.25]
Validation DataLoader 0: 100%|██████████| 9/9 [00:09<00:00,  1.00it/s]
Epoch 0: 100%|██████████| 40/40 [00:40<00:00,  1.00it/s, v_num=0, train_loss_step=2.0]
Epoch 1: 100%|██████████| 40/40 [00:20<00:00,  2.00it/s, v_num=0, train_loss_step=1.5]
""",
            iterations=((10, 1.0, 10, 2.25), (40, 1.0, 30, 2.0), (80, 0.5, 40, 1.5)),
            evaluations=((11, {}),),
        ),
        Example(
            """
Epoch 0/9  ━━━━━━━╸━━━━━━━━━ 20/202 0:00:10 • 0:01:21 2.00it/s v_num: 3.000 train_loss: 1.5
""",
            iterations=((20, 0.5, 20, 1.5),),
            variant="Lightning with Rich",
        ),
    )

    by_checkpoints: bool = False  # are the epochs those that the checkpoint callback tells of?

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """What the checkpoint callback says is a row only where there are no others."""
        return cls.by_checkpoints if kind.name == "checked" else super().carries_iteration(text, kind, found)

    def __init__(self) -> None:
        super().__init__()
        self.clock, self._values = WindowClock(), LateValues(counts_first=True)
        self._left: tuple[Fields, Bar, LogLine] | None = None  # the newest frame of a window that has no end yet
        self._opened_by_old = False  # did it begin with the check of a Lightning before 1.5?
        self._from_one = False  # ... and counts epochs from 1?

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Are most epochs without a bar? What is left of one says little then: of bars drawn elsewhere, or at an odd place."""
        lines = [*lines]
        super().learn(lines, scattered=scattered)
        drawn, told = set[str](), set[str]()
        for text in lines:
            matched = self.match(text)
            if matched and matched[0].name == "checked":
                told.add(matched[1]["epoch"])
                self._first_epoch = 0
            elif matched and (found := EPOCH.search(text)):
                drawn.add(found[1])
        few = len(told) >= _FEWEST and 2 * len(drawn) <= len(told)
        self.by_checkpoints = self.by_checkpoints or (few and self.last is None)

    @handler(iterations=True, texts=("monitor",), numbers=("reached",))
    def checked(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """`Epoch 3, global step 400: 'val_loss' reached 2.50000 (best 2.50000), saving model to ...`, `... was not in top 1`."""
        if not self.by_checkpoints:
            return []
        name, value, step = fields["monitor"], finite(fields.get("reached")), int(fields["iteration"])
        events = self.iteration({"iteration": step}, line)
        if value is None or (not events and step != self.last):
            return events
        events.append(ended(CHECKPOINT, line.at_s, step))
        if "loss" in name.lower() and validates(name):
            return [*events, PrintedLoss(step, validation_loss=value)]
        return [*events, PrintedLoss(step, scalars={name: value})]

    @handler()
    def titled_bar(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A line with the title of another bar than training's: a frame of it, or not."""
        bar = find_bar(line.text)
        return [] if bar is None else self.frame(bar, line)

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """The epoch's bar is drawn once more behind its validation: its clock tells of the workers that began, too.

        What checks that a validation would run evaluates no model that was trained, and no step's time has it.
        """
        if _SANITY.match(bar.title):
            self._opened_by_old |= bar.title.startswith("Validation") and self.newest is None
            return []
        before, over = self.newest, self._closing
        if before is not None and over is not None and (bar.title, bar.n) == (before.title, before.n):
            others_s = max(self._apart_s - int(over.duration_s or 0.0), 0.0)
            if not self._own_clock.known and (whole_s := _between(before, bar) - others_s) > (
                over.duration_s or 0.0
            ):
                self._closing = replace(over, duration_s=whole_s)
        return super().frame(bar, line)

    def trains(self, bar: Bar) -> bool:
        """The epoch's bar; `Training` before 1.5."""
        return not self.by_checkpoints and bar.title.startswith(("Epoch", "Training"))

    def _count_epoch(self, epoch: int, epochs: str | None, bar: Bar, fields: Fields) -> None:
        """Its epochs begin at 0, also where those are not in the log; other trainers' bars may have its words, but no version.

        Before 1.0 they began at 1: it opened with a check of the validation by its old name, and the first it draws is 1.
        """
        if self._epoch is None:
            self._from_one = self._opened_by_old and epoch == 1
        if "v_num=" in bar.postfix and not self._from_one:
            self._first_epoch = 0
        super()._count_epoch(epoch, epochs, bar, fields)

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """Only the end of a window is an iteration, or of an epoch: its time is the mean over the steps in it."""
        before, self._left = self._left, None
        same = before is None or _epoch(before[1]) == _epoch(bar)
        events = [] if before is None or same else list(super().step(*before))
        if "duration_s" not in fields and bar.n != bar.total:
            again = before is not None and same and before[1].n == bar.n  # its clock ran on, and no step was done
            self._left = (before[0] if again and before else fields | self._so_far(bar), bar, line)
            return events
        return [*events, *super().step(fields, bar, line)]

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A process that ends leaves a window without an end: its newest frame says how far the training came."""
        before = self.crashed
        events = super().line(text, at_s)
        return events or ([] if before or not self.crashed else self.release())

    def release(self) -> list[Event]:
        """It stopped in the middle of a window."""
        left, self._left = self._left, None
        return [*super().release(), *([] if left is None else super().step(*left))]

    def _so_far(self, bar: Bar) -> Fields:
        """The mean of a window that may have no end."""
        mean = self.clock.until(bar) if isinstance(self.clock, WindowClock) else None
        return {"duration_s": mean[0], "averaged_over": mean[1], "witness": Witness.RATE} if mean else {}

    @handler(iterations=True, texts=("rest", "stamp"))
    def rich(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """Rich's bar."""
        if self.by_checkpoints:
            return []
        seconds = 0.0
        for part in fields["stamp"].split(":"):
            seconds = seconds * 60 + int(part)
        read = [f"{key}={value}" for key, value in words(fields.get("rest", "")).items()]
        bar = Bar(
            f"Epoch {fields['epoch']:.0f}",
            int(fields["batch"]),
            int(fields["batches"]),
            seconds,
            None,
            ", ".join(read),
        )
        return self._training_bar(bar, line)


class LightningCheckpoints(Lightning):
    """Its checkpoint callback's lines alone: global steps, which count the optimizer's. Rows of a script's own go before them."""

    name = "Lightning checkpoints"
    about = "global steps of the checkpoint callback's lines; their stamps, if any, with all between two of them"
    specificity = Specificity.UNPROVEN
    reads_instead_of = ("counted lines",)
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines: ClassVar[tuple[Line, ...]] = tuple(
        one._replace(distinctive=True) for one in Lightning.lines if one.kind in ("checked", "known", "done")
    )
    by_checkpoints = True
    from_stamps = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
Epoch 0, global step 40: 'val/acc' reached 0.25000 (best 0.25000), saving model to '/runs/best.ckpt' as top 1
Epoch 1, global step 80: 'val/acc' was not in top 1
Epoch 2, global step 120: 'val/acc' reached 0.50000 (best 0.50000), saving model to '/runs/best.ckpt' as top 1
""",
            iterations=((40, None, 1, None), (80, None, 1, None), (120, None, 1, None)),
            checkpoints=(40, 120),
        ),
    )


def _between(before: Bar, bar: Bar) -> float:
    """Seconds between two frames of a step, or no more than they were, where their clocks are too coarse for it."""
    seconds = (bar.spent_s or 0.0) - (before.spent_s or 0.0)
    unsure = sum(one.n * unsure_s(one.seconds_each or 0.0) for one in (before, bar))
    if before.says_more and bar.says_more and unsure <= _UNSURE * seconds:
        return seconds
    return bar.elapsed_s - before.elapsed_s - 1


def _epoch(bar: Bar) -> str:
    found = EPOCH.search(bar.title)
    return found[1] if found else bar.title
