"""OpenMMLab: mmengine (since 2022) and mmcv (before), and all that is built on them.

    2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)   [1][ 50/100]  lr: 1.0e-02  eta: 0:10:00  time: 0.5000
      data_time: 0.0100  memory: 5000  loss: 0.4006                                           (one line in the log)
    2021-12-14 19:57:26,847 - mmseg - INFO - Epoch [1][50/100]  lr: 1.000e-02, eta: 1 day, 1:52:14, time: 1.865, ..., loss: 0.4
`time` is in seconds and a mean: over the iterations since the last line (mmcv), or over the newest `window_size` (mmengine),
which overlap where lines are printed more often: then each line's own time is got back from them. Data loading is in it. Its clock begins anew with each epoch, so validation, checkpoints and the iterations behind an epoch's last line are not in it. With loops by iteration
`Iter(train) [ 50/1000]` and `Iter [50/1000]` count on without epochs; of the latter stops are in it, and what the next row calls waiting for data.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, Alive, SpanBegin, Witness
from ...base import Example
from ...between.signs_of_life import EVERY_S
from ...families.pairs import words
from ...means.overlapping_means import OverlappingMeans
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, scalars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event, RunInfo
_TIMES = ("time", "data_time")
_WINDOW = 10
"""Of mmengine's means, where its settings say no other."""
_AGREE = 0.05
"""Of what passed between two rows: a mean of all that lies between them says it as closely, by its digits."""
_UNDERSTOOD = frozenset((*_TIMES, "loss", "lr", "grad_norm"))


