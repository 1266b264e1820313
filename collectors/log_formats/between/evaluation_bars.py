"""Evaluations that have a bar of their own, beside the training's: when they begin and end, what they took, what they found.

A full bar is drawn once more when it is closed, with the mean rate of all its steps: so its end waits for the next line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, SpanBegin, SpanEnd
from ...patterns import lazy_pattern
from ..parsing.bars import Results
from ..parsing.lines import LineParser
from ..parsing.values import as_number, ended, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.bars import Bar
    from ..parsing.values import LogLine

_CLOSED_S, _CLOSED, _CLOSED_SEEN = 1.0, 0.01, 0.1
"""Between the last step of a bar and its closing pass no more seconds than these and this part of it: else it is another's end.

Of one that was seen to begin more may pass: the beginning of another would have been drawn, too.
"""

_LONGEST_TOOK = 120
_TOOK = lazy_pattern(
    r"(?i)\b(?:eval(?:uat(?:ion|ed|ing))?|valid(?:at(?:ion|ed|ing))?|test(?:ing|ed)?)\b(?:(?!\b(?:per|each|mean|average|avg|step|batch|sample)\b)[^\d/]){0,40}?"
    r"\b(?:took|time|runtime|in|after|elapsed|lasted)\b[^\w/-]{1,5}(?P<took>\d{1,5}:\d\d(?::\d\d)?(?:\.\d{1,9})?|\d{1,7}(?:\.\d{1,12})?(?= ?(?:s|secs?|seconds)\b(?! ?/| per)))"
)
"""`Evaluation took 12.5 s`, `Validation finished in 0:12:30`."""

_SCORED = lazy_pattern(
    r"(?i)^\W{0,3}done ?\(t ?= ?(?P<done>\d{1,6}(?:\.\d{1,9})?) ?s\)\W*$"
    r"|\b(?:\w{0,20}eval\w{0,20}\.\w{1,20}\(\)|(?:accumulating|scoring|matching)) (?:is )?(?:finished|done|took)(?: in)? "
    r"(?P<took>\d{1,6}(?:\.\d{1,9})?) ?s(?:ec(?:ond)?s?)?\W*$"
)
"""`DONE (t=0.91s).`, `COCOeval.accumulate() finished in 1.5 seconds.`: a stage of scoring behind the bar, which holds none of it."""

_HINTS_TOOK = ("took", "ime", " in ", "after", "lapsed", "lasted", "(t=", "(t =", " done ")
_LEAST_TOOK, _MOST_TOOK, _MORE_S = 0.9, 2.0, 60.0
"""Of what its bar took, and seconds: what a line says beyond these is of something else."""


class EvaluationBars(LineParser):
    """What bars of evaluations tell. Whoever reads the training's bar says where they lie."""

    draws_bars = True
    """No number of theirs shows that another training began: what a tracker says of a new run does."""

    def __init__(self) -> None:
        super().__init__()
        self.newest: Bar | None = None  # frame of the training's bar
        self._evaluating: Bar | None = None
        self._seen_to_begin = False  # was a frame of the newest one drawn before its end?
        self._apart_s = 0.0  # what evaluations took since the newest frame, by their bars
        self._bar_each_epoch = False  # with a row before it, or in turns with the evaluation's
        self._results = Results()
        self._closing: SpanEnd | None = None  # of a full bar, which may be drawn once more
        self._may_close = False  # ... as no line came behind it

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The closing frame comes directly after the one before. What waits for it is told with the format's next events.

        A line that is none of the format's may say something itself, and be read for that.
        """
        if self._closing is not None and len(text) <= _LONGEST_TOOK and any(map(text.__contains__, _HINTS_TOOK)):
            self._closing = _by_its_words(self._closing, text, self._apart_s)
        waited = self._closing
        events = super().line(text, at_s)
        self._may_close = self._may_close and self._closing is not waited
        if not events or waited is None or self._closing is not waited:
            return events
        return [*self._closed(), *events]

    def release(self) -> list[Event]:
        """See `HoldingParser.release`."""
        return self._closed()

    def _closed(self) -> list[Event]:
        waited, self._closing = self._closing, None
        return [] if waited is None else [waited]

    def _evaluation_bar(self, bar: Bar, line: LogLine) -> list[Event]:
        """From its first frame to its last one; of one that was drawn once, at its end, that is all."""
        before, self._evaluating = self._evaluating, bar
        if not bar.full:
            self._seen_to_begin = True
            begins = before is None or before.full
            begun = [SpanBegin(EVALUATION, line.at_s, self.next_index, detail=bar.title)] if begins else []
            return [*self._closed(), *begun]
        closes = before is not None and self._closes(bar, before)
        if closes and before is not None and self._closing is not None:
            self._apart_s += bar.elapsed_s - before.elapsed_s
            self._closing = replace(
                self._closing, duration_s=seconds(bar.whole_s), values=self._results.closed(bar)
            )
            return []
        again = (
            before is not None and before.full and (bar.title, bar.elapsed_s) == (before.title, before.elapsed_s)
        )
        if again or closes:
            return []  # drawn again, by whatever was printed
        self._seen_to_begin = before is not None and not before.full
        self._apart_s += bar.elapsed_s
        return self._holds(self._bar_ended(bar, line))

    def _closes(self, bar: Bar, before: Bar) -> bool:
        """Is it the full bar `before`, drawn once more as it was closed? Of one that was seen to begin another would be, too."""
        waited_s = bar.elapsed_s - before.elapsed_s
        same = before.full and (bar.title, bar.total) == (before.title, before.total)
        if self._seen_to_begin:
            return same and 0 <= waited_s <= _CLOSED_S + _CLOSED_SEEN * before.elapsed_s
        directly = self._may_close and self._closing is not None
        return directly and same and 0 <= waited_s <= _CLOSED_S + _CLOSED * before.elapsed_s

    def _holds(self, end: SpanEnd) -> list[Event]:
        """What was held before, and, before any other event of the log, the end itself."""
        told = self._closed()
        if not self.announced:
            return [*told, end]
        self._closing, self._may_close = self._with_model(end), True
        return told

    def _with_model(self, end: SpanEnd) -> SpanEnd:
        """With the iteration whose model it was, where it found something: once the end is told, the next may have come."""
        return replace(end, after=self.last) if end.values and self.last is not None else end

    def _evaluation_over(self, line: LogLine) -> list[Event]:
        """The training goes on: an evaluation whose last frame was not drawn is over."""
        bar, self._evaluating = self._evaluating, None
        told = self._closed()
        return told if bar is None or bar.full else [*told, self._bar_ended(bar, line)]

    def _bar_ended(self, bar: Bar, line: LogLine) -> SpanEnd:
        apart = self._bar_each_epoch or self.newest is None or self.newest.full or self.newest.ends_undrawn
        told, values = (line.at_s, self.next_index, bar.whole_s), self._results.of(bar)
        return ended(EVALUATION, *told, detail=bar.title, values=values, apart=apart)


def _by_its_words(end: SpanEnd, text: str, all_s: float) -> SpanEnd:
    """A line behind the bar says what the evaluation took: that goes before what its bar said. Or what a stage of scoring took more.

    `all_s`: what all bars since the newest row took. Where the line is nearer to that, it is of them all, and they have told it.
    """
    found = _TOOK.search(text)
    took_s, bar_s = seconds(as_number(found["took"])) if found else None, end.duration_s or 0.0
    if took_s and abs(took_s - all_s) < abs(took_s - bar_s):
        return end
    if not took_s or not _LEAST_TOOK * bar_s - 1 <= took_s <= _MOST_TOOK * bar_s + _MORE_S:
        scored = _SCORED.search(text) if end.duration_s else None
        return replace(end, duration_s=bar_s + float(scored["done"] or scored["took"])) if scored else end
    return replace(end, duration_s=took_s)
