"""`metrics.csv` of PyTorch Lightning's CSVLogger.

    epoch,step,train_loss_step,val_loss
    0,49,7.5,
    0,99,,7.125
Training, validation, learning rates and an epoch's means stand in rows of their own; those of one step are one iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from .....events import EndReason, Message, RunInfo
from ...base import Example, Specificity
from ...counting.standing import NO_CONTEXT, RowContext
from ...generic.csv_table import NUMBERS, Csv
from ...parsing.grammar import Line
from ...parsing.phases import validates
from ...parsing.validation import MOST_TOLD
from ...parsing.values import LogLine, as_number, scalars

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .....events import Event
    from ...parsing.columns import Role

_PLACES = ("epoch", "step", "lr")


class LightningCsv(Csv):
    """`metrics.csv` of Lightning's CSVLogger: training and validation in rows of their own, and no time."""

    name = "Lightning metrics.csv"
    about = "loss by step; the file holds no time unless the module logs one"
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line(
            "step",
            r"^(?!.{0,4000}\btrain_runtime\b)(?=.{0,4000}\bepoch,)(?=.{0,4000}\bstep\b)[\w/.,()-]+$",
            "heading",
        ),
        NUMBERS,
    )
    examples = (
        Example(
            """
epoch,step,train_loss_step,val_loss
0,49,7.5,
0,99,7.25,
0,99,,7.125
""",
            iterations=((49, None, 1, 7.5), (99, None, 1, 7.25)),
            evaluations=((99, {"val_loss": 7.125}),),
        ),
        Example(
            """
epoch,lr-Adam,step,train_loss_epoch,val_acc,val_loss
,0.001,0,,,
0,,99,,0.5,2.125
0,,99,2.5,,
,0.001,100,,,
1,,199,,0.75,2.0
1,,199,2.25,,
""",
            iterations=((99, None, 1, 2.5), (199, None, 1, 2.25)),
            evaluations=((99, {"val_acc": 0.5, "val_loss": 2.125}), (199, {"val_acc": 0.75, "val_loss": 2.0})),
            variant="Lightning metrics.csv with an epoch's mean and a monitor of the learning rate",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._held: _Step | None = None
        self._validates = False  # has a row that is no test's told of an evaluation?
        self._tests = self._trained_since = (
            False  # is the newest row a test's; did one of training follow a test's?
        )

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:
        """A row; one that has nothing but its place and a learning rate is none of training."""
        cells = {name: cell for name, cell in row if cell not in ("", None)}
        values = [name for name in cells if name not in _PLACES and not name.startswith("lr-")]
        if not values:
            return []
        evaluates = all(map(validates, values))
        held, place = self._held, (cells.get("epoch"), cells.get("step"))
        if held is None or held.place != place or not (evaluates or held.cells.keys().isdisjoint(values)):
            events, held = self._over(), _Step(place, {}, line, said, [])
            self._held = held
        else:
            events = []
        if not evaluates:
            held.cells.update(cells)
        elif len(held.evaluated) < MOST_TOLD:
            held.evaluated.append((cells, line))
        return events

    def release(self) -> list[Event]:
        """The newest step has all its rows."""
        events = self._over()
        if events and not self.announced:
            self.announced = True
            return events if isinstance(events[0], RunInfo) else [self.run_info(LogLine("", None)), *events]
        return events

    def _over(self) -> list[Event]:
        """The step at hand: what was trained, with the values of all its rows, and then what was evaluated."""
        held, self._held = self._held, None
        if held is None:
            return []
        cells, events = held.cells, []
        if "train_loss_epoch" in cells and not {"loss", "train_loss", "train_loss_step"} & {*cells}:
            cells["train_loss"] = cells.pop("train_loss_epoch")
        if cells:
            self._tests, self._trained_since = False, self._trained_since or self._tests
            events += super().row(cells.items(), held.line, held.said)
        for found, line in held.evaluated:
            events += self._tested(found, line) or super().row(found.items(), line, held.said)
        return events

    def _tested(self, cells: dict[str, object], line: LogLine) -> list[Event]:
        """A test's row, where validations have rows: its loss is none of theirs."""
        named = {name: cell for name, cell in cells.items() if name not in _PLACES and not name.startswith("lr-")}
        is_test = all("test" in name.lower() for name in named)
        self._validates = self._validates or not is_test
        found = scalars(named.items()) if is_test and self._validates else {}
        self._tests = bool(found)
        return self.validation.whole(line, as_number(cells.get("step")), found) if found else []

    def end(self) -> list[Event]:
        """A test comes behind the last epoch: where nothing follows it, the training is over."""
        told = super().end()
        over = Message("the log closes with a test's row", ending=EndReason.FINISHED)
        return [*told, over] if self._tests and not self._trained_since else told


class _Step(NamedTuple):
    """The rows of one step so far."""

    place: tuple[object, object]  # epoch and step
    cells: dict[str, object]  # what was trained
    line: LogLine
    said: RowContext
    evaluated: list[tuple[dict[str, object], LogLine]]
