"""What formats share whose steps and times come from a tqdm bar.

`38%|███▊      | 380/1000 [12:10<19:51,  1.92s/it, loss=2.31]`. A bar titled `Epoch 3` or `Epoch 3/10` counts within
its epoch; so does one that begins again after it was full. Bars of evaluations are known by their title; bars that load,
download or tokenize are left aside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ....events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    Event,
    SpanBegin,
    Witness,
)
from .bars import (
    BAR,
    BAR_GROUPS,
    BAR_START,
    Bar,
    BarClock,
    bar_of,
    postfix_value,
)
from .grammar import Line, LineKind, handler
from .lines import LineParser
from .values import Fields, LogLine, ended

if TYPE_CHECKING:
    from collections.abc import Sequence

# `Epoch -5` is no epoch; the hyphen of `epoch-5` is no sign.
_EPOCH = re.compile(r"(?i)\bepochs?\b\W{0,3}(?<![\s+-][+-])(\d{1,9})(?: ?(?:/|of) ?(\d{1,9}))?")
LOSSES = ("loss", "step_loss", "train_loss", "train_loss_step", "loss_step", "train/loss", "avg_loss", "Loss")
RATES = ("lr", "learning_rate", "LR")
NORMS = ("grad_norm", "gnorm", "grad")


class BarParser(LineParser):
    """Steps and times from a bar. Subclasses add lines of their own; `BAR` stands last among them."""

    time_includes: ClassVar[tuple[str, ...]] = (EVALUATION, CHECKPOINT, DATA)
    lines: ClassVar[tuple[Line, ...]] = (BAR, BAR_START)

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """Bars of evaluations, downloads and the like carry no iteration."""
        if kind.name != "bar":
            return kind.carries_iteration
        bar = bar_of(text, kind.read(found))
        return not (bar.evaluates or bar.prepares)

    def __init__(self) -> None:
        super().__init__()
        self.clock = BarClock()
        self.bar_total: int | None = None  # of the training's bar
        self._bar_n = 0
        self._before = 0  # steps of full bars before this one
        self._first_epoch: int | None = None
        self._epoch: int | None = None
        self._evaluating = False

    @handler(iterations=True, texts=BAR_GROUPS)
    def bar(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of some bar, with a rate."""
        return self.frame(bar_of(line.text, fields), line)

    @handler(texts=BAR_GROUPS)
    def bar_start(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of some bar, without a rate."""
        return self.frame(bar_of(line.text, fields), line)

    @handler(texts=BAR_GROUPS)
    def other_bar(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of a bar that is no iteration of the format by itself."""
        return self.frame(bar_of(line.text, fields), line)

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A frame of some bar: of training, of an evaluation, or of neither."""
        if bar.evaluates:
            return self._evaluation_bar(bar, line)
        if bar.prepares or not self.trains(bar):
            return []
        self._evaluating = False
        return self._training_bar(bar, line)

    def trains(self, bar: Bar) -> bool:
        """Is it the training's bar? The first is, and whichever comes after that one was full or has its length."""
        if self.bar_total is None or bar.total == self.bar_total or self._bar_n >= self.bar_total:
            return True
        return bool(_EPOCH.search(bar.title))

    def _training_bar(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        fields: Fields = {}
        if found := _EPOCH.search(bar.title):
            self._count_epoch(int(found[1]), found[2], bar, fields)
        elif bar.n < self._bar_n:
            self._begin_again(bar)
        if bar.n != self._bar_n or bar.n == 0:
            duration_s, steps = self.clock.since_last_frame(bar)
            if duration_s is not None:
                fields |= {"duration_s": duration_s, "averaged_over": steps, "witness": Witness.RATE}
        self._bar_n, self.bar_total = bar.n, bar.total
        if bar.n == 0:
            return []
        return self.step(fields | {"iteration": self._before + bar.n, "elapsed_s": bar.elapsed_s}, bar, line)

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """The training's bar moved on (or was only redrawn)."""
        fields.setdefault("total", None if bar.total is None or self._before else bar.total)
        fields["loss"] = postfix_value(bar.postfix, *LOSSES)
        fields["learning_rate"] = postfix_value(bar.postfix, *RATES)
        fields["gradient_norm"] = postfix_value(bar.postfix, *NORMS)
        return self.iteration(fields, line)

    def _count_epoch(self, epoch: int, epochs: str | None, bar: Bar, fields: Fields) -> None:
        if self._first_epoch is None:
            self._first_epoch = 1 if epochs and epoch > 0 else min(epoch, 1)
        self._first_epoch = min(self._first_epoch, epoch)  # what was taken for the first may have been misprinted
        if bar.total:
            self._before = max(epoch - self._first_epoch, 0) * bar.total
            fields["total"] = int(epochs) * bar.total if epochs else None
        if epoch != self._epoch:
            self._epoch, self._bar_n, self.clock = epoch, 0, type(self.clock)()

    def _begin_again(self, bar: Bar) -> None:
        """A full bar of the same length was an epoch; any other is another run."""
        self.clock = type(self.clock)()
        length = self.bar_total or 0
        full = bar.total == length and self._bar_n >= 0.98 * length
        self._before = self._before + length if full else 0

    def _evaluation_bar(self, bar: Bar, line: LogLine) -> list[Event]:
        if not self._evaluating and (bar.total is None or bar.n < bar.total):
            self._evaluating = True
            return [SpanBegin(EVALUATION, line.at_s, self.next_index, detail=bar.title)]
        if self._evaluating and bar.total is not None and bar.n >= bar.total:
            self._evaluating = False
            return [ended(EVALUATION, line.at_s, self.next_index, bar.elapsed_s or None, detail=bar.title)]
        return []
