"""torchvision's `MetricLogger`, copied into DeiT, DINO, DETR, MAE and many more.

    Epoch: [35/100]  [1340/1562]  eta: 0:01:52  loss: 4.63 (4.58)  lr: 0.0001 (0.0001)  time: 0.5065  data: 0.0002  max mem: 11664
`time` and `data` are seconds, a mean over the newest 20 batches of the epoch, or as many as there are; loading is in the time. Each header has its
own clock: what is headed `Test:` or the like is an evaluation, whose `Total time` is its length; checkpoints are in none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing import phases
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import Phase
from ...parsing.values import Fields, LogLine, ended, number

if TYPE_CHECKING:
    from .....events import Event

_EPOCH = lazy_pattern(r"\[(\d{1,9})(?:/(\d{1,9}))?\]")
_LOSS = lazy_pattern(r"(?<!\w)(?:(?:total_|train_)?loss|loss_total): {1,12}(\S{1,30})")


_WINDOW = 20
"""A mean is that of so many batches, the newest."""


class MetricLogger(LineParser):
    """Headers are training's unless they name something else; which epoch it is also stands in `Test: [52]`."""

    name = "torchvision MetricLogger"
    about = "time: a mean over the newest 20 batches, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("eta:", r"^(?P<phase>[^\[]{0,80}(?:\[[\d/]+\])?[^\[]{0,20}?) +\[ *(?P<batch>\d+)/(?P<batches>\d+)\] +eta: (?:\d+ days?, )?[\d:]+ "
             r"(?P<rest>.*?)(?<!\w)time: (?P<duration_s>N) +data: (?P<data_wait_s>N)", "step"),
        Line("Total time:", r"^(?P<phase>.{1,100}?) Total time: (?P<rest>[\d:.]+)", "whole"),
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch: [0/100]  [  10/1562]  eta: 0:30:15  loss: 10.875 (10.88)  lr: 0.000000 (0.000000)  time: 1.1719  data: 0.4049  max mem: 11482
Test:  [ 0/98]  eta: 0:01:00  model_time: 0.5 (0.5)  time: 0.6  data: 0.1  max mem: 1000
Test: Total time: 0:01:01 (0.6 s / it)
Test: [0]  [ 0/98]  eta: 0:01:00  loss: 9.9 (9.9)  time: 0.6  data: 0.1  max mem: 1000
Test: [0] Total time: 0:01:02 (0.6 s / it)
Epoch: [1]  [   0/1562]  eta: 1 day, 0:30:15  lr: 0.000000  focal_loss: 0.1  total_loss: 9.5 (9.5)  time: 1.25  data: 0.4049
""",
            iterations=((10, 1.1719, 1, 10.875), (1562, 1.25, 1, 9.5)),
            evaluations=((11, {}), (11, {})),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._first: Fields | None = None  # an epoch's first batch, which the mean of the next row has in it

    @handler(iterations=True, texts=("phase", "rest"))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of training; one of an evaluation is left to the line at its end."""
        phase = fields.pop("phase")
        if phases.of_title(phase) is not None:
            return []
        if place := _EPOCH.search(phase):
            fields["epoch"] = float(place[1])
            if place[2]:
                fields["epochs"] = float(place[2])
        if loss := _LOSS.search(fields.pop("rest")):
            fields["loss"] = number(loss[1])
        index, batch, first = self.position(fields), fields["batch"], None if fields["batch"] else {**fields}
        if index is not None and self.last is not None and index > self.last:
            fields["averaged_over"] = min(index - self.last, batch + 1, _WINDOW)
            if self._first is not None and index - self.last == batch < _WINDOW:
                fields |= _without(self._first, fields)
        events = self.iteration(fields, line)
        if events:
            self._first = first
        return events

    @handler(texts=("phase", "rest"))
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """The end of an evaluation, by its title, with its length as H:MM:SS; an epoch's is left aside."""
        if phases.of_title(fields["phase"]) is not Phase.EVALUATION:
            return []
        seconds = 0.0
        for part in fields["rest"].split(":"):
            seconds = seconds * 60 + (number(part) or 0)
        return [ended(EVALUATION, line.at_s, self.next_index, seconds, detail=fields["phase"].rstrip(": "))]


def _without(first: Fields, row: Fields) -> Fields:
    """The times of a row from whose means the epoch's first batch is taken out; as printed, where that cannot be."""
    times = {
        name: ((row["batch"] + 1) * row[name] - first[name]) / row["batch"]
        for name in ("duration_s", "data_wait_s")
    }
    return times if min(times.values()) >= 0 and times["duration_s"] > 0 else {}
