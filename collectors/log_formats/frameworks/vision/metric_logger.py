"""torchvision's `MetricLogger`, copied into DeiT, DINO, DETR, MAE and many more.

    Epoch: [35/100]  [1340/1562]  eta: 0:01:52  loss: 4.63 (4.58)  lr: 0.0001 (0.0001)  time: 0.5065  data: 0.0002  max mem: 11664
`time` and `data` are seconds, a mean over the newest 20 batches of the epoch, or as many as there are; loading is in the time. Copies of it print
those of the newest batch alone: their sums over 20 contradict each other. Each header has its own clock: what is headed `Test:` or the like is an
evaluation, whose `Total time` is its length; checkpoints are in none.
"""

from __future__ import annotations

from collections import deque
from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

from .....events import DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing import phases
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import Phase
from ...parsing.values import Fields, LogLine, ended, number, whole

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.grammar import LineKind

_EPOCH = lazy_pattern(r"\[(\d{1,9})(?:/(\d{1,9}))?\]")
_LOSS = lazy_pattern(r"(?<!\w)(?:(?:total_|train_)?loss|loss_total): {1,12}(\S{1,30})")


_WINDOW = 20
"""A mean is that of so many batches, the newest."""

_UNSURE = 0.03
"""Of a row's time: when so much may be wrong, no sum is taken apart any more in this epoch."""

_SHORT = 3.0
"""So many times what the last digits leave open, what is left of a sum is below nothing: it was no sum of so many batches."""


