"""Trainers of PaddlePaddle. PaddleRec: costs are means over the window since the last line.

    epoch: 0, batch_id: 500, AUC:0.93, loss:0.10, avg_reader_cost: 0.0001 sec, avg_batch_cost: 0.577 sec, ips: 1772 ins/s
`paddle_trainer` of its first version, by glog, whose stamps have no year: a pass is an epoch, and its batches begin again
with each; `AvgCost` is the mean of the pass so far. Dots that show it alive stand in front of the stamp.

    ....I0305 23:00:01.177073    35 TrainerInternal.cpp:165]  Batch=1000 samples=128000 AvgCost=11.5 CurrentCost=11.25 Eval: error=0.5
    ....I0305 23:00:29.745251    35 TrainerInternal.cpp:182]  Pass=0 Batch=1472 samples=188399 AvgCost=11.25 Eval: error=0.5
    I0305 23:00:50.979264    35 Tester.cpp:127]  Test samples=91292 cost=10.5 Eval: error=0.5
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...counting.ends import OpenEpochs
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.stamps import passed_s
from ...parsing.values import ended, scalars, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine


class PaddleRec(LineParser):
    """PaddleRec: costs are means over the window since the last line."""

    name = "PaddleRec"
    about = "avg_batch_cost: a mean since the last line, with data (avg_reader_cost)"
    time_includes = (DATA,)
    mean = True
    lines = (
        Line("avg_batch_cost:", r"epoch: (?P<epoch>\d+), batch_id: (?P<batch>\d+),.{0,200}?(?:loss:(?P<loss>N).{0,80}?)?"
             r"avg_reader_cost: (?P<data_wait_s>N) sec, avg_batch_cost: (?P<duration_s>N) sec", "window"),
    )  # fmt: skip
    examples = (
        Example(
            """
2022-04-12 17:06:10,849 - INFO - epoch: 0, batch_id: 500, AUC:0.5, ACC:0.64, loss:0.5, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.575 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s
2022-04-12 17:16:10,849 - INFO - epoch: 1, batch_id: 0, AUC:0.5, ACC:0.64, loss:0.25, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.5 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s
""",
            iterations=((500, 0.575, 1, 0.5), (501, 0.5, 1, 0.25)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs = OpenEpochs(first=0)

    @handler(iterations=True)
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches of an epoch whose length is never printed."""
        fields |= self._epochs.place(fields["epoch"], fields["batch"])
        return [*self.iteration(fields, line), *self.said(self._epochs.word(), line)]


_EVALUATOR = lazy_pattern(r"([A-Za-z_]\w{0,60})=(-?\d{1,12}(?:\.\d{0,20})?(?:e[-+]?\d{1,3})?)(?= |$)")
_LONGEST = 2_000


