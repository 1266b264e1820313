"""DeePMD-kit: the console of `dp train`; the losses of TensorFlow's trainer are in `lcurve.out`.

    DEEPMD INFO    batch    1000 training time 7.27 s, testing time 0.01 s
    [2025-08-30 22:27:03,177] DEEPMD INFO    Batch    1000: trn: rmse = 2.32e-01, rmse_e = 8.12e-02, lr = 9.99e-04
    [2025-08-30 22:27:03,178] DEEPMD INFO    Batch    1000: total wall time = 17.90 s, eta = 6:54:56
    DEEPMD INFO    wall time: 30885.343 s
The seconds are of all batches since the row before (`disp_freq`). The training time is that of the training steps alone: the
wait for data, the test and the save lie between them. The total wall time has all that in it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, RunInfo
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import ended, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_INFO = r"\bDEEPMD (?:rank:\d{1,6} {1,4})?INFO {1,8}"
_STEP = lazy_pattern(_INFO + r"[Bb]atch {1,12}(\d{1,12}):? (?:.{0,40}training time|total wall time) ")
_VALUE = lazy_pattern(r"\b(\w{1,40}) = ([-+.\w]{1,24})")
_ALL = (DATA, EVALUATION, CHECKPOINT)
_OFTEN = 2
"""So many rows that stand as far apart tell how often one is printed."""

_LEAST_S, _LEAST_SHARE = 0.1, 0.01
"""A test of less, and of a smaller share of its row, is lost in the hundredths that are printed."""


class DeePmd(LineParser):
    """Its rows of time, and what was found at them."""

    name = "DeePMD-kit"
    about = "training time: the sum of the training steps since the last row, without data and tests; total wall time: with all"
    lines = (
        Line(
            "training time",
            _INFO + r"batch +(?P<iteration>\d+) (?:method \S{1,60} )?training time (?P<spent>N) s, testing time (?P<tested>N) s",
            "row",
        ),
        Line("total wall time =", _INFO + r"[Bb]atch +(?P<iteration>\d+): total wall time = (?P<spent>N) s", "row_with_all"),
        Line(": trn: ", _INFO + r"[Bb]atch +(?P<iteration>\d+): trn: (?P<metrics>.{1,1000})", "trained"),
        Line(": val: ", _INFO + r"[Bb]atch +(?P<iteration>\d+): val: (?P<metrics>.{1,1000})", "validated"),
        Line("start training at lr", _INFO + "start training at lr ", "starts"),
        Line("saved checkpoint ", _INFO + r"saved checkpoint (?P<detail>\S{1,300})", "saved"),
        Line("Saved model to ", _INFO + r"Saved model to (?P<detail>\S{1,300})", "saved"),
        Line("finished training", _INFO + r"finished training\s*$", "done"),
        Line("wall time:", _INFO + r"wall time: (?P<duration_s>N) s", "took"),
        Line("DEEPMD ", _INFO, "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
DEEPMD INFO    initialize model from scratch
DEEPMD INFO    start training at lr 1.00e-03 (== 1.00e-03), decay_step 500, decay_rate 0.95, final lr will be 3.51e-08
DEEPMD INFO    batch     100 training time 2.00 s, testing time 0.25 s
DEEPMD INFO    batch     200 training time 1.00 s, testing time 0.25 s
DEEPMD INFO    saved checkpoint model.ckpt
DEEPMD INFO    batch     300 training time 1.50 s, testing time 0.00 s
DEEPMD INFO    finished training
DEEPMD INFO    wall time: 6.500 s
""",
            iterations=((100, None, 1, None), (200, 0.01, 100, None), (300, 0.015, 100, None)),
            evaluations=((101, {}), (201, {})),
            checkpoints=(201,),
        ),
        Example(
            """
[2025-08-30 22:27:00,100] DEEPMD INFO    Batch       1: trn: rmse = 8.00e+00, rmse_e = 4.00e+00, lr = 1.00e-03
[2025-08-30 22:27:00,100] DEEPMD INFO    Batch       1: val: rmse = 9.00e+00, rmse_e = 5.00e+00
[2025-08-30 22:27:00,100] DEEPMD INFO    Batch       1: total wall time = 0.50 s, eta = 0:02:30
[2025-08-30 22:27:10,100] DEEPMD INFO    Batch     101: trn: rmse = 2.00e+00, rmse_e = 1.00e+00, lr = 5.00e-04
[2025-08-30 22:27:10,100] DEEPMD INFO    Batch     101: total wall time = 10.00 s, eta = 0:00:20 at 2025-08-30 22:27
[2025-08-30 22:27:10,300] DEEPMD INFO    Saved model to model.ckpt-101.pt
""",
            iterations=((1, 0.5, 1, None), (101, 0.1, 100, None)),
            evaluations=((2, {"val_rmse": 9.0, "val_rmse_e": 5.0}),),
            checkpoints=(102,),
            variant="DeePMD-kit 3",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._every: int | None = None  # batches from row to row, as most rows stand apart
        self._with_all = False  # is its time that of the wall?
        self._metrics: tuple[float, dict[str, float]] | None = None  # of the training, and its batch

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """How far most rows stand apart. A first row that stands there is of as many."""
        if self._every is not None or scattered:
            return
        steps = [int(found[1]) for text in lines if (found := _STEP.search(text))]
        apart = Counter(after - before for before, after in pairwise(steps) if after > before)
        often, times = max(apart.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        self._every = often if times >= _OFTEN else None

    def run_info(self, line: LogLine) -> RunInfo:
        """Of what its seconds are."""
        includes = _ALL if self._with_all else ()
        return replace(super().run_info(line), time_includes=includes)

    @handler()
    def starts(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A process begins to train; one that goes on counts on from its checkpoint."""
        self.started, self._metrics = self.last is not None, None
        return []

    @handler(iterations=True, numbers=("spent", "tested"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """The time of the training steps, and of the test behind them."""
        index, tested_s, spent_s = fields["iteration"], fields.pop("tested"), fields["spent"]
        events = self.iteration(self._of_each(fields), line)
        if tested_s >= min(_LEAST_S, _LEAST_SHARE * spent_s) > 0 and index == self.last:
            end = ended(EVALUATION, line.at_s, self.next_index, tested_s, apart=True)
            events.append(of_the_newest(end, self.last))
        return events

    @handler(iterations=True, numbers=("spent",))
    def row_with_all(self, fields: Fields, line: LogLine) -> list[Event]:
        """The time of the wall, and what the lines before found of the batch."""
        self._with_all = True
        found, self._metrics = self._metrics, None
        if found is not None and found[0] == fields["iteration"]:
            values = dict(found[1])
            fields |= {"learning_rate": values.pop("lr", None), "scalars": values or None}
        return self.iteration(self._of_each(fields), line)

    @handler(texts=("metrics",), numbers=("iteration",))
    def trained(self, fields: Fields, _line: LogLine) -> list[Event]:
        """What the batch of the next row shows."""
        self._metrics = fields["iteration"], _values(fields["metrics"])
        return []

    @handler(texts=("metrics",), numbers=("iteration",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """What a test of this batch's model found; its line comes before that of the time."""
        index = fields["iteration"]
        values = {f"val_{name}": value for name, value in _values(fields["metrics"]).items()}
        end = ended(EVALUATION, line.at_s, index + 1, values=values)
        return [of_the_newest(end, int(index))]

    @handler(texts=("detail",))
    def saved(self, fields: Fields, line: LogLine) -> list[Event]:
        """A checkpoint was written: in the time of the next row only where that is the wall's."""
        apart = not self._with_all
        return [ended(CHECKPOINT, line.at_s, self.next_index, detail=fields["detail"], apart=apart)]

    def _of_each(self, fields: Fields) -> Fields:
        """With the time of each batch, where it is known of how many the seconds are the sum."""
        index, spent_s = fields["iteration"], fields.pop("spent")
        before = self.last if self.last is not None and self.last < index and not self.started else None
        steps = (1 if index == 1 else self._every) if before is None else index - before
        return (
            fields | {"duration_s": spent_s / steps, "averaged_over": steps}
            if steps and index >= steps
            else fields
        )


def _values(text: str) -> dict[str, float]:
    named = ((found[1], number(found[2])) for found in _VALUE.finditer(text))
    return {name: value for name, value in named if value is not None}
