"""Rows that nothing numbers, with a clock and totals that only grow: where all of them begin again, so does the training.

num_episodes,total_loss,total_time,total timesteps
213,0.22,13.02,15360
278,0.17,17.74,20480
11,0.05,0.78,1280            another process, that writes on in the same file
And rows of an epoch of so many, where two trainings with another number of them each write at once (`counting/writers.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import Message, Severity
from ....words import plural
from ...patterns import lazy_pattern
from ..counting.standing import NO_CONTEXT, RowContext, begins_a_training, shape_of_row
from ..counting.writers import Fate, Lengths, Twins
from ..parsing.phases import Phase
from ..parsing.rows import RowParser
from ..parsing.validation import Told, Waiting
from ..parsing.values import LogLine
from ..process_ids import Ranks, Scripts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ....events import Event, RunInfo
    from ..parsing.columns import Role
    from ..parsing.rows import _Placed
    from ..parsing.values import Fields

_COUNTS = lazy_pattern(r"\b(?:iteration|epoch) = [^,;]{1,80}(?:, |(?=;))")
_NO_COLUMN = "columns guessed: ;"
_STILL = "what could count the rows of this log stands still, or moves by another count: each row is one"

RISES = 3
"""So often a column has grown, and never fallen, that is one of them."""

ANEW = 0.5
"""Less than this share of what each of them was is a beginning."""

_MOST = 256


class Totals:
    """The columns of the rows so far that only grow."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[float, int]] = {}
        """The newest value of each, and how often it has grown; -1 once it fell."""

    def begin_again(self, row: Iterable[tuple[str, float]], clock: str) -> bool:
        """Take in the whole numbers of the next row, and its clock, which is one of them. Did all of them begin again?"""
        values = dict(row)
        grown = {name: last for name, (last, rises) in self._columns.items() if rises >= RISES}
        fell = [name for name, last in grown.items() if values.get(name, last) < ANEW * last]
        begins = len(grown) > 1 and len(fell) == len(grown) and clock in fell
        if begins:
            self._columns = {}
        for name, value in values.items():
            last, rises = self._columns.get(name, (value, 0))
            if name in self._columns or len(self._columns) < _MOST:
                self._columns[name] = value, -1 if rises < 0 or value < last else rises + (value > last)
        return begins


