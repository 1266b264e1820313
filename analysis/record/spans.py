"""What the trainer reported besides iterations, joined to those that contain it or come after it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from math import inf
from typing import TYPE_CHECKING

import msgspec

from ...events import (
    CHECKPOINT,
    COMPILE,
    DRAIN,
    EVALUATION,
    OF_EPOCH,
    UP_TO_THE_NEXT,
    SpanBegin,
    SpanEnd,
    Strength,
    Witness,
)
from .evaluations import ToldOnce, tells_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ...events import RunInfo
    from .columns import Columns

FILLED = 1.02
"""Times what a row says that it took: no more passed since the row before, and all of it is in the row's time."""

_MOST_WAITING = 1_000  # for their iteration
_MOST_COMPILED = 10_000
_MOST_CORRECTED = 1_000  # positions: what a line says of an evaluation comes hours behind it at most
_LONGEST_S = 86_400.0  # a stop whose end is known by the next one's begin alone
_IN_TURN = frozenset({EVALUATION, CHECKPOINT})
"""Of these the lines of a log say one after the other: where the one begins, the other is over."""

_BEHIND = {CHECKPOINT: 1, COMPILE: 2}
"""These stand behind the others of an iteration."""


class Note(msgspec.Struct, frozen=True, gc=False):
    """One span, as far as it is known. Without `duration_s` a line only says that it happened."""

    kind: str
    strength: Strength
    iteration: int | None = None
    duration_s: float | None = None
    at_s: float | None = None
    detail: str = ""
    inside: bool = True  # the time of the iteration it is joined to contains it
    apart: bool = False  # no iteration's time contains it, by its own line
    bracketed: bool = False  # its time is what passed from its first line to its results
    begun: bool = False  # `at_s` is when it began: a line announced it, and none says when it ended

    def covers(self, other: Note) -> bool:
        """Did `other` happen while this lasted? Then its seconds are in this one's already."""
        if self is other or None in (self.at_s, self.duration_s, other.at_s, other.duration_s):
            return False
        assert self.at_s is not None and self.duration_s is not None  # noqa: S101, PT018 - for the type checker
        assert other.at_s is not None and other.duration_s is not None  # noqa: S101, PT018
        slack = 1e-4
        return (
            other.duration_s < self.duration_s
            and self.at_s - self.duration_s - slack <= other.at_s - other.duration_s
            and other.at_s <= self.at_s + slack
        )


BRACKETED = "from its first line to its results"  # how the time of an evaluation is known

MOSTLY = 0.5
"""Of the time since the newest row: an evaluation whose first line is so far before its results began there."""


