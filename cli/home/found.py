"""What runs there are on this machine: those that it knows, and logs; each once, by whatever it was found."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ... import run_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...collectors.runs.listing import KnownRun
    from ...collectors.source import Source

Stamp = tuple[tuple[int, int], ...]
"""Of each file of a run its size and when it was written: while they stand, so does what the run says."""

GROWS_S = 120.0
"""A log that was written so recently may go on; one that is older is read to its end, and anew if it grows."""

_RANK = re.compile(r"(.+)-rank\d+")
_TOGETHER_S = 120.0  # between the first and the last rank of one start


class Place(NamedTuple):
    """Where a run is read.

    key: what a person could have typed to mean it.
    files: that it is read from, the first the one that is shown.
    alive: whether it goes on, as far as is known without reading it.
    state: what is known of it without reading it.
    run: what this machine knows of it, where it is no log.
    host: another machine, where it is one's.
    before: earlier attempts of the same training, oldest first.
    """

    key: str
    name: str
    files: tuple[Path, ...]
    alive: bool
    seen_at_s: float | None = None
    state: str = ""
    run: KnownRun | None = None
    host: str = ""
    before: tuple[Place, ...] = ()

    @property
    def stamp(self) -> Stamp:
        """See `Stamp`; what is not there counts as empty."""
        return tuple(map(_stamp, self.all_files))

    @property
    def all_files(self) -> tuple[Path, ...]:
        """Those of earlier attempts too."""
        return (*self.files, *(file for place in self.before for file in place.files))

    def source(self, *, follow: bool, among: Sequence[KnownRun]) -> Source:
        """What `itermon report` reads; with `follow` what goes on, without ever waiting where that can be had.

        A living trainer is followed by what it records, not through its socket: a list is no reason to disturb it.
        """
        from ...collectors.logs.log_source import LogSource
        from ...collectors.runs.recording import RecordingSource
        from ..runs import source_of
        from ..sources import OpenOptions, open_sources

        if self.run is None:
            return (
                LogSource(self.files[0], poll_s=0) if follow else open_sources([str(self.files[0])], OpenOptions())
            )
        if follow and self.run.recording and len(self.files) == 1:
            return RecordingSource(self.files[0], follow=True, poll_s=0)
        return source_of(self.run, follow=follow, among=among)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns


def places_of(runs: Sequence[KnownRun]) -> list[Place]:
    """Of the runs known here; the ranks of one start are one run, and so are the attempts of one training."""
    from ...collectors.attempts.same import trainings

    ranks = [run for run in runs if _RANK.fullmatch(run.name)]
    others = [run for run in ranks if not any(_is_rank_of(run, first) for first in runs)]
    firsts = [run for run in runs if run not in ranks or run in others]
    places = {run.run_id: _place_of(run, [rank for rank in ranks if _is_rank_of(rank, run)]) for run in firsts}
    for chain in trainings(firsts):
        before = tuple(places.pop(run.run_id) for run in chain[:-1])
        places[chain[-1].run_id] = places[chain[-1].run_id]._replace(before=before)
    return list(places.values())


def _place_of(run: KnownRun, ranks: Iterable[KnownRun]) -> Place:
    first, *others = _kept(run) or [run.socket or ""]
    files = tuple(map(Path, (first, *(rank.recording for rank in ranks if rank.recording), *others)))
    return Place(
        key=run.run_id,
        name=run.name,
        files=files,
        alive=run.alive,
        seen_at_s=run.seen_at_s,
        state="" if run.alive else str(run.ended),
        run=run,
    )


def _kept(run: KnownRun) -> list[str]:
    """What was kept of it: its recording, its output, how that ended."""
    ended = str(Path(run.log).with_suffix(run_files.EXIT)) if run.log else None
    return [path for path in (run.recording, run.log, ended) if path]


def _is_rank_of(run: KnownRun, first: KnownRun) -> bool:
    """As `collectors.runs.listing.other_ranks` finds it from the other side."""
    called = _RANK.fullmatch(run.name)
    apart_s = abs(run_files.started_s(first.run_id) - run_files.started_s(run.run_id))
    return called is not None and called[1] == first.name and apart_s <= _TOGETHER_S


def log_place(path: Path, now_s: float, *, key: str = "", name: str = "", alive: bool | None = None) -> Place:
    """Of a log. Raises `OSError`. Where nobody knows whether it goes on, it does if it was written recently."""
    about = path.stat()
    grows = now_s - about.st_mtime < GROWS_S if alive is None else alive
    return Place(key or str(path), name or path.name, (path,), grows, about.st_mtime)


def attempts_joined(places: Sequence[Place]) -> list[Place]:
    """The logs that are attempts of one training as one: the newest, with those before it."""
    by_path = {place.files[0]: place for place in places if place.run is None and not place.host}
    if len(by_path) < 2:
        return [*places]
    from ...collectors.attempts.logs import log_file, trainings_of_logs

    logs = []
    for path, place in by_path.items():
        with contextlib.suppress(OSError):
            logs.append(log_file(path, lives=place.alive))
    found = {chain[-1].path: [by_path[log.path] for log in chain[:-1]] for chain in trainings_of_logs(logs)}
    earlier = {place.key for before in found.values() for place in before}
    return [
        place._replace(before=tuple(found.get(place.files[0], ()))) if place.files[0] in found else place
        for place in places
        if place.key not in earlier
    ]


def each_once(places: Iterable[Place]) -> list[Place]:
    """The first of those that are read from one file, by whatever way it was found."""
    seen: set[str] = set()
    once = []
    for place in places:
        names = {os.path.realpath(file) for file in place.all_files}
        if seen.isdisjoint(names):
            once.append(place)
        seen |= names
    return once
