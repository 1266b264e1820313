"""detectron2 and its ancestor maskrcnn-benchmark (Facebook AI), console.

    [04/24 19:13:26 d2.utils.events]:  eta: 1:12:01  iter: 19  total_loss: 2.1  ...  time: 0.2965  last_time: 0.3012
      data_time: 0.0013  last_data_time: 0.0013   lr: 0.000225  max_mem: 2457M                    (one line in the log)
    2021-10-21 05:21:24,786 maskrcnn_benchmark.trainer INFO: eta: 2:18:11  iter: 50  time: 0.1338 (0.2075)  data: 0.0001 (0.0466)
detectron2: `time` is the mean since the process began, `last_time` (since 2022) the newest iteration's, which is used where it
stands; elsewhere the stamps tell what rows took. maskrcnn-benchmark: the first figure is the median of the last 20, the one in brackets the mean
so far, two of which tell what the iterations between them took. Data loading is in it, evaluation and checkpoints are not. Every twentieth iteration is printed by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, Message, SpanBegin
from ...base import Example
from ...means.means_so_far import SAID, SoFar
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.stamps import passed_s
from ...parsing.values import Fields, LogLine, ended, number, whole

if TYPE_CHECKING:
    from .....events import Event, RunInfo

_ETA = r"(?:eta: (?:\d+ days?, )?[\d:]+ +)?iter: (?P<iteration>\d+) "


class _Started(LineParser):
    """A training that may count on from a checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self._from: float | None = None  # where the newest process began to count, if it says so

    @handler(numbers=("first",))
    def starts(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A process says, once, that its training begins: what comes next is its own."""
        self.started, self._from = self.last is not None, fields.get("first")
        return []


class Detectron2(_Started):
    """`last_time` where it is printed, else the stamps."""

    name = "detectron2"
    about = (
        "last_time: one iteration with its data, without evaluation and checkpoint (older: by the lines' stamps)"
    )
    time_includes = (DATA,)
    tells_the_rest = True
    lines = (
        Line("data_time:", rf"{_ETA}(?P<rest>.*?)(?<![\w])time: (?P<mean_time>N)(?: +last_time: (?P<duration_s>N))? +data_time: "
             r"(?P<mean_data>N)(?: +last_data_time: (?P<data_wait_s>N))? +lr: (?P<learning_rate>N)", "step"),
        Line("Saving checkpoint to", r"fvcore\.common\.checkpoint.*Saving checkpoint to (?P<detail>\S+)", "saves"),
        Line("Starting training from", r"(?:d2\.engine|detectron2(?:\.engine|\])).*Starting training from iteration(?: (?P<first>\d+))?", "starts"),
        Line("Start inference on", r"(?:d2|detectron2)\.evaluation.*Start inference on", "evaluation_begins"),
        Line("copypaste: Task: ", r"(?:d2|detectron2)\.evaluation.*copypaste: Task: ", "evaluated"),
        Line("MAX_ITER:", r"^ +MAX_ITER: (?P<max_iterations>\d+)$", "config", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
[04/24 19:13:26 d2.utils.events]:  eta: 1:12:01  iter: 19  total_loss: 2.125  loss_cls: 1.0  time: 0.2965  last_time: 0.3125  data_time: 0.0013  last_data_time: 0.0013   lr: 0.000225  max_mem: 2457M
[04/24 19:13:36 d2.utils.events]:  eta: 1:12:01  iter: 39  total_loss: 2  loss_cls: 1.0  time: 0.2965  data_time: 0.0013  lr: 0.000225  max_mem: 2457M
""",
            iterations=((19, 0.3125, 1, 2.125), (39, None, 1, 2.0)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._so_far = False  # is all that rows print of time the mean since their process began?
        self._said = False
        self._evaluates_s: float | None = None  # when one began whose results have not been printed
        self._every: float | None = None  # iterations from row to row

    def run_info(self, line: LogLine) -> RunInfo:
        """Times by the lines' stamps have everything in them."""
        info = super().run_info(line)
        return replace(info, time_includes=(EVALUATION, CHECKPOINT, DATA)) if self._so_far else info

    @handler(iterations=True, numbers=("mean_data", "mean_time"), texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The newest iteration's figures, if they are printed; else the time is the mean so far, and the stamps tell the rows' own."""
        self._so_far = "duration_s" not in fields and line.stamped
        self._evaluates_s = None
        self._every = fields["iteration"] + 1 if self.last is None else fields["iteration"] - self.last
        begins = self.last is None or self.started or fields["iteration"] <= self.last
        if begins or not self._so_far:
            fields.setdefault("duration_s", fields.get("mean_time"))
        if begins and self._so_far and self._from is not None:
            steps, self._from = fields["iteration"] - self._from, None
            fields["averaged_over"] = max(1, steps + ((steps + 1) % 10 == 0))  # of twenty the last is 19, or 20
        fields.setdefault("data_wait_s", fields.get("mean_data"))
        losses = fields.pop("rest").partition("total_loss:")[2].split()
        fields["loss"] = number(losses[0]) if losses else None
        said, self._said = self._said, self._said or self._so_far
        return [*self.iteration(fields, line), *([Message(SAID)] if self._said and not said else [])]

    @handler()
    def evaluation_begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """One of a data set. `Total inference time` is of a part of it: scoring comes after, and its results end it."""
        self._evaluates_s = line.at_s if line.stamped else None
        return [SpanBegin(EVALUATION, line.at_s, self.next_index)]

    @handler()
    def evaluated(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Its results, which are printed once for each task: iterations without a row may come before the next row."""
        since_s, self._evaluates_s = self._evaluates_s, None
        if since_s is None or line.at_s is None:
            return []
        return self.evaluation({"duration_s": passed_s(since_s, line.at_s)}, line)

    @handler()
    def saves(self, fields: Fields, line: LogLine) -> list[Event]:
        """Where a row follows at once the save ends with it; else iterations come before the next line."""
        digits = fields.get("detail", "").rpartition("_")[2].removesuffix(".pth")
        place = int(digits) if digits.isdecimal() else None
        if place is None or self._every is None or (place + 1) % self._every == 0:
            return self.checkpoint(fields, line)
        return [ended(CHECKPOINT, None, self.next_index, detail=fields.get("detail", ""))]


class MaskRcnnBenchmark(_Started):
    """The median of the last 20."""

    name = "maskrcnn-benchmark"
    about = "time: the median of the last 20 iterations, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    tells_the_rest = True
    lines = (
        Line("iter:", rf"{_ETA}(?P<rest>.*?)(?<!\w)time: (?P<duration_s>N) \((?P<so_far>N)\) +data: (?P<data_wait_s>N) \([^)]*\)", "step"),
        Line("Saving checkpoint to", r"maskrcnn_benchmark.*Saving checkpoint to (?P<detail>\S+)", "saved"),
        Line("Start ", r"maskrcnn_benchmark\S* INFO: Start (?:validating$|evaluation on )", "evaluation_begins"),
        Line("Validation Result:", r"maskrcnn_benchmark\S* INFO: Validation Result: ", "evaluated"),
        Line("[Validation]:", r"maskrcnn_benchmark\S* INFO: \[Validation\]: .*? loss: \S+ \((?P<val_loss>N)\)", "evaluated"),
        Line("Start training", r"maskrcnn_benchmark\.trainer INFO: Start training$", "starts"),
    )  # fmt: skip
    examples = (
        Example(
            """
2021-10-21 05:21:24,786 maskrcnn_benchmark.trainer INFO: eta: 1 day, 2:18:11  iter: 50  time: 0.1338 (0.2075)  data: 0.0001 (0.0466)  loss: 1.325 (2.4)  loss_classifier: 0.2 (1.0)  lr: 0.009600  max mem: 10311
2021-10-21 05:21:31,683 maskrcnn_benchmark.trainer INFO: eta: 1:54:52  iter: 100  loss: 1.4 (1.8)  loss_mask: 0.6 (0.7)  time: 0.1421 (0.1727)  data: 0.0001 (0.0257)  lr: 0.0192  max mem: 10311
""",
            iterations=((50, 0.1338, 1, 1.325), (100, 0.1379, 50, 1.4)),
        ),
        Example(
            """
2020-03-10 19:00:00,000 maskrcnn_benchmark INFO: eta: 1 day, 2:18:11  iter: 100  loss: 1.5 (1.8)  loss_rel: 0.5 (0.7)  time: 1.4000 (1.4000)  data: 0.0001 (0.0257)  lr: 0.0192  max mem: 10311
2020-03-10 19:02:20,000 maskrcnn_benchmark INFO: eta: 1 day, 2:18:11  iter: 200  loss: 1.25 (1.8)  loss_rel: 0.5 (0.7)  time: 1.4000 (1.4000)  data: 0.0001 (0.0257)  lr: 0.0192  max mem: 10311
2020-03-10 19:02:20,500 maskrcnn_benchmark.utils.checkpoint INFO: Saving checkpoint to output/model_0000200.pth
2020-03-10 19:02:21,500 maskrcnn_benchmark INFO: Start validating
2020-03-10 19:02:21,500 maskrcnn_benchmark INFO: Start evaluation on val dataset(5000 images).
2020-03-10 19:12:21,500 maskrcnn_benchmark INFO: Validation Result: 0.25
2020-03-10 19:14:41,500 maskrcnn_benchmark INFO: eta: 1 day, 2:18:11  iter: 300  loss: 1.0 (1.8)  loss_rel: 0.5 (0.7)  time: 1.4000 (1.4000)  data: 0.0001 (0.0257)  lr: 0.0192  max mem: 10311
""",
            iterations=((100, 1.4, 1, 1.5), (200, 1.4, 100, 1.25), (300, 1.4, 100, 1.0)),
            evaluations=((201, {}),),
            checkpoints=(201,),
            variant="Scene-Graph-Benchmark",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._evaluates = False
        self._evaluates_s: float | None = None  # when it began
        self._so_far = SoFar()
        self._first: float | None = None  # iteration of the first row of a process

    @handler()
    def saved(self, fields: Fields, _line: LogLine) -> list[Event]:
        """No line tells when it was done: iterations without a row may come before the next one, of an evaluation, too.

        The line comes before the write: what passed up to it is none of it.
        """
        return [ended(CHECKPOINT, None, self.next_index, detail=fields["detail"])]

    @handler()
    def evaluation_begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Of one or of several data sets, or of one after a line that says so for all."""
        before, self._evaluates = self._evaluates, True
        self._evaluates_s = line.at_s if line.stamped and not before else self._evaluates_s
        return [] if before else [SpanBegin(EVALUATION, line.at_s, self.next_index)]

    @handler()
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """Scene-Graph-Benchmark and newer ones say so; of others the next iteration shows that it is over."""
        since_s, self._evaluates, self._evaluates_s = self._evaluates_s, False, None
        took_s = line.at_s - since_s if since_s is not None and line.at_s is not None else None
        return self.evaluation(fields | ({} if took_s is None else {"duration_s": took_s}), line)

    @handler(iterations=True, texts=("rest", "so_far"))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The loss stands before or behind the times."""
        self._evaluates, self._evaluates_s = False, None
        fields.pop("rest")
        fields |= self._hidden(fields, fields.pop("so_far"))
        losses = line.text.partition("  loss: ")[2].split(maxsplit=1)
        fields["loss"] = number(losses[0]) if losses else None
        rates = line.text.rpartition("  lr: ")[2].split(maxsplit=1)
        fields["learning_rate"] = number(rates[0]) if rates else None
        return self.iteration(fields, line)

    def _hidden(self, fields: Fields, mean: str) -> Fields:
        """The mean of all iterations since the row before, which says more than the printed median.

        The mean so far counts from the process's begin: of one that was resumed nobody knows from where.
        """
        index, last = whole(fields["iteration"]), self.last
        if index is not None and index == last and not self.started:
            self._so_far.again(mean)
        if index is None or last is None or self.started or index <= last:
            self._first = index
            self._so_far.begin()
        elif self._first is not None and self._first != index - last:
            self._so_far.begin()
        else:
            self._first = None
        found = self._so_far.between(index or 0, mean, fields["duration_s"], of_all=True)
        return {"duration_s": found[0], "averaged_over": found[1]} if found else {}
