"""Rows of named values, as tables of any kind have them: which row is what, and its time.

A row with an iteration or a loss is an iteration; one with a validation loss and no training loss, an evaluation. The time is,
in this order: a column with the time of a step, or with steps a second; the difference of a column with elapsed seconds; the difference of the rows'
time stamps (all that happened in between is in the latter two). Without a column that counts steps, rows are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from ....events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    Message,
    Witness,
)
from .columns import Columns, Role
from .lines import LineParser
from .values import (
    Fields,
    LogLine,
    finite,
    unix_time,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ....events import Event, RunInfo

_WALL = (EVALUATION, CHECKPOINT, DATA)


class RowParser(LineParser):
    """Rows of named values to events. `chosen` are the roles of columns that the user decided."""

    guesses: ClassVar[bool] = True  # whether the roles of the columns are a guess, which is shown

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__()
        self.columns = Columns(chosen)
        self._shown = False
        self._counts_rows = False
        self._epoch: float | None = None
        self._before = 0.0
        self._newest = 0.0  # the highest number in this epoch
        self._elapsed_s: float | None = None
        self._numbered = False  # rows have a number
        self._wall = False  # times are differences of a clock

    def row(self, row: Iterable[tuple[str, object]], line: LogLine) -> list[Event]:
        """One row."""
        read: Fields = dict(self.columns.read(row))
        stamp_s = read.pop("stamp_s", None)
        if unix_time(stamp_s) is not None:
            line, self.clocked = line.at(stamp_s), True
        if "loss" not in read and "val_loss" in read:
            return self._evaluated(read, line)
        if "iteration" not in read and ("loss" not in read or self._numbered):
            return []  # a summary, between rows that count
        self._place(read)
        if self._lags(read):
            return []
        if (rate := read.pop("steps_per_s", 0.0)) > 0:
            read |= {"duration_s": 1 / rate, "witness": Witness.RATE} if "duration_s" not in read else {}
        if "duration_s" not in read:
            self._time(read, line)
        events = self.iteration(read, line)
        if events and (val_loss := finite(read.get("val_loss"))) is not None:
            events += self._evaluated({"val_loss": val_loss, "iteration": read["iteration"]}, line)
        return events + self._show_guess(line) if events else events

    def run_info(self, line: LogLine) -> RunInfo:
        """A time by the clock has everything in it."""
        info = super().run_info(line)
        return msgspec.structs.replace(info, time_includes=_WALL) if self._wall else info

    def _place(self, read: Fields) -> None:
        """The iteration's number: the column's, also where it begins again with each epoch; else rows are counted."""
        epoch = read.pop("epoch", None)
        if "iteration" in read:
            self._numbered = True
            if (
                epoch is not None
                and self._epoch is not None
                and epoch > self._epoch
                and read["iteration"] < self._newest
            ):
                self._before += self._newest + 1
            self._newest = read["iteration"]
            self._epoch = epoch
            read["iteration"] += self._before
            return
        if epoch is not None and not self._counts_rows and (self._epoch is None or epoch != self._epoch):
            read["iteration"] = self._epoch = epoch
            return
        self._counts_rows = True
        read["iteration"] = float(0 if self.last is None else self.last + 1)

    def _lags(self, read: Fields) -> bool:
        """Is it the row of a second process that writes to the same file? Its clock runs on; a restarted one is new."""
        index, elapsed_s = whole(read["iteration"]), read.get("elapsed_s")
        behind = index is not None and self.last is not None and index < self.last
        return behind and elapsed_s is not None and self._elapsed_s is not None and elapsed_s > self._elapsed_s / 2

    def _time(self, read: Fields, line: LogLine) -> None:
        elapsed_s = read.get("elapsed_s")
        index = whole(read["iteration"])
        steps = index - self.last if index is not None and self.last is not None else 0
        spent_s: float | None = None
        if elapsed_s is not None and self._elapsed_s is not None:
            spent_s = elapsed_s - self._elapsed_s
        elif elapsed_s is None and line.stamped and line.at_s is not None and self.last_at_s is not None:
            spent_s = line.at_s - self.last_at_s
        self._elapsed_s = elapsed_s
        self._wall = self._wall or elapsed_s is not None or line.stamped
        if spent_s is not None and spent_s >= 0 and steps > 0:
            witness = Witness.STAMPS if elapsed_s is None else Witness.ELAPSED
            read |= {"duration_s": spent_s / steps, "averaged_over": steps, "witness": witness}

    def _evaluated(self, read: Fields, line: LogLine) -> list[Event]:
        values: Fields = {key: read[key] for key in ("val_loss", "iteration") if key in read}
        return self.evaluation(values, line)

    def _show_guess(self, line: LogLine) -> list[Event]:
        if self._shown or not self.guesses:
            return []
        self._shown = True
        text = f"columns guessed: {self.columns.describe()}; correct them with --column FIELD=COLUMN:UNIT"
        return [Message(text, at_s=line.at_s)]
