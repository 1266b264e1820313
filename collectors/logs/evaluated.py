"""Of which model an evaluation is that names no iteration: of the newest one's.

A log that says `Epoch 14 loss 0.05` and then `validation loss 0.10` evaluated the model of iteration 14. For the
time that it takes it lies before iteration 15, where nobody may ever come.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import EVALUATION, Iteration, RunInfo, SpanBegin, SpanEnd
from ..clean import numbered_lines
from ..log_formats.base import AheadParser, LearningParser
from ..log_formats.means.means_so_far import PrintedMeans
from ..log_formats.sets.of_a_batch import OfABatch
from ..log_formats.sets.said import SetsSaid
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Event
    from ..log_formats.base import LogFormat, Parser

_LONGEST = 2_000

_AHEAD, _ROWS_AHEAD = 5_000, 64
"""Lines that are looked at before the first is read, and rows among them."""

_STOPPED = lazy_pattern(r"(?i)\bstopp(?:ing|ed)\b.{0,40}?\b(?:epoch|iteration|step)s?\W{0,3}(\d{1,9})\b")
"""`Early stopping at epoch 159`, where the newest row is that of epoch 140."""

_WHOLE = lazy_pattern(r"(?<![\d.])\d+(?:,\d+)*(?!\d|\.\d)")
"""Whole numbers, also parted by commas."""

_OF_A_FILE = lazy_pattern(
    r"(?i)[^a-z]{0,40}(?:(?:best|loaded|last|previous|base|saved|resumed) ){0,2}(?:checkpoint|ckpt)\b"
)
"""`Checkpoint: epoch=3 val_loss=0.61`, before the first row: found long ago, when that was saved."""


class Evaluated:
    """The same line by line, and what of it has no place: what was found once more, behind a row with its own."""

    def __init__(self) -> None:
        self._own: float | None = None  # the validation loss in the newest row
        self._beyond = False  # has a line said that the training went on behind that row, and stopped?
        self._means, self._sets, self._batches = PrintedMeans(), SetsSaid(), OfABatch()

    def look_ahead(self, found: LogFormat, data: bytes, parser: Parser) -> None:
        """The rows that come first show whether their times are means so far: before any is told."""
        self._means, pupil, rows = PrintedMeans(ahead=True), found.parser(), 0
        lines = [text for _, text in islice(numbered_lines(data, 1), _AHEAD)]
        self._batches.look_ahead(lines)
        if isinstance(pupil, LearningParser):
            pupil.learn(lines)
        for one in (pupil, parser):
            if isinstance(one, AheadParser):
                one.look_ahead(lines)
        for text in lines:
            events = pupil.line(text, None)
            self._means.of(events)
            rows += any(isinstance(event, Iteration) for event in events)
            if rows >= _ROWS_AHEAD:
                break
        self._means.again()

    def of_line(self, found: Sequence[Event], newest: int | None, text: str) -> Sequence[Event]:
        """The events of a line, or of what was held back of several."""
        found = self._sets.of(self._batches.of(found, text), text)
        if not found:
            if newest is not None and "topp" in text and (stopped := _STOPPED.search(text[:_LONGEST])) is not None:
                self._beyond = int(stopped[1]) > newest
            return found
        if len(found) == 1 and isinstance(found[0], SpanBegin):
            return found  # nothing was found yet
        placed = of_the_newest(self._means.of(found), newest, text)
        rows = [event.index for event in placed if isinstance(event, Iteration)]
        if rows:
            self._beyond, self._own = False, next((_val_loss(e) for e in placed if _is_of(e, rows[-1])), None)
            return placed
        return [self._without_place(event, newest, text) for event in placed]

    def _without_place(self, event: Event, newest: int | None, text: str) -> Event:
        """Of the model at the end, or of another: not of the newest row's, unless the line says so."""
        loss = _val_loss(event)
        told = loss is not None and self._own not in (None, loss)
        if not (self._beyond or told) or newest is None or _names(newest, text[:_LONGEST]):
            return event
        is_its = (
            isinstance(event, SpanEnd) and event.kind == EVALUATION and newest in (event.after, event.iteration)
        )
        return replace(event, values={}) if is_its else event


def _val_loss(event: Event) -> float | None:
    return event.values.get("val_loss") if isinstance(event, SpanEnd) and event.kind == EVALUATION else None


def of_the_newest(found: Sequence[Event], newest: int | None, text: str) -> Sequence[Event]:
    """The events of a line, each evaluation among them with the iteration `after` which it was."""
    if not any(isinstance(event, SpanEnd) and event.values for event in found):
        return found
    if RunInfo in map(type, found):
        found = _of_what_begins(found)
    of_line = {event.index for event in found if isinstance(event, Iteration)}
    if newest is None and not of_line:
        found = [_of_none(event) for event in found]
        return [event for event in found if not (_OF_A_FILE.match(text[:_LONGEST]) and _has_no_place(event))]
    placed: list[Event] = []
    for event in found:
        newest = event.index if isinstance(event, Iteration) else newest
        own = newest is None or newest + 1 in of_line  # its row stands behind it, on the same line
        placed.append(event if newest is None or own else _placed(event, newest, text))
    return placed


def _of_none(event: Event) -> Event:
    """Before the first row of a log: of whichever model that was, it is none of a row that is still to come."""
    return replace(event, values={}) if _has_no_place(event) else event


def _has_no_place(event: Event) -> bool:
    return isinstance(event, SpanEnd) and event.kind == EVALUATION and event.shown_at is None


def _of_what_begins(found: Sequence[Event]) -> list[Event]:
    """An evaluation of the first iteration of another run, told before it on its line, is of that run."""
    begun = next(n for n in range(len(found) - 1, -1, -1) if isinstance(found[n], RunInfo))
    before, behind = found[:begun], found[begun + 1 :]
    first = next((event.index for event in behind if isinstance(event, Iteration)), None)
    known = any(isinstance(event, Iteration) and event.index == first for event in before)
    own = [event for event in before if not known and _is_of(event, first)]
    return [*(event for event in before if event not in own), found[begun], *own, *behind]


def _is_of(event: Event, index: int | None) -> bool:
    evaluation = isinstance(event, SpanEnd) and event.kind == EVALUATION and bool(event.values)
    return evaluation and index is not None and event.shown_at == index  # type: ignore[attr-defined]


def _placed(event: Event, newest: int, text: str) -> Event:
    if not isinstance(event, SpanEnd) or event.kind != EVALUATION or event.after is not None:
        return event
    if event.iteration != newest + 1:
        return event
    return event if _names(newest + 1, text[:_LONGEST]) else replace(event, after=newest)


def _names(number: int, text: str) -> bool:
    """Does a line say the number, `250`, `0250` or `1,250`?

    One pattern for all numbers: to compile one for each takes ten times as long as to read the line.
    """
    plain, parted, said = str(number), f"{number:,}", _WHOLE.findall(text)
    if plain in said or parted in said:  # as mostly
        return True
    return any((part.lstrip("0") or "0") == plain for one in said for part in one.split(","))


def newest_of(found: Sequence[Event]) -> Event | None:
    """Of a line's events the iteration, also where its evaluation stands behind it; else the last, if any."""
    if not found or isinstance(found[-1], Iteration):  # as nearly always
        return found[-1] if found else None
    return next((event for event in reversed(found) if isinstance(event, Iteration)), found[-1])
