"""Which line of a log gives which iteration: noted while the log is read, so that no line is parsed twice."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import islice, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ...events import (
    Iteration,
    Iterations,
    Message,
    PrintedLoss,
    SpanBegin,
    SpanEnd,
)
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...events import Event

_UNKNOWN = -1
_NUMBER = lazy_pattern(r"(?<![\w.])-?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,3})?")
_index = attrgetter("index")


class _Entry(NamedTuple):
    """One iteration of the log: its line, and the line of the iteration before it (0: there is none)."""

    line: int
    line_before: int


class LineIndex:
    """Finds the lines of an iteration by its number. One thread writes, another may read.

    Regular stretches of the log are kept as one *row*: `count` iterations, `step` apart, on lines `line_step`
    apart. A nanoGPT log of a million lines has 4,000 rows of 40 bytes. An *attempt* is a stretch of rows in which
    the iterations ascend: a resumed run has several, and may have the same iteration in each of them.
    """

    def __init__(self) -> None:
        self._first = array("q")
        self._step = array("q")
        self._line = array("q")
        self._line_step = array("q")
        self._count = array("q")
        self._attempts = array("q")  # the rows with which they begin
        self._gone = 0  # so many rows are of a file that is no longer there
        self._void = 0  # ... and so many of another format than the log's: their iterations count no more
        self._rank: tuple[int | None] | None = None  # that of the first iteration: the only one that is counted
        self.newest: int | None = 0
        """The newest line that told of an iteration, or of its evaluation or save; `None`: which is not known."""

        self._row: tuple[int, str, Iteration | PrintedLoss] | None = None  # the newest: its line, text, event

        self._other_lines = array("q")  # of evaluations, checkpoints and messages, ascending,
        self._other_iterations = array("q")  # and the iteration that each names, or `_UNKNOWN`

    def replace_file(self) -> None:
        """What is read from now on stands in another file: no line of the old one can be found any more."""
        self._gone, self.newest, self._row = len(self._count), 0, None
        self.forget_others()

    def read_again(self) -> None:
        """The file is read from its beginning again, as another format."""
        self._void = self._gone = len(self._count)
        self.newest, self._row = 0, None
        self.forget_others()

    @property
    def row(self) -> tuple[int, str] | None:
        """Line and text of the newest row; `None` where its numbers are not on one line, or blocks are read."""
        if self._row is None:
            return None
        line, text, event = self._row
        said = {float(number) for number in _NUMBER.findall(text)}
        counted = isinstance(event, Iteration) and event.loss is None and event.index in said
        return (line, text) if event.loss in said or counted else None

    @property
    def iterations(self) -> int:
        """So many were read."""
        return sum(self._count[self._void :])

    def forget_others(self) -> None:
        """The lines of evaluations, checkpoints and messages come once more, or never again."""
        del self._other_lines[:], self._other_iterations[:]

    def add_line(self, line: int, events: Sequence[Event], text: str = "") -> None:
        """Line `line` (from 1), which is `text`, gave these `events`."""
        other = False
        iteration = _UNKNOWN
        for event in events:
            kind = type(event)
            if kind is Iteration:
                self._add_iteration(event, line)  # type: ignore[arg-type]
                self.newest, self._row = line, (line, text, event)  # type: ignore[assignment]
            elif kind is PrintedLoss and event.newer:  # type: ignore[attr-defined]
                self._row = (line, text, event)  # type: ignore[assignment]
            elif kind is SpanBegin or kind is SpanEnd or kind is Message:
                other = True
                if kind is Message:
                    continue
                self.newest = line
                if event.iteration is not None:  # type: ignore[attr-defined]
                    iteration = event.iteration  # type: ignore[attr-defined]
        if other:
            self._other_iterations.append(iteration)
            self._other_lines.append(line)

    def add_held(self, line: int, events: Sequence[Event]) -> None:
        """The same of what was held back until then: on which line it stood is not known."""
        self.add_line(line, events)
        if events:
            self.newest = self._row = None

    def add_block(self, line: int, events: Sequence[Event] | Iterations, lines: int | None = None) -> None:
        """The lines from `line` on gave these `events`, one each.

        Where they are another number of `lines`, as those of one object, which of them gave which is not known.
        """
        if not isinstance(events, Iterations) and lines not in (None, len(events)):
            self.add_held(line, events)
            return
        self.newest, self._row = line + len(events) - 1, None
        if isinstance(events, Iterations):
            self._add_consecutive(events.index, line)
            return
        kinds = list(map(type, events))
        if self._rank == (None,) and kinds.count(Iteration) == len(kinds) and not any(map(_rank, events)):
            self._add_consecutive(array("q", map(_index, events)), line)
            return
        for number, event in enumerate(events, line):
            self.add_line(number, (event,))

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        """The line that gives `iteration`; `None` if there is none, or not any more.

        Args:
            iteration: its number, as the log counts.
            earlier: how many times the log has given it before (a resumed run repeats some).
        """
        entry = self._entry(iteration, earlier)
        return None if entry is None else entry.line

    def lines_about(self, iteration: int, earlier: int = 0) -> list[int]:
        """The lines of evaluations, checkpoints and messages between the iteration before and this one.

        Where the log leaves `iteration` out, those that name it.
        """
        lines = self._other_lines
        entry = self._entry(iteration, earlier)
        if entry is None:
            named = zip(lines, self._other_iterations, strict=False)
            return [] if earlier else [line for line, number in named if number == iteration]
        begin = bisect_right(lines, entry.line_before)
        return list(lines[begin : bisect_left(lines, entry.line)])

    def _entry(self, iteration: int, earlier: int) -> _Entry | None:
        found = next(islice(self._places(iteration), earlier, None), None)
        if found is None or found[0] < self._gone:
            return None
        row, place = found
        line = self._line_at(row, place)
        before = self._line_at(row, place - 1) if place else 0
        if not place and row > self._gone:
            before = self._line_at(row - 1, self._count[row - 1] - 1)
        return _Entry(line, before if before < line else 0)

    def _places(self, iteration: int) -> Iterator[tuple[int, int]]:
        """Row and place in it, oldest first, wherever the log gives `iteration`."""
        for begin, end in pairwise([*self._attempts, len(self._count)]):
            if begin < self._void:
                continue
            row = bisect_right(self._first, iteration, begin, end) - 1
            if row >= begin:
                place, rest = divmod(iteration - self._first[row], self._step[row])
                if not rest and place < self._count[row]:
                    yield row, place

    def _line_at(self, row: int, place: int) -> int:
        return self._line[row] + place * self._line_step[row]

    def _add_iteration(self, event: Iteration, line: int) -> None:
        if self._rank is None:
            self._rank = (event.rank,)
        if event.rank == self._rank[0]:
            self._add(event.index, line)

    def _add(self, number: int, line: int) -> None:
        row = len(self._count) - 1
        if row >= self._gone:
            count, apart = self._count[row], number - self._first[row]
            below = line - self._line[row]
            if count == 1 and apart > 0 and below >= 0:
                self._step[row], self._line_step[row] = apart, below
            if apart == count * self._step[row] > 0 and below == count * self._line_step[row]:
                self._count[row] += 1
                return
        self._begin_row(number, line)

    def _begin_row(self, number: int, line: int, step: int = 1, count: int = 1) -> None:
        row = len(self._count) - 1
        if row < self._void or number <= self._first[row] + (self._count[row] - 1) * self._step[row]:
            self._attempts.append(row + 1)
        self._first.append(number)
        self._step.append(step)
        self._line.append(line)
        self._line_step.append(1)
        self._count.append(count)

    def _add_consecutive(self, numbers: array[int], line: int) -> None:
        """Iterations on lines one after another: a row, where they are equally far apart."""
        if self._rank is None:
            self._rank = (None,)
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
        if step > 0 and _are_equally_far_apart(numbers, step):
            row = len(self._count) - 1
            if (
                row >= self._gone
                and self._step[row] == step
                and self._line_step[row] == 1
                and numbers[0] == self._first[row] + self._count[row] * step
                and line == self._line[row] + self._count[row]
            ):
                self._count[row] += len(numbers)
            else:
                self._begin_row(numbers[0], line, step, len(numbers))
            return
        for place, number in enumerate(numbers, line):
            self._add(number, place)


def _rank(event: Event) -> bool:
    return event.rank is not None  # type: ignore[attr-defined]


def _are_equally_far_apart(numbers: array[int], step: int) -> bool:
    """Whether they are `first, first + step, first + 2 * step, …`; a quarter of the time that a comparison takes.

    Each side is one large integer, with a number in each of its digits: a sum of two that stand ready.
    """
    ones, places = _ones_and_places(len(numbers))
    return int.from_bytes(numbers, sys.byteorder) == numbers[0] * ones + step * places


@lru_cache(maxsize=64)  # blocks of a log are of about the same length
def _ones_and_places(count: int) -> tuple[int, int]:
    ones, places = array("q", [1]) * count, array("q", range(count))
    return int.from_bytes(ones, sys.byteorder), int.from_bytes(places, sys.byteorder)