class InTurns(RowParser):
    """Rows of trainings that write at once: those of one that began later wait until the other one is over."""

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._still_told = False
        self._lengths, self._later = Lengths(), list[tuple[Waiting, RowContext]]()
        self._newest_waits, self._opens = False, LogLine("", None)
        self._begins = self._opens  # so does another script's, with this line
        self._ranks, self._scripts, self._twins = Ranks(), Scripts(), Twins()
        self._said, self._newest_row = NO_CONTEXT, ""  # of the row that was placed last; the newest that counts

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:
        """One row, if it is none of another rank, script or process, whose rows stand between."""
        cells = list(row)
        return [] if self._is_others(cells, line, said) else super().row(cells, line, said)

    def _is_others(self, cells: list[tuple[str, object]], line: LogLine, said: RowContext) -> bool:
        names = ".py" in line.text or "ank" in line.text or "RANK" in line.text or "[default" in line.text
        if not (names or self._twins.heads):
            return False
        if said.phase is Phase.EVALUATION:
            return self._scripts.are_others(line.text)
        read = self.columns.read(cells)
        epoch = read.get("epoch", said.epoch)
        if names:
            place = epoch or 0.0, read.get("iteration") or 0.0
            begins = said.anew or self.opened or self.said_again or self.surely
            whose = self._scripts.see(line.text, place)
            if self._ranks.leaves_out(line.text, place, begins=begins) or whose.other:
                return True
            self._begins = line if whose.begins else self._begins
        return "iteration" not in read and epoch is not None and self._twins.leaves_out(epoch)

    def waits_too(self, values: Fields, line: LogLine) -> bool:
        """Is what an evaluation found of a training whose newest row waits, or is no longer read? It waits with that row."""
        return self._newest_waits and not self._evaluated(Told(values, line, NO_CONTEXT, {}), None)

    def _evaluated(self, told: Told, trained: float | None) -> list[Event]:
        if self._newest_waits:
            if self._later:
                self._later[-1][0].holds(told)
            return []
        return super()._evaluated(told, trained)

    def run_info(self, line: LogLine) -> RunInfo:
        """A training of another length begins, and nothing is done again."""
        info = super().run_info(line)
        return replace(info, resumed=False) if line is self._opens else info

    def release(self) -> list[Event]:
        """The first row of another training, behind which none comes that could show it."""
        if len(self.waiting) != 1:
            return []
        row = self.waiting[0]
        place = row.step, row.read["epoch"]
        first = begins_a_training(*place, self.last) or self._first.comes_again(*place)
        if not first or shape_of_row(row.line.text) != shape_of_row(self._newest_row):
            return []
        counted = {"iteration": row.step, "epoch": row.read["epoch"]}
        read = row.read | {name: value for name, value in counted.items() if value is not None}
        self.waiting = []
        placed = super()._placed(read, row.line, self._said._replace(anew=True))
        return self._of_rows((*one[:2], row if one[0] is read else None) for one in placed)

    def end(self) -> list[Event]:
        """What waits is read, where the other training is over; what was left out of one is said."""
        events = (
            self._of_rows(self._read_all(Fate.ALL_ANEW)) if self._lengths.done and len(self._later) > 1 else []
        )
        waits = len(self._later) if len(self._later) > 1 else 0  # of one nobody knows whose it is
        n, of = (waits, self._lengths.later) if waits else (self._lengths.left_out, self._lengths.length)
        word = f"{plural(n, 'row')} of another training, of {of:,.0f}, that wrote to this log at the same time: left out"
        return [*events, *super().end(), *([Message(word)] if n else [])]

    def _messages(self, line: LogLine) -> list[Event]:
        """Also whose rows are left out; and no column is said to count where its number stands still."""
        words = *self._scripts.words(), *self._twins.words()
        told = super()._messages(line)
        if self._rounds.still.known and told and not self._still_told:
            self._still_told = True
            told = [
                replace(one, text=_COUNTS.sub("", one.text)) if isinstance(one, Message) else one for one in told
            ]
            told = [one for one in told if not (isinstance(one, Message) and one.text.startswith(_NO_COLUMN))]
            told.append(Message(_STILL, at_s=line.at_s))
        return [*told, *(Message(one, level=Severity.WARNING, at_s=line.at_s) for one in words)]

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Also of a line that is no row: it may head an epoch."""
        events = super().line(text, at_s)
        if not events:
            self._twins.hear(text)
        return events

    def taught(self, pupil: RowParser) -> None:
        """Also whether scripts write in turns."""
        super().taught(pupil)
        if isinstance(pupil, InTurns):
            self._scripts.learn(pupil._scripts)

    def process_begins(self, *, short: bool = False, sure: bool = False) -> None:
        """Heads of epochs are its own from here on."""
        super().process_begins(short=short, sure=sure)
        self._twins.begin()

    def _another_rank(self, fields: Fields, line: LogLine) -> bool:
        """Rows that name their ranks have been told apart before they were counted."""
        return not self._ranks.named and super()._another_rank(fields, line)

    def _trained(self, read: Fields, line: LogLine) -> list[Event]:
        self._newest_row = line.text
        self.unit = "epoch" if self.columns.called.get("step") == "epoch" else self.unit  # by the word in front
        return super()._trained(read, line)

    def _placed(self, read: Fields, line: LogLine, said: RowContext) -> list[_Placed]:
        self._said = said
        if line is self._begins:
            said, self._opens = said._replace(anew=True), line
        inside = said.length is not None or said.within or "epoch" in read
        epoch = read.get("iteration") if "iteration" in read and not inside else read.get("epoch", said.epoch)
        length = None if "iteration" in read and inside else read.get("total")
        if epoch is None or length is None or epoch % 1 or length < 1:
            return super()._placed(read, line, said)
        turn = self._lengths.see(epoch, length, anew=said.anew or self.opened or self.said_again)
        self._newest_waits = turn in (Fate.WAITS, Fate.OTHER)
        if turn is Fate.WAITS:
            self._later.append((Waiting(read, line, None, []), said))
        if self._newest_waits:
            return []
        if turn is Fate.READ:
            return super()._placed(read, line, said)
        self._later.append((Waiting(read, line, None, []), said))
        return self._read_all(turn)

    def _read_all(self, turn: Fate) -> list[_Placed]:
        """All that wait."""
        rows, self._later = self._later, []
        placed: list[_Placed] = []
        self._newest_waits = False
        self._opens = rows[0][0].line if turn is Fate.ALL_ANEW else self._opens
        for row, said_of_it in rows:
            anew = said_of_it.anew or row.line is self._opens
            of_row = super()._placed(row.read, row.line, said_of_it._replace(anew=anew))
            placed += [(*one[:2], row) if one[0] is row.read else one for one in of_row]
        return placed
