"""PaddleSeg: what it prints are means over the iterations since the row before (`log_iters`), of an epoch that may have ended between.

    2021-11-23 20:45:58 [INFO]	[TRAIN] epoch: 1, iter: 10/80000, loss: 6.8504, lr: 0.009999, batch_cost: 1.5401, reader_cost: 0.12922, ips: 1.2986 samples/sec | ETA 34:13:14
    2021-11-23 21:45:58 [INFO]	[EVAL] #Images: 500 mIoU: 0.5012 Acc: 0.9012 Kappa: 0.8812 Dice: 0.6212
Older ones print no epoch (`[TRAIN] iter=10/80000`) or other names. The cost of a batch has its wait for data (reader) in it;
evaluations and saves lie between two rows.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, SpanBegin
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.stamps import passed_s
from ...parsing.values import ended, scalars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import Fields, LogLine


_STEP = lazy_pattern(r"\[TRAIN\] .{0,40}?\biter[:=] *(\d{1,12})/")
_OFTEN = 3
"""So many rows that stand as far apart tell how often one is printed."""


class PaddleSeg(LineParser):
    """Its rows, and the results of its evaluations."""

    name = "PaddleSeg"
    about = "batch_cost: a mean over the iterations since the last row, with data (reader_cost)"
    time_includes = (DATA,)
    first_epoch = 1
    lines = (
        Line("[TRAIN] ", r"\[TRAIN\] (?:epoch[:=] *(?P<epoch>\d+), )?iter[:=] *(?P<iteration>\d+)/(?P<total>\d+), loss[:=] *(?P<loss>N), "
             r"lr[:=] *(?P<learning_rate>N), batch_cost[:=] *(?P<cost>N), reader_cost[:=] *(?P<reader>N)", "row"),
        Line("Start evaluating", r"(?:\[INFO\]|INFO:)\s{1,3}Start evaluating \(total_samples", "evaluates"),
        Line("[EVAL] ", r"\[EVAL\] #Images[:=] *\d+,? mIoU[:=] *(?P<metric_mIoU>N),? Acc[:=] *(?P<metric_Acc>N)", "evaluated"),
        Line("was saved at iter", r"\[EVAL\] The model with the best validation .{1,60} was saved at iter (?P<best>\d+)\.", "best_saved"),
        Line("[EVAL] ", r"\[EVAL\] ", "known"),
        Line(" - reader cost: ", r"\d/\d+ \[.{10,60}\] - .{1,60}\bbatch_cost: .{1,40} - reader cost: \d", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
2024-05-01 12:00:10 [INFO]	[TRAIN] epoch: 1, iter: 10/40, loss: 6.5000, lr: 0.010000, batch_cost: 1.5000, reader_cost: 0.25000, ips: 1.3333 samples/sec | ETA 00:00:45
2024-05-01 12:00:20 [INFO]	[TRAIN] epoch: 1, iter: 20/40, loss: 5.5000, lr: 0.008000, batch_cost: 1.0000, reader_cost: 0.12500, ips: 2.0000 samples/sec | ETA 00:00:20
2024-05-01 12:00:20 [INFO]	Start evaluating (total_samples: 500, total_iters: 500)...
2024-05-01 12:00:50 [INFO]	[EVAL] #Images: 500 mIoU: 0.5000 Acc: 0.7500 Kappa: 0.6250 Dice: 0.6000
2024-05-01 12:00:50 [INFO]	[EVAL] Class IoU:
2024-05-01 12:01:00 [INFO]	[TRAIN] epoch: 2, iter: 30/40, loss: 4.5000, lr: 0.005000, batch_cost: 1.0000, reader_cost: 0.12500, ips: 2.0000 samples/sec | ETA 00:00:10
""",
            iterations=((10, None, 1, 6.5), (20, 1.0, 10, 5.5), (30, 1.0, 10, 4.5)),
            evaluations=((21, {"mIoU": 0.5, "Acc": 0.75}),),
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._learnt: int | None = None  # iterations from row to row, as many rows show
        self._every: float | None = None  # ... or as far as they have been read
        self._evaluates_s: float | None = None  # when an evaluation began
        self._best: float | None = None  # the iteration of the best model, which each evaluation names again

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """How far most rows stand apart. A first row that stands there is the mean of as many."""
        if self._learnt is not None or scattered:
            return
        steps = [int(found[1]) for text in lines if (found := _STEP.search(text))]
        apart = Counter(after - before for before, after in pairwise(steps) if after > before)
        often, times = max(apart.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        self._learnt = self._every = often if times >= _OFTEN else None

    @handler(iterations=True, numbers=("cost", "reader"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """Means since the row before. What goes on from a checkpoint prints as often, and of a first row nothing else tells."""
        index, cost, reader = fields["iteration"], fields.pop("cost"), fields.pop("reader")
        before = self.last if self.last is not None and self.last < index else None
        steps = self._learnt if before is None else index - before
        self._every = self._every or steps
        if steps and steps == self._every:
            fields |= {"duration_s": cost, "data_wait_s": reader, "averaged_over": steps}
        return self.iteration(fields, line)

    @handler()
    def evaluates(self, _fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation begins."""
        self._evaluates_s = line.at_s if line.stamped else None
        return [SpanBegin(EVALUATION, line.at_s, self.next_index)]

    @handler()
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """It is over."""
        since_s, self._evaluates_s = self._evaluates_s, None
        took_s = passed_s(since_s, line.at_s)
        found = scalars((name.removeprefix("metric_"), value) for name, value in fields.items())
        return [ended(EVALUATION, line.at_s, self.next_index, took_s, values=found)]

    @handler(numbers=("best",))
    def best_saved(self, fields: Fields, line: LogLine) -> list[Event]:
        """The best model so far was saved, if it is a new one."""
        before, self._best = self._best, fields["best"]
        return [] if before == self._best else [ended(CHECKPOINT, line.at_s, int(fields["best"]) + 1)]
