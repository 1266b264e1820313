"""The guard: looks at runs now and then, and tells of them, for as long as any of them goes on.

It costs what has changed: all runs are read every ten seconds, and at the moment from which a silence may be one.
A run that wrote nothing is asked no more than that; all figures are worked out only where there may be something
to say. A machine that was suspended, or whose clock was set, was not silent meanwhile: that time does not count.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Protocol

from ..analysis.findings import Activity
from ..analysis.incidents.kinds import FAILED, HANG, KINDS, SILENT
from ..analysis.outlook.now import LEAST_SILENCE_S
from ..analysis.run import Run
from ..events import SourceState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..analysis.aside import Older
    from ..analysis.findings import Findings, Incident
    from ..events import Batch
    from .notifier import Notifier
    from .telling import About

LOOK_S = 10.0
"""Between two readings of what came, all runs at once: an error or a NaN is told of so late at most."""

REST_S = 30.0
"""Between two looks at what stands and does not change: somebody is reminded of it, or quiet hours end."""

FIND_S = 60.0
"""Between two looks for new runs."""

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

_AFTER_S = 0.1  # a silence is one when it is longer than what is usual, not as long
_OVER = (SourceState.ENDED, SourceState.FAILED)
_MOST_SAID = 100
_MOST_JUMPS = 100


class Feed(Protocol):
    """Where the batches of a source come from."""

    def drain(self, most: int = 1_000) -> list[Batch]:
        """Up to `most` batches that wait; empty if none does."""

    def stop(self) -> None:
        """Read no more."""


class Guarded:
    """One run that is looked after.

    `may_be_none`: a log that nobody named; it may be of no training. `older` makes a place for what is old of it.
    """

    def __init__(
        self, about: About, feed: Feed, *, may_be_none: bool = False, older: Callable[[], Older] | None = None
    ) -> None:
        self._may_be_none, self._older = may_be_none, older
        self.about = about
        self.problem = ""
        self.is_over = False
        self.over_since_s: float | None = None
        self.is_seen = self.is_told = False
        self.due_s = 0.0
        self.catches_up, self.much_came = True, False
        self._feed = feed
        self._run = self._new_run()
        self._state = SourceState.READING
        self._jumps: list[tuple[float, float]] = []  # when nobody had been awake, and for how long
        self._looked_at: tuple[int, str] | None = None  # what was taken in when it was looked at last
        self._known: list[tuple[str, bool]] | None = None  # the incidents when all figures were asked for last
        self._silent_from_s = self._rests_until_s = -math.inf

    def _new_run(self) -> Run:
        run = Run()
        if self._older is not None:
            run.set_aside(self._older())
        return run

    def take(self) -> None:
        """Take in what waits."""
        weight = 0
        for batch in self._feed.drain():
            weight += 1 + batch.weight
            if batch.restart:
                self._run, self._looked_at = self._new_run(), None
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

    def look(self, wall_s: float, now_s: float) -> Findings | None:
        """All figures, where there may be something to say, or `None`. Sets when to look again: `due_s`.

        What was slept through since the newest event was no silence.
        """
        self.due_s = next_round_s(now_s)
        here_s = wall_s - self._slept_s(self._run.intake.heard_s or -math.inf, math.inf)
        known, rests = (self._run.version, self._state), now_s < self._rests_until_s
        if known != self._looked_at or not rests or here_s > self._silent_from_s:
            self._looked_at = known
            calm = None if self._state in _OVER or not self.is_seen else self._run.calm(here_s)
            if calm is None or not rests or _keys(calm.incidents) != self._known:
                return self._findings(here_s, now_s)
            self._silent_from_s = self._heard_s(here_s) + calm.silence_s
        if here_s <= self._silent_from_s:
            self.due_s = min(self.due_s, now_s + self._silent_from_s - here_s + _AFTER_S)
        return None

    def figures(self, wall_s: float) -> Findings:
        """All that is known of it now."""
        return self._run.findings(wall_s)

    def _findings(self, here_s: float, now_s: float) -> Findings:
        """All figures; what is unchanged need not be asked for soon."""
        found = self._run.findings(here_s)
        self._known = _keys(found.incidents)
        stands = any(not one.over for one in found.incidents)
        is_quiet = found.now.activity in (Activity.SILENT, Activity.ENDED)
        self._rests_until_s = now_s + REST_S if stands else now_s if is_quiet else math.inf
        self._silent_from_s = math.inf if is_quiet or stands else self._heard_s(here_s) + LEAST_SILENCE_S
        return found

    def _heard_s(self, here_s: float) -> float:
        heard_s = self._run.intake.heard_s
        return here_s if heard_s is None else heard_s

    def was_not_said(self) -> None:
        """What was found last could not be said: it is to be looked at again."""
        self._known, self._rests_until_s = None, -math.inf

    def no_news(self, found: Findings) -> list[str]:
        """The keys of incidents that are none.

        The silences that were slept through, as the clock of the events shows them afterwards; and the silence or
        the end of what may be no training, as it has no iteration: but an error that ended it.
        """
        if self._may_be_none and found.progress.iteration is None:
            return [one.key for one in found.incidents if one.kind != FAILED]
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
        self.is_over = self.is_over or self._state in _OVER
        self.over_since_s = (self.over_since_s or now_s) if self.is_over else None

    def close(self) -> None:
        """Let go of all of it."""
        self._feed.stop()
        self._run = Run()


class Guard:
    """Looks after runs, and tells of them by `notifier`.

    Args:
        notifier: Who tells.
        find: Gives the runs that are to be looked after and are not yet. It is told of each that was until when
            (Unix time), infinity for those that are.
        stays: Goes on when all runs are over: others may begin, and `find` gives one that goes on after all. Else
            each is looked after until all are over: it may be started again.
        earlier: Gives of a run, by its key, those whose training it goes on with: attempts that are over.
        clock: Unix time.
        monotonic: Time that stands still while the machine is suspended.
    """

    def __init__(
        self,
        notifier: Notifier,
        find: Callable[[Mapping[str, float]], list[Guarded]],
        *,
        stays: bool = False,
        earlier: Callable[[str], Sequence[About]] = lambda _key: (),
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._notifier, self._find, self._stays, self._earlier = notifier, find, stays, earlier
        self._clock, self._monotonic = clock, monotonic
        self._runs: dict[str, Guarded] = {}
        self._closed: dict[str, float] = {}  # and until when (Unix time) they were looked after
        self._last = (clock(), monotonic())
        self._find_due_s = self._settled_s = 0.0
        self.said: list[str] = []

    def step(self) -> float | None:
        """Look at all that is due. Returns for how long to wait; `None`: all is over."""
        now_s = self._passed()
        if now_s >= self._find_due_s:
            self._find_due_s = now_s + FIND_S
            self._notifier.keep()
            for one in self._find({**self._closed, **dict.fromkeys(self._runs, math.inf)}):
                self._runs[one.about.key] = one
            for one in self._runs.values():
                self._tell_what_goes_on(one)
        for one in self._runs.values():
            if one.catches_up or now_s >= one.due_s:
                self._look(one, now_s)
        done = [one for one in self._runs.values() if self._is_done(one, now_s)]
        if self._stays or len(done) == len(self._runs):
            for one in done:
                one.close()
                self._closed[one.about.key] = self._clock()
                del self._runs[one.about.key]
        if not self._runs and not self._stays:
            return None
        if self.is_reading:
            return CATCHING_UP_S if any(one.much_came for one in self._runs.values()) else READING_PAUSE_S
        return max(0.0, min([self._find_due_s, *(one.due_s for one in self._runs.values())]) - self._monotonic())

    @property
    def is_reading(self) -> bool:
        """Is the history of any run still being read?"""
        return any(one.catches_up for one in self._runs.values())

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
        if one.catches_up:
            return
        if now_s < self._settled_s:
            one.due_s = self._settled_s
            return
        found = one.look(self._clock(), now_s)
        if found is None:
            return
        one.judge(found, now_s)
        if not one.is_seen:
            one.is_seen = True
            self.said.append(f"{one.about.name}: seen: {_where(found)}")
        told = self._notifier.look(one.about, found, one.no_news(found))
        if self._notifier.is_quiet:
            one.was_not_said()
        one.is_told = one.is_over and not self._notifier.is_quiet
        self.said += [f"{one.about.name}: {message.phase}: {message.state}" for message in told]
        del self.said[:-_MOST_SAID]

    def _tell_what_goes_on(self, one: Guarded) -> None:
        """Of attempts before it, which had ended, that their training goes on."""
        for about in self._earlier(one.about.key):
            if not one.catches_up and self._notifier.is_told_over(about.key):
                told = self._notifier.went_on(about, one.about, one.figures(self._clock()))
                self.said += [f"{about.name}: {message.phase}: {message.state}" for message in told]

    def _is_done(self, one: Guarded, now_s: float) -> bool:
        """Is it over for so long that nobody starts it again, and was that told?"""
        return one.is_told and one.over_since_s is not None and now_s - one.over_since_s >= LINGER_S


def _where(found: Findings) -> str:
    at = found.progress.iteration
    standing = next((one.state for one in reversed(found.incidents) if not one.over), "")
    return standing or ("no iteration yet" if at is None else f"iteration {at:,}")


def _keys(incidents: Iterable[Incident]) -> list[tuple[str, bool]]:
    return [(one.key, one.over) for one in incidents]


def next_round_s(now_s: float) -> float:
    """When all runs are read next: all at once, so that the machine is woken once."""
    return (now_s // LOOK_S + 1) * LOOK_S
