"""What a script logged, as iterations: the rows of W&B's history, through the parser of every tracker's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...log_formats.generic.tracker_rows import row_parser
from ...log_formats.parsing.columns import guess
from ...log_formats.parsing.values import LogLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....events import Event, RunInfo
    from ...log_formats.base import LogFormat
    from .records import Row

_STEP, _CLOCK = "_step", "_timestamp"
_THEIRS = (_STEP, _CLOCK, "_runtime")
_MOST_NAMES = 10_000


class History:
    """Reads the rows of one run in their order. Those in `first` tell whether the script counts its steps itself.

    W&B counts the calls of `wandb.log` (`_step`), which are iterations only where the script logs no number of its
    own: where it does, a row without one belongs to none.
    """

    def __init__(self, first: Sequence[Row], formats: Sequence[LogFormat] | None) -> None:
        self._parser = row_parser(formats)
        self._names: set[str] = set()  # of values that are no step
        self.has_own_steps = any(self._counts(row.values) for row in first)

    def add(self, row: Row) -> list[Event]:
        """The events of the next row."""
        values = row.values
        self.has_own_steps = self.has_own_steps or self._counts(values)
        at_s = values.get(_CLOCK)
        line = LogLine("", at_s, stamped=at_s is not None)
        # The newer SDKs write a row's names in any order.
        cells = [(name, values[name]) for name in sorted(values) if name not in _THEIRS]
        if _STEP in values and not self.has_own_steps:
            cells.append((_STEP, values[_STEP]))
        return list(self._parser.row(cells, line))

    def run_info(self) -> RunInfo:
        """What the rows say of the run."""
        return self._parser.run_info(LogLine("", None, stamped=True))

    def _counts(self, values: Iterable[str]) -> bool:
        """Is one of these names that of a number of steps?"""
        for name in values:
            if name in self._names or name in _THEIRS:
                continue
            role = guess(name)
            if role is not None and role.field == "iteration":
                return True
            if len(self._names) < _MOST_NAMES:
                self._names.add(name)
        return False
