"""What is known of each slow iteration: its times and spans, late ranks, the samples of its seconds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from math import inf, isnan, nan
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...events import CAUSE_OF_SPAN, CHECKPOINT, EVALUATION, STOPS, UP_TO_THE_NEXT, Strength, Witness
from ..record.spans import Note
from ..ticks import hidden_digit
from ..timing.clock import MORE_ROOM, longest, unprinted
from ..timing.spread import beside
from ..timing.waits import waits_at
from ..timing.warmup import SLOW
from .causes import Case
from .looks import waits_for_a_loader
from .periods import suspicion
from .sample_windows import BEFORE_S, measure, suspect

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ..findings import Cause
    from ..ranks.leads import Lead
    from ..ranks.stragglers import Ranks
    from ..record.columns import Columns
    from ..record.settings import Settings
    from ..record.spans import Spans
    from ..record.telemetry import Telemetry
    from ..timing.timing import Timing
    from .periods import Period, Slow
    from .sample_windows import SampleWindow
    from .stacks import Stacks

FAR_LONGER = 2.0
"""Times the row before it: such a row holds what was told between them."""

HELD_ROWS = 2
"""So many frames of a bar may be held back where lines between them are heard."""

MOST_OF_IT = 0.5
"""Of what a row took too long: a stop whose own lines are so far apart began at the first of them."""

_BY_CLOCK = (Witness.STAMPS, Witness.ELAPSED)  # times between readings of a clock, as coarse as it is
_OF_BARS = (Witness.RATE, Witness.ELAPSED)  # how a bar tells times; a row's printed one is of what came before it


class Record(NamedTuple):
    """Everything that was taken in and can say why an iteration was slow."""

    columns: Columns
    spans: Spans
    starts: Sequence[int]  # first position of each process
    trainings: Sequence[int]  # of these, where a training began from its beginning
    jumps: Collection[int]  # of the starts, those before which rows are missing: of a process nobody knows
    telemetry: Telemetry
    ranks: Ranks
    settings: Settings
    stacks: Stacks


class Cases:
    """Makes the case of each slow iteration. A *place* counts what `timing` found slow, from 0.

    Samples and late ranks are not kept for ever: what they say of an iteration is remembered here.
    """

    def __init__(self, timing: Timing, record: Record) -> None:
        self._slow = timing.slow
        self._timing = timing
        self._record = record
        self._windows: dict[int, SampleWindow] = {}  # by position
        self._leads: dict[int, Lead] = {}  # by position
        self._waits_seen: dict[int, Cause] = {}  # by position
        self.returned: set[int] = set()  # positions of a warm-up that took long for what comes again later

    def of(self, timing: Timing) -> Cases:
        """The same of another `timing`, which has gone on from this one's."""
        other = copy(self)
        other._timing, other._slow = timing, timing.slow
        return other

    def case(self, place: int, periods: Sequence[Period], *, is_final: bool) -> Case:
        """All that is known; `periods` say what is probable where nothing else does."""
        return self._case(place, self._suspicions(place, periods, is_final=is_final))

    def unexplained(self, place: int) -> Slow | None:
        """Iteration and excess of one that no line, no hook and no beginning of a process explains."""
        position = self._slow.position[place]
        if position in self._slow.among or self._notes_at(position):
            return None
        case = self._case(place)
        excess_s = case.duration_s - case.clean_s + case.gap_s
        if case.warmup or case.restarted or case.jumped or excess_s <= 0:
            return None
        return self._record.columns.index[position], excess_s

    def remember_samples(self, first: int) -> None:
        """What the samples say of the places from `first` on, of those whose samples have all come."""
        for place in range(first, len(self._slow)):
            position = self._slow.position[place]
            if position not in self._windows and not self.lacks_samples(place):
                window = self._window(place)
                if window is not None:
                    self._windows[position] = window

    def remember(self, place: int) -> None:
        """Which rank was late at `place`, and where hooks found the training."""
        position = self._slow.position[place]
        lead = self._record.ranks.late_rank_at(position)
        if lead is not None:
            self._leads[position] = lead
        if (seen := self._wait_seen(place)) is not None:
            self._waits_seen[position] = seen

    def lacks_samples(self, place: int) -> bool:
        """Are samples of its last second still to come?"""
        return self._record.telemetry.behind(self._record.columns.time_at(self._slow.position[place]))

    def _case(self, place: int, suspicions: tuple[tuple[Cause, float], ...] = ()) -> Case:
        columns, slow, starts = self._record.columns, self._slow, self._record.starts
        position = slow.position[place]
        over, start = columns.averaged_at(position), starts[bisect_right(starts, position) - 1]
        duration_s = columns.duration_s[position] * over
        wait_s, usual_s, work_s, alike = waits_at(columns, position)
        tick_s, reported = self._tick_s(position, start), self._notes_at(position)
        beside_s, noise_s, more = self._beside(position, start) if over > 1 else (0.0, 0.0, 0)
        return Case(
            duration_s=0.0 if isnan(duration_s) else duration_s,
            clean_s=max(slow.level_s[place], beside_s) * over,
            noise_s=noise_s * over,
            more_s=more * max(slow.level_s[place], beside_s),
            gap_s=slow.gap_s[place],
            unseen_s=self._unseen(position, start) * slow.level_s[place],
            notes=self._notes(place, reported, timed=not isnan(duration_s)),
            after=_right_before(columns, position) if position > start else None,
            tick_s=tick_s,
            longest_s=longest(columns, position - 1, position) if position and position == start else inf,
            fine=not tick_s and columns.witness == Witness.STAMPS,
            warmup=self._warms_up(position, start, slow.level_s[place]),
            restarted=position == start and position not in self._record.jumps,
            jumped=position in self._record.jumps,
            another=position > 0 and position in self._record.trainings,
            tail_s=_behind_last(columns, position - 1) * slow.level_s[place]
            if position > 1 and position in self._record.trainings
            else 0.0,
            unprinted=unprinted(columns, position - 1, position) if position and position == start else 0,
            data_wait_s=wait_s,
            usual_wait_s=usual_s,
            usual_work_s=work_s,
            waits_alike=alike,
            uncounted_s=MORE_ROOM * columns.uncounted.get(position, 0) * slow.level_s[place],
            told_s=0.0  # what lines tell of may have lain before the clock began that shows the gap
            if position and slow.gap_s[place] and self._timing.clock.began_anew(position - 1, position)
            else self._told_s(position, reported, slow.gap_s[place] or duration_s - slow.level_s[place] * over),
            moment_s=_moment_s(reported, columns.time_at(position)),
            lead=self._leads.get(position) or self._record.ranks.late_rank_at(position),
            suspicions=suspicions,
        )

    def _warms_up(self, position: int, start: int, level_s: float) -> bool:
        """Is it of a beginning that comes down? What comes behind a usual row, or comes again, is none."""
        if position in self.returned or position >= max(start + 1, self._timing.settled_at(position)):
            return False
        return not any(d <= SLOW * level_s for d in self._record.columns.duration_s[start:position])

    def _beside(self, position: int, start: int) -> tuple[float, float, int]:
        """See `beside`: of a row that holds a stop of an untold time."""
        marked = self._record.spans.by_position
        untimed = (n.kind for n in marked.get(position, ()) if n.duration_s is None)
        holds = position >= self._timing.settled_at(position) and any(
            CAUSE_OF_SPAN.get(k) in STOPS for k in untimed
        )
        return beside(self._record.columns, start, position, marked) if holds else (0.0, 0.0, 0)

    def _unseen(self, position: int, start: int) -> int:
        """How many iterations without a row passed before the one at `position`."""
        index, averaged = self._record.columns.index, self._record.columns.averaged_at(position)
        return max(0, index[position] - index[position - 1] - averaged) if position > start else 0

    def _tick_s(self, position: int, start: int) -> float:
        """How fine its time is: as a clock that it was taken from, or as the last digit that the log prints."""
        columns = self._record.columns
        if columns.witness in _BY_CLOCK:
            return columns.tick_s
        over, after = columns.averaged_at(position), bisect_right(starts := self._record.starts, position)
        end = starts[after] if after < len(starts) else len(columns.duration_s)
        return over * hidden_digit(columns.duration_s, position, (start, end), means=over > 1)

    def _notes(self, place: int, notes: tuple[Note, ...], *, timed: bool) -> tuple[Note, ...]:
        """What was reported of it (`notes`); without a time of its own that was in what passed before it."""
        if not notes or self._timing.is_usual(self._slow.position[place]):
            return ()
        if timed or not self._slow.gap_s[place]:
            return notes
        return tuple(msgspec.structs.replace(note, inside=False) for note in notes)

    def _notes_at(self, position: int) -> tuple[Note, ...]:
        spans = self._record.spans
        notes = spans.by_position.get(position, ())
        if self._is_behind(position + 1) and all(map(_is_told_alone, notes)):
            notes = ()
        if not notes and self._is_behind(position):
            return self._with_a_save(not_divided(self._told_before(position)), position, HELD_ROWS)
        return self._with_a_save(not_divided(notes), position, 1)

    def _with_a_save(self, notes: tuple[Note, ...], position: int, rows: int) -> tuple[Note, ...]:
        """... and beside an evaluation of an untold time a save, if a line tells of one since so many `rows`."""
        evaluated = next((n for n in notes if n.kind == EVALUATION and _is_told_alone(n)), None)
        if evaluated is None or any(n.kind == CHECKPOINT for n in notes):
            return notes
        saved = self._record.spans.saved
        at = bisect_left(saved, position - rows)
        if at == len(saved) or saved[at] >= position:
            return notes
        return (*notes, Note(CHECKPOINT, Strength.LOG, inside=evaluated.inside))

    def _is_behind(self, position: int) -> bool:
        """Is what lines tell of between this frame of a bar and the one before it this row's?

        A frame is read when the next one comes, and lines between the two are heard before it. Where the one
        before took far less time, it is this one that holds the stop.
        """
        columns = self._record.columns
        if columns.at_s or columns.witness not in _OF_BARS or not 0 < position < len(columns):
            return False
        return columns.duration_s[position] > FAR_LONGER * columns.duration_s[position - 1]

    def _told_before(self, position: int) -> tuple[Note, ...]:
        """What was told without a time of the row before, if an evaluation was: a save alone explains nothing."""
        notes = self._record.spans.by_position.get(position - 1, ())
        told = {note.kind: msgspec.structs.replace(note, inside=True) for note in notes if _is_told_alone(note)}
        return (*told.values(),) if EVALUATION in told else ()

    def _suspicions(
        self, place: int, periods: Sequence[Period], *, is_final: bool
    ) -> tuple[tuple[Cause, float], ...]:
        """What looks or samples say, or else the timings. Samples that come after a label is final change nothing.

        Where hooks time evaluations and checkpoints, a period of what they did not time is none of them.
        """
        columns, position = self._record.columns, self._slow.position[place]
        if (seen := self._waits_seen.get(position) or self._wait_seen(place)) is not None:
            return ((seen, 1.0),)
        window = self._windows.get(position) if is_final else self._window(place)
        over = columns.averaged_at(position)
        duration_s = over * columns.duration_s[position] + self._slow.gap_s[place]
        found = suspect(window, duration_s, over * self._slow.level_s[place]) if window is not None else []
        spans = self._record.spans
        if not found and periods:
            reported = [kind for kind in spans.seen if kind in spans.reported or spans.by_hooks]
            at = columns.index[position], over
            periodic = suspicion(periods, at, self._record.settings.config, reported)
            found = [(periodic, 1.0)] if periodic is not None else []
        return tuple(found)

    def _wait_seen(self, place: int) -> Cause | None:
        """That it waited for data, where hooks looked and found it so."""
        columns, position = self._record.columns, self._slow.position[place]
        stacks = self._record.stacks.of(columns.index[position])
        if not stacks or position < self._record.starts[-1]:
            return None
        return waits_for_a_loader(stacks, columns.duration_s[position], self._slow.level_s[place])

    def _window(self, place: int) -> SampleWindow | None:
        """What GPUs and host did in the seconds of the iteration, where samples say so."""
        columns, position = self._record.columns, self._slow.position[place]
        end_s = columns.time_at(position)
        duration_s = columns.duration_s[position] * columns.averaged_at(position)
        if isnan(end_s) or isnan(duration_s) or position in self._windows:
            return self._windows.get(position)
        begin_s = end_s - duration_s - self._slow.gap_s[place]
        gpus, host = self._record.telemetry.samples_between(begin_s - BEFORE_S, end_s)
        return measure(gpus, host, begin_s, end_s) if gpus or host else None

    def _told_s(self, position: int, notes: tuple[Note, ...], excess_s: float) -> float | None:
        """What of the `notes` at `position` was reported without a time took at most, by when its lines came.

        From a line that announces it to its last result it took all of that time, and where this is most of the
        `excess_s`, nothing before it: iterations without a row are slow, too.
        """
        untimed = _without_echoes(n for n in notes if n.duration_s is None)
        moments = [n.at_s for n in untimed if n.at_s is not None]
        columns = self._record.columns
        begin, end = columns.time_at(position - 1) if position else nan, columns.time_at(position)
        if not moments or len(moments) < len(untimed) or isnan(begin) or isnan(end):
            return None
        begun = [n.at_s for n in untimed if n.begun and n.at_s is not None]
        ended = [n.at_s for n in untimed if not n.begun and n.at_s is not None]
        if begun and ended and begin <= min(begun) and max(ended) <= end:
            between_s = max(ended) - min(begun)
            if between_s >= MOST_OF_IT * excess_s > 0:
                return between_s
        known = [n.at_s for n in notes if n.duration_s is not None and n.at_s is not None]
        begin = max([begin, *(one for one in known if one <= min(moments))])  # what has its own time was over
        before_s, after_s = max(ended, default=begin) - begin, end - min(begun, default=end)
        return min(max(0.0, before_s) + max(0.0, after_s), max(0.0, end - begin))