class MetricLogger(LineParser):
    """Headers are training's unless they name something else; which epoch it is also stands in `Test: [52]`."""

    name = "torchvision MetricLogger"
    about = "time: a mean over the newest 20 batches, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("eta:", r"^(?P<phase>[^\[]{0,80}(?:\[[\d/]+\](?:[^\[]{1,20} \[[\d/]+\])?)?[^\[]{0,20}?) +\[ *(?P<batch>\d+)/(?P<batches>\d+)\] +eta: (?:\d+ days?, )?[\d:]+ "
             r"(?P<rest>.*?)(?<!\w)time: (?P<mean>N) +data: (?P<mean_data>N)", "step"),
        Line("Total time:", r"^(?P<phase>.{1,100}?) Total time: (?P<rest>[\d:.]+(?: \([\d.]+ s / it)?)", "whole"),
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

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """No row of an evaluation does: whoever trains with another loop may use these rows to evaluate alone."""
        is_row = super().carries_iteration(text, kind, found)
        return is_row and phases.of_title(kind.read(found)["phase"]) is None

    def __init__(self) -> None:
        super().__init__()
        self._batch = 0.0  # of the newest row
        self._windows = Window(), Window()  # of times, and of waits
        self._batches = 0.0  # of what is headed so
        self.of_an_epoch: float | None = None  # batches
        self._spent = Spent()
        self._readings = False  # the log refutes its means: each time is that of the newest batch
        self._several = False  # processes print their rows side by side

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:  # noqa: ARG002 - dropped rows are no harm
        """Do the rows refute that their times are means? It is asked before the first of them is taken apart."""
        pupil = type(self)()
        for text in lines:
            pupil.line(text, None)
        self._readings = self._readings or pupil._readings

    @handler(iterations=True, texts=("phase", "rest", "mean", "mean_data"))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of training; one of an evaluation is left to the line at its end."""
        phase, means = fields.pop("phase"), (fields.pop("mean"), fields.pop("mean_data"))
        self._batches = fields["batches"]
        if phases.of_title(phase) is not None:
            return []
        if places := [*_EPOCH.finditer(phase)]:
            place = places[-1]  # `data epoch: [0]; inner epoch [3]`: the batches are those of the inner one
            fields["epoch"] = float(place[1])
            if place[2]:
                fields["epochs"] = float(place[2])
        self.of_an_epoch = fields["batches"] if "epoch" in fields else None
        if loss := _LOSS.search(fields.pop("rest")):
            fields["loss"] = number(loss[1])
        fields |= {"duration_s": number(means[0]), "data_wait_s": number(means[1])}
        return self.iteration(fields | self._own(fields["batch"], self.position(fields), means), line)

    def _own(self, batch: float, index: int | None, means: tuple[str, str]) -> Fields:
        """What the row's own batches took, and how many they are; of the newest `_WINDOW`, where nobody knows."""
        passed = None if index is None or self.last is None or index <= self.last else index - self.last
        follows, self._batch = passed is not None and passed == batch - self._batch, batch
        time, wait = (
            window.of_row(whole(batch) or 0, mean, follows=follows)
            for window, mean in zip(self._windows, means, strict=True)
        )
        self._several = self._several or (index is not None and index == self.last)
        self._spent = (self._spent if follows else Spent()).and_row(batch + 1, time, number(means[0]) or 0.0)
        if not self._several and any(window.refuted for window in self._windows):
            self._readings = True
        if passed is None or self._readings:
            return {}
        found: Fields = {"averaged_over": min(passed, batch + 1, _WINDOW)}
        if time is None or time.steps > passed or self._several:
            return found
        allowed_s = _UNSURE * time.seconds
        if time.unsure_s > allowed_s:
            for window in self._windows:
                window.forget()
            return found
        found["duration_s"] = time.seconds / time.steps
        return found | ({"data_wait_s": wait.seconds / wait.steps} if wait and wait.unsure_s <= allowed_s else {})

    @handler(texts=("phase", "rest"))
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """The end of an evaluation, by its title, with its length as H:MM:SS; an epoch's is a witness of its rows alone.

        Its fraction of a second was cut off: what each of its batches took tells of it.
        """
        clock, _, each = fields["rest"].partition(" (")
        if (phase := phases.of_title(fields["phase"])) is not Phase.EVALUATION:
            if phase is None:
                self._compare(number(each.partition(" ")[0]) or 0.0)
            return []
        seconds = 0.0
        for part in clock.split(":"):
            seconds = seconds * 60 + (number(part) or 0)
        by_batches_s = (number(each.partition(" ")[0]) or 0.0) * self._batches
        seconds = by_batches_s if seconds <= by_batches_s < seconds + 1 else seconds
        title = fields["phase"].partition("[")[0].rstrip(": ")
        return [ended(EVALUATION, line.at_s, self.next_index, seconds, detail=title)]

    def _compare(self, each_s: float) -> None:
        """An epoch is over, and its batches took so long: did its rows, all of them?

        Short epochs take more than their batches: where times of their own would be too many seconds, they are means.
        """
        spent, self._spent = self._spent, Spent()
        complete = 0 < spent.steps == self._batches and each_s > 0 and not self._several
        allowed_s = each_s * (_UNSURE * spent.steps + spent.taken)
        whole_s = each_s * spent.steps
        off_s, more_s = abs(spent.seconds - whole_s), spent.as_readings_s - whole_s
        if complete and off_s > allowed_s and more_s <= off_s:
            self._readings = True


class Spent(NamedTuple):
    """What the rows of an epoch took so far, its steps, and those of them that have but the mean of others, too."""

    seconds: float = 0.0
    steps: float = 0.0
    taken: float = 0.0
    as_readings_s: float = 0.0  # the same if each row's time is that of its own batches

    def and_row(self, steps: float, own: OwnTime | None, mean_s: float) -> Spent:
        """... with the next row, which stands at so many steps."""
        more = steps - self.steps
        as_readings_s = self.as_readings_s + more * mean_s
        if own is not None:
            return Spent(self.seconds + own.seconds, steps, self.taken, as_readings_s)
        return Spent(self.seconds + more * mean_s, steps, self.taken + more, as_readings_s)


class OwnTime(NamedTuple):
    """What a row's own batches took."""

    first: int
    last: int
    seconds: float
    variance: float = 0.0  # of the seconds, by the last digits of the means that they were taken out of

    @property
    def steps(self) -> int:
        """So many they are."""
        return self.last + 1 - self.first

    @property
    def unsure_s(self) -> float:
        """By so much the seconds may well be wrong."""
        return 2 * sqrt(self.variance)


class Window:
    """Takes the means of one quantity apart.

    Of rows that stand ten batches apart each batch is in the means of two. What a row's own ones took is the sum of its
    mean less what the rows before took, back to the epoch's first.
    """

    def __init__(self) -> None:
        self._digits = 1  # behind the point, the most that were seen
        self.refuted = False  # less than nothing was left of a mean: it is none of so many batches
        self._rows: deque[OwnTime] = deque(maxlen=_WINDOW)

    def forget(self) -> None:
        """Nothing is known of the rows so far."""
        self._rows.clear()

    def of_row(self, step: int, mean: str, *, follows: bool) -> OwnTime | None:
        """The next row; `None`: nobody knows what its own batches took.

        Args:
            step: its place in the epoch, from 0.
            mean: as it was printed.
            follows: is it of the same epoch as the row before, with no batch uncounted?
        """
        self._digits = max(self._digits, len(mean.partition(".")[2]))
        if not follows:
            self.forget()
        first = self._rows[-1].last + 1 if self._rows else 0
        begins = max(0, step + 1 - _WINDOW)
        held, each_s = self._held(begins, first), number(mean)
        if held is None or each_s is None or step < first:
            self.forget()
            return None
        summed = step + 1 - begins
        seconds = summed * each_s - sum(row.seconds for row in held)
        variance = (summed * 10.0**-self._digits) ** 2 / 12 + sum(row.variance for row in held)
        own = OwnTime(first, step, seconds, variance if held else 0.0)
        if not 0 <= seconds < inf:
            self.refuted = self.refuted or seconds < -_SHORT * own.unsure_s
            self.forget()
            return None
        self._rows.append(own._replace(variance=variance))
        return own

    def _held(self, begins: int, first: int) -> list[OwnTime] | None:
        """The rows whose batches the mean has in it, from `begins` to before `first`; `None`: no whole rows."""
        held: list[OwnTime] = []
        for row in reversed(self._rows):
            if row.first < begins:
                break
            held.append(row)
        least = held[-1].first if held else first
        return held if least == begins else None
