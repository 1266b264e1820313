"""Where another process began to write to a log, whether it came to an iteration or not.

    Using 1 GPUs                     Using 1 GPUs                    Using 1 GPUs
    Collecting env info              Collecting env info             Collecting env info
    max_iter: 400                    max_iter: 400                   max_iter: 600
    iter: 20 loss: 1.04              Traceback ...                   iter: 420 loss: 0.7

What the first process said first comes again, in its order, from its very first line. That alone proves nothing: a
script may say all of it at each epoch, and eight ranks say it eight times. So it is held back until the next row:
where that counts on, such lines stand between rows, and are never looked at again. And only where one launch said
them once, or the one before had come to its end, is each time they came one launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events import Counted, EndReason, Iteration, Iterations, Launch, RunInfo
from ..patterns import lazy_pattern
from .counting.loaded import loads
from .opening_lines import APART_S, OpeningLines
from .parsing.stamps import stamp
from .plain.headed_anew import HeadedAnew
from .plain.starting_lines import StartingLines
from .stops.outer_loops import OuterLoops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Event

LEAST_LINES = 2
"""Of the first lines so many come again at least, and half of those there are."""

MANY_LINES = 4
"""So many prove a launch without an iteration, where none with one has begun in the same way."""

FAR_S = 3_600.0
"""So long after a row, or after the very first line before it, that line is another process's: folds follow at once."""

TOGETHER_S = 1.0
"""Ranks of one launch say it so soon after each other: none of them began because another one had failed by then."""

_YEAR = lazy_pattern(r"(?<!\d)20\d\d[-/.]?\d|\d[/.-]\d\d?[/.-]\d\d(?:,? |[|T_])\d\d:")
"""Of a stamp without its year the year is guessed, by the clock of who reads it: it dates nothing here."""

_PROMPT = lazy_pattern(
    r"(?:\([\w.-]{1,40}\) )?[\w.-]{1,40}@[\w.-]{1,60}(?: [A-Z0-9]{1,12} |: ?)[~/][^#$%>]{0,200}[#$%>]? ?$"
)
"""A shell waits: without a command behind it, it has launched nothing."""

_NEAR = 8
"""Events behind a row that may come with it: what the first one says of its columns, or of its evaluation."""

MOST = 10_000
"""Launches without an iteration that are remembered."""


class _Begun:
    """What may be the beginning of another process: it said the very first line once more."""

    def __init__(
        self, line: int, at_s: float | None, after: EndReason | None, *, is_apart: bool, is_far: bool
    ) -> None:
        self.event = Launch(at_s, line)
        self.has_rows = False  # lines that look like some
        self.after = after  # how the one before it had come to its end, by its own words
        self.is_apart = is_apart  # from the one before it
        self.is_far = is_far  # ... by `FAR_S`, and from its rows
        self.ended = self.is_told = False  # did this one? Has it been told?
        self.lines = 1  # of the first ones, in their order
        self.place = 0


