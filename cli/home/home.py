"""All runs, a line for each: those that stand still are read once and kept, those that go on are followed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from .found import attempts_joined, each_once, places_of
from .kept import KeptLines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...collectors.runs.listing import KnownRun
    from ...events import Config
    from ...reports.run_line import RunLine
    from .attempts import Joined
    from .following import Followed
    from .found import Place, Stamp
    from .logs import Logs
    from .summary import Steps

    _Standing = tuple[str, Stamp]

MOST_ENDED = 200
"""Runs that have ended, the newest."""

MOST_FOLLOWED = 50
_LOOK_S = 0.3
"""Of reading in one look: what is known already is shown in between."""

_LIVING_SHARE, _ENDED_SHARE = 1 / 3, 1 / 10
"""Of a core, while there is more to read: 80 recordings of 100,000 iterations are a minute of work, which nobody
waits for, and which may stand beside a training."""

_WRITE_S = 5.0


class HomeRun(NamedTuple):
    """A run of the list: where it is, and its line; `None` while that is not read yet."""

    place: Place
    line: RunLine | None


class Home:
    """What there is to see of all runs here.

    Args:
        logs: finds the logs that are runs too.
        settings: what the person says of all of them.
        clock: Unix time.
    """

    def __init__(
        self,
        logs: Logs | None = None,
        settings: Sequence[Config] = (),
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._logs, self._settings, self._clock = logs, tuple(settings), clock
        self._asked = msgspec.json.encode(self._settings).decode() if self._settings else ""
        self._kept = KeptLines()
        self._followed: dict[str, Followed] = {}
        self._summaries: dict[_Standing, Steps[RunLine]] = {}  # that are being read
        self._joining: dict[str, Steps[Joined]] = {}  # attempts before living ones, that are being read
        self._written_s = time.monotonic()
        self._looks = 0
        self._waits_for_living = True
        self.has_more = True
        """Is there a run whose line is not known yet?"""

    @property
    def share(self) -> float:
        """Of a core, that reading on is worth; 0 where all is read."""
        return (_LIVING_SHARE if self._waits_for_living else _ENDED_SHARE) if self.has_more else 0.0

    def has_runs(self) -> bool:
        """Is there any?"""
        from ...collectors.runs.listing import has_runs

        return has_runs() or bool(self._logs and self._logs(self._clock()))

    def look(self) -> list[HomeRun]:
        """Every run, the living first, then the newest; some of what is not known yet was read for it.

        The first look reads nothing: what the names and ends of recordings say stands on the screen at once.
        """
        from ...collectors.runs.listing import known_runs

        now_s = self._clock()
        known = known_runs(recent=MOST_ENDED, with_newest=False)
        logs = self._logs(now_s) if self._logs and self._looks else ()
        places = attempts_joined(each_once([*places_of(known), *logs]))
        places.sort(key=lambda place: (not place.alive, -(place.seen_at_s or 0.0)))
        found = self._read(places, known, now_s)
        unseen = self._logs is not None and self._logs.has_more
        self.has_more = not self._looks or unseen or any(run.line is None for run in found)
        self._waits_for_living = (
            not self._looks or unseen or any(run.line is None and run.place.alive for run in found)
        )
        self._looks += 1
        if not self.has_more or time.monotonic() - self._written_s > _WRITE_S:
            self._kept.write()
            self._written_s = time.monotonic()
        return found

    def close(self) -> None:
        """Nobody looks any more; what was read is kept for the next time."""
        for followed in self._followed.values():
            followed.close()
        self._followed.clear()
        self._kept.write()

    def _read(self, places: Sequence[Place], known: Sequence[KnownRun], now_s: float) -> list[HomeRun]:
        """The runs with their lines, as far as these can be had in the time of one look."""
        until_s = time.monotonic() + (_LOOK_S if self._looks else -1.0)
        living = {_called(place): place for place in places[:MOST_FOLLOWED] if place.alive}
        for key in self._followed.keys() - living.keys():
            self._followed.pop(key).close()
        self._joining = {key: steps for key, steps in self._joining.items() if key in living}
        before, self._summaries = self._summaries, {}
        found = []
        for place in places:
            if _called(place) in living:
                line = self._line_of_living(place, known, now_s, until_s)
            else:
                line = self._line_of_ended(place, known, until_s, before)
            found.append(HomeRun(place, line))
        return found

    def _line_of_living(
        self, place: Place, known: Sequence[KnownRun], now_s: float, until_s: float
    ) -> RunLine | None:
        key, may_read = _called(place), time.monotonic() < until_s
        followed = self._followed.get(key)
        if followed is None:
            joined = self._joined(place, known, until_s)
            if not may_read or (place.before and joined is None):
                return None
            from .following import Followed  # what reads is loaded when the list stands already

            followed = Followed(place.source(follow=True, among=known), self._settings, joined)
            self._followed[key] = followed
        if may_read or followed.caught_up:
            followed.step()
        return followed.line(now_s, len(self._followed)) if followed.caught_up else None

    def _joined(self, place: Place, known: Sequence[KnownRun], until_s: float) -> Joined | None:
        """The attempts before this one, once they are read."""
        if not place.before or time.monotonic() > until_s:
            return None
        from .attempts import joined
        from .summary import Steps

        key = _called(place)
        steps = self._joining.setdefault(key, Steps(joined(place.before, known)))
        if (found := steps.on(until_s)) is not None:
            del self._joining[key]
        return found

    def _line_of_ended(
        self, place: Place, known: Sequence[KnownRun], until_s: float, before: dict[_Standing, Steps[RunLine]]
    ) -> RunLine | None:
        """The line that is kept; else one that is read on, from `before`, or begun."""
        key, stamp = f"{place.files[0]} {self._asked}", place.stamp
        line, steps = self._kept.line(key, stamp), before.get((key, stamp))
        if line is not None:
            return line
        if steps is None and time.monotonic() < until_s:
            from .summary import Steps, summary

            steps = Steps(summary(place, known, self._settings))
        if steps is None:
            return None
        line = steps.on(until_s)
        if line is None:
            self._summaries[key, stamp] = steps
        else:
            self._kept.keep(key, stamp, line)
        return line


def _called(place: Place) -> str:
    """By which it is followed: anew where another attempt before it gets known."""
    return " ".join((place.key, *(before.key for before in place.before)))
