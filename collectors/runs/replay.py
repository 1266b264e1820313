"""A source that has ended (an old log, a recording) as one that plays as if it were live."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ...events import Batch, SourceState
from ..source import Source
from .player import Player

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SLOWEST, FASTEST = 1 / 8, 65_536.0
"""As the keys set it."""

FASTEST_ASKED = 1e12
"""As an option asks for it: as fast as this machine can."""

TICK_S = 0.1
"""Of wall time between two batches, so that the clock on the screen runs."""

MOST_EVENTS = 5_000
"""In one batch: what the analysis takes in while nobody notices."""


class ReplaySource(Source):
    """Plays what `open_source` opens, `speed` times as fast as it happened; at its end it waits for a jump back.

    The methods are for keys, from any thread. `clock` is monotonic; `now` is when a log without a clock begins.
    """

    def __init__(
        self,
        open_source: Callable[[], Source],
        *,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._source = open_source()
        self.title, self.text = self._source.title, self._source.text
        self.speed = min(FASTEST_ASKED, max(SLOWEST, speed))  # in this order nan is slow
        self.paused = False
        self._open_source = open_source
        self._clock = clock
        self._now = now
        self._called = threading.Event()
        self._steps = 0
        self._target: float | None = None
        self._played = 0.0

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run on."""
        self.paused = not self.paused
        self._called.set()

    def step(self) -> None:
        """Stop, one iteration further on."""
        self.paused = True
        self._steps += 1
        self._called.set()

    def jump(self, fraction: float) -> None:
        """To this part of the run, 0..1. Back too: the run then begins anew, up to there, at once."""
        self._target = min(max(fraction, 0.0), 1.0)
        self._called.set()

    def jump_by(self, fraction: float) -> None:
        """So much of the run back (below 0) or on, from where it stands or was to jump."""
        self.jump((self._played if self._target is None else self._target) + fraction)

    def faster(self) -> None:
        """Twice as fast."""
        self.speed = max(self.speed, min(self.speed * 2, FASTEST))
        self._called.set()

    def slower(self) -> None:
        """Half as fast."""
        self.speed = max(self.speed / 2, SLOWEST)
        self._called.set()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Batches at the pace of the run; `Batch.now_s` is the run's time."""
        self._player = player = self._rewound()
        run_time_s, then_s = player.at_s, self._clock()
        while not stop.is_set():
            self._called.clear()
            if self._target is not None or self._steps:
                yield from self._moved()
                player = self._player
                run_time_s = player.at_s
            now_s = self._clock()
            run_time_s += 0.0 if self.paused else (now_s - then_s) * self.speed
            then_s = now_s
            events = player.until(run_time_s, MOST_EVENTS)
            self.text = self._source.text  # a recording read as a log has another once a printed line has come
            ended = player.next_s() is None
            self._played = player.fraction
            if ended and player.failed and player.note:
                yield Batch(events, state=SourceState.FAILED, note=player.note)
                return
            if ended or len(events) == MOST_EVENTS:  # nothing more, or the analysis does not keep up
                run_time_s = player.at_s
            state = SourceState.ENDED if ended else SourceState.PAUSED if self.paused else SourceState.LIVE
            yield Batch(events, state=state, note=player.note, now_s=run_time_s)
            if len(events) < MOST_EVENTS:
                self._called.wait(TICK_S)

    def _moved(self) -> Iterator[Batch]:
        """What was asked for by `jump` and `step`."""
        target, self._target = self._target, None
        if target is not None:
            if target < self._player.fraction:
                self._player.close()
                self._player = self._rewound(again=True)
                yield Batch(now_s=self._player.at_s, restart=True)
            while events := self._player.to(target):
                yield Batch(events, now_s=self._player.at_s)
        while self._steps:
            self._steps -= 1
            yield Batch(self._player.iteration(), now_s=self._player.at_s)

    def _rewound(self, *, again: bool = False) -> Player:
        if again:
            self._source = self._open_source()
        return Player(self._source, start_s=self._now())
