"""XGBoost: a line a round, or every `verbose_eval` rounds, and the last one.

    [0]     train-rmse:0.75    valid-rmse:0.80
    [12:30:22] [0]  test-error:0.25                                  its command line, and distributed training
    [0]     train-rmse:0.75+0.01   test-rmse:0.80+0.02               cross-validation: mean and deviation
No time is printed. The data sets have the names that the script gave them: `validation_0` of scikit-learn's interface may
be the training data or not, so it is shown by its name. A notebook keeps each line in quotes. The line under `Stopping. Best iteration:` is a repetition, or of a round
between two rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...base import Example
from ...families.boosted_trees import Result, Stopped, loss_of, validation_of
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import number

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_RESULT = rf"([^\s:]{{1,60}}?)-([A-Za-z][\w@.-]{{0,40}}):({NUMBER_PATTERN})(?:\+[\d.e-]{{1,20}})?(?=\s|#|\\|$)"


class XgBoost(LineParser):
    """Rounds, and what each data set says of them."""

    name = "XGBoost"
    unit = "round"
    about = "rounds; no time is printed; loss: the first metric of the data called train, if it is one that falls"
    lines = (
        Line("]", rf"^[\s\"]*(?:\[\d\d:\d\d:\d\d\] )?\[(?P<iteration>\d+)\](?:\s{{1,8}}|#011)(?P<rest>[^\s:]{{1,60}}-[A-Za-z][\w@.-]{{0,40}}:{NUMBER_PATTERN}.*)$",
             "round"),
        Line("Stopping. Best", r"^[\s\"]*Stopping\. Best iteration", "best"),
        Line("Will train until", r"^[\s\"]*Will train until .{1,80} hasn't (?:improved|decreased|increased)", "begins"),
    )  # fmt: skip
    examples = (
        Example(
            """
[0]\ttrain-auc:0.75\ttrain-logloss:0.625\tvalid-auc:0.70\tvalid-logloss:0.65
Will train until valid-logloss hasn't improved in 2 rounds.
[1]\ttrain-auc:0.80\ttrain-logloss:0.5\tvalid-auc:0.72\tvalid-logloss:0.6
[2]\ttrain-auc:0.82\ttrain-logloss:0.375\tvalid-auc:0.71\tvalid-logloss:0.75
Stopping. Best iteration:
[1]\ttrain-auc:0.80\ttrain-logloss:0.5\tvalid-auc:0.72\tvalid-logloss:0.6
""",
            iterations=((0, None, 1, 0.625), (1, None, 1, 0.5), (2, None, 1, 0.375)),
            evaluations=(
                (0, {"valid-auc": 0.7, "val_loss": 0.65}),
                (1, {"valid-auc": 0.72, "val_loss": 0.6}),
                (2, {"valid-auc": 0.71, "val_loss": 0.75}),
            ),
        ),
        Example(
            """
[12:30:22] [0]\tvalidation_0-rmse:2.5\tvalidation_1-rmse:2.75
[12:30:22] [1]\tvalidation_0-rmse:2.25\tvalidation_1-rmse:2.5
""",
            iterations=((0, None, 1, None), (1, None, 1, None)),
            evaluations=(
                (0, {"validation_0-rmse": 2.5, "validation_1-rmse": 2.75}),
                (1, {"validation_0-rmse": 2.25, "validation_1-rmse": 2.5}),
            ),
            variant="XGBoost with data sets that nobody named",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._repeats, self._stopped = False, Stopped()

    @handler()
    def best(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The next line says a round once more."""
        self._repeats = True
        return self.said(self._stopped.early(), line)

    @handler()
    def begins(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """Early stopping is on."""
        return []

    @handler(iterations=True, texts=("rest",))
    def round(self, fields: Fields, line: LogLine) -> list[Event]:
        """A round, with what was found after it."""
        results = [
            Result(data, metric, value, f"{data}-{metric}")
            for data, metric, text in re.findall(_RESULT, fields.pop("rest"))
            if (value := number(text)) is not None
        ]
        repeats, self._repeats = self._repeats, False
        behind = self.last is not None and (fields["iteration"] or 0) <= self.last
        if repeats and (behind or self._stopped.has_rows):
            return self._stopped.best(fields["iteration"], validation_of(results), line)
        self._stopped.row(fields["iteration"])
        events = self.iteration(fields | {"loss": loss_of(results)}, line)
        values = validation_of(results)
        return (
            [*events, *self.evaluation({**values, "iteration": fields["iteration"]}, line)]
            if values and events
            else events
        )
