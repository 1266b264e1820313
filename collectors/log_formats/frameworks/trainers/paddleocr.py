"""PaddleOCR: what it calls a mean is the sum over the iterations since the line before, divided by `print_batch_step`.

    [2024/05/01 12:00:00] ppocr INFO: epoch: [1/200], global_step: 10, lr: 0.000004, loss: 4.92, avg_reader_cost: 0.12 s, avg_batch_cost: 0.53 s, avg_samples: 8.0, ips: 14.9 samples/s
    [2024/05/01 12:00:07] ppocr INFO: cur metric, precision: 0.5, recall: 0.25, hmean: 0.33, fps: 71.18
Also where an epoch ends sooner: its last line of two iterations shows a fifth of their time. The sum of a batch has its wait for data
(reader) in it; evaluations and saves lie between two lines.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, Config
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, number, scalars, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_STEP = lazy_pattern(r", global_step: (\d{1,12}), ")
_NAMED = lazy_pattern(r"([A-Za-z_]\w{0,40}): ([-+]?[\d.]{1,20}(?:[eE][-+]?\d{1,3})?|nan|inf)(?=,|$)")
_UNDERSTOOD = frozenset(("lr", "loss"))
_WINDOWS = lazy_pattern(r"^\[[\d/: ]+\] ppocr INFO: .*[ '\"][A-Za-z]:[/\\]")
"""A setting of this program's that is a path with a drive."""
_OFTEN = 3
"""So many lines that stand one print interval apart tell how long it is."""


class _Epochs:
    """How long an epoch of this launch is, of the lengths that it may have, and how many it makes.

    On Windows the last batch of the loader is left out. A launch that goes on from a checkpoint may count its steps
    from 0, its epochs from where they were: how many it has behind it, its first row shows. A length that shows
    another number in a later row is not that of an epoch.
    """

    def __init__(self, batches: float, *, is_short: bool) -> None:
        lengths = (batches - 1, batches) if is_short else (batches, batches - 1)
        self._batches = batches
        self._behind: dict[float, float | None] = {length: None for length in lengths if length > 0}

    @property
    def is_short(self) -> bool | None:
        """Is the last batch left out? `None`: its rows do not tell yet."""
        return self._batches not in self._behind if len(self._behind) == 1 else None

    def total(self, fields: Fields) -> float | None:
        """The steps of this launch; `None`: no length fits its rows."""
        for length, known in [*self._behind.items()]:
            behind = fields["epoch"] - 1 - max(fields["iteration"] - 1, 0) // length
            if behind < 0 or known not in (None, behind):
                del self._behind[length]
            else:
                self._behind[length] = behind
        length, behind = next(iter(self._behind.items()), (0.0, None))
        return None if behind is None else (fields["epochs"] - behind) * length


