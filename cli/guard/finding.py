"""Which runs a guard looks after: those that were named, or all that there are, and those that begin later."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..home.logs import Printed
from ..printing import harmless
from ..sources import followed_log
from .older import OlderFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...collectors.runs.listing import KnownRun
    from ...collectors.source import Source
    from ...notices.guard import Guarded
    from ...notices.telling import About
    from ...notices.told import Store
    from ..home.found import Place
    from ..sources import OpenOptions

_MOST_KNOWN = 100
"""Recordings that have ended, the newest."""

MOST = 200
"""Runs that are looked after together."""


class Named:
    """The runs that were named, each opened once."""

    def __init__(self, runs: Sequence[str], options: OpenOptions) -> None:
        self._found = [_named(run, options) for run in dict.fromkeys(runs)]

    def __call__(self, _known: Mapping[str, float]) -> list[Guarded]:
        """All of them, the first time."""
        found, self._found = self._found, []
        return found

    def earlier(self, _key: str) -> list[About]:
        """None: which other logs there are nobody named."""
        return []


class All:
    """Trainers with hooks, recordings, logs that grow, Slurm jobs: what the home screen shows.

    Args:
        store: what was told before.
        logs: finds the logs that are runs too.
        options: how each is read.
        clock: Unix time.
    """

    def __init__(
        self,
        store: Store,
        logs: Callable[[float], Iterable[Place]],
        options: OpenOptions,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._logs, self._options, self._clock = store, logs, options, clock
        self._printed = Printed()
        self._earlier: dict[str, list[About]] = {}

    def __call__(self, known: Mapping[str, float]) -> list[Guarded]:
        """Those that live, and those that ended since the guard began and of which nobody was told."""
        from ...collectors.runs.listing import known_runs
        from ..home.found import attempts_joined, each_once, places_of

        runs = known_runs(recent=_MOST_KNOWN, with_newest=False)
        self._printed.note(runs)
        logs = (place for place in self._logs(self._clock()) if _key(place) not in self._printed)
        places = each_once([*places_of(runs), *logs])
        self._earlier = {
            _key(place): [_about(_key(one), one.name) for one in place.before] for place in attempts_joined(places)
        }
        wanted = (place for place in places if self._is_wanted(place, known))
        most = MOST - sum(1 for until_s in known.values() if until_s > self._clock())
        return [
            _guarded(
                _key(place),
                place.name,
                self._opened(place, runs),
                place.files[0],
                may_be_none=place.run is None,
            )
            for place in islice(wanted, max(0, most))
        ]

    def earlier(self, key: str) -> list[About]:
        """The attempts whose training goes on with this run, oldest first."""
        return self._earlier.get(key, [])

    def _is_wanted(self, place: Place, known: Mapping[str, float]) -> bool:
        """A log that nobody writes now is old, unless an earlier guard looked after it."""
        from ...analysis.incidents.kinds import ENDS

        key, seen_at_s = _key(place), place.seen_at_s or 0.0
        if key in known:
            return place.alive and seen_at_s > known[key]  # a log that goes on after all
        ours = place.run is not None or self._store.is_known(key)
        return place.alive or (ours and seen_at_s >= self._store.since_s and not self._store.is_told(key, ENDS))

    def _opened(self, place: Place, runs: Sequence[KnownRun]) -> Source:
        from ...collectors.settings import ConfiguredSource

        if place.run is None:
            return followed_log([str(place.files[0])], self._options)
        return ConfiguredSource(place.source(follow=True, among=runs), self._options.settings)


def _key(place: Place) -> str:
    """By which it is remembered, wherever the guard was started."""
    return place.key if place.run is not None else os.path.realpath(place.files[0])


def _about(key: str, name: str) -> About:
    from ...notices.telling import About

    return About(key, harmless(name), os.uname().nodename)


def _named(text: str, options: OpenOptions) -> Guarded:
    from ..finding import logs_of
    from ..runs import SSH, open_run, run_called

    if text.startswith(SSH):
        return _guarded(text, text, open_run(text), Path())
    run = None if os.path.lexists(text) else run_called(text)
    if run is not None:
        return _guarded(run.run_id, run.name, _recorded(run, options), Path(run.recording or run.log or ""))
    logs = logs_of([text], None, options.run)
    return _guarded(os.path.realpath(logs[0]), Path(logs[0]).name, followed_log(logs, options), Path(logs[0]))


def _recorded(run: KnownRun, options: OpenOptions) -> Source:
    from ...collectors.runs.listing import known_runs
    from ...collectors.settings import ConfiguredSource
    from ..home.found import places_of
    from ..sources import open_sources

    known = known_runs(recent=10_000, with_newest=False)
    place = next((one for one in places_of(known) if one.run is not None and one.run.run_id == run.run_id), None)
    if place is None or options.gpu_log is not None:
        return open_sources([run.run_id], options._replace(follow=True))
    return ConfiguredSource(place.source(follow=True, among=known), options.settings)


def _guarded(key: str, name: str, source: Source, path: Path, *, may_be_none: bool = False) -> Guarded:
    from ...collectors.polled import feed_of
    from ...notices.guard import Guarded

    about = _about(key, name)
    may_be_none = may_be_none and source.never_waits
    return Guarded(about, feed_of(source, path), may_be_none=may_be_none, older=OlderFile)
