"""A hooked run together with what its trainer prints: losses, settings and messages, which no hook sees."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from ...events import (
    EVALUATION,
    Batch,
    Collective,
    Config,
    Iteration,
    Message,
    PrintedLoss,
    RankState,
    SourceState,
    SpanEnd,
    expand,
)
from ..files.watch import POLL_S
from ..source import Feed, Source
from .printed_lines import printed_evaluation, printed_scalars

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Sequence

    from ...events import Event
    from ..logs.log_source import LogSource
    from ..logs.text import LogText

_WAIT_S = 0.1
_LAST_WORDS_S = 2 * POLL_S  # as late as a line can be seen
_PATIENCE_S = 2.0  # in which hooks count an iteration that is printed already: they tell ten times a second
_MOST_HELD = 100_000
_MOST_AHEAD = 1_000
_AT_ONCE = (Message, Collective, RankState)
_COUNTED = ("max_iterations", "evaluation_interval", "checkpoint_interval")


class HooksWithLogSource(Source):
    """The events of `hooks`, and what the log `output` of the same trainer adds to them.

    The times stay those of the hooks. What is printed follows its iteration, as a line does. Where the log counts
    iterations and the hooks count none, this ends early, and `only_log_counts` says so.
    """

    def __init__(self, hooks: Source, output: LogSource) -> None:
        self.title = hooks.title
        self.text: LogText = output.text
        self._hooks = hooks
        self._output = output
        self._numbers = NumberMatch()
        self._reading: threading.Thread | None = None
        self._first_printed_s: float | None = None
        self.only_log_counts = False

    def leave(self, timeout_s: float) -> None:
        """Wait until the log is no longer read, so that another may read its text."""
        if self._reading is not None:
            self._reading.join(timeout_s)

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of the hooks, and between them what was printed; the end when both have been read."""
        self.text.ahead = None
        hooks, output = Feed(), Feed()
        hooks.add(self._hooks)
        reading = self._reading = output.add(self._output)
        read = False
        try:
            while not stop.is_set():
                for batch in hooks.wait(_WAIT_S):
                    self._numbers.measured(batch.events)
                    if batch.state not in (SourceState.ENDED, SourceState.FAILED):
                        yield batch
                        continue
                    yield msgspec.structs.replace(batch, state=SourceState.READING)
                    yield from self._last_words(output, reading, stop, read=read)
                    self.only_log_counts = self._numbers.only_printed
                    if not self.only_log_counts:
                        yield Batch(state=batch.state, note=batch.note)
                    return
                printed = [] if self._numbers.ahead else output.drain()
                read = read or self._is_read(printed)
                yield from self._matched(printed)
                self.only_log_counts = self._hooks_count_nothing()
                if self.only_log_counts:
                    return
        finally:
            hooks.stop()
            output.stop()

    def _last_words(
        self, output: Feed, reading: threading.Thread, stop: threading.Event, *, read: bool
    ) -> Iterator[Batch]:
        """What is still printed: an error comes through a terminal and a log, the end straight from the hooks."""
        printed: Sequence[Batch] = ()
        quiet_s = 0.0
        while not stop.is_set() and (printed or not read or (reading.is_alive() and quiet_s < _LAST_WORDS_S)):
            printed = output.wait(_WAIT_S)
            quiet_s = 0.0 if printed else quiet_s + _WAIT_S
            read = read or self._is_read(printed) or not (printed or reading.is_alive())
            yield from self._matched(printed)
        yield from self._matched(output.drain(), last=True)

    def _hooks_count_nothing(self) -> bool:
        """Have they had their time since iterations were printed?"""
        if not self._numbers.only_printed:
            return False
        if self._first_printed_s is None:
            self._first_printed_s = time.monotonic()
        return time.monotonic() - self._first_printed_s >= _PATIENCE_S

    def _matched(self, printed: Sequence[Batch], *, last: bool = False) -> Iterator[Batch]:
        events = [event for batch in printed if not batch.preview for event in batch.events]
        matched = self._numbers.match(events, last=last)
        self.text.ahead = self._numbers.ahead_by
        if matched:
            yield Batch(matched)

    def _is_read(self, printed: Sequence[Batch]) -> bool:
        return any(batch.state != SourceState.READING for batch in printed)


