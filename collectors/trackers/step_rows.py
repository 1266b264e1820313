"""Values that a tracker logs one by one, as rows: those of one step are one row, whose columns are their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import RunInfo
from ..log_formats.generic.tracker_rows import row_parser
from ..log_formats.parsing.values import LogLine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...events import Event
    from ..log_formats.base import LogFormat


class StepRows:
    """Gathers the values of each step, and reads its row once the next step begins.

    Args:
        formats: those that a person chose columns for; `None`: all, as they are.
        run: what is known of the run itself; the first row says the rest of it.
    """

    def __init__(self, formats: Sequence[LogFormat] | None, run: RunInfo) -> None:
        self.step: int | None = None
        """The newest; `None` before the first value."""

        self.run = run
        self._parser = row_parser(formats)
        self._row: dict[str, object] = {}
        self._at_s: float | None = None

    def add(self, at_s: float | None, step: int, values: Mapping[str, float]) -> list[Event]:
        """Take in what was logged at `step`, at Unix time `at_s`. Returns the events of a step that is over."""
        finished = self.finish() if step != self.step else []
        if not self._row:
            self._at_s = at_s
        self.step = step
        self._row |= values
        return finished

    def finish(self) -> list[Event]:
        """The events of the newest step: no more is logged for it, as far as is known."""
        row, self._row = self._row, {}
        if not row:
            return []
        line = LogLine("", self._at_s, stamped=self._at_s is not None)
        events = self._parser.row([("global_step", self.step), *row.items()], line)
        if events and not self._parser.announced:
            self._parser.announced = True
            events.insert(0, self._parser.run_info(line))
        return [self._named(event) if isinstance(event, RunInfo) else event for event in events]

    def _named(self, found: RunInfo) -> RunInfo:
        run = self.run
        return replace(found, name=run.name, source_format=run.source_format, framework=run.framework)
