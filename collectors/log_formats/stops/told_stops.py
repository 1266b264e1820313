"""Evaluations and saves that lines between two rows tell of, where their format reads none.

    2025-03-01 10:00:00 INFO step 100 loss 2.5
    2025-03-01 10:00:40 INFO Scores:                      an evaluation, whose values have no stamp
        test.accuracy: 0.75
    2025-03-01 10:00:42 INFO checkpoint has been saved    2 s of saving: what came before is known
    2025-03-01 10:00:45 INFO step 110 loss 2.4

What lies between two stamped lines of which none is a row is exact. Behind a row the training may have gone on for a while:
then the line gives the moment only, and how long it took is for the analysis to say; but not for longer than another row takes to come. That something "was saved" says nothing of
what passed before it, but where this was an evaluation. Each save is counted; how many lines one evaluation makes nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import (
    CHECKPOINT,
    EVALUATION,
    UP_TO_THE_NEXT,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
    Witness,
)
from ...patterns import lazy_pattern
from ..announced_stops import announced
from ..parsing.grammar import LONGEST, PREFIX
from .moments import LONGEST_S, Line, Told, kinds_of
from .own_lines import OwnLines
from .printed_times import PrintedTimes
from .said import LONGEST_TOLD, said_of
from .saves import Saves, tells_of_a_save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

TOGETHER_S = 0.05
ONE_OF_MANY = 0.25
"""Times what an evaluation took: if others go on for longer behind it, it was not all."""

ROWS = 3
"""In so many times what a row takes another one would have come: all since the newest one was the evaluation."""

_MOST_OF_ROWS = 50

HELD_BACK = 2
"""So many first rows that are handed on at once were held back until their format was known."""

_BAR = lazy_pattern(r"\b\d{1,9}/\d{1,9}\b.{0,40}(?:elapsed|it/s|s/it|task/s)")
"""Of an evaluation, or of other work: behind a save it tells that the save was over."""


class ToldStops:
    """Collects what is told since the newest row, and hands it on before the next one."""

    def __init__(self) -> None:
        self.described = False  # is the format one that somebody described?
        self._row: int | None = None  # the newest
        self._stamped = False
        self._clocked = False  # has the newest row's time all in it that passed, by a clock without stamps?
        self._line: Line | None = None  # the newest with a stamp
        self._before: Line | None = None  # ... and the one before it
        self._vague_s: float | None = (
            None  # the stamp of the first since the newest row, or what was told, that tells of nothing
        )
        self._told: dict[str, Told] = {}
        self._open: dict[str, tuple[float, float]] = {}  # when each began, and the seconds that were known then
        self._within: tuple[str, ...] = ()  # what rows' times have in them, by their format
        self._inside: tuple[str, ...] = ()  # ... if the newest row has printed its own
        self._by_format: set[str] = set()  # kinds that the format itself tells of, and knows better
        self._early: set[str] = set()  # ... before the first row
        self._saved_by_format = False  # has it told of a save since the row before the newest?
        self._saves = Saves()  # since the newest row
        self._evaluates = False  # does a line since then speak of an evaluation, or is it a bar?
        self._saved_s: float | None = None  # the stamp of the newest
        self._evaluated_s: float | None = None  # ... and of the newest that tells of an evaluation
        self._second = ""  # the line that was printed together with the newest row, without its numbers
        self._of_rows: set[str] = set()  # such lines behind which the training went on: they are the row's
        self._printed = PrintedTimes()
        self._own = OwnLines()  # of an evaluation that was announced since the newest row
        self._row_at_s: float | None = None  # the newest row's stamp
        self._row_s: float | None = None  # between the newest two rows that nothing stood between, by their stamps

    def before(self, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """What was told before the iterations in `found`, which the format reads of a line that arrived `at_s`."""
        self._within = next((one.time_includes for one in found if isinstance(one, RunInfo)), self._within)
        row = next((event for event in reversed(found) if isinstance(event, Iteration)), None)
        # What it reads before the first row, it may not read later.
        known = self._early if row is None and self._row is None else self._by_format
        kinds = kinds_of(found)
        known |= kinds
        self._saved_by_format |= CHECKPOINT in kinds and known is self._by_format
        if row is None:
            self._evaluated(found, at_s)
            return []
        begun = self._of_first(found)
        self._stamped = row.at_s not in (None, at_s)
        if self._stamped and any(t.at_s is not None and t.at_s > (row.at_s or 0.0) for t in self._told.values()):
            self._row = row.index
            return []  # it was held back
        if self._line is not None and self._line.begins and self._line.kind not in self._told:
            self._add(self._line.kind or "", Told(None, self._line.at_s, begun=True))
        anew = self._row is not None and any(isinstance(event, RunInfo) for event in found)
        held = self._stamped and self._saved_s is not None and self._saved_s > (row.at_s or 0.0)
        if self._second and not self._told and len(self._of_rows) < _MOST_OF_ROWS:
            self._of_rows.add(self._second)
        self._second = ""
        on = self._row is not None and row.index > self._row
        saves = 0 if held else self._saves.taken(anew=anew, on=on)  # held back: they were told of behind the row
        stamps = row.witness is Witness.STAMPS
        self._clocked = row.witness is Witness.ELAPSED
        printed = row.duration_s is not None and not (stamps or self._clocked)
        self._inside = self._within if printed else ()
        self._printed.row((row.duration_s or 0.0) * row.averaged_over * printed)
        self._own.row_comes(row.at_s if self._stamped else None)
        events, self._row = self._all(timed=stamps, saves=saves), row.index
        self._own.row()
        if not events and stamps and row.duration_s is not None:
            self._row_s = row.duration_s * row.averaged_over
        self._row_at_s = row.at_s if self._stamped else None
        if row.at_s is not None:
            self._line, self._before, self._vague_s = Line(row.at_s, is_row=True), None, None
            self._evaluated_s = None
        return [*begun, *events]

    def _of_first(self, found: Sequence[Event]) -> list[Event]:
        """Before the first row nothing of a training is saved, but by a line that names its epoch; what stood behind those that were held back is told."""
        if self._row is not None:
            return []
        if sum(isinstance(event, Iteration) for event in found) < HELD_BACK:
            self._saves.begins()
        return self._printed.of_first(found)

    def _evaluated(self, found: Sequence[Event], at_s: float | None) -> None:
        """The format told how long an evaluation lasted, or all is in the times that its rows print: up to the lines behind it, that say so, it was saved."""
        ends = [
            one.at_s
            for one in found
            if isinstance(one, SpanEnd)
            and one.kind == EVALUATION
            and (one.duration_s or CHECKPOINT in self._inside)
        ]
        if self._stamped and ends and ends[-1] not in (None, at_s):
            self._advance(Line(ends[-1] or 0.0, is_row=False, kind=EVALUATION))

    def see(self, held: Sequence[Event]) -> None:
        """What the format had held back until the log was over: what it tells itself it knows better."""
        self._by_format |= kinds_of(held)

    def end(self) -> list[Event]:
        """All that was told, as the log is over, too: a day behind the newest row it is another program's, that wrote to the same log."""
        if self._row is None:  # the rows are in another file
            self._by_format |= self._early
            self._saved_by_format |= CHECKPOINT in self._early
        if (begun_s := self._row_at_s) is not None:
            near = {k: one for k, one in self._told.items() if (one.at_s or begun_s) - begun_s <= LONGEST_S}
            self._told = near
        if self._evaluates_on():
            self._told[EVALUATION] = Told(None, None)
        return self._all(timed=True, saves=self._saves.taken())

    def _evaluates_on(self) -> bool:
        """Did more evaluations follow the one whose time is known? The time of one says nothing of all."""
        told, newest_s = self._told.get(EVALUATION), self._evaluated_s
        told = self._own.of_all(told)
        if told is None or told.at_s is None or newest_s is None or told.seconds is None:
            return False
        return newest_s - told.at_s > max(TOGETHER_S, ONE_OF_MANY * told.seconds)

    def _all(self, *, timed: bool, saves: int) -> list[Event]:
        """Not `timed`: whether the iteration's own time has it in it nobody knows."""
        self._open = {}  # how long it took, no line tells
        told, self._told = self._told, {}
        if (evaluated := self._own.of_all(told.get(EVALUATION))) is not None:
            told[EVALUATION] = evaluated
        shared = len(told) > 1 or (self._evaluates and CHECKPOINT in told)
        self._evaluates = False
        begun = {kind for kind, one in told.items() if one.by_begin}
        if shared and begun:
            # `Evaluating ...` may be printed when it is over: what lies between the lines of both is of either.
            either = begun if begun == {CHECKPOINT} else {*told}
            told = {kind: one._replace(seconds=None) if kind in either else one for kind, one in told.items()}
        known = [
            (kind, one if timed or kind in self._inside else one._replace(seconds=None))
            for kind, one in told.items()
        ]
        if (took := self._printed.taken()) is not None and (took.apart or not timed):
            known = [
                (EVALUATION, Told(took.seconds if took.apart else None, None)),
                *((k, one) for k, one in known if k != EVALUATION),
            ]
        spans = [self._event(kind, one, apart=took is not None and took.apart) for kind, one in known]
        # A save of a kind that the format does not know lies between rows where that one told of none.
        saves, self._saved_by_format = (0 if self._saved_by_format else saves), False
        events: list[Event] = [event for event in spans if event.kind not in self._by_format]
        return events + [SpanEnd(CHECKPOINT, None, self._row, strength=Strength.GUESS)] * saves

    def row_says(self, text: str) -> None:
        """A line that its format reads."""
        self._printed.row_says(text)

    def early(self, text: str) -> None:
        """A line before any row was handed on: the first ones may be held back."""
        self._printed.early(text)
        self._save(text, said_of(text)[0])

    def _save(self, text: str, kind: str | None) -> bool:
        saves = (kind == CHECKPOINT or tells_of_a_save(text)) and not self._saves.ends_another(text)
        if saves:
            self._saves.hear(text)
        else:
            self._saves.other(text)
        return saves

    def hear(self, text: str, at_s: float | None) -> None:
        """A line that its format does not read, at its stamp where the rows have such."""
        if self._row is None:
            return
        self._printed.hear(text)
        kind, begins = said_of(text)
        self._evaluates = self._evaluates or kind == EVALUATION or _BAR.search(text[:LONGEST]) is not None
        if self._save(text, kind):
            self._saved_s = at_s
        elif kind == CHECKPOINT:
            kind = None
        if at_s is None:
            self._unstamped(kind, begins=begins)
            return
        line = Line(at_s, is_row=False, kind=kind, begins=begins)
        self._evaluated_s = at_s if kind == EVALUATION else self._evaluated_s
        ends = kind == EVALUATION and announced(text) == (kind, False)
        self._own.hear(text, at_s, kind, begins=begins, ends=ends)
        if kind is None and (self._belongs_to_row(text, at_s) or self._says_nothing(text, at_s)):
            return
        self._advance(line)
        self._between(self._before, line)
        self._vague_s = None if kind is not None else at_s if self._vague_s is None else self._vague_s
        if kind is not None and begins and kind not in self._open:
            known = self._told.get(kind)
            self._open[kind] = at_s, (known.seconds or 0.0) if known else 0.0

    def _belongs_to_row(self, text: str, at_s: float) -> bool:
        """Is it a second line of the newest row, with which it was printed? Behind it the training may have gone on."""
        row = self._line
        if row is None or not row.is_row or not 0 <= at_s - row.at_s < TOGETHER_S:
            return False
        self._second = "".join(one for one in text[:LONGEST_TOLD] if not one.isdigit())
        return self._second in self._of_rows

    def _says_nothing(self, text: str, at_s: float) -> bool:
        """Is it an empty line, printed together with the newest? What that one tells of holds behind it, too."""
        line = self._line
        together = line is not None and not line.is_row and 0 <= at_s - line.at_s < TOGETHER_S
        return together and not PREFIX.sub("", text[:LONGEST_TOLD], count=1).strip()

    def process_ends(self) -> None:
        """Another process begins with the line that comes now: of what the one before it began nobody knows how long it took."""
        line = self._line
        if line is not None and line.begins and line.kind is not None:
            self._add(line.kind, Told(None, line.at_s))
        self._line = self._before = None
        self._open = {}
        self._own.row()

    def _advance(self, line: Line) -> None:
        """Lines that were printed together end one and the same time."""
        last = self._line
        together = last is not None and not last.is_row and not last.begins and line.at_s - last.at_s < TOGETHER_S
        if not together:
            self._before = last
        self._line = line

    def _unstamped(self, kind: str | None, *, begins: bool) -> None:
        """A value below a stamped line tells what that one is of; without stamps it is known that it was."""
        line = self._line
        if kind is None or begins:
            return
        if (
            line is None
            and kind == EVALUATION
            and (self._clocked or (self.described and EVALUATION in self._inside))
        ):
            self._add(kind, Told(None, None))
        if line is not None and not line.is_row and line.kind is None:
            self._line = line._replace(kind=kind)
            self._between(self._before, self._line)

    def _between(self, before: Line | None, line: Line) -> None:
        """What the time between two stamped lines was."""
        if line.kind in self._open and not line.begins:  # whatever stood in between
            began_s, known_s = self._open.pop(line.kind)
            if 0 <= line.at_s - began_s <= LONGEST_S:
                self._told[line.kind] = Told(known_s + line.at_s - began_s, line.at_s)
                return
        passed_s = None if before is None else line.at_s - before.at_s
        known = before is not None and not before.is_row and passed_s is not None and 0 <= passed_s <= LONGEST_S
        if known and before is not None and before.begins and before.kind in self._open:
            self._add(before.kind, Told(passed_s, line.at_s, by_begin=True))
            self._before = before._replace(begins=False)  # lines that come together with this one add nothing
        elif line.begins or line.kind is None:
            return
        elif line.kind == EVALUATION:
            known = (known and not self._is_a_part(before)) or (
                before is not None and self._is_all_since(before, passed_s)
            )
            self._add(EVALUATION, Told(passed_s if known and EVALUATION not in self._told else None, line.at_s))
        elif known and before is not None and (before.kind == EVALUATION or self._goes_on(before, line)):
            self._add(CHECKPOINT, Told(passed_s, line.at_s))

    def _is_a_part(self, before: Line | None) -> bool:
        """Do several lines of work lie before a result, `getting boxes`, `calculating scores`? Which of them was the first of it no line tells."""
        if before is None or self._line is None or self._vague_s is None or before.kind is not None:
            return False
        return before.at_s - self._vague_s > self._line.at_s - before.at_s

    def _is_all_since(self, row: Line, passed_s: float | None) -> bool:
        """Would the training have printed another row, if it had gone on behind the newest one?"""
        if not row.is_row or self._row_s is None or passed_s is None:
            return False
        return ROWS * self._row_s <= passed_s <= LONGEST_S and passed_s > TOGETHER_S

    def _goes_on(self, before: Line, line: Line) -> bool:
        """Are both of one save of several files, which began where an evaluation was over?"""
        told = self._told.get(CHECKPOINT)
        return before.kind == line.kind == CHECKPOINT and told is not None and told.at_s == before.at_s

    def _event(self, kind: str, told: Told, *, apart: bool = False) -> SpanBegin | SpanEnd:
        """It stands behind the newest row."""
        if told.begun:
            return SpanBegin(kind, told.at_s, self._row, told=True)
        up_to = told.by_begin and kind == CHECKPOINT and told.seconds is not None
        apart = apart and kind == EVALUATION
        detail = UP_TO_THE_NEXT * up_to
        return SpanEnd(kind, told.at_s, self._row, told.seconds, detail=detail, told=True, apart=apart)

    def _add(self, kind: str, new: Told) -> None:
        old = self._told.get(kind)
        if old is None:
            self._told[kind] = new
        elif new.seconds is not None and old.seconds is not None:
            by_begin = old.by_begin or new.by_begin
            self._told[kind] = Told(old.seconds + new.seconds, new.at_s, by_begin=by_begin)
