"""The runs of this host, followed: which there are, what they are called, and what is known of them now."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, TypeVar

from .. import run_files
from .gpus import GpuWatch
from .rank import Rank
from .recordings import Recordings
from .series import gpu_series, rank_series
from .streamed import Streamed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from .counted import Counted
    from .recordings import Recording
    from .series import Series
    from .streamed import Live

T = TypeVar("T")

LINGER_S = 90.0
"""For so long an ended rank is still told of: its last counts are scraped, at least twice. Then it vanishes."""

FIND_S = 60.0
"""Between two looks for runs without a recording: the files of all processes are looked through for them."""

_RANK = re.compile(r"-rank\d+$")
_TOGETHER_S = 120.0  # between the first and the last rank of one start


class Exporter:
    """Follows the living runs of this user on this machine.

    Args:
        wanted: names, PIDs or run ids; empty: all runs.
        gpus: also ask the driver for the GPUs that the trainers use.
        live: what lives without a recording: all of it, each time.
        clock: Unix time.
    """

    def __init__(
        self,
        wanted: Collection[str] = (),
        *,
        gpus: bool = True,
        live: Callable[[], Iterable[Live]] = lambda: (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._wanted = {text for each in wanted for text in (each, run_files.slug(each))}
        self._clock = clock
        self._recordings = Recordings()
        self._ranks: dict[tuple[str, int], Counted] = {}
        self._find, self._find_due_s = live, float("-inf")
        self._streams: dict[str, Streamed] = {}  # by key: those without a recording
        self._left_at_s: dict[str, float] = {}  # by key, when it was over
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
        read = self._begin_streams()
        if self._gpus is not None:
            living_pids = {key: rank.trainer_pid for key, rank in self._ranks.items() if not rank.is_over}
            self._gpus.watch({key: pid for key, pid in living_pids.items() if pid is not None})
        return all(done) and not new and read

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
        for rank in (*self._ranks.values(), *self._streams.values()):
            rank.close()
        if self._gpus is not None:
            self._gpus.close()

    def _guarded(self, key: tuple[str, int], rank: Counted, ask: Callable[[], T]) -> T | None:
        """What `ask` gives. A recording that cannot be understood is left out and named; the others live on."""
        try:
            return ask()
        except Exception as error:  # noqa: BLE001 - a flaw of ours, or a recording that means harm
            called = rank.known_as
            self._broken[called] = f"{called} is left out: {type(error).__name__}: {error}"
            rank.close()
            self._ranks.pop(key, None)
            self._streams.pop(called, None)
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
                self._leave(rank)
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
        if isinstance(old, Rank) and before and before[-1].run_id == old.recording.run_id:
            old.go_on(recording)
        else:
            self._ranks[key] = Rank(recording, before)
        return True

    def _begin_streams(self) -> bool:
        """Follow what lives without a recording; `False` where there is more of it to be read at once."""
        now_s = self._clock()
        if now_s >= self._find_due_s:
            self._find_due_s = now_s + FIND_S
            self._know({live.key: live for live in self._find()})
        done = True
        told = {id(rank) for rank in self._ranks.values()}
        for stream in [each for each in self._streams.values() if id(each) not in told]:
            done = self._guarded(("", 0), stream, stream.read) is not False and done
            recording = stream.recording
            if stream.is_over:
                self._leave(stream)
            elif recording.first is not None:
                key = self._label(recording), recording.rank
                self._ranks[key] = stream
        return done

    def _know(self, living: dict[str, Live]) -> None:
        """Begin with those that are new; end those that are not there any more, or record now."""
        for key, stream in list(self._streams.items()):
            if key not in living and not stream.is_over:
                stream.close()
                stream.is_over = True
        for key, live in living.items():
            left_at_s = self._left_at_s.get(key)
            goes_on = left_at_s is None or (live.seen_at_s or 0.0) > left_at_s
            named = {_RANK.sub("", live.name), live.key, live.key.rpartition("/")[2], str(live.pid or "")}
            wanted = not self._wanted or not self._wanted.isdisjoint(named)
            if live.begins and wanted and goes_on and key not in self._streams and key not in self._broken:
                self._open(live)

    def _open(self, live: Live) -> None:
        try:
            self._streams[live.key] = Streamed(live)
        except OSError:  # gone since it was found, or closed to us: the next look shows it
            return
        except Exception as error:  # noqa: BLE001 - a flaw of ours: the others live on
            self._broken[live.key] = f"{live.key} is left out: {type(error).__name__}: {error}"

    def _leave(self, rank: Counted) -> None:
        """It is over; nothing of it is read until it is written to again."""
        rank.close()
        if self._streams.pop(rank.known_as, None) is not None:
            self._left_at_s[rank.known_as] = self._clock()

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