class OpenMmLab(LineParser):
    """`key: value` behind the place in the epoch; the keys vary with the model."""

    name = "OpenMMLab"
    about = (
        "time: a mean since the last line (mmcv) or over the last ten (mmengine), with data; without validation"
    )
    time_includes = (DATA,)
    mean = True
    tells_the_rest = True
    first_epoch = 1
    lines = (
        Line(
            "Epoch(train)",
            r"Epoch\(train\) +\[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(
            "Iter(train)",
            r"Iter\(train\) +\[ *(?P<iteration>\d+)/(?P<total>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(
            " data_time:",
            r"Epoch \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(" data_time:", r"Iter \[ *(?P<iteration>\d+)/(?P<total>\d+)\](?P<rest>.*)$", "step"),
        Line(
            "(val)",
            r"(?:Epoch\(val\) +\[\d+\]|Iter\(val\) +)\[ *(?:(?P<done>\d+)/(?P<of>\d+)|\d+)\](?P<rest>.*)$",
            "validation",
        ),
        Line(
            " - INFO - ",
            r"(?:Epoch \[\d+\]\[ *\d+/\d+\]|Iter \[ *\d+/\d+\])(?!.*(?:\btime|loss\w*): )(?P<rest>.{0,9}lr: .*)$",
            "result",
            distinctive=False,
        ),
        Line(
            " task/s, elapsed:", r"\] (?P<done>\d+)/(?P<of>\d+), [\d.]+ task/s, elapsed: (?P<took>\d+)s", "frame"
        ),
        Line("Saving checkpoint at", r"Saving checkpoint at (?P<detail>\d+ (?:epochs|iterations))", "saves"),
        Line(
            "Now best checkpoint is saved as",
            r"Now best checkpoint is saved as \S*?(?P<detail>(?:epoch|iter)_\d+)",
            "checkpoint_written",
        ),
        Line(
            "The best checkpoint with",
            r"The best checkpoint with .{1,80} is saved to \S*?(?P<detail>(?:epoch|iter)_\d+)",
            "checkpoint_written",
        ),
        Line(
            "window_size=",
            r"^(?: {4}|log_processor ?= ?dict\(.{0,120}?\b)window_size=(?P<window>\d+)",
            "window",
            distinctive=False,
        ),
        Line("default_hooks = dict(", r"^default_hooks = dict\(", "settings", distinctive=False),
        Line("max_epochs=", r"\bmax_epochs=(?P<epochs>\d+)", "length", distinctive=False),
        Line("workflow: [(", r"workflow: \[\(.{0,80}\], max: (?P<epochs>\d+) epochs", "length"),
    )
    examples = (
        Example(
            """
2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)   [1][ 50/100]  base_lr: 1.0e-02 lr: 1.0e-02  eta: 1 day, 0:10:00  time: 0.5000  data_time: 0.0100  memory: 5000  grad_norm: 1.5  loss: 0.40  loss_cls: 0.1
2023/05/01 12:01:00 - mmengine - INFO - Epoch(val)   [1][10/25]    eta: 0:00:01  time: 0.0500  data_time: 0.0100  memory: 900
2023/05/01 12:01:00 - mmengine - INFO - Epoch(train)   [2][ 50/100]  lr: 1.0e-02  eta: 0:10:00  time: 0.2500  data_time: 0.0100  memory: 5000  loss: 0.30
""",
            iterations=((50, 0.5, 1, 0.4), (150, 0.25, 50, 0.3)),
            variant="mmengine",
        ),
        Example(
            """
log_processor = dict(
    by_epoch=True,
    window_size=50,
2023/05/01 12:00:04 - mmengine - INFO - Epoch(train)   [1][1/3]  lr: 1.0e-02  eta: 0:10:00  time: 4.000000  data_time: 3.000000  memory: 500  loss: 0.40
2023/05/01 12:00:06 - mmengine - INFO - Epoch(train)   [1][2/3]  lr: 1.0e-02  eta: 0:10:00  time: 3.000000  data_time: 2.000000  memory: 500  loss: 0.30
""",
            iterations=((1, 4.0, 1, 0.4), (2, 2.0, 1, 0.3)),
            variant="mmengine, each iteration",
        ),
        Example(
            """
2021-12-14 19:57:26,847 - mmseg - INFO - Epoch [1][50/100]\tlr: 1.000e-02, eta: 1 day, 1:52:14, time: 1.865, data_time: 1.706, memory: 12561, decode.loss_ce: 0.2194, loss: 0.4006
2021-12-14 19:58:35,366 - mmseg - INFO - Epoch [1][100/100]\tlr: 1.000e-02, eta: 22:25:12, time: 1.370, data_time: 1.253, memory: 12561, loss: 0.1936
""",
            iterations=((50, 1.865, 1, 0.4006), (100, 1.37, 50, 0.1936)),
            variant="mmcv",
        ),
        Example(
            """
2021-12-14 19:57:26,847 - mmseg - INFO - Iter [50/80000]\tlr: 1.000e-02, eta: 6:00:00, time: 0.265, data_time: 0.006, memory: 12561, loss: 0.4
""",
            iterations=((50, 0.265, 1, 0.4),),
            variant="mmcv by iterations",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs: float | None = None
        # Of mmengine, by the name of what they are of; as long as nobody said of how many iterations.
        self._means = {name: OverlappingMeans() for name in _TIMES}
        self._counted_to: int | None = None  # by the newest row
        self._said_window = False  # did the settings of this process say it?
        self._with_stops = False  # is it mmcv's loop by iterations, whose clock goes on in stops?
        self._by_iterations = False
        self._evaluates = False  # since the newest row of the training
        self._saves = False  # since then
        self._found: Fields | None = None  # since then
        self._row_s: float | None = None  # that row's stamp
        self._shown_s = 0.0  # by the newest frame that told that the run lives
        self._took_s: float | None = None  # by the bar of an evaluation whose result did not come yet

    def run_info(self, line: LogLine) -> RunInfo:
        """See `IterationsParser.run_info`: mmcv's mean over iterations has the stops between them."""
        info = super().run_info(line)
        if self._by_iterations and not self._with_stops:
            return replace(info, time_includes=(CHECKPOINT, DATA))  # mmengine's clock goes on in saves alone
        return replace(info, time_includes=(EVALUATION, CHECKPOINT, DATA)) if self._with_stops else info

    @handler()
    def length(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The run's, in epochs, from the settings that are printed at its start."""
        self._epochs = fields["epochs"]
        return []

    @handler(numbers=("window",))
    def window(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many iterations mmengine's means are of, from the settings: the process has just begun."""
        self._means, self._said_window = _means_of(int(fields["window"])), True
        return []

    @handler()
    def settings(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """mmengine's settings: they say the window, before or behind this line, or it is the usual one.

        Each process prints them once: behind a row another one has begun, also where its rows count on.
        """
        self.started = self.last is not None
        if not self._said_window:
            self._means = _means_of(_WINDOW)
        return []

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The pairs behind the place; mmcv parts them by commas, mmengine by blanks.

        With a loop by iterations the wait for data in the row behind an evaluation is that evaluation.
        """
        told = [] if self._took_s is None else self._evaluated({}, line)
        self._found = None
        read = words(fields.pop("rest"))
        fields["duration_s"], fields["data_wait_s"] = read.get("time"), read.get("data_time")
        by_iterations = "epoch" not in fields
        self._by_iterations, self._with_stops = by_iterations, by_iterations and "Iter [" in line.text
        if self._with_stops and self._evaluates:
            fields |= self._by_stamps(fields, line)
        if "(train)" in line.text:
            self._said_window = False
            fields["duration_s"], fields["data_wait_s"] = self._own_times(fields, read, line.text)
        if by_iterations and (self._evaluates or (self._saves and not self._with_stops)):
            del fields["data_wait_s"]
        self._evaluates, self._saves, self._shown_s = False, False, 0.0
        self._row_s = line.at_s if line.stamped else None
        fields["loss"], fields["learning_rate"] = read.get("loss"), read.get("lr")
        fields["gradient_norm"] = read.get("grad_norm")
        fields["scalars"] = scalars(read.items(), _UNDERSTOOD)
        if self._epochs is not None:
            fields["epochs"] = self._epochs
        covered = self.of_its_epoch(fields).get("averaged_over", inf)
        covered = min(covered, fields.pop("covered", inf))
        return [*told, *self.iteration(fields | ({"averaged_over": covered} if covered < inf else {}), line)]

    def _by_stamps(self, fields: Fields, line: LogLine) -> Fields:
        """Of mmcv's row behind an evaluation: that empties its means, and of how many iterations they are no row says.

        Its clock goes on in stops: with those since the row before they add up to what passed, or the stamps tell it.
        """
        steps = fields["iteration"] - (self.last or 0)
        if self._row_s is None or not line.stamped or line.at_s is None or self.last is None or steps <= 0:
            return {}
        passed_s, took_s = line.at_s - self._row_s, fields.get("duration_s")
        if took_s is None or abs(steps * took_s - passed_s) <= _AGREE * passed_s:
            return {}
        return {"duration_s": passed_s / steps, "witness": Witness.STAMPS}

    def _own_times(self, fields: Fields, read: Fields, text: str) -> tuple[float | None, float | None]:
        """What an iteration of this line took, and waited for data: its means hold those of other lines, too."""
        count = fields.get("iteration") or (fields["epoch"] - 1) * fields["batches"] + fields["batch"]
        took_s, printed = read.get("time"), text.partition(" time: ")[2].split(maxsplit=1)
        if took_s is None or not printed:
            return took_s, read.get("data_time")
        one = 10.0 ** -len(printed[0].partition(".")[2])
        own_s, waited_s = (
            self._means[name].since_the_last(int(count), read.get(name, 0.0), one, took_s) for name in _TIMES
        )
        if own_s is None and self._means["time"].rough and int(count) == (self._counted_to or 0) + 1:
            waited_s = read.get("data_time")  # over all rows the sum of means is that of the iterations
        elif own_s is None or waited_s is None:
            waited_s = None
        else:
            waited_s = min(waited_s, own_s)
        window, self._counted_to = self._means["time"].window, int(count)
        if own_s is not None and self._means["time"].left_out:
            fields["covered"] = window  # a mean of fewer than there are since the row before
        return own_s, waited_s

    @handler()
    def saves(self, fields: Fields, line: LogLine) -> list[Event]:
        """mmengine's clock of iterations goes on in a save: the next one's wait for data is that."""
        self._saves = True
        return self.checkpoint(fields, line)

    @handler(numbers=("done", "of"), texts=("rest",))
    def validation(self, fields: Fields, line: LogLine) -> list[Event]:
        """mmengine counts through the validation: only its last line has the metrics."""
        if fields.get("done") != fields.get("of"):
            return []
        return self._evaluated(_results(fields["rest"], _TIMES), line)

    @handler(texts=("rest",))
    def result(self, fields: Fields, line: LogLine) -> list[Event]:
        """What mmcv of 2020 found, in the form of a row: it has a learning rate, no time and no loss."""
        values = _results(fields["rest"], (*_TIMES, "lr", "memory"))
        return self._evaluated(values, line) if values and self.last is not None else []

    @handler(numbers=("done", "of", "took"))
    def frame(self, fields: Fields, line: LogLine) -> list[Event]:
        """Of the bar of an evaluation: where rows have stamps it lives as long as that runs, by its clock."""
        if self.last is None:
            return []
        began: list[Event] = [] if self._evaluates else [SpanBegin(EVALUATION, line.at_s, self.next_index)]
        self._evaluates = True
        if fields["done"] == fields["of"]:
            self._took_s = fields["took"]
        if self._row_s is None or fields["took"] < self._shown_s + EVERY_S:
            return began
        self._shown_s = fields["took"]
        return [*began, Alive(self._row_s + self._shown_s)]

    def _evaluated(self, values: Fields, line: LogLine) -> list[Event]:
        """Once, however many handlers print it. The bar leaves out the scoring: stamps tell more than its clock."""
        took_s, self._took_s, self._evaluates = self._took_s, None, True
        again, self._found = values == self._found, values
        if again:
            return []
        timed = took_s is not None and self._row_s is None
        return self.evaluation(values | {"duration_s": took_s} if timed else values, line)


def _results(text: str, known: Iterable[str]) -> dict[str, float]:
    values = scalars(words(text).items(), frozenset(known))
    return {{"loss": "val_loss"}.get(name, name): value for name, value in values.items()}


def _means_of(window: int) -> dict[str, OverlappingMeans]:
    return {name: OverlappingMeans(window) for name in _TIMES}
