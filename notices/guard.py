"""The guard: looks at runs now and then, and tells of them, for as long as any of them goes on.

It costs little: a run is looked at every ten seconds. A machine that was
suspended, or whose clock was set, was not silent meanwhile: that time is taken out of the silence.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Protocol

from ..analysis.incidents.kinds import HANG, KINDS, SILENT
from ..analysis.run import Run
from ..events import SourceState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..analysis.findings import Findings
    from ..events import Batch
    from .notifier import Notifier
    from .telling import About

TAKE_S, LOOK_S = 5.0, 10.0
"""Between two readings of what came, and two looks at a run: a stall is told of after max(3 × the usual, 30 s), so
ten seconds are little. Looks every two seconds cost twenty runs 3 % of a core."""

MUCH, CATCHING_UP_S = 1_000, 0.02
"""Where so much came at once more waits behind it: a queue holds a few thousand events."""

READING_PAUSE_S = 0.5

JUMP_S = 5.0
"""The clock went on by so much more than we did: the machine was suspended, or its clock was set."""

LATE_S = 30.0
"""We were held up for so long: sources are given `SETTLE_S` to read what came meanwhile."""

SETTLE_S = 10.0
LINGER_S = 600.0
"""So long after the end of the last run somebody may still start it again."""

_MOST_SAID = 100
_MOST_JUMPS = 100


class Feed(Protocol):
    """Where the batches of a source come from."""

    def drain(self, most: int = 1_000) -> list[Batch]:
        """Up to `most` batches that wait; empty if none does."""

    def stop(self) -> None:
        """Read no more."""


class Guarded:
    """One run that is looked after."""

    def __init__(self, about: About, feed: Feed) -> None:
        self.about = about
        self.problem = ""
        self.is_over = False
        self.over_since_s: float | None = None
        self.is_seen = self.is_told = False
        self.catches_up, self.much_came = True, False
        self._feed = feed
        self._run = Run()
        self._state = SourceState.READING
        self._jumps: list[tuple[float, float]] = []  # when nobody had been awake, and for how long
        self._due_s = 0.0

    def take(self) -> None:
        """Take in what waits."""
        weight = 0
        for batch in self._feed.drain():
            weight += 1 + batch.weight
            if batch.restart:
                self._run = Run()
            if not batch.preview:
                self._run.apply(batch.events)
            if batch.state is not None:
                self._state = batch.state
                self.problem = batch.note if batch.state == SourceState.FAILED else ""
        self.much_came = weight >= MUCH
        self.catches_up = self._state == SourceState.READING or self.much_came

    def slept(self, until_s: float, seconds: float) -> None:
        """Until then (Unix time) nobody had been awake for so long."""
        self._jumps = [*self._jumps[-_MOST_JUMPS:], (until_s, seconds)]

    def wants_a_look(self, now_s: float) -> bool:
        """Is it time? Of a history that is still being read nothing is said."""
        if self.catches_up:
            return False
        if now_s < self._due_s:
            return False
        self._due_s = now_s + LOOK_S
        return True

    def findings(self, wall_s: float) -> Findings:
        """What is known now: what was slept through since the newest event was no silence."""
        return self._run.findings(wall_s - self._slept_s(self._run.intake.last_at_s or -math.inf, math.inf))

    def asleep(self, found: Findings) -> list[str]:
        """The keys of the silences that were slept through, as the clock of the events shows them afterwards."""
        return [
            one.key
            for one in found.incidents
            if one.over
            and one.kind in (SILENT, HANG)
            and one.began_at_s is not None
            and one.ended_at_s is not None
            if 2 * self._slept_s(one.began_at_s, one.ended_at_s + JUMP_S) > one.ended_at_s - one.began_at_s
        ]

    def _slept_s(self, begin_s: float, end_s: float) -> float:
        """For how long nobody was awake between these times."""
        return sum(seconds for until_s, seconds in self._jumps if begin_s < until_s <= end_s)

    def judge(self, found: Findings, now_s: float) -> None:
        """Remember whether it is over, and since when."""
        self.is_over = any(KINDS[one.kind].ends_the_run and not one.over for one in found.incidents)
        self.is_over = self.is_over or self._state in (SourceState.ENDED, SourceState.FAILED)
        self.over_since_s = (self.over_since_s or now_s) if self.is_over else None

    def close(self) -> None:
        """Let go of all of it."""
        self._feed.stop()
        self._run = Run()


class Guard:
    """Looks after runs, and tells of them by `notifier`.

    Args:
        notifier: Who tells.
        find: Gives the runs that are to be looked after and are not yet, by the keys of those that are.
        stays: Goes on when all runs are over: others may begin.
        clock: Unix time.
        monotonic: Time that stands still while the machine is suspended.
    """

    def __init__(
        self,
        notifier: Notifier,
        find: Callable[[set[str]], list[Guarded]],
        *,
        stays: bool = False,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._notifier, self._find, self._stays = notifier, find, stays
        self._clock, self._monotonic = clock, monotonic
        self._runs: dict[str, Guarded] = {}
        self._closed: set[str] = set()
        self._last = (clock(), monotonic())
        self._find_due_s = self._settled_s = 0.0
        self.said: list[str] = []

    def step(self) -> float | None:
        """Look at all that is due. Returns for how long to wait; `None`: all is over."""
        now_s = self._passed()
        if now_s >= self._find_due_s:
            self._find_due_s = now_s + 6 * LOOK_S
            for one in self._find({*self._runs, *self._closed}):
                self._runs[one.about.key] = one
        for one in self._runs.values():
            self._look(one, now_s)
        for one in [one for one in self._runs.values() if self._is_done(one, now_s)]:
            one.close()
            self._closed.add(one.about.key)
            del self._runs[one.about.key]
        if not self._runs and not self._stays:
            return None
        if any(one.catches_up for one in self._runs.values()):
            return CATCHING_UP_S if any(one.much_came for one in self._runs.values()) else READING_PAUSE_S
        return TAKE_S

    @property
    def problems(self) -> list[str]:
        """What is wrong with the runs and the channels, a line each."""
        return [*(one.problem for one in self._runs.values() if one.problem), *self._notifier.troubles]

    def close(self) -> None:
        """Stop to read."""
        for one in self._runs.values():
            one.close()

    def _passed(self) -> float:
        """The monotonic time now, once all runs know what of the clock's time did not pass for us."""
        wall_s, now_s = self._clock(), self._monotonic()
        before = self._last
        self._last = wall_s, now_s
        jump_s = (wall_s - before[0]) - (now_s - before[1])
        if abs(jump_s) > JUMP_S:
            for one in self._runs.values():
                one.slept(wall_s, jump_s)
        if abs(jump_s) > JUMP_S or now_s - before[1] > LATE_S:
            self._settled_s = now_s + SETTLE_S
        return now_s

    def _look(self, one: Guarded, now_s: float) -> None:
        one.take()
        if now_s >= self._settled_s and one.wants_a_look(now_s):
            found = one.findings(self._clock())
            one.judge(found, now_s)
            if not one.is_seen:
                one.is_seen = True
                self.said.append(f"{one.about.name}: seen: {_where(found)}")
            told = self._notifier.look(one.about, found, one.asleep(found))
            one.is_told = one.is_over and not self._notifier.is_quiet
            self.said += [f"{one.about.name}: {message.phase}: {message.state}" for message in told]
            del self.said[:-_MOST_SAID]

    def _is_done(self, one: Guarded, now_s: float) -> bool:
        """Is it over for so long that nobody starts it again, and was that told?"""
        return one.is_told and one.over_since_s is not None and now_s - one.over_since_s >= LINGER_S


def _where(found: Findings) -> str:
    at = found.progress.iteration
    standing = next((one.state for one in reversed(found.incidents) if not one.over), "")
    return standing or ("no iteration yet" if at is None else f"iteration {at:,}")