class PaddleTrainer(LineParser):
    """`paddle_trainer`: a test lasts from the line that closes its pass to its own."""

    name = "PaddlePaddle v1"
    about = "time stamps' difference over the batches between, with data, test and save in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("AvgCost=", r"\] +Batch=(?P<batch>\d+) samples=\d+ AvgCost=(?P<loss>N)", "trained"),
        Line(
            "AvgCost=", r"\] +Pass=(?P<epoch>\d+) Batch=(?P<batch>\d+) samples=\d+ AvgCost=(?P<loss>N)", "passed"
        ),
        Line("Test samples=", r"\] +Test samples=\d+ cost=(?P<val_loss>N)", "tested"),
        Line("Saving parameters to", r"\] Saving parameters to (?P<detail>\S+)", "saves"),
        Line("] copy ", r"\] copy \S+ to (?P<detail>\S*pass-\d{1,9})\b", "saved"),
        Line("paddle_trainer", r"\] commandline: .{0,400}?paddle_trainer\b(?P<options>.{0,2000})", "starts"),
    )
    examples = (
        Example(
            """
I0305 22:58:50.000000    35 Util.cpp:155] commandline: /opt/paddle/bin/paddle_trainer --config=trainer.py --log_period=100 --num_passes=3
..........I0305 22:59:00.000000    35 TrainerInternal.cpp:165]  Batch=100 samples=800 AvgCost=2.5 CurrentCost=2.5 Eval: error=0.5  CurrentEval: error=0.5
.....I0305 22:59:05.000000    35 TrainerInternal.cpp:182]  Pass=0 Batch=150 samples=1200 AvgCost=2.25 Eval: error=0.5
I0305 22:59:07.500000    35 Tester.cpp:127]  Test samples=400 cost=2.375 Eval: error=0.75
I0305 22:59:07.500000    35 GradientMachine.cpp:112] Saving parameters to ./output/pass-00000
I0305 22:59:08.000000    35 Util.cpp:230] copy trainer.py to ./output/pass-00000
..........I0305 22:59:18.000000    35 TrainerInternal.cpp:165]  Batch=100 samples=800 AvgCost=1.5 CurrentCost=1.5 Eval: error=0.25  CurrentEval: error=0.25
""",
            iterations=((100, None, 1, 2.5), (150, 0.1, 50, 2.25), (250, 0.13, 100, 1.5)),
            evaluations=((151, {"val_loss": 2.375, "error": 0.75}),),
            checkpoints=(151,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._before = self._batch = 0.0  # batches of the passes that are over; of the one at hand
        self._closed_s: float | None = None  # when the line before closed a pass
        self._saves_s: float | None = None  # when a save began that is not over
        self._passes: float | None = None  # of the whole training, if it begins with the first

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Without the dots in front of the stamp."""
        return super().line(text.lstrip(".") if text.startswith(".") else text, at_s)

    @handler(texts=("options",))
    def starts(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A process begins: how many passes it is to make."""
        said = dict(_OPTION.findall(fields["options"]))
        self._before = self._batch = 0.0
        self._passes = (
            float(said["num_passes"]) if "num_passes" in said and said.get("start_pass", "0") == "0" else None
        )
        return []

    @handler(iterations=True)
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches of a pass, which is not named; one that comes again is of another process."""
        self._closed_s = None
        self._before *= fields["batch"] > self._batch
        return self._row(fields, line)

    @handler(iterations=True)
    def passed(self, fields: Fields, line: LogLine) -> list[Event]:
        """A pass is over, with so many batches."""
        if fields.pop("epoch") and not self._before:
            self._passes = None  # the passes before it are not in the log
        batches = fields["batch"]
        events = self._row(fields | ({"total": self._passes * batches} if self._passes else {}), line)
        self._before, self._batch = self._before + batches, 0.0
        self._closed_s = line.at_s if line.stamped else None
        return events

    @handler()
    def tested(self, fields: Fields, line: LogLine) -> list[Event]:
        """Behind a pass all since its end was the test; else nobody knows when it began."""
        since_s, self._closed_s = self._closed_s, None
        took_s = seconds(passed_s(since_s, line.at_s))
        values = {"val_loss": fields["val_loss"]} | _evaluators(line.text)
        return [ended(EVALUATION, line.at_s, self.next_index, took_s, values=values)]

    @handler(texts=("detail",))
    def saves(self, fields: Fields, line: LogLine) -> list[Event]:
        """A save begins."""
        self._saves_s = line.at_s if line.stamped else None
        return self.checkpoint(fields, line)

    @handler(texts=("detail",))
    def saved(self, fields: Fields, line: LogLine) -> list[Event]:
        """The last file of a save is written."""
        since_s, self._saves_s = self._saves_s, None
        took_s = passed_s(since_s, line.at_s)
        return self.checkpoint_written(fields | {"duration_s": took_s}, line)

    def _row(self, fields: Fields, line: LogLine) -> list[Event]:
        self._batch, self._saves_s = fields.pop("batch"), None
        place = {"iteration": self._before + self._batch, "scalars": _evaluators(line.text) or None}
        return self.iteration(fields | place, line)


_OPTION = lazy_pattern(r"--(num_passes|start_pass)=(\d{1,9})\b")


def _evaluators(text: str) -> dict[str, float]:
    """What evaluators found, of which each has a name of its own."""
    found = _EVALUATOR.findall(text[:_LONGEST].partition(" Eval: ")[2].partition("CurrentEval:")[0])
    often = Counter(name for name, _ in found)
    return scalars((name, value) for name, value in found if often[name] == 1)
