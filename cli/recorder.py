"""Recording: what the sources give goes into a file, and a line on the terminal says how it stands."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections import Counter
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from ..words import memory, plural, rounded_duration
from .piped import INTERRUPTED_TOO, piped_in
from .printing import harmless, print_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..collectors.source import Source
    from ..events import Batch

_TICK_S = 0.25
_SETTLED_S = 2.0
_SAMPLES = {"GpuSample": "sample", "HostSample": "sample", "Iteration": "iteration"}  # what is told apart


class Recorder:
    """Writes what `source` gives into `file` until it ends, a person stops it, or `over` says why it is enough."""

    def __init__(self, source: Source, file: IO[bytes], over: Callable[[], str] = lambda: "") -> None:
        self._source, self._file, self._over = source, file, over
        self._kinds: Counter[str] = Counter()
        self._bytes = 0
        self._interrupted = 0
        self._began_s = time.monotonic()
        self._state = self._note = ""
        self.failed = ""
        """Why the source could not be read, or not to its end."""

    @property
    def count(self) -> int:
        """The events so far."""
        return self._kinds.total()

    def record(self, samplers: Sequence[Source] = ()) -> str:
        """Record; returns why it is over."""
        from ..collectors.source import Feed

        feed, why = Feed(), ""
        thread = feed.add(self._source)
        for sampler in samplers:
            feed.add(sampler)
        progress = _Line()
        try:
            with self._hearing_ctrl_c():
                while not why:
                    ended = not thread.is_alive()  # asked first: then its last batch is among what follows
                    for batch in feed.wait(_TICK_S):
                        self._write(batch)
                    progress.show(self._standing())
                    why = "it has ended" if ended else self._stopped() or self._enough()
        finally:
            progress.clear()
            feed.stop()
        return why

    def summary(self) -> str:
        """What there is now, in words."""
        kinds = [plural(number, kind) for kind, number in self._kinds.most_common()]
        took = rounded_duration(time.monotonic() - self._began_s)
        return f"{plural(self.count, 'event')} ({', '.join(kinds)}), {memory(self._bytes)}, recorded in {took}"

    def _write(self, batch: Batch) -> None:
        from ..events import SourceState, encode_all, expand

        if batch.restart:  # all comes again
            self._file.seek(0)
            self._file.truncate()
            self._kinds.clear()
            self._bytes = 0
        if batch.state is not None:
            self._state, self._note = batch.state, batch.note
        if batch.state == SourceState.FAILED:
            self.failed = batch.note
        if batch.preview or not batch.events:
            return
        events = [*expand(batch.events)]
        data = encode_all(events)
        self._file.write(data)
        self._file.flush()
        self._bytes += len(data)
        self._kinds.update(_SAMPLES.get(type(event).__name__, "other event") for event in events)

    def _standing(self) -> str:
        note = f": {self._note}" if self._note else ""
        so_far = f"{plural(self.count, 'event')}, {memory(self._bytes)}"
        return f"recording: {so_far}, {self._state}{note}. Ctrl-C ends it"

    def _enough(self) -> str:
        """Not before all that is there was read, and the source had a moment for a last line without an end."""
        settled = self._state != "reading" and time.monotonic() - self._began_s > _SETTLED_S
        return self._over() if settled else ""

    def _stopped(self) -> str:
        """A trainer that writes into us got the Ctrl-C too: its last words are awaited."""
        return "stopped by Ctrl-C" if self._interrupted > (1 if piped_in() else 0) else ""

    @contextmanager
    def _hearing_ctrl_c(self) -> Iterator[None]:
        """No event is half written when it comes."""

        def hear(_number: int, _frame: object) -> None:
            self._interrupted += 1
            if self._interrupted == 1 and piped_in():
                print_note(INTERRUPTED_TOO)

        before = signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class _Line:
    """One line that is written again and again where standard error is a terminal; elsewhere nothing."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._last = ""

    def show(self, words: str) -> None:
        cells = shutil.get_terminal_size().columns - 1
        words = harmless(words)
        line = words if len(words) <= cells else words[: cells - 1] + "…"
        if self._is_shown and line != self._last:
            self._last = line
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._last:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
