"""Apache MXNet's Speedometer: a line for each window of batches.

    INFO Node[0] Epoch[13] Batch [760-780]  Speed: 5536.07 samples/sec  accuracy=0.001683
No time is printed: that of a window is the difference of two lines' time stamps; without stamps it is the batch size of the
settings over the speed: GluonCV's own scripts, which print `num_gpus`, give each GPU that batch. An epoch's number of batches is never
printed either: the highest seen in the epoch before stands for it. Several metrics stand on one line, or on one line each; the
only one that is a loss is the loss, and of several only that one is no number. MXNet's own counts batches from 1 there, GluonCV's from 0: its rows
stand at 49, 99, ...; each window is as long as the others, the first one of a log, too.
    INFO Epoch[13] Time cost=61.922                    the batches are over; what saves and the validation took, stamps tell
    INFO Saved checkpoint to "model-0013.params"
    INFO Epoch[13] Validation-accuracy=0.750000
    [Epoch 0] validation: acc-top1=0.525000 acc-top5=0.750000                    GluonCV's, once behind an epoch
    Resume training with (gpu(0)) from epoch 149                                            a process of the SSD example begins
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite, nan
from typing import TYPE_CHECKING

import msgspec

from .....events import CHECKPOINT, DATA, EVALUATION, PrintedLoss, Witness
from ....patterns import lazy_pattern
from ...base import Example
from ...counting.ends import OpenEpochs
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, loss_fields, number, scalars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event, SpanEnd
    from ...parsing.values import Fields, LogLine

_LOSS = lazy_pattern(
    r"(?<![\w-])(?:Train-)?(?=\w{0,40}?(?i:loss|entropy|smoothl1|perplexity))\w{1,60}=([-+.\w]{1,30})(?![^\s,])"
)

_VALUE = lazy_pattern(r"([\w-]{1,40})=([-+.\w]{1,30})")

_PLACE = lazy_pattern(r"Epoch\[(\d{1,9})\] Batch \[(?:\d{1,9}-)?(\d{1,9})\]")


class MxNet(LineParser):
    """Apache MXNet's Speedometer: a window of batches; its time is that between two lines. An epoch's number of batches is
    never printed: the highest seen in the epoch before stands for it."""

    name = "MXNet"
    about = (
        "time stamps' difference over the batches of a window, with data; the first window of an epoch has no time"
    )
    time_includes = (DATA,)
    from_stamps = True
    lines = (
        Line("Speed:", r"(?:Node\[(?P<rank>\d+)\] )?Epoch\[(?P<epoch>\d+)\] Batch \[(?:\d+-)?(?P<batch>\d+)\]\s+Speed: (?P<speed>N) samples/sec(?P<metrics>.{0,2000})",
             "window"),
        Line(" training ", r"^(?P<how>Resume|Start|Experimental: start) training (?:from scratch )?with \(", "begins", distinctive=False),
        Line("batch_size=", r"\bbatch_size=(?P<size>\d+)(?:.{0,4000}?\bnum_gpus=(?P<gpus>\d+))?", "settings", distinctive=False),
        Line("Time cost=", r"Epoch\[\d+\] Time cost=", "trained"),
        Line("Saved checkpoint to ", r"Saved checkpoint to ", "saved", distinctive=False),
        Line("] validation: ", r"\[Epoch \d+\] validation: (?P<found>[\w-]{1,40}=.{1,400})", "evaluated", distinctive=False),
        Line("Validation-", r"Epoch\[\d+\] Validation-(?P<found>[\w-]{1,40}=[-+.\w]{1,30})", "validated"),
    )  # fmt: skip
    examples = (
        Example(
            """
