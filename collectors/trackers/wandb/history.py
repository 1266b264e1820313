"""What a script logged, as iterations: the rows of W&B's history, through the parser of every tracker's rows."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import Iteration, Message, RunInfo
from ...log_formats.counting.standing import RowContext
from ...log_formats.generic.tracker_rows import row_parser
from ...log_formats.parsing.columns import guess
from ...log_formats.parsing.values import LogLine
from ..folds import Folds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....events import Event
    from ...log_formats.base import LogFormat
    from .records import Row

_STEP, _CLOCK = "_step", "_timestamp"
_THEIRS = (_STEP, _CLOCK, "_runtime")
_MOST_NAMES = 10_000
_SIDE_BY_SIDE = (
    "several trainings were logged side by side ({}): none of their losses is the run's, "
    "each is a metric by its own name"
)


class History:
    """Reads the rows of one run in their order. Those in `first` tell whether the script counts its steps itself.

    W&B counts the calls of `wandb.log` (`_step`), which are iterations only where the script logs no number of its
    own: where it does, a row without one belongs to none.

    One file is one process. Where its epochs begin again at their first, it began another training (a fold, a
    model of a grid), also if the steps go on: none was cut off. So it did where the names of another fold begin.
    """

    def __init__(self, first: Sequence[Row], formats: Sequence[LogFormat] | None) -> None:
        self._parser = row_parser(formats)
        self._fields: dict[str, str] = {}  # what each name is of an iteration; "": nothing that counts
        self._first_epoch = self._epoch = -inf
        self._begins_again = False  # its epochs do, and the rows have not yet shown that they count on from there
        self._folds = Folds()
        self._folds.look(row.values for row in first)
        self._is_said = False  # that folds are trained side by side
        self._fold_begins = False  # and no iteration of it has come
        self.has_own_steps = any(self._counts(row.values) for row in first)

    def add(self, row: Row) -> list[Event]:
        """The events of the next row."""
        at_s = row.values.get(_CLOCK)
        line = LogLine("", at_s, stamped=at_s is not None)
        # The newer SDKs write a row's names in any order.
        named = self._folds.of([(name, row.values[name]) for name in sorted(row.values) if name not in _THEIRS])
        cells, self._fold_begins = named.cells, self._fold_begins or named.begins
        self._parser.columns.keep_apart(named.apart)
        self.has_own_steps = self.has_own_steps or self._counts(name for name, _ in cells)
        if _STEP in row.values and not self.has_own_steps:
            cells.append((_STEP, row.values[_STEP]))
        self._see_epoch(cells)
        events = self._of_training(cells, line)
        if self._folds.side_by_side and not self._is_said:
            self._is_said = True
            events.append(Message(_SIDE_BY_SIDE.format(", ".join(named.apart[:3])), at_s=at_s))
        return events

    def _of_training(self, cells: Sequence[tuple[str, float]], line: LogLine) -> list[Event]:
        """The events of a row: before them another training's beginning, where it is the first of one."""
        if self._fold_begins:
            self._parser.last = self._parser.last_at_s = None  # what lies between two trainings is no iteration's
        events = list(self._parser.row(cells, line, RowContext(anew=self._fold_begins)))
        is_said = any(isinstance(event, RunInfo) for event in events)
        if self._fold_begins and not is_said and any(isinstance(event, Iteration) for event in events):
            events.insert(0, self._parser.run_info(line))
            is_said = True
        if not (is_said and (self._begins_again or self._fold_begins)):
            return events
        self._begins_again = self._fold_begins = False
        return [replace(event, resumed=False) if isinstance(event, RunInfo) else event for event in events]

    def run_info(self) -> RunInfo:
        """What the rows say of the run."""
        return self._parser.run_info(LogLine("", None, stamped=True))

    def _see_epoch(self, cells: Sequence[tuple[str, float]]) -> None:
        epoch = next((value for name, value in cells if self._field(name) == "epoch"), None)
        if epoch is None:
            return
        if self._epoch == -inf:
            self._first_epoch = epoch
        elif epoch != self._epoch:
            self._begins_again = epoch <= self._first_epoch or (self._begins_again and epoch > self._epoch)
        self._epoch = epoch

    def _counts(self, values: Iterable[str]) -> bool:
        """Is one of these names that of a number of steps?"""
        return any(name not in _THEIRS and self._field(name) == "iteration" for name in values)

    def _field(self, name: str) -> str:
        if (known := self._fields.get(name)) is not None:
            return known
        role = guess(name)
        found = role.field if role is not None and role.field in ("iteration", "epoch") else ""
        if len(self._fields) < _MOST_NAMES:
            self._fields[name] = found
        return found