def _right_before(columns: Columns, position: int) -> int | None:
    """The iteration before the row at `position`, if the row before is its."""
    before = columns.index[position - 1]
    return before if columns.index[position] - before == columns.averaged_at(position) == 1 else None


def not_divided(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """Without the time of a save that no line of its own ends, beside an evaluation whose begin nobody told.

    It may lie long before the line that ended the save: a bar without a stamp stood in between.
    """
    if not any(n.kind == EVALUATION and n.duration_s is None and not n.begun for n in notes):
        return notes
    return tuple(
        msgspec.structs.replace(n, duration_s=None, begun=True, at_s=n.at_s and n.at_s - (n.duration_s or 0.0))
        if n.kind == CHECKPOINT and n.detail == UP_TO_THE_NEXT
        else n
        for n in notes
    )


def _without_echoes(notes: Iterable[Note]) -> list[Note]:
    """Without lines that have no stamp, behind one that tells when the stop began: it had begun by then."""
    kept: list[Note] = []
    for note in notes:
        if not (note.begun and note.at_s is None and any(n.begun and n.at_s is not None for n in kept)):
            kept.append(note)
    return kept


def _moment_s(notes: Iterable[Note], row_s: float) -> float | None:
    """How fine the stamps of lines without a time are, and that of their row; `None`: they have none."""
    moments = [n.at_s for n in notes if n.duration_s is None and n.at_s is not None]
    if not moments or isnan(row_s):
        return None
    return float(all(at_s % 1 == 0 for at_s in (*moments, row_s)))


def _behind_last(columns: Columns, last: int) -> int:
    """How many iterations may have no row behind a training's `last` one: so many as lie between two, less one."""
    return max(columns.averaged_at(last), columns.index[last] - columns.index[last - 1]) - 1


def _is_told_alone(note: Note) -> bool:
    """Does a line tell that it was, and nothing how long it took? Not of what is proven to be in no row's time."""
    return note.kind in (EVALUATION, CHECKPOINT) and note.duration_s is None and not note.apart