class Spans:
    """Open and finished spans of a run."""

    def __init__(self) -> None:
        self.open: list[SpanBegin] = []
        self.by_position: dict[int, tuple[Note, ...]] = {}
        self.positions: list[int] = []  # that have spans, ascending
        self.seen: dict[str, array[int]] = {EVALUATION: array("q"), CHECKPOINT: array("q")}  # iterations, by kind
        self.saved = array("q")  # positions of rows behind which a save is told of, ascending
        self.reported: set[str] = set()  # kinds that were ever seen
        self.counted = ToldOnce()
        self._rows = 0  # that have come
        self.apart_s = 0.0  # between iterations, by words: where a clock that begins anew has none of it
        self._of_unknown: Columns | None = None  # rows of a script that nobody described
        self.within_rows = False  # was anything within the time that one of them prints, by its stamps?
        self.by_stamps = False  # are the iterations' times differences of stamps? Everything is in them then
        self._none_has: frozenset[str] | None = None  # what no iteration's time contains, as the log's format says
        self.by_hooks = False  # the trainer's own hooks tell them: what they do not tell was none
        self.last: Note | None = None  # that has not been joined yet: what happened since the last iteration
        self.compiled: deque[tuple[int, float]] = deque(maxlen=_MOST_COMPILED)  # positions, and seconds in them
        self.drains = 0  # checkpoints whose writing was waited for beside the training,
        self.drained_s = 0.0  # ... and how long that took in all
        self._waiting: list[Note] = []
        self._left: list[Note] = []  # of the process before, behind its last iteration
        self._newest: int | None = None  # iteration that was joined
        self.corrected = False  # did one turn out to have lasted longer or shorter than was told?

    def begin(self, event: SpanBegin) -> None:
        """A span began. Within one that is known, what is only announced says nothing new."""
        self._end_before(event)
        if event.strength == Strength.GUESS and any(b.strength != Strength.GUESS for b in self.open):
            return
        self.open = [*self.open[-15:], event]
        if event.strength == Strength.LOG and not event.told:
            self.counted.once(event, self._rows)

    def read(self, columns: Columns, info: RunInfo) -> None:
        """What is reported from here on stands between rows of these times."""
        self.by_stamps = columns.witness == Witness.STAMPS
        self._of_unknown = columns if info.undescribed else None
        self._none_has = None if info.undescribed else _IN_TURN - set(info.time_includes)

    def _fills(self, position: int) -> bool:
        """Of a script that nobody described: is all that passed since the row before in the time it prints?"""
        columns = self._of_unknown
        if columns is None or not position:
            return False
        passed_s = columns.time_at(position) - columns.time_at(position - 1)
        return 0 < passed_s <= FILLED * columns.spent_s(position, position)

    def end(self, event: SpanEnd) -> None:
        """A span ended, or a line reported one; what was only announced is over with it."""
        if event.kind == CHECKPOINT and not event.void:
            self.saved.append(self._rows - 1)
        if event.strength == Strength.GUESS and not event.void and event.duration_s is None:
            self.counted.guess(event.kind)  # it was: what it took, and whether it comes back, nobody told
            return
        announced = [b for b in self.open if b.strength == Strength.GUESS and b.kind == event.kind]
        self.open = [b for b in self.open if b not in announced]
        if event.strength == Strength.GUESS and event.void:
            return
        counted, lasted_s = event.told, self._bracketed_s(event, announced)
        for place in range(len(self.open) - 1, -1, -1):
            if self.open[place].kind == event.kind:
                counted = counted or self.counted.has(self.open[place])
                self.open = self.open[:place] + self.open[place + 1 :]
                break
        if event.void:
            return
        if not counted:
            self.counted.once(event, self._rows)
        if event.kind == DRAIN:
            self.drained_s += event.duration_s or 0.0
            self.drains += event.duration_s is not None
            return
        if tells_nothing(event) and self.last and self.last.kind == EVALUATION and self.last.duration_s:
            return  # it speaks of the one whose time was just told
        seconds, detail = (event.duration_s, event.detail) if lasted_s is None else (lasted_s, BRACKETED)
        known = event.kind, event.strength, event.iteration, seconds, event.at_s, detail
        self._wait(Note(*known, apart=event.apart, bracketed=lasted_s is not None))

    def _bracketed_s(self, event: SpanEnd, announced: Sequence[SpanBegin]) -> float | None:
        """What passed from the line that announced an evaluation to its results, where rows have stamps alone.

        `Evaluating ...` may be printed when it is over: then most of the time since the newest row lies before it.
        """
        columns, began_s = self._of_unknown, announced[-1].at_s if announced else None
        if columns is None or not self.by_stamps or began_s is None or event.at_s is None or not len(columns):
            return None
        if event.kind != EVALUATION or event.duration_s is not None:
            return None
        lasted_s = event.at_s - began_s
        passed_s = event.at_s - columns.time_at(len(columns) - 1)
        return lasted_s if MOSTLY * passed_s <= lasted_s <= min(passed_s, _LONGEST_S) else None

    def _end_before(self, event: SpanBegin) -> None:
        """A stop of which a log says the begin alone is over where the next one begins."""
        for begun in self.open:
            in_turn = begun.strength == Strength.LOG and {begun.kind, event.kind} == _IN_TURN
            if not in_turn or begun.at_s is None or event.at_s is None:
                continue
            if 0 <= event.at_s - begun.at_s <= _LONGEST_S:
                self.open = [b for b in self.open if b is not begun]
                lasted_s = event.at_s - begun.at_s
                detail = begun.detail if event.strength == Strength.LOG else UP_TO_THE_NEXT
                self._wait(Note(begun.kind, begun.strength, begun.iteration, lasted_s, event.at_s, detail))

    def join(
        self, indices: Sequence[int], position: int, includes: Collection[str], averaged_at: Callable[[int], int]
    ) -> None:
        """Join what waits to the iterations `indices` (ascending) from `position` on.

        `averaged_at` gives how many iterations the time at a position is the mean of: what happened in any of
        them is inside it.
        A log's begin without an end is over when the next line of an iteration comes; one that was only announced
        counts for nothing then.
        """
        self.open = [b for b in self.open if b.strength != Strength.GUESS]
        for begun in [b for b in self.open if b.strength != Strength.HOOK and (b.iteration or 0) <= indices[-1]]:
            self.open = [b for b in self.open if b is not begun]
            at = begun.iteration, None, begun.at_s
            self._wait(Note(begun.kind, begun.strength, *at, begun.detail, begun=True))
        if not self._waiting and not self._left:
            self._newest, self._rows = indices[-1], position + len(indices)
            return
        joined: dict[int, list[Note]] = {position: self._left} if self._left else {}
        self._left = []
        newest, self._newest = self._newest, indices[-1]
        still: list[Note] = []
        for note in self._waiting:
            offset = 0 if note.iteration is None else bisect_left(indices, note.iteration)
            if offset == len(indices):
                still.append(note)
                continue
            if note.iteration is None:
                self._see(note.kind, indices[0])
            held = note.iteration is None or indices[offset] - note.iteration < averaged_at(position + offset)
            held = held or (offset == 0 and note.iteration == newest)  # it came after its own iteration's line
            may_be, known = held and not note.apart, self.by_stamps or note.kind in includes
            inside = may_be and (known or self._fills(position + offset))
            self.within_rows = self.within_rows or (inside and not known)
            joined.setdefault(position + offset, []).append(msgspec.structs.replace(note, inside=inside))
        self._waiting, self._rows = still[-_MOST_WAITING:], position + len(indices)
        self.last = still[-1] if still else None
        for place, notes in sorted(joined.items()):
            self.by_position[place] = _topmost(notes)
            self.apart_s += sum(note.duration_s or 0.0 for note in self.by_position[place] if note.apart)
            compiled = [note.duration_s or 0.0 for note in self.by_position[place] if note.kind == COMPILE]
            if compiled:
                self.compiled.append((place, sum(compiled)))
        self.positions += sorted(joined)

    def correct(self, iteration: int, lasted_s: float) -> None:
        """The evaluation of the model after `iteration` lasted so long by its own words."""
        for n, note in enumerate(self._waiting):
            if _is_behind(note, iteration):
                self._waiting[n] = msgspec.structs.replace(note, duration_s=lasted_s)
        for position in reversed(self.positions[-_MOST_CORRECTED:]):
            notes = self.by_position[position]
            found = [_is_behind(note, iteration) for note in notes]
            if any(found):
                self.by_position[position] = tuple(
                    msgspec.structs.replace(note, duration_s=lasted_s) if is_it else note
                    for note, is_it in zip(notes, found, strict=True)
                )
                self.corrected = True
                return

    def trailing(self, since_s: float = inf, last: int | None = None) -> tuple[Note, ...]:
        """What lasted after the newest iteration, `last`, at `since_s`, which none contains: a last evaluation.

        Where it was reported of iterations far beyond that one, the training went on without a line of its own:
        then what passed until a line without a time is not that line's.
        """
        went_on = last is not None and any((n.iteration or 0) > last + 1 for n in self._waiting)
        since_s = inf if went_on else since_s
        timed = [n for n in self._waiting if n.duration_s is not None or (n.at_s is not None and n.at_s > since_s)]
        return tuple(msgspec.structs.replace(note, inside=False) for note in _topmost(timed)) if timed else ()

    def leave(self, index: int) -> None:
        """Another process begins at iteration `index`: what waits for others never got its iteration."""
        self._leave([n for n in self._waiting if n.iteration not in (None, index)])
        self._waiting = [n for n in self._waiting if n.iteration is None or n.iteration == index]
        self.last = self._waiting[-1] if self._waiting else None

    def begin_training(self) -> None:
        """Another training begins: when it evaluates and saves is its own. What waits is of its first."""
        for iterations in self.seen.values():
            del iterations[:]
        for note in self._waiting:
            if note.iteration is not None:
                self._see(note.kind, note.iteration)

    def abandon(self) -> None:
        """The process ended: what was open is over, and what waited for its iteration never got one."""
        self._leave(self._waiting)
        self.open = []
        self._waiting = []
        self.last = None

    def _leave(self, notes: Sequence[Note]) -> None:
        """What stamps prove to have passed before the next process began is part of the time between the two.

        So is what no iteration contains by its own words. Of a log without any clock only the seconds count of a
        training's last evaluation: no iteration has a time.
        """
        timed = [n for n in notes if n.duration_s is not None and self._passed(n)]
        self._left += [
            msgspec.structs.replace(
                note, inside=not (note.apart or self.by_stamps or note.kind in (self._none_has or ()))
            )
            for note in timed[-_MOST_WAITING:]
        ]

    def _passed(self, note: Note) -> bool:
        if self.by_stamps:
            return note.at_s is not None
        if note.at_s is None and self._none_has is not None and note.kind in self._none_has:
            return True
        return note.apart or (note.at_s is None and note.detail.startswith(OF_EPOCH))

    def _wait(self, note: Note) -> None:
        self._waiting.append(note)
        if len(self._waiting) > 2 * _MOST_WAITING:
            del self._waiting[:_MOST_WAITING]
        self.last = note
        if note.iteration is not None:
            self._see(note.kind, note.iteration)

    def _see(self, kind: str, iteration: int) -> None:
        seen = self.seen.get(kind)
        if seen is not None and (not seen or seen[-1] != iteration):
            seen.append(iteration)
            self.reported.add(kind)


