"""Rows of one step that are told one by one, each with a part of its values.

    step,lr,train/loss,eval/loss           {"step": 20, "lr": 0.125}
    20,0.125,,                             {"step": 20, "train/loss": 2.5}
    20,,2.5,                               {"step": 20, "eval/loss": 2.25}
    20,,,2.25
Those that share nothing but their place and their stamp are one iteration; what was evaluated stays a row of its own.
A row of nothing but `summary/...` closes the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import Alive, End, Message, RunInfo
from ....words import plural
from ...patterns import lazy_pattern
from ..counting.rated import EmptyLoss
from ..counting.standing import NO_CONTEXT, RowContext
from ..parsing.phases import Phase, of_column, validates
from ..parsing.rows import RowParser
from ..parsing.values import LogLine, as_number, unix_time
from .second_rows import Second, SecondRows
from .totals import Totals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ....events import Event
    from ..parsing.columns import Role

_PLACES = ("iteration", "epoch")
_SHARED = (*_PLACES, "stamp_s", "elapsed_s", "total")

_OF_THE_RUN = lazy_pattern(r"(?i)(?:summary|final)[/_.]\w.*")
_LEAST_OF_IT = 2
_GROWS = lazy_pattern(r"(?i)acc|precision|recall|f1|auc|map|iou|dice|psnr|ssim|bleu|rouge|top[15]|r2")
"""Names of what is 0 where all is wrong."""

UNNUMBERED = "nothing was seen to count the rows: they are numbered from 0, in their order"

SILENT_S = 30.0
"""So long after a step's newest row the first one of the next step is told of by itself: the silence ended with it."""


_Row = tuple[list[tuple[str, object]], LogLine, RowContext]