2020-06-24 23:54:53,000 Node[0] Epoch[0] Batch [0-20]\tSpeed: 5178.65 samples/sec\taccuracy=0.0
2020-06-24 23:54:56,000 Node[0] Epoch[0] Batch [20-40]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
2020-06-24 23:55:56,000 Node[0] Epoch[1] Batch [0-20]\tSpeed: 5573.90 samples/sec\taccuracy=0.0
""",
            iterations=((20, None, 1, None), (40, 0.15, 20, None), (60, None, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._first = 1  # number of an epoch's first batch
        self._window = 0  # batches of one, once two rows have shown it
        self._epochs = OpenEpochs(first=1)
        self._newest: tuple[float, float] | None = None  # epoch and batch
        self._size = 0.0  # of a batch
        self._since_s: float | None = None  # the stamp of the newest line behind an epoch's batches
        self._found: SpanEnd | None = None  # the newest validation, of which more lines may come

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """How long is a window, and does the first one of an epoch begin with 0?"""
        found = (_PLACE.search(text[:200]) for text in lines if "Speed:" in text)
        rows = [(int(place[1]), int(place[2])) for place in found if place]
        apart = [
            batch - before
            for (epoch_before, before), (epoch, batch) in pairwise(rows)
            if epoch == epoch_before and batch > before
        ]
        if not apart or scattered:
            return
        self._window = min(apart)
        whole = self._window > 1 and all((batch + 1) % self._window == 0 for _, batch in rows)
        if self._newest is None and (whole or any(not batch for _, batch in rows)):
            self._first = 0
            self._epochs = OpenEpochs(first=0)

    @handler(numbers=("size", "gpus"))
    def settings(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The batch size of all GPUs, of which the speed is counted."""
        self._size = fields["size"] * max(1.0, fields.get("gpus") or 1.0)
        return []

    @handler(texts=("how",))
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:
        """A process begins."""
        found, self._since_s = self._validation(), None
        self._epochs, self._newest = OpenEpochs(self._first), None
        self.last = self.last_at_s = None
        return [*found, msgspec.structs.replace(self.run_info(line), resumed=fields["how"] == "Resume")]

    @handler(iterations=True, numbers=("speed",), texts=("metrics",))
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches; between epochs lie evaluation and checkpoint, so the first window's time is left open."""
        if self._another_rank(fields, line):
            return []
        metrics, last = fields.pop("metrics"), self.last
        loss = _loss(metrics)
        again, self._newest = (
            self._newest == (fields["epoch"], fields["batch"]),
            (fields["epoch"], fields["batch"]),
        )
        if again and loss is not None and last is not None:
            return [PrintedLoss(last, **loss_fields(loss))]
        fields["loss"], speed = loss, fields.pop("speed")
        values = dict(_VALUE.findall(_LOSS.sub("", metrics)))
        fields |= {"learning_rate": number(values.pop("lr", "")), "scalars": scalars(values.items())}
        if self._size and speed > 0 and not line.stamped:
            fields |= {"duration_s": self._size / speed, "witness": Witness.RATE}
            if last is None and self._window:
                fields["averaged_over"] = min(self._window, fields["batch"] + 1 - self._first)
        fields |= self._epochs.place(*self._newest)
        if self._epochs.turned:
            self.last_at_s = None
        self._since_s = None
        return [*self._validation(), *self.iteration(fields, line), *self.said(self._epochs.word(), line)]

    @handler()
    def trained(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The batches of an epoch are over; saves follow, and the evaluation."""
        found, self._since_s = self._validation(), line.at_s if line.stamped else None
        return found

    @handler()
    def saved(self, _fields: Fields, line: LogLine) -> list[Event]:
        """It took what passed since the batches, or the save before it, were over."""
        if self.last is None:
            return []
        before_s = self._since_s
        self._since_s = None if before_s is None or not line.stamped else line.at_s
        return [ended(CHECKPOINT, line.at_s, self.last, _passed_s(before_s, self._since_s))]

    @handler(texts=("found",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """The evaluation took what passed up to the first of its lines, of which each metric has one."""
        if self.last is None:
            return []
        values = scalars((f"val_{name}", number(value)) for name, value in _VALUE.findall(fields["found"]))
        if self._found is None:
            took_s = _passed_s(self._since_s, line.at_s if line.stamped else None)
            self._found = ended(EVALUATION, line.at_s, self.last, took_s, values=values, apart=not line.stamped)
        else:
            self._found = msgspec.structs.replace(self._found, values=self._found.values | (values or {}))
        self._since_s = None
        return []

    def _validation(self) -> list[Event]:
        """All that the newest one found, once another line than one of its own has come."""
        found, self._found = self._found, None
        return [] if found is None else [found]

    def end(self) -> list[Event]:
        """See `EndingParser`."""
        return self._validation()

    def release(self) -> list[Event]:
        """Nobody writes any more."""
        return self._validation()

    @handler(texts=("found",))
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """What an epoch's evaluation found. Its time is in no window: the next one begins behind it."""
        if self.last is None:
            return []
        values = scalars((f"val_{name}", number(value)) for name, value in _VALUE.findall(fields["found"]))
        apart = not line.stamped  # windows of printed speeds have none of it
        return [ended(EVALUATION, line.at_s, self.last, values=values, apart=apart)]


def _passed_s(before_s: float | None, at_s: float | None) -> float | None:
    """Between two stamps, where there are both, and the clock was not set back."""
    return None if before_s is None or at_s is None or at_s < before_s else at_s - before_s


def _loss(metrics: str) -> float | None:
    """The only loss among the metrics; of several whether one is no number."""
    losses = [value for found in _LOSS.finditer(metrics) if (value := number(found[1])) is not None]
    if any(not isfinite(value) for value in losses):
        return nan
    return losses[0] if len(losses) == 1 else None