def _is_behind(note: Note, iteration: int) -> bool:
    """Is it of an evaluation between `iteration` and the next one, whose time is known?"""
    return note.kind == EVALUATION and note.iteration == iteration + 1 and note.duration_s is not None


def _topmost(notes: list[Note]) -> tuple[Note, ...]:
    """`notes` without those inside others (a collection of garbage during an evaluation).

    What is compiled or saved inside an evaluation keeps its own seconds, and the evaluation has the rest: the
    next one will not compile, and a checkpoint is one wherever it is written.
    """
    if len(notes) == 1 or len(notes) > 200:
        return tuple(notes)
    if sum(n.at_s is not None and n.duration_s is not None for n in notes) < 2:  # none covers another: as mostly
        return tuple(sorted(notes, key=lambda n: _BEHIND.get(n.kind, 0)))
    compiled, saved = (_outermost([n for n in notes if n.kind == kind]) for kind in (COMPILE, CHECKPOINT))
    others = [n for n in notes if n.kind not in (COMPILE, CHECKPOINT)]
    others = [n for n in others if not any(holder.covers(n) for holder in (*others, *saved))]
    of_saved = [_without(note, [(one, one.duration_s) for one in compiled]) for note in saved]
    parts = [(one, one.duration_s) for one in compiled]
    parts += [(one, rest.duration_s) for one, rest in zip(saved, of_saved, strict=True)]
    return (*(_without(note, parts) for note in others), *of_saved, *compiled)


def _outermost(notes: list[Note]) -> list[Note]:
    return [n for n in notes if not any(other.covers(n) for other in notes)]


def _without(note: Note, parts: Sequence[tuple[Note, float | None]]) -> Note:
    """`note` without the seconds of those `parts` that happened while it lasted."""
    inside_s = sum(seconds for part, seconds in parts if seconds and note.covers(part))
    if not inside_s or note.duration_s is None:
        return note
    return msgspec.structs.replace(note, duration_s=max(0.0, note.duration_s - inside_s))
