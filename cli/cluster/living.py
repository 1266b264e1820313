"""What lives on this host and does not record: logs that grow, and trainers that serve and keep nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from click import ClickException

from ...collectors.clean import clean
from ...metrics.streamed import Live
from ..home.logs import Printed
from ..sources import OpenOptions, followed_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...collectors.polled import Polled
    from ...collectors.runs.listing import KnownRun
    from ...collectors.source import Feed, Source
    from ..home.found import Place

SILENT_S = 900.0
"""So long a log whose writer nobody sees may be silent: an evaluation takes minutes. Then it is over."""

_MOST_NAME = 100
_MOST_KNOWN = 20


class Living:
    """All of it that there is now.

    Args:
        logs: finds the logs that are runs.
        clock: Unix time.
    """

    def __init__(self, logs: Callable[[float], Iterable[Place]], clock: Callable[[], float] = time.time) -> None:
        self._logs, self._clock = logs, clock
        self._printed = Printed()

    def __call__(self) -> Iterator[Live]:
        """The trainers first. What a trainer prints that is followed by its hooks is no run of its own."""
        from ...collectors.runs.listing import known_runs
        from ..home.found import each_once

        runs = known_runs(recent=_MOST_KNOWN, with_newest=False)
        self._printed.note(runs)
        yield from (live for run in runs if run.alive and (live := _of_trainer(run)) is not None)
        now_s = self._clock()
        for place in each_once(self._logs(now_s)):
            path = os.path.realpath(place.files[0])
            if path not in self._printed:
                silent_s = now_s - (place.seen_at_s or 0.0)
                if place.alive or silent_s < SILENT_S:
                    yield _of_log(path, _called(place), place.seen_at_s)._replace(begins=place.alive)


def _of_trainer(run: KnownRun) -> Live | None:
    """One that serves alone, or one that `itermon run` started and that has no hooks."""
    if run.recording:
        return None
    if run.socket:
        address = run.socket
        return Live(
            run.run_id, run.name, lambda: _socket(address), run.pid, run.run_id, run.pid, seen_at_s=float("inf")
        )
    return None if run.log is None else _of_log(run.log, run.name, run.seen_at_s)._replace(key=run.run_id)


def _of_log(path: str, name: str, seen_at_s: float | None) -> Live:
    return Live(path, name, lambda: _opened(path), crc32(os.fsencode(path)), seen_at_s=seen_at_s)


def _called(place: Place) -> str:
    """What a log's run is called: as its job is, or as its folder and the log are."""
    path = Path(os.path.realpath(place.files[0]))
    if place.name != place.files[0].name:
        return clean(place.name, _MOST_NAME)
    return clean(f"{path.parent.name}/{path.stem}", _MOST_NAME)


def _opened(path: str) -> Polled | Feed:
    """Raises `OSError` where it is gone, or no log any more."""
    try:
        return _feed(followed_log([path], OpenOptions()), path)
    except ClickException as error:
        raise OSError(error.message) from None


def _socket(address: str) -> Polled | Feed:
    from ...collectors.runs.socket import SocketSource

    return _feed(SocketSource(Path(address)), address)


def _feed(source: Source, path: str) -> Polled | Feed:
    from ...collectors.polled import feed_of

    return feed_of(source, Path(path))