class PaddleOcr(LineParser):
    """Its lines, the metrics of evaluations, and where it saves."""

    name = "PaddleOCR"
    about = "avg_batch_cost times print_batch_step: all since the last line, with data (avg_reader_cost)"
    time_includes = (DATA,)
    tells_the_rest = True
    lines = (
        Line("avg_batch_cost:", r"epoch: \[(?P<epoch>\d+)/(?P<epochs>\d+)\], global_step: (?P<iteration>\d+), (?P<rest>.{0,2000}?), "
             r"avg_reader_cost: (?P<reader>N) s, avg_batch_cost: (?P<batch_cost>N) s, avg_samples:", "window"),
        Line("ppocr INFO:", r"ppocr INFO: +print_batch_step : (?P<interval>\d+)$", "interval"),
        Line("ppocr INFO:", r"ppocr INFO: train dataloader has (?P<batches>\d+) iters", "loader"),
        Line("ppocr INFO:", r"ppocr INFO: cur metric, (?P<rest>.{0,2000})$", "metrics"),
        Line("ppocr INFO:", r"ppocr INFO: save (?:best )?model (?:is to|in) (?P<detail>\S+)", "checkpoint_written"),
        Line("ppocr INFO:", r"ppocr INFO: ", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
[2024/05/01 12:00:00] ppocr INFO:     print_batch_step : 10
[2024/05/01 12:00:01] ppocr INFO: train dataloader has 12 iters
[2024/05/01 12:00:10] ppocr INFO: epoch: [1/20], global_step: 10, lr: 0.000004, loss: 4.5, avg_reader_cost: 0.5 s, avg_batch_cost: 1.0 s, avg_samples: 8.0, ips: 8.0 samples/s, eta: 0:03:50
[2024/05/01 12:00:11] ppocr INFO: epoch: [1/20], global_step: 12, lr: 0.000008, loss: 2.5, avg_reader_cost: 0.025 s, avg_batch_cost: 0.125 s, avg_samples: 1.6, ips: 12.8 samples/s, eta: 0:03:48
[2024/05/01 12:00:16] ppocr INFO: cur metric, precision: 0.5, recall: 0.25, hmean: 0.375, fps: 70.5
[2024/05/01 12:00:18] ppocr INFO: save best model is to ./output/best_accuracy
""",
            iterations=((10, 1.0, 10, 4.5), (12, 0.625, 2, 2.5)),
            evaluations=((13, {"precision": 0.5, "recall": 0.25, "hmean": 0.375}),),
            checkpoints=(13,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._interval: float | None = None
        self._batches: float | None = None
        self._epochs: _Epochs | None = None
        self._is_short = False  # as far as its paths, or an earlier launch, show

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """On what it runs; and the interval, of a log without its settings.

        Most lines stand one apart, the others are the last of their epochs.
        """
        lines = [*lines]
        self._is_short = self._is_short or any(_WINDOWS.search(text) for text in lines)
        if self._interval is not None or scattered:
            return
        steps = [int(found[1]) for text in lines if (found := _STEP.search(text))]
        apart = Counter(after - before for before, after in pairwise(steps) if after > before)
        often, times = max(apart.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        if times >= _OFTEN and sum(step % often == 0 for step in steps) > len(steps) / 2:
            self._interval = often

    @handler(numbers=("interval",))
    def interval(self, fields: Fields, _line: LogLine) -> list[Event]:
        """`print_batch_step`."""
        self._interval = fields["interval"] or None
        return []

    @handler(numbers=("batches",))
    def loader(self, fields: Fields, _line: LogLine) -> list[Event]:
        """An epoch's length."""
        self._batches = fields["batches"] or None
        self._epochs = None
        length = whole(self._batches)
        return [Config(origin="log", iterations_per_epoch=length)] if length else []

    @handler(iterations=True, texts=("rest",), numbers=("epoch", "epochs", "reader", "batch_cost"))
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """All iterations since the line before. Of a first line that begins in the middle nobody knows how many."""
        index, read = fields["iteration"], {name: number(text) for name, text in _NAMED.findall(fields["rest"])}
        known = {name: value for name, value in read.items() if value is not None}
        told: Fields = {"iteration": index, "loss": known.get("loss"), "learning_rate": known.get("lr")}
        told["scalars"] = scalars(known.items(), _UNDERSTOOD) or None
        interval, before = self._interval, self.last if self.last is not None and self.last < index else None
        steps = index - before if before is not None else index if interval and index <= interval else None
        if interval and steps and 0 < steps <= interval:
            told["duration_s"], told["averaged_over"] = fields["batch_cost"] * interval / steps, steps
            told["data_wait_s"] = fields["reader"] * interval / steps
        if self._batches:
            told["total"] = self._total(fields, self._batches)
        return self.iteration(told, line)

    def _total(self, fields: Fields, batches: float) -> float | None:
        if self._epochs is None or (self.last is not None and fields["iteration"] <= self.last):
            self._epochs = _Epochs(batches, is_short=self._is_short)
        total = self._epochs.total(fields)
        is_short = self._epochs.is_short
        self._is_short = self._is_short if is_short is None else is_short
        return total

    @handler(texts=("rest",))
    def metrics(self, fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation is over; what it took nobody says."""
        read = {name: number(text) for name, text in _NAMED.findall(fields["rest"]) if name != "fps"}
        found = {name: value for name, value in read.items() if value is not None}
        return [ended(EVALUATION, line.at_s, self.next_index, values=found)]