class SplitRows(RowParser):
    """Rows whose steps may be told in parts: as long as more of the newest step may come, it is held back."""

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self.splits = False  # have steps several such rows, as another reader found out before?
        self._parts: tuple[dict[str, object], LogLine] | None = None
        self._totals, self._seconds = Totals(), SecondRows()
        self._second: _Row | None = None
        """A row that the next two make another process's first."""
        self._behind: _Row | None = None  # the first of these two
        self._heard_s: float | None = None  # the stamp of the newest row
        self._empty = self._lossless.empty = EmptyLoss(self._field) if self.guesses else None

    @property
    def holds(self) -> bool:
        """May the newest step have another row?"""
        return self._parts is not None

    @property
    def may_split(self) -> bool:
        """Are rows to be looked at for others of their step? Such of a format that says what its rows are have none."""
        return self.guesses and (self.splits or self.columns.counters is not None)

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:
        """One row; of those that nothing numbers the clock and the totals tell where another training begins."""
        printed = list(row)
        cells = self._measured(printed)
        line = line if cells is printed else line._replace(text="")  # which names the zeros, too
        begun = self.part_begins(line) if self._totals_begin_again(cells) else []
        events = [*begun, *self._in_turn(cells, line, said)]
        over = self.last is not None and self._sums_up_the_run(cells)
        return [*events, End(at_s=line.at_s, detail="summary of the run")] if over else events

    def _measured(self, cells: list[tuple[str, object]]) -> list[tuple[str, object]]:
        """A row without what no validation found: a loss of exactly 0 beside others that are 0, where the training has one."""
        losses = (one for one in cells if "oss" in one[0] or "OSS" in one[0])  # most names are none of these
        lost = next((value for name, value in losses if self._field(name) == "val_loss"), None)
        if not self.guesses or lost is None or as_number(lost) != 0:
            return cells
        found = [(name, value) for name, value in cells if value not in ("", None) and validates(name)]
        if any(as_number(value) != 0 for _, value in found):
            return cells
        trains = any(as_number(value) for name, value in cells if self._field(name) == "loss")
        rounded = any(
            len(str(value).partition(".")[2]) > 1 for _, value in found
        )  # a small one that was printed as 0.0000
        unfit = any(_GROWS.search(name) for name, _ in found)  # no model without a loss is never right
        if not trains or (rounded and not unfit):
            return cells
        names = {name for name, _ in found}
        return [(name, value) for name, value in cells if name not in names]

    def _sums_up_the_run(self, cells: Collection[tuple[str, object]]) -> bool:
        if not any("ummary" in name or "inal" in name for name, _ in cells):
            return False
        values = [name for name, _ in cells if self._field(name) not in _SHARED or _OF_THE_RUN.match(name)]
        return len(values) >= _LEAST_OF_IT and all(map(_OF_THE_RUN.match, values))

    def _in_turn(self, cells: list[tuple[str, object]], line: LogLine, said: RowContext) -> list[Event]:
        """A row, and before it one of the newest place that waited for others to go on from there, none of them doubled."""
        if not self.guesses:
            return super().row(cells, line, said)
        second, behind, self._second, self._behind = self._second, self._behind, None, None
        kind = self._seconds.see(cells, self._field)
        if kind is not None and not self._evaluates(cells, said):
            if behind is None:
                self._second = second if kind is Second.COPY else (cells, line, said._replace(anew=True))
                return []
            self._seconds.are_often()  # place after place has two: they are another writer's
            return super().row(*behind)
        if second is not None and behind is None and self._seconds.goes_on(cells, second[0]):
            self._second, self._behind = second, (cells, line, said)
            return []
        waited = [row for row in (second if behind else None, behind) if row is not None]
        return [event for row in (*waited, (cells, line, said)) for event in super(SplitRows, self).row(*row)]

    def _totals_begin_again(self, cells: list[tuple[str, object]]) -> bool:
        if self.numbered or self.of_an_epoch == 1:
            return False
        fields = {self._field(name): name for name, _ in cells}
        clock = fields.get("elapsed_s")
        if clock is None or not fields.keys().isdisjoint(_PLACES) or "loss" not in fields:
            return False
        numbers = ((name, as_number(value)) for name, value in cells if name == clock or "." not in str(value))
        return self._totals.begin_again(((name, n) for name, n in numbers if n is not None), clock)

    def part(self, cells: dict[str, object], line: LogLine) -> list[Event]:
        """A row, or a part of one."""
        if not self.may_split:
            return self.row(cells.items(), line)
        values = {name for name in cells if self._field(name) not in _SHARED}
        evaluates, silence = bool(values) and all(map(validates, values)), self._heard(cells)
        alone = evaluates or self._sums_up_the_run(cells.items())
        if self._parts is not None and not alone and self._goes_on(cells, values):
            self._parts, self.splits = (self._parts[0] | cells, line), True
            return []
        events = [*self._whole(), *silence]
        if alone or not any(self._field(name) in _PLACES for name in cells):
            return [*events, *self.row(cells.items(), line)]
        self._parts = (cells, line)
        return events

    def _heard(self, cells: dict[str, object]) -> list[Event]:
        """The first row of a step, behind a silence: it is read when the step's last one has come."""
        stamped = next(((name, cell) for name, cell in cells.items() if self._field(name) == "stamp_s"), None)
        now_s = unix_time(dict(self.columns.read([stamped])).get("stamp_s")) if stamped else None
        before_s, self._heard_s = self._heard_s, now_s
        return [Alive(now_s)] if now_s is not None and before_s is not None and now_s - before_s > SILENT_S else []

    def taught(self, pupil: RowParser) -> None:
        """Also whether steps have several rows."""
        super().taught(pupil)
        if isinstance(pupil, SplitRows):
            self.splits = self.splits or pupil.splits
            self._seconds.learn(pupil._seconds)

    def release(self) -> list[Event]:
        """The newest step has all its rows."""
        events = self._whole()
        if events and not self.announced:
            self.announced = True
            return events if isinstance(events[0], RunInfo) else [self.run_info(LogLine("", None)), *events]
        return events

    def _messages(self, line: LogLine) -> list[Event]:
        """Also that nothing counts, where that is so."""
        first = self.guesses and not self._shown
        messages = super()._messages(line)
        if first and self._counter.counts_rows:
            messages.append(Message(UNNUMBERED, at_s=line.at_s))
        return messages

    def end(self) -> list[Event]:
        """Also how many rows without a loss are none of the training's."""
        second, behind, self._second, self._behind = self._second, self._behind, None, None
        events = [*super().row(*second), *super().row(*behind)] if second and behind else []
        n = self._empty.left_out if self._empty is not None and self.last is not None else 0
        return [*events, *super().end(), *([Message(f"{plural(n, 'row')} without a loss: left out")] if n else [])]

    def _evaluates(self, cells: list[tuple[str, object]], said: RowContext) -> bool:
        names = [name for name, _ in cells if self._field(name) not in _SHARED]
        return (
            said.phase is Phase.EVALUATION or any(of_column(*cell) for cell in cells) or all(map(validates, names))
        )

    def _goes_on(self, cells: dict[str, object], values: set[str]) -> bool:
        before = self._parts[0] if self._parts else {}
        places = {name for name in (*before, *cells) if self._field(name) in _PLACES}
        return values.isdisjoint(before) and all(before.get(name) == cells.get(name) for name in places)

    def _whole(self) -> list[Event]:
        held, self._parts = self._parts, None
        return [] if held is None else self.row(held[0].items(), held[1])

    def _field(self, name: str) -> str:
        role = self.columns.role(name)
        return "" if role is None else role.field
