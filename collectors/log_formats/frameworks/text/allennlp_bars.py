"""AllenNLP's bars alone, as a notebook keeps them, which does not show what the trainer says to its logger.

    accuracy: 0.0434, loss: 3.7941 ||: 100%|##########| 113/113 [00:24<00:00,  4.23it/s]
    accuracy: 0.0843, loss: 3.7487 ||: 100%|##########| 29/29 [00:01<00:00, 22.97it/s]
An epoch's training, then its validation, if it has one: each with the means of its batches. Epochs have no number. Bars of what
is read before (instances, words) have no values, and begin another training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import DATA, EVALUATION
from ...base import Example, Specificity
from ...parsing.bars import find_bar, postfix_scalars, postfix_value
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.bars import Bar
    from ...parsing.values import Fields, LogLine

_LEAST_S = 5.0
"""Of a time cut to whole seconds: less is not known to 20 %."""


class AllenNlpBars(LineParser):
    """Epochs, each with the time of its bar."""

    name = "AllenNLP bars"
    about = "an epoch's bar at its end: its training alone, in whole seconds; an epoch is an iteration"
    unit = "epoch"
    specificity = Specificity.COMMON  # its trainer says more of the same epochs
    reads_instead_of = ("tqdm",)
    time_includes = (DATA,)
    lines = (
        Line("||:", r"\w: {1,3}-?[\d.e+-]{1,20} \|\|: {0,3}100%\|.{0,400}?\d/\d{1,9} \[\d{1,5}:\d\d", "whole"),
        Line("||:", r"\w: {1,3}-?[\d.e+-]{1,20} \|\|: {0,3}\d{1,3}%\|", "part"),
        Line(" [", r"\d(?:/\d{1,9}|it) \[\d{1,5}:\d\d", "other", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
400it [00:01, 350.70it/s]
accuracy: 0.5000, loss: 2.5000 ||:  50%|#####     | 20/40 [00:06<00:06,  3.33it/s]
accuracy: 0.2500, loss: 2.2500 ||: 100%|##########| 40/40 [00:12<00:00,  3.33it/s]
accuracy: 0.5000, loss: 2.0000 ||: 100%|##########| 8/8 [00:01<00:00,  8.00it/s]
accuracy: 0.5000, loss: 1.7500 ||: 100%|##########| 40/40 [00:13<00:00,  3.33it/s]
accuracy: 0.7500, loss: 1.5000 ||: 100%|##########| 8/8 [00:01<00:00,  8.00it/s]
""",
            iterations=((0, 12.0, 1, 2.25), (1, 13.0, 1, 1.75)),
            evaluations=((1, {"val_loss": 2.0, "validation_accuracy": 0.5}), (2, {"val_loss": 1.5, "validation_accuracy": 0.75})),
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._epoch = -1
        self._trains = self._validates = 0  # batches
        self._newest: Bar | None = None
        self._read = False  # something, since the newest epoch

    @handler()
    def other(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A bar of what is read, or prepared."""
        self._read = True
        return []

    @handler()
    def part(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """One that is not over: its values go on to change."""
        return []

    @handler(iterations=True)
    def whole(self, _fields: Fields, line: LogLine) -> list[Event]:
        """One that is over. It may be drawn once more as it is closed."""
        bar, before = find_bar(line.text), self._newest
        again = before is not None and bar is not None and (bar.title, bar.total) == (before.title, before.total)
        if bar is None or (again and not self._read):
            return []
        self._newest = bar
        total = bar.total or 0
        behind_training = before is not None and not self._read and before.total == self._trains
        if behind_training and total != self._trains and total == (self._validates or total):
            self._validates = total
            return self._validated(bar, line)
        return self._trained(bar, line)

    def _trained(self, bar: Bar, line: LogLine) -> list[Event]:
        again = self._read or (bar.total or 0) != self._trains
        begins = again and self._epoch >= 0
        if again:
            self._epoch, self._trains, self._validates, self._read = -1, bar.total or 0, 0, False
        self._epoch += 1
        told: Fields = {"iteration": float(self._epoch), "loss": postfix_value(bar.postfix, "loss")}
        told["scalars"] = postfix_scalars(bar.postfix, ("loss",))
        if bar.elapsed_s >= _LEAST_S:
            told["duration_s"] = bar.elapsed_s
        self.started = begins
        return self.iteration(told, line)

    def _validated(self, bar: Bar, line: LogLine) -> list[Event]:
        loss, others = postfix_value(bar.postfix, "loss"), postfix_scalars(bar.postfix, ("loss",)) or {}
        values = {f"validation_{name}": value for name, value in others.items()}
        values |= {} if loss is None else {"val_loss": loss}
        end = ended(EVALUATION, line.at_s, self._epoch + 1, bar.whole_s, values=values, apart=True)
        return [replace(end, after=self._epoch)]
