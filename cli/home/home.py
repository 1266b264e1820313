"""All runs, a line for each: those that stand still are read once and kept, those that go on are followed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...reports.run_line import END_UNKNOWN, RUNNING, RunLine, run_line, with_work
from ..exits import NotALogError
from .found import each_once, places_of
from .kept import KeptLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...analysis.causes.attempts import Work
    from ...collectors.runs.listing import KnownRun
    from ...events import Config
    from .following import Followed
    from .found import Place

MOST_ENDED = 200
"""Runs that have ended, the newest."""

MOST_FOLLOWED = 50
_LOOK_S = 0.3
"""Of reading in one look: what is known already is shown in between."""

_WRITE_S = 5.0

_WORK_S = 3_600.0
"""Between two times that the attempts of a living run are read: 60,000 restless iterations take 5 s."""


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
        logs: Callable[[float], Iterable[Place]] = lambda _: (),
        settings: Sequence[Config] = (),
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._logs, self._settings, self._clock = logs, tuple(settings), clock
        self._asked = msgspec.json.encode(self._settings).decode() if self._settings else ""
        self._kept = KeptLines()
        self._followed: dict[str, Followed] = {}
        self._work: dict[str, tuple[float, Work | None]] = {}  # of living attempts: when it was worked out
        self._written_s = time.monotonic()
        self._looks = 0
        self.has_more = True
        """Is there a run whose line is not known yet?"""

    def has_runs(self) -> bool:
        """Is there any?"""
        from ...collectors.runs.listing import has_runs

        return has_runs() or any(True for _ in self._logs(self._clock()))

    def look(self) -> list[HomeRun]:
        """Every run, the living first, then the newest; some of what is not known yet was read for it.

        The first look reads nothing: what the names and ends of recordings say stands on the screen at once.
        """
        from ...collectors.runs.listing import known_runs

        now_s = self._clock()
        known = known_runs(recent=MOST_ENDED, with_newest=False)
        places = each_once([*places_of(known), *(self._logs(now_s) if self._looks else ())])
        places.sort(key=lambda place: (not place.alive, -(place.seen_at_s or 0.0)))
        found = self._read(places, known, now_s)
        self.has_more = not self._looks or any(run.line is None for run in found)
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
        living = {place.key: place for place in places[:MOST_FOLLOWED] if place.alive}
        for key in self._followed.keys() - living.keys():
            self._followed.pop(key).close()
        found = []
        for place in places:
            may_read = time.monotonic() < until_s
            if place.key in living:
                found.append(HomeRun(place, self._line_of_living(place, known, now_s, may_read=may_read)))
            else:
                found.append(HomeRun(place, self._line_of_ended(place, known, may_read=may_read)))
        return found

    def _line_of_living(
        self, place: Place, known: Sequence[KnownRun], now_s: float, *, may_read: bool
    ) -> RunLine | None:
        followed = self._followed.get(place.key)
        if followed is None:
            if not may_read:
                return None
            from .following import Followed  # what reads is loaded when the list stands already

            followed = Followed(place.source(follow=True, among=known), self._settings)
            self._followed[place.key] = followed
        if may_read or followed.caught_up:
            followed.step()
        if not followed.caught_up:
            return None
        line = followed.line(now_s, len(self._followed))
        return self._with_attempts(line, place, known, now_s) if place.before else line

    def _with_attempts(self, line: RunLine, place: Place, known: Sequence[KnownRun], now_s: float) -> RunLine:
        """Of one that goes on; what the attempts cost is worked out now and then, for all of them are read."""
        at_s, work = self._work.get(place.key, (float("-inf"), None))
        if now_s - at_s > _WORK_S:
            work = _work(place, known)
            self._work[place.key] = now_s, work
        return with_work(line, len(place.before) + 1, work)

    def _line_of_ended(self, place: Place, known: Sequence[KnownRun], *, may_read: bool) -> RunLine | None:
        key, stamp = f"{place.files[0]} {self._asked}", place.stamp
        line = self._kept.line(key, stamp)
        if line is None and may_read:
            line = self._summary(place, known)
            self._kept.keep(key, stamp, line)
        return line

    def _summary(self, place: Place, known: Sequence[KnownRun]) -> RunLine:
        """The line of what `itermon report` prints of the run."""
        from ...collectors.settings import ConfiguredSource
        from ..reading import read_to_the_end

        try:
            source = ConfiguredSource(place.source(follow=False, among=known), self._settings)
            line = run_line(read_to_the_end(source).findings(spikes=None))
        except (NotALogError, OSError) as error:
            return RunLine(state=place.state, said=str(getattr(error, "message", error)))
        if place.before:
            line = with_work(line, len(place.before) + 1, _work(place, known))
        return msgspec.structs.replace(line, state=RUNNING) if place.alive and line.state == END_UNKNOWN else line


def _work(place: Place, known: Sequence[KnownRun]) -> Work | None:
    from .attempts import work_of_attempts

    assert place.run is not None  # noqa: S101 - a log has no attempts before it
    return work_of_attempts((*place.before, place.run), known)
