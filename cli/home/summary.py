"""The line of a run that stands still, read a part at a time: no run holds up who looks at the list."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from ...collectors.settings import ConfiguredSource
from ...collectors.source import Source
from ...reports.run_line import END_UNKNOWN, RUNNING, RunLine, run_line, with_work
from ..exits import NotALogError
from ..reading import all_findings, read_in_steps
from .attempts import joined

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Iterator, Sequence

    from ...collectors.runs.listing import KnownRun
    from ...events import Batch, Config
    from .attempts import Joined
    from .found import Place

Result = TypeVar("Result")


class Steps(Generic[Result]):
    """Work that is done a part at a time."""

    def __init__(self, steps: Generator[None, None, Result]) -> None:
        self._steps = steps

    def on(self, until_s: float) -> Result | None:
        """Go on until this monotonic time; the result, once it is there."""
        try:
            while time.monotonic() < until_s:
                next(self._steps)
        except StopIteration as over:
            return over.value  # type: ignore[no-any-return]
        return None


class _Newest(Source):
    """The newest of several attempts: what is read of it counts among all of them too."""

    def __init__(self, source: Source, attempts: Joined) -> None:
        self.title, self.text = source.title, source.text
        self._source, self._attempts = source, attempts

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        self._attempts.begin()
        for batch in self._source.batches(stop):
            self._attempts.take(batch)
            yield batch


def summary(place: Place, known: Sequence[KnownRun], settings: Sequence[Config]) -> Generator[None, None, RunLine]:
    """The line of what `itermon report` prints of the run; of several attempts with what all of them cost."""
    source = place.source(follow=False, among=known)
    attempts = (yield from joined(place.before, known)) if place.before else None
    if attempts is not None:
        source = _Newest(source, attempts)
    try:
        run = yield from read_in_steps(ConfiguredSource(source, settings))
    except (NotALogError, OSError) as error:
        return RunLine(state=place.state, said=str(getattr(error, "message", error)))
    line = run_line(all_findings(run))
    if attempts is not None:
        line = with_work(line, attempts.count, attempts.work())
    return msgspec.structs.replace(line, state=RUNNING) if place.alive and line.state == END_UNKNOWN else line