class Launches:
    """Is told of each line that is no row, and of each row; tells, at a row and at the end, what began before."""

    def __init__(self) -> None:
        self._opening = OpeningLines()
        self._at_s: float | None = None  # the stamp of the newest very first line
        self._begun: list[_Begun] = []  # since the newest row
        self._ended: EndReason | None = None  # by the words of whoever writes, since then
        self._another = False  # has another run begun since then, as the format reads it?
        self._rows = False  # has there been one?
        self._had_rows = False  # has the process before those that `_begun` one, or what looks like it?
        self._is_single = False  # has one launch said the first lines but once?
        self._between_rows = False  # do they stand between rows that count on?
        self._proven = False  # has a launch with rows begun with them?
        self._alone = False  # has one with rows begun with the very first of them alone, behind one that failed?
        self._heard_s: float | None = None  # the time of the newest row, or of a very first line behind it
        self._first_alone = False  # does the very first line stand elsewhere, too?
        self._behind_held = False  # rows that were read before the first of those that `_begun` are still to come
        self._told, self._again = Counted(), False  # how often the first lines have come; have they, since?
        self._loops, self._headed, self._starting = OuterLoops(), HeadedAnew(), StartingLines()
        self._headed_anew = self._tracked = False  # another training, by the newest line: rows that count show it
        self._behind: int | None = None  # behind the newest row, the first line that says that something starts
        self._waits = False  # is a shell's prompt the newest line, but for its sign on one of its own?
        self._opens_now = False  # is the newest line the very first one, or it again?
        self._is_unclear = False  # were lines said again before the first row of which nobody knows by how many?
        self.is_short = False
        self.follows_an_end = False
        """Had the process with the newest row said that it was over, before the very first line came again?"""

    def line(self, text: str, number: int, *, holds: bool = False, bars: bool = False) -> bool:
        """Take in a line that is no row. Have most of the first lines come again with it, or, `is_short`, one or two of so many?

        `holds`: the format has read a row and not handed it on. `bars`: it draws them, and none shows that it is a new one's.
        """
        unknown = not len(self._opening)
        if self._waits or "@" in text:
            behind = self._waits and not any(map(str.isalnum, text))
            self._waits = behind or _PROMPT.match(text) is not None
        self._again = (self._starting.hear(text) and self._rows) or self._again
        told = self._opening.again(text)
        self._opens_now = (unknown and len(self._opening) > 0) or self._opening.place == 0
        self._again = self._again or told or self._opening.place is not None
        self.is_short = not told and self._opening.short_again
        if unknown and len(self._opening):
            self._at_s, self._between_rows = stamp(text), self._opening.begins_with_a_count
        self.is_short = (self.is_short and not self._between_rows) or (
            self._opening.starts_again(text) and not told
        )
        self._headed_anew = self._headed.begins(text, ended=self._rows and self._ended is EndReason.FINISHED)
        self._note_start(text, number, bars=bars)
        if told or self.is_short:
            self._loops.forget()
        self.is_short = self.is_short or (self._headed_anew and not told)
        self._loops.hear(text)
        if self._opening.place is None or self._between_rows:
            return told or self.is_short or self._tracked
        if self._opening.place == 0:
            if len(self._begun) < MOST:
                self._behind_held = self._behind_held or (holds and not self._begun)
                self._begin(number, text)
        elif self._begun and self._opening.place > self._begun[-1].place:
            newest = self._begun[-1]
            newest.place, newest.lines = self._opening.place, newest.lines + 1
        return told or self.is_short or self._tracked

    def _note_start(self, text: str, number: int, *, bars: bool) -> None:
        dumped = self._opening.dumps.again(text, begun=self._rows)
        tracked = self._opening.tracked.again(text, begun=self._rows)
        self._tracked = tracked and bars
        if self._rows and self._behind is None and (dumped or tracked or self._opening.starts.is_sure):
            self._behind = number
        self._again = self._again or dumped or self._behind == number

    def _begin(self, number: int, text: str) -> None:
        at_s = stamp(text)
        before_s, self._at_s = self._at_s, at_s
        apart_s = None if at_s is None or before_s is None else at_s - before_s
        later, together = apart_s is not None and apart_s >= APART_S, apart_s is not None and apart_s < TOGETHER_S
        at_s = at_s if _YEAR.search(text) else None
        is_apart = later or (self._rows and not self._begun)
        heard_s, self._heard_s = self._heard_s, at_s
        is_far = at_s is not None and heard_s is not None and at_s - heard_s >= FAR_S
        after = None if together else self._ended
        self._begun.append(_Begun(number, at_s, after, is_apart=is_apart, is_far=is_far))
        self.follows_an_end = self.follows_an_end or (self._rows and self._ended is not None)
        self._ended = None

    @property
    def is_sure(self) -> bool:
        """Has another process begun with the newest line, though rows may go on to be counted?"""
        return self._opening.surely_again or self._headed_anew or self._tracked

    @property
    def opens(self) -> bool:
        """Is the newest line the very first one of the log again? What the one before it began ended with its process."""
        return self._rows and self._opening.place == 0 and not self._opening.begins_with_a_count

    def resumes(self, text: str) -> bool:
        """Does a process, whose first lines came again as a whole behind a row, say that it goes on from a checkpoint?"""
        if "heckpoint" not in text or not (self._begun and self._rows and self._is_single):
            return False
        said = self._is_whole(self._begun[-1]) and self._opening.arguments_again and loads(text)
        self._another = self._another or said
        return said

    @property
    def has_begun(self) -> bool:
        """Have several of the first lines come again since the newest row, in their order? One may be any warning."""
        return bool(self._begun) and self._begun[-1].lines > LEAST_LINES

    @property
    def is_open(self) -> bool:
        """Is it open whether the newest process has come to a row?"""
        return bool(self._begun) or not self._rows

    @property
    def begins_with(self) -> int | None:
        """The line with which the newest process began, as soon as it is known to be one: its head begins there."""
        if not self._begun:
            return None
        newest = self._begun[-1]
        known = self._is_single or newest.after or newest.is_apart
        return newest.event.line if known and self._is_whole(newest) else None

    def seems_row(self, text: str = "") -> None:
        """A line looks like a row, and was not handed on: it may be, later, but for one that tells of a loaded model."""
        if loads(text):
            return
        if self._begun:
            self._begun[-1].has_rows = True
        else:
            self._had_rows = True

    def ends(self, reason: EndReason) -> None:
        """Whoever writes said that it is over, or failed; a first line of all that speaks of a failure is no end."""
        if self._opens_now:
            return
        self._ended = reason
        self._opening.dumps.goes_on()
        if self._begun:
            self._begun[-1].ended = True

    def before(self, found: Sequence[Event] | Iterations) -> list[Launch]:
        """What began before the events of a line, if a row is among them."""
        if not isinstance(found, Iterations) and (len(found) != 1 or type(found[0]) is not Iteration):
            kinds = [*map(type, found)]
            self._another = self._another or (RunInfo in kinds and not self._behind_held)
            if Iteration not in kinds:
                return []
        self._again, self._behind = self._again or self._behind is not None, None
        self._opening.dumps.goes_on()
        self._starting.row(_begins_with(found), anew=self._another)
        if self._behind_held:
            self._behind_held, self._rows, self._had_rows = False, True, True
            return []
        self._opening.starts.row(anew=self._another)
        launches = self._resolved() if self._begun else []
        self._is_unclear = self._is_unclear or (bool(self._begun) and not (self._rows or launches))
        self._is_single = self._is_single or not (self._rows or launches or self._begun)
        self._begun, self._rows, self._another, self._ended = [], True, False, None
        self.follows_an_end = False
        self._had_rows = True
        near = () if isinstance(found, Iterations) else found[-_NEAR:]  # a block has no stamps
        heard_s = next((one.at_s for one in reversed(near) if isinstance(one, Iteration)), None)
        before_it = heard_s is not None and self._at_s is not None and heard_s < self._at_s
        self._heard_s = None if before_it else heard_s  # a column's stamp then, on another clock than the lines'
        self._opening.iteration()
        return launches

    def at_once(self) -> list[Launch | Counted]:
        """What is known before a row comes: the round, and that no row came for an hour, and then most of the first lines.

        What is said of an end from there on is none of the process's that had the rows.
        """
        if self._rows and self._loops.open != self._told.round:
            self._told = msgspec.structs.replace(self._told, round=self._loops.open)
            return [self._told]
        if not (self._begun and self._rows and self._begun[0].is_far) or self._behind_held or self._between_rows:
            return []
        known = self._is_single and self._is_whole(self._begun[-1]) and not self._begun[-1].is_told
        return [*self._launches()] if known else []

    def counted(self, parser: object, text: str = "") -> list[Counted]:
        """How often the first lines have come, and what `parser` counts of the row `text`, where that is new."""
        self._loops.hear(text)
        self._again = self._again or self._loops.open != self._told.round
        of_an_epoch, told = getattr(parser, "of_an_epoch", None), self._told
        rows, unit = of_an_epoch == 0, "epoch" if of_an_epoch == 1 else getattr(parser, "unit", "")
        counts = unit, getattr(parser, "at_least", False), getattr(parser, "tag", "")
        if (rows, *counts) == (told.rows, told.unit, told.at_least, told.tag) and not self._again:
            return []
        self._again, opening = False, self._opening
        dumps = opening.dumps.times or None
        times = None if self._between_rows else opening.times  # they stand between rows: an epoch says them
        times = self._starting.times or times if times in (None, 1) else times
        self._told = Counted(times, opening.parts or None, rows, dumps, self._behind, *counts, self._loops.open)
        return [self._told] if self._told != told else []

    def within(self, found: Sequence[Event]) -> Sequence[Event]:
        """The events of a line, and in front of the newest run's what began before. Rows of others may have waited."""
        launches = self.before(found)
        if not launches:
            return found
        kinds = [*map(type, found)]
        first = kinds.index(Iteration)
        place = next((at for at in range(len(kinds) - 1, first, -1) if kinds[at] is RunInfo), 0)
        return [*found[:place], *launches, *found[place:]]

    def end(self) -> list[Launch]:
        """What began since the newest row, of a log that is over: but for those with lines like rows, which may be theirs.

        Nor is it a prompt at the log's end, where the first process was launched by hand at one.
        """
        if self._waits and self._begun and self._begun[-1].lines == 1:
            self._begun.pop()
        return self._launches(ended=True) if self._begun else []

    def _resolved(self) -> list[Launch]:
        """A row came: which of those before it were launches?"""
        newest = self._begun[-1]
        whole = self._is_whole(newest)
        is_far = whole and self._begun[0].is_far  # no row came for an hour, whatever counts on
        resumes = is_far or (whole and newest.after not in (None, EndReason.FINISHED))
        if self._rows and not self._another and not resumes:
            self._between_rows = True
            return []
        self._is_single = self._is_single or all(one.is_apart for one in self._begun)
        if whole or len(self._opening) == 1 or (self._rows and self._opening.are_processes):
            self._proven = True
        elif self._begins_alone(newest):
            self._alone = self._is_single = True
        elif not newest.ended:
            self._first_alone = True
        one_of_some = msgspec.structs.replace(newest.event, after_none=None)
        is_alone = is_far and not any(one.is_told for one in self._begun)
        return self._launches() or [one_of_some] * is_alone

    def _launches(self, *, ended: bool = False) -> list[Launch]:
        """Those that have not been told yet; where the log has `ended`, only rows would tell of those that seem to have some."""
        if not (self._is_single or all(one.after for one in self._begun)):
            return []
        had_rows, told = self._had_rows, []
        for one in self._begun:
            if one.is_told or self._is_one(one):
                after_none = None if self._is_unclear or self._starting.in_the_midst else not had_rows
                if not one.is_told and not (ended and one.has_rows):
                    told.append(msgspec.structs.replace(one.event, after_none=after_none))
                    one.is_told = True
                had_rows = False
            had_rows = had_rows or one.has_rows
        return told

    def _is_one(self, one: _Begun) -> bool:
        if self._proven and (len(self._opening) == 1 or not self._first_alone):
            return True
        if self._alone and not self._first_alone and (one.is_far or one.after is EndReason.FAILED):
            return True
        return self._is_whole(one) and (self._proven or one.ended or one.lines >= MANY_LINES)

    def _begins_alone(self, newest: _Begun) -> bool:
        """Is the one with rows known by the very first line alone: all before it failed, or that was long ago?"""
        failed = not (self._rows or newest.ended) and all(one.after is EndReason.FAILED for one in self._begun)
        return failed or (self._alone and newest.is_far)

    def _is_whole(self, one: _Begun) -> bool:
        return one.lines >= max(LEAST_LINES, (len(self._opening) + 1) // 2)


def _begins_with(found: Sequence[Event] | Iterations) -> int | None:
    """The number of the first row of a line's events, of the newest run among them."""
    if isinstance(found, Iterations):
        return None
    begun = max((at for at, one in enumerate(found) if isinstance(one, RunInfo)), default=0)
    return next((one.index for one in found[begun:] if isinstance(one, Iteration)), None)
