"""LightGBM: from Python a line a round, or every `period` rounds; its command line says a line for each value.

    [5]     training's rmse: 1.25    valid_1's rmse: 1.5                  Python, R
    [LightGBM] [Info] Iteration:5, training rmse : 1.25                   command line
    [LightGBM] [Info] 1.250000 seconds elapsed, finished iteration 5      since the training began
A notebook keeps each line in quotes.
`training` is the training data, by LightGBM's own word; all others are not. The line under `Best iteration is:` is a repetition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import Message
from ...base import Example
from ...families.boosted_trees import Result, Stopped, loss_of, validation_of
from ...families.elapsed import ElapsedParser
from ...families.side_by_side import SideBySide
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.values import finite, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_RESULT = rf"([^\s:']{{1,60}})'s ([^:]{{1,60}}): {{1,12}}({NUMBER_PATTERN})"
_PLACE = r"valid_\d+"


class LightGbm(ElapsedParser):
    """Rounds, and what each data set says of them."""

    name = "LightGBM"
    unit = "round"
    about = (
        "rounds; a time only from its command line (seconds elapsed); loss: the first falling metric of `training`"
    )
    lines = (
        Line("'s ", rf"^[\s\"]*\[(?P<iteration>\d+)\]\s{{1,8}}(?P<rest>[^\s:']{{1,60}}'s [^:]{{1,60}}: {NUMBER_PATTERN}.*)$", "round"),
        Line("Iteration:", r"^[\s\"]*\[LightGBM\] \[Info\] Iteration: ?(?P<iteration>\d+), (?P<data>\S{1,60}) (?P<metric>\S{1,60}) : (?P<value>N)",
             "value"),
        Line("seconds elapsed", r"^[\s\"]*\[LightGBM\] \[Info\] (?P<seconds>N) seconds elapsed, finished iteration (?P<iteration>\d+)", "finished"),
        Line("est iteration is", r"^[\s\"]*(?:[Dd]id not meet early stopping\. |[Ee]arly stopping, )[Bb]est iteration is:", "best"),
        Line("[LightGBM]", r"^[\s\"]*\[LightGBM\] \[(?:Info|Warning|Debug|Fatal)\] ", "known"),
        Line("Training until", r"^[\s\"]*Training until validation scores don't improve for \d+ rounds", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
Training until validation scores don't improve for 30 rounds
[5]\ttraining's rmse: 1.25\tvalid_1's rmse: 1.5
[10]\ttraining's rmse: 1.0\tvalid_1's rmse: 1.625
Did not meet early stopping. Best iteration is:
[5]\ttraining's rmse: 1.25\tvalid_1's rmse: 1.5
""",
            iterations=((5, None, 1, 1.25), (10, None, 1, 1.0)),
            evaluations=((5, {"val_loss": 1.5}), (10, {"val_loss": 1.625})),
        ),
        Example(
            """
[LightGBM] [Info] Start training from score 0.500000
[LightGBM] [Info] Iteration:1, training binary_logloss : 0.625
[LightGBM] [Info] Iteration:1, valid_1 auc : 0.75
[LightGBM] [Info] 0.250000 seconds elapsed, finished iteration 1
[LightGBM] [Info] Iteration:2, training binary_logloss : 0.5
[LightGBM] [Info] Iteration:2, valid_1 auc : 0.78125
[LightGBM] [Info] 0.750000 seconds elapsed, finished iteration 2
""",
            iterations=((1, None, 1, 0.625), (2, 0.5, 1, 0.5)),
            evaluations=((1, {"valid_1 auc": 0.75}), (2, {"valid_1 auc": 0.78125})),
            variant="LightGBM from its command line",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._repeats, self._stopped = False, Stopped()
        self._results: list[Result] = []
        self._folds = SideBySide()  # models, by the names of their data sets

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:  # noqa: ARG002 - the order is enough
        """Are several models trained at once?"""
        pupil = SideBySide()
        for text in lines:
            matched = self.match(text)
            if matched is not None and matched[0].name == "round":
                pupil.see(_tag(matched[1]["rest"]))
        self._folds.learn(pupil)

    @handler()
    def best(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The next line says a round once more."""
        self._repeats = True
        return self.said(self._stopped.early(), line) if line.text.lstrip(' "').lower().startswith("early") else []

    @handler(iterations=True, texts=("rest",))
    def round(self, fields: Fields, line: LogLine) -> list[Event]:
        """A round, with what was found after it."""
        rest = fields.pop("rest")
        found = [
            _result(data, metric, value)
            for data, metric, text in re.findall(_RESULT, rest)
            if (value := number(text)) is not None
        ]
        repeats, self._repeats = self._repeats, False
        self._folds.see(tag := _tag(rest))
        if self._folds.is_others(tag):
            return []
        behind = self.last is not None and fields["iteration"] <= self.last
        if repeats and (behind or self._stopped.has_rows):
            return self._stopped.best(fields["iteration"], validation_of(found), line)
        self._stopped.row(fields["iteration"])
        events = self._told(fields, found, line)
        return [*events, Message(word, at_s=line.at_s)] if (word := self._folds.word()) else events

    @handler(numbers=("value",), texts=("data", "metric"))
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """One value of a round that is not finished."""
        self._results = [*self._results, _result(fields["data"], fields["metric"], fields["value"])][-100:]
        return []

    @handler(iterations=True, numbers=("seconds",))
    def finished(self, fields: Fields, line: LogLine) -> list[Event]:
        """A round of the command line, with the seconds since the first began."""
        found, self._results = self._results, []
        seconds = finite(fields.pop("seconds"))
        read = fields | {"loss": loss_of(found), "elapsed_s": seconds}
        return self.timed(read, line, seconds, after=self._validated(fields, found, line))

    def _told(self, fields: Fields, found: list[Result], line: LogLine) -> list[Event]:
        events = self.iteration(fields | {"loss": loss_of(found)}, line)
        return [*events, *self._validated(fields, found, line)] if events else []

    def _validated(self, fields: Fields, found: list[Result], line: LogLine) -> list[Event]:
        values = validation_of(found)
        return self.evaluation({**values, "iteration": fields["iteration"]}, line) if values else []


def _tag(rest: str) -> str:
    """The last data set of a round: those of a model among several have names of their own, `train-3`, `valid-3`."""
    return next((data for data, _, _ in reversed(re.findall(_RESULT, rest))), "")


def _result(data: str, metric: str, value: float) -> Result:
    """`valid_1` is a validation set whatever its number; so is the mean of a cross-validation's."""
    validates = re.fullmatch(_PLACE, data) or (data == "cv_agg" and not metric.startswith("train"))
    kind = "valid" if validates else "training" if data == "cv_agg" else data
    return Result(kind, metric.removeprefix("valid ").removeprefix("train "), value, f"{data} {metric}")