class NumberMatch:
    """Finds the number that the hooks have for an iteration that the log numbers in its own way.

    Hooks that find the loop by themselves count its iterations from 0; a log may count from 1, and a resumed one
    from anywhere. Its first two numbers and the hooks' first decide, unless a resumed log leaves some out: then
    nothing that counts iterations is taken from it.
    """

    def __init__(self) -> None:
        self._measured: int | None = None  # the hooks' first number
        self._printed: int | None = None  # the log's first number,
        self._step: int | None = None  # and how far its second is from it
        self._newest_measured = 0
        self._newest_printed = 0
        self.ahead_by: int | None = None
        """How far the log's numbers are ahead of the hooks'; `None`: that is not known (yet)."""

        self._decided = False
        self._held: list[Event] = []

    def measured(self, events: Sequence[Event]) -> None:
        """Take in the events of the hooks."""
        indices = [event.index for event in expand(events) if isinstance(event, Iteration)]
        if indices:
            self._measured = indices[0] if self._measured is None else self._measured
            self._newest_measured = indices[-1]

    @property
    def only_printed(self) -> bool:
        """Does the log count iterations, two at least, and the hooks none?"""
        return self._measured is None and self._step is not None

    @property
    def ahead(self) -> bool:
        """Has more been printed than measured, as far as was read? Losses come with their iterations."""
        printed = self._newest_printed - (self._printed or 0)
        return printed > self._newest_measured - (self._measured or 0) + _MOST_AHEAD

    def match(self, events: Iterable[Event], *, last: bool = False) -> list[Event]:
        """What of the log's `events` is ready now, with the hooks' numbers, and of those that waited for one.

        The `last` events wait no longer.
        """
        for event in expand(events):
            if isinstance(event, Iteration):
                self._count(event.index)
            if len(self._held) < _MOST_HELD or isinstance(event, _AT_ONCE):
                self._held.append(event)
        self._decided = self._decided or self._decide() or last
        ready, self._held = self._held, []
        if not self._decided:
            self._held = [event for event in ready if not isinstance(event, _AT_ONCE)]
            ready = [event for event in ready if isinstance(event, _AT_ONCE)]
        return [mine for event in ready if (mine := self._renumbered(event)) is not None]

    def _count(self, number: int) -> None:
        self._newest_printed = number
        if self._printed is None:
            self._printed = number
        elif self._step is None and number != self._printed:
            self._step = number - self._printed

    def _decide(self) -> bool:
        if self._measured is None or self._printed is None:
            return False
        first, step = self._printed - self._measured, self._step
        if first == 0:
            self.ahead_by = 0
        elif step is None:
            return False
        elif 0 < first < step:
            self.ahead_by = 0  # its first line was to come later than the first iteration
        elif first > 0 and step == 1:
            self.ahead_by = first
        elif first == step:
            self.ahead_by = 1
        return True

    def _renumbered(self, event: Event) -> Event | None:
        match event:
            case Message() | Collective() | RankState():
                return event
            case Config() if self.ahead_by in (0, 1):
                return event
            case Config():
                return msgspec.structs.replace(event, **dict.fromkeys(_COUNTED))
            case Iteration(loss=loss, bad_loss=bad) if loss is not None or bad or printed_scalars(event):
                return self._at(event.index, PrintedLoss(0, loss, bad, scalars=printed_scalars(event)))
            case SpanEnd(kind=kind, iteration=int(iteration)) if kind == EVALUATION and "val_loss" in event.values:
                return self._at(iteration, printed_evaluation(0, event))
            case _:
                return None

    def _at(self, printed: int, event: PrintedLoss) -> PrintedLoss | None:
        iteration = -1 if self.ahead_by is None else printed - self.ahead_by
        return msgspec.structs.replace(event, iteration=iteration) if iteration >= 0 else None
