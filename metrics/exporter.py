"""The runs of this host, followed: which there are, what they are called, and what is known of them now."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from .. import run_files
from .gpus import GpuWatch
from .rank import Rank
from .recordings import Recordings
from .series import gpu_series, rank_series

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from .recordings import Recording
    from .series import Series

T = TypeVar("T")

LINGER_S = 90.0
"""For so long an ended rank is still told of: its last counts are scraped, at least twice. Then it vanishes."""

_TOGETHER_S = 120.0  # between the first and the last rank of one start


class Exporter:
    """Follows the living runs of this user on this machine.

    Args:
        wanted: names, PIDs or run ids; empty: all runs.
        gpus: also ask the driver for the GPUs that the trainers use.
        clock: Unix time.
    """

    def __init__(
        self, wanted: Collection[str] = (), *, gpus: bool = True, clock: Callable[[], float] = time.time
    ) -> None:
        self._wanted = {text for each in wanted for text in (each, run_files.slug(each))}
        self._clock = clock
        self._recordings = Recordings()
        self._ranks: dict[tuple[str, int], Rank] = {}
        self._over_at: dict[tuple[str, int], float] = {}
        self._gpus = GpuWatch() if gpus else None
        self._broken: dict[str, str] = {}  # by run id, what is wrong with it
        self.trouble = ""

    @property
    def runs(self) -> list[str]:
        """What the runs are called that are told of, in order."""
        return sorted({run for run, _ in self._ranks})

    def refresh(self) -> bool:
        """Take in what is new; `False` where there is more at once: call it again."""
        done = [self._guarded(key, rank, rank.read) is not False for key, rank in list(self._ranks.items())]
        self._forget()
        try:
            living = self._recordings.living()
            closed = ""
        except OSError as error:
            living, closed = [], f"{error.filename}: {error.strerror}"
        self.trouble = closed or "; ".join(self._broken.values())
        new = [recording for recording in living if self._is_wanted(recording) and self._follow(recording)]
        if self._gpus is not None:
            self._gpus.watch({key: rank.recording.pid for key, rank in self._ranks.items() if not rank.is_over})
        return all(done) and not new

    def series(self) -> list[Series]:
        """What is known now, of those ranks whose history was read: counters begin where they stand."""
        now_s = self._clock()
        found: list[Series] = []
        for (run, number), rank in sorted(self._ranks.items()):
            if rank.caught_up:
                labels = (run, str(number))
                found += self._guarded((run, number), rank, lambda: list(rank_series(labels, rank, now_s))) or ()  # noqa: B023
                if self._gpus is not None and not rank.is_over:
                    found += gpu_series(labels, self._gpus.newest((run, number)))
        return found

    def close(self) -> None:
        """Let go of all files and of the driver."""
        for rank in self._ranks.values():
            rank.close()
        if self._gpus is not None:
            self._gpus.close()

    def _guarded(self, key: tuple[str, int], rank: Rank, ask: Callable[[], T]) -> T | None:
        """What `ask` gives. A recording that cannot be understood is left out and named; the others live on."""
        try:
            return ask()
        except Exception as error:  # noqa: BLE001 - a flaw of ours, or a recording that means harm
            run_id = rank.recording.run_id
            self._broken[run_id] = f"{run_id} is left out: {type(error).__name__}: {error}"
            rank.close()
            del self._ranks[key]
            return None

    def _is_wanted(self, recording: Recording) -> bool:
        called = {recording.name, recording.run_id, str(recording.pid)}
        return not self._wanted or not self._wanted.isdisjoint(called)

    def _forget(self) -> None:
        now_s = self._clock()
        for key, rank in list(self._ranks.items()):
            if not rank.is_over:
                self._over_at.pop(key, None)
            elif now_s - self._over_at.setdefault(key, now_s) >= LINGER_S:
                del self._ranks[key], self._over_at[key]

    def _follow(self, recording: Recording) -> bool:
        """Begin to read it, if nobody does; before its first iteration it is not known what it goes on from."""
        if recording.run_id in self._broken or recording.first is None:
            return False
        if any(rank.recording.run_id == recording.run_id for rank in self._ranks.values()):
            return False
        key = self._label(recording), recording.rank
        before = self._recordings.before(recording)
        old = self._ranks.get(key)
        if old is not None and before and before[-1].run_id == old.recording.run_id:
            old.go_on(recording)
        else:
            self._ranks[key] = Rank(recording, before)
        return True

    def _label(self, recording: Recording) -> str:
        """What its run is called here: its name; with a PID where another run of this name lives already."""
        name = recording.name
        for label in (name, *(run for run in self.runs if run.startswith(f"{name}."))):
            mine = {n: rank for (run, n), rank in self._ranks.items() if run == label and not rank.is_over}
            started_s = [rank.recording.started_s for rank in mine.values()]
            together = all(abs(each - recording.started_s) <= _TOGETHER_S for each in started_s)
            if recording.rank not in mine and together:
                return label
        return f"{name}.{recording.pid}"
