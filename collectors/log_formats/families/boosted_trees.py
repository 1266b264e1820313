"""What the rounds of boosted trees print: a value for each data set and metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ....events import EVALUATION, OF_THE_BEST
from ..parsing.values import ended, finite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....events import Event
    from ..parsing.values import Fields, LogLine

_FALLS = (
    r"(?i)(?:loss|rmse|rmsle|mae|mape|mphe|mse|smape|error|nloglik|deviance|l1|l2|huber|quantile|poisson|tweedie|gamma|fair|"
    r"entropy|xentlambda|kldiv|multiclass)(?:[@:].*)?"
)
_TRAINS = r"(?i)train\w*|learn|tr"
_VALIDATES = r"(?i)(?:valid|validation|val|eval|test|dev|holdout)(?:_set|_data)?"


class Result(NamedTuple):
    """`train-rmse:0.5`: of which data, by which metric, and how it was printed."""

    data: str
    metric: str
    value: float
    printed: str

    @property
    def falls(self) -> bool:
        """Is it a metric that training makes smaller? AUC, MAP and accuracy are no losses."""
        return bool(re.search(_FALLS, self.metric)) and bool(re.search(_FALLS, self.metric.rpartition("-")[2]))


class Stopped:
    """Rows each hundred rounds, and then a stop for want of a better one: so many rounds more than rows tell of were made."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._apart = 0.0  # rounds between two rows
        self._said = False
        self._rows: set[float | None] = set()  # since a best round was told

    def row(self, index: float | None) -> None:
        """A round has a row."""
        if index is not None and self._last is not None and index > self._last:
            self._apart = max(self._apart, index - self._last)
        self._last = index
        self._rows.add(index)

    def best(self, index: float | None, values: Fields, line: LogLine) -> list[Event]:
        """The best round where it may have no row of its own."""
        best = {name: value for name, value in values.items() if isinstance(value, float)}
        rows, self._rows = self._rows, set()
        if not best or not self.between or index in rows:
            return []
        return [ended(EVALUATION, line.at_s, index, detail=OF_THE_BEST, values=best)]

    @property
    def has_rows(self) -> bool:
        """Has the best round's line, which comes now, rows before it? Then it is none, also where it lies beyond them."""
        return bool(self._rows)

    @property
    def between(self) -> bool:
        """May a round lie between two rows?"""
        return self._apart > 1

    def early(self) -> str:
        """It stopped: what a person should know of that, once."""
        said, self._said = self._said, self._said or self._apart > 1
        return "" if said or self._apart <= 1 else BEHIND_LAST


BEHIND_LAST = "stopped early between two rows: there were at least as many rounds as rows tell of"


def loss_of(results: Iterable[Result]) -> float | None:
    """The training loss: of the data that is called so. `validation_0` may be either, nobody can know."""
    return next((one.value for one in results if one.falls and re.fullmatch(_TRAINS, one.data)), None)


def validation_of(results: Iterable[Result]) -> Fields:
    """All that was found on other data than that of the training, the first loss on a validation set as such."""
    values: Fields = {}
    for one in results:
        if re.fullmatch(_TRAINS, one.data) or finite(one.value) is None:
            continue
        is_loss = one.falls and re.fullmatch(_VALIDATES, one.data) and "val_loss" not in values
        values["val_loss" if is_loss else one.printed] = one.value
    return values
