"""Flair: ten lines an epoch.

    2021-05-01 10:00:00,000 epoch 1 - iter 10/100 - loss 2.50 - samples/sec: 12.34 - lr: 0.100000                     before 2022
    2023-05-01 10:00:00,000 epoch 1 - iter 10/100 - loss 2.50 - time (sec): 12.34 - samples/sec: 12.34 - lr: 0.100000
    2021-05-01 10:01:00,000 DEV : loss 0.75 - f1-score (micro avg)  0.875
`time (sec)` counts from the epoch's beginning. Without it the stamps give the time, within an epoch: between two epochs lies the
evaluation. `loss` is the epoch's mean so far. An epoch of a corpus in splits is done long before the number of batches it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import DATA, End, EndReason, SpanEnd, Witness
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import finite, unix_time, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Flair(LineParser):
    """Tenths of epochs."""

    name = "Flair"
    about = "difference of the epoch's time, or of the stamps within an epoch: a mean, with data; loss: the epoch's mean so far"
    time_includes = (DATA,)
    first_epoch = 1
    lines = (
        Line(" - iter ", r"\bepoch (?P<epoch>\d+) - iter (?P<batch>\d+)/(?P<batches>\d+) - loss (?P<loss>N)(?: - time \(sec\): (?P<spent>N))?"
             r"(?: - samples/sec: [\d.]{1,20})?(?: - lr: (?P<learning_rate>N))?", "window"),
        Line("DEV : loss", r"\bDEV : loss (?P<val_loss>N)(?: - (?:score (?P<metric_val_score>N)|f1-score \([\w -]{1,20}\) +(?P<metric_val_f1>N)))?",
             "evaluated"),
        Line("TEST : loss", r"\bTEST : loss (?P<metric_test_loss>N)(?: - score (?P<metric_test_score>N))?", "evaluated"),
        Line("max_epochs:", r"- max_epochs: \"?(?P<epochs>\d+)\"?", "planned"),
        Line("Exiting from training early", r"Exiting from training early", "stopped"),
        Line("too small - quitting", r"learning rate too small - quitting training", "tested"),
        Line("Testing using", r"Testing using (?:best|last state of) model", "tested"),
        Line("EPOCH ", r"\bEPOCH \d+ done: loss ", "epoch_done"),
    )  # fmt: skip
    examples = (
        Example(
            """
2023-05-01 10:00:05,000 epoch 1 - iter 10/20 - loss 2.50 - time (sec): 5.00 - samples/sec: 12.34 - lr: 0.100000
2023-05-01 10:00:15,000 epoch 1 - iter 20/20 - loss 2.25 - time (sec): 15.00 - samples/sec: 12.34 - lr: 0.100000
2023-05-01 10:00:15,000 EPOCH 1 done: loss 2.25 - lr 0.1000000
2023-05-01 10:00:25,000 DEV : loss 0.75 - f1-score (micro avg)  0.875
2023-05-01 10:00:30,000 epoch 2 - iter 10/20 - loss 1.50 - time (sec): 5.00 - samples/sec: 12.34 - lr: 0.100000
""",
            iterations=((10, 0.5, 10, 2.5), (20, 1.0, 10, 2.25), (30, 0.5, 10, 1.5)),
            evaluations=((21, {"val_loss": 0.75, "val_f1": 0.875}),),
        ),
        Example(
            """
2021-05-01 10:00:00,000 epoch 1 - iter 0/20 - loss 2.50 - samples/sec: 12.34
2021-05-01 10:00:05,000 epoch 1 - iter 10/20 - loss 2.25 - samples/sec: 12.34
2021-05-01 10:00:15,000 epoch 2 - iter 0/20 - loss 1.50 - samples/sec: 12.34
""",
            iterations=((0, None, 1, 2.5), (10, 0.5, 10, 2.25), (20, None, 1, 1.5)),
            variant="Flair of 2019, which counts from 0",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch: float | None = None
        self._batch = self._spent_s = 0.0
        self._stamp_s: float | None = None
        self._epochs: float | None = None
        self._done_at_s: float | None = None  # the newest epoch, or what was evaluated since then
        self._done: float | None = None  # its last iteration
        self._first = 1.0  # batch of an epoch
        self._every = 0.0  # batches from line to line
        self._batches = 0.0  # of an epoch, as the log names them
        self._length: float | None = None  # ... and how many there are, where an epoch ends earlier
        self._end = EndReason.FINISHED

    @handler()
    def planned(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many epochs there are to be: a training begins."""
        self._epochs, self._end = fields["epochs"], EndReason.FINISHED
        return []

    @handler()
    def stopped(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """Somebody pressed Ctrl-C: the model is tested all the same."""
        self._end = EndReason.INTERRUPTED
        return []

    @handler()
    def tested(self, _fields: Fields, line: LogLine) -> list[Event]:
        """After the last epoch comes the test, and nothing after it; also where the learning rate has fallen as far as it may."""
        return [End(self._end, unix_time(line.at_s))]

    @handler()
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """The evaluation lasts from the epoch's end to its result, and that of the test from there. All batches are done."""
        if line.stamped and line.at_s is not None:
            if self._done_at_s is not None:
                fields["duration_s"] = line.at_s - self._done_at_s
                self._done_at_s = line.at_s
        else:
            self._done_at_s = None
        if self._done is None:
            return self.evaluation(fields, line)
        found = self.evaluation(fields | {"iteration": self._done + 1}, line)
        return [replace(one, after=whole(self._done)) if isinstance(one, SpanEnd) else one for one in found]

    @handler()
    def epoch_done(self, _fields: Fields, line: LogLine) -> list[Event]:
        """An epoch whose last line is not its last tenth ended before."""
        self._done_at_s = line.at_s if line.stamped else None
        if 0 < self._batch < self._batches - self._every:
            self._length = max(self._batch + 1, self._length or 0.0)
        elif self._length is None and self._epoch is not None:
            self._done = self._epoch * self._batches + self._first - 1
        return []

    @handler(iterations=True, numbers=("spent",))
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches of an epoch."""
        spent_s = finite(fields.pop("spent", None))
        if self._epochs:
            fields["epochs"] = self._epochs
        if fields["epoch"] != self._epoch:
            self._epoch, self._batch, self._spent_s, self._stamp_s = fields["epoch"], 0.0, 0.0, None
        steps = fields["batch"] - self._batch
        self._batches = fields["batches"]
        if steps > 0:  # else the line stands there twice
            self._every = steps
        if self._length is not None:
            fields["batches"] = self._length = max(self._length, fields["batch"])
        if spent_s is not None:
            fields["elapsed_s"] = spent_s
            if steps > 0 and spent_s > self._spent_s:
                fields |= {
                    "duration_s": (spent_s - self._spent_s) / steps,
                    "averaged_over": steps,
                    "witness": Witness.ELAPSED,
                }
            self._spent_s = spent_s
        elif line.stamped and line.at_s is not None:
            if steps > 0 and self._stamp_s is not None and line.at_s > self._stamp_s:
                fields |= {
                    "duration_s": (line.at_s - self._stamp_s) / steps,
                    "averaged_over": steps,
                    "witness": Witness.STAMPS,
                }
            self._stamp_s = line.at_s
        self._batch, self._done, self._done_at_s = fields["batch"], None, None
        self._first = min(self._first, fields["batch"])
        return self.iteration(fields, line)
