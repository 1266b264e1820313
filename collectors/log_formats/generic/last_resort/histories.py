"""What Keras returns when the training is over, printed as one dictionary: a list of each value, with one entry an epoch.

{'loss': [2.5, 2.25, 2.0], 'val_loss': [2.75, 2.5, 2.375], 'accuracy': [0.25, 0.5, 0.625]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import EVALUATION
from ....patterns import lazy_pattern
from ...base import Specificity
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import validates
from ...parsing.values import ended, finite, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_VALUE = r"-?(?:\d{1,20}(?:\.\d{0,30})?(?:[eE][-+]?\d{1,3})?|nan|inf)"
_LISTS = lazy_pattern(rf"['\"]([\w/ -]{{1,40}})['\"]: ?\[({_VALUE}(?:, ?{_VALUE}){{1,100000}})\]")
_BEGINS = r"\{['\"][\w/ -]{1,40}['\"]: ?\[(?:-?\d|nan)"
_LONGEST = 1 << 20


class Histories(LineParser):
    """A line with all epochs."""

    name = "history of epochs"
    about = "a dictionary with a list of each value, printed when the training was over; no times"
    specificity = Specificity.ALONE
    unit = "epoch"
    headed = True  # one line is all that there is
    lines: ClassVar[tuple[Line, ...]] = (
        Line("'loss': [", _BEGINS, "epochs"),
        Line('"loss": [', _BEGINS, "epochs"),
    )

    @handler(iterations=True)
    def epochs(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """All of them, where each list has as many."""
        lists = {name: values.split(",") for name, values in _LISTS.findall(line.text[:_LONGEST])}
        losses = lists.get("loss", [])
        if not losses or any(len(values) != len(losses) for values in lists.values()):
            return []
        begun = [self.run_info(line)] if self.last is not None else []
        self.last = None
        return [*begun, *(event for n in range(len(losses)) for event in self._epoch(n, lists, line))]

    def _epoch(self, n: int, lists: dict[str, list[str]], line: LogLine) -> list[Event]:
        values = {
            name: value for name, one in lists.items() if (value := finite(number(one[n].strip()))) is not None
        }
        found = {name: value for name, value in values.items() if validates(name)}
        others = {name: value for name, value in values.items() if name != "loss" and name not in found}
        row = {"iteration": n + 1.0, "loss": number(lists["loss"][n].strip()), "scalars": others or None}
        events = self.iteration(row, line._replace(at_s=None, stamped=False))
        return [*events, *([ended(EVALUATION, None, n + 1.0, values=found)] if found else [])]
