"""Weeks of a guard of twenty runs, by a clock made by hand: it says what it should, once, whatever befalls itself.

It is killed and started again, its disk is full, its network is away for hours, the machine is suspended; logs are
rotated and truncated, trainers fail, hang, print NaN, and are started again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from weakref import WeakSet

import psutil

from itermon.cli.guard.guard import GIVE_BACK_S, give_memory_back
from itermon.cli.guard.older import OlderFile
from itermon.collectors import polled
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.polled import Polled
from itermon.notices import told
from itermon.notices.channel import NotDeliveredError
from itermon.notices.guard import Guard, Guarded
from itermon.notices.notifier import Notifier
from itermon.notices.telling import About
from itermon.notices.told import Store

from .guarded_runs import FAILED, NOT_FINITE, SILENT, Trainer, World
from .tally import Tally, rounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from itermon.notices.message import Message

    from .guarded_runs import Trouble

HOUR_S, WEEK_S = 3_600.0, 7 * 86_400.0
LATE_S = {FAILED: 30.0, SILENT: 920.0, NOT_FINITE: 10.0}
"""Beside three iterations. A log does not say that it evaluates: its first stops may take a quarter of an hour."""

ROUND_S = 15.0
YOUNG_S = 1_300.0
"""What befell so shortly before the end need not be told yet."""


class Line:
    """The channel: what arrived, if there is a network."""

    name = "line"

    def __init__(self) -> None:
        self.arrived: list[Message] = []
        self.is_lost = False

    def takes(self, _message: Message) -> bool:
        return True

    def deliver(self, message: Message) -> None:
        if self.is_lost:
            raise NotDeliveredError("no network")
        self.arrived.append(message)


class Scene:
    """The runs, their guard, and what befalls it."""

    def __init__(self, folder: Path, chance: Random, runs: int, apart_s: float) -> None:
        self.world, self.line, self._folder, self._chance = World(), Line(), folder, chance
        self.trainers = [Trainer(folder / f"{n}.log", self.world, chance, apart_s) for n in range(runs)]
        self.away: list[tuple[float, float]] = []  # when nothing could be said in time
        self.is_full = False
        self.kills = 0
        self._guard: Guard | None = None
        self._gives_back_s = 0.0

    def lives(self, seconds: float) -> None:
        """Let time pass, looking as often as the guard wants."""
        until_s = self.world.awake_s + seconds
        while self.world.awake_s < until_s:
            for trainer in self.trainers:
                trainer.lives()
            pause_s = 10.0
            if self.world.awake_s >= self._gives_back_s:
                give_memory_back()
                self._gives_back_s = self.world.awake_s + GIVE_BACK_S
            if self._guard is not None:
                pause_s = self._guard.step() or 0.0
                self._notifier.deliver()
            self.world.passes(max(1e-3, min(pause_s, until_s - self.world.awake_s)))

    def starts(self) -> None:
        """A guard as of a new process."""
        store = Store(self._folder / "told.json", self.world.wall_s)
        clocks = {"clock": lambda: self.world.wall_s, "monotonic": lambda: self.world.awake_s}
        self._notifier = Notifier([self.line], store, **clocks)
        self._notifier.take_up()
        self._found: WeakSet[Guarded] = WeakSet()  # the guard alone keeps them, as it does outside of here
        self._guard = Guard(self._notifier, self._find, stays=True, **clocks)

    def _find(self, known: Mapping[str, float]) -> list[Guarded]:
        """As `cli.guard.finding.All` does: the logs that grow, and one that goes on after all."""
        logs = [trainer.log for trainer in self.trainers if trainer.log.exists()]
        found = [guarded(log, self.world) for log in logs if log.stat().st_mtime > known.get(log.name, 0.0)]
        self._found.update(found)
        return found

    def was_away(self, trouble: Trouble) -> bool:
        """Could nobody look while it began?"""
        return any(begin_s < trouble.until_s and trouble.from_s - HOUR_S < end_s for begin_s, end_s in self.away)

    def is_killed(self) -> None:
        """All that it held in memory is gone."""
        for one in [*self._found]:
            one.close()
        self._guard, self.kills = None, self.kills + 1

    def befalls(self) -> None:
        """Something befalls the guard or the machine."""
        begun_s = self.world.awake_s
        what = self._chance.choice(["kill", "kill", "network", "disk", "sleep"])
        if what == "kill":
            self.is_killed()
            self.lives(self._chance.choice([0.0, self._chance.uniform(1.0, 60.0)]))
            self.starts()
        elif what == "sleep":
            self.world.passes(8 * HOUR_S, asleep=True)
        elif what == "network":
            self.line.is_lost = True
            self.lives(self._chance.uniform(1.0, 5.0) * HOUR_S)
            self.line.is_lost = False
        else:
            self.is_full = True
            self.lives(HOUR_S)
            self.is_full = False
            self.lives(120.0)
        if what in ("kill", "sleep"):
            self.away.append((begun_s, self.world.awake_s + 60.0))


def guarded(log: Path, world: World) -> Guarded:
    source = LogSource(log, poll_s=0.0, clock=lambda: world.wall_s)
    return Guarded(About(log.name, log.name), Polled(source, log), older=OlderFile)


def run(
    seconds: float | None, seed: int, most: int | None = None, *, runs: int = 2, lasts_s: float = 5 * HOUR_S
) -> Tally:
    """Rounds of `lasts_s` simulated seconds each; a round is an operation for each run in it."""
    tally = Tally("guarded")
    for number in rounds(seconds, None if most is None else -(-most // runs)):
        with tempfile.TemporaryDirectory() as folder:
            scene = Scene(Path(folder), Random(f"{seed} {number}"), runs, lasts_s / 12)
            with a_disk_that_may_be_full(scene):
                for _ in passing(scene, lasts_s):
                    pass
            judged(scene, tally, f"round {number}")
    return tally


@contextlib.contextmanager
def a_disk_that_may_be_full(scene: Scene) -> Iterator[None]:
    """What is told cannot be written while it is; and reading has all the time it needs."""
    before = polled.PATIENCE_S, told._write

    def write(path: Path, data: bytes) -> None:
        if scene.is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        before[1](path, data)

    polled.PATIENCE_S, told._write = 600.0, write
    try:
        yield
    finally:
        polled.PATIENCE_S, told._write = before


def passing(scene: Scene, lasts_s: float, parts: int = 12) -> Iterator[float]:
    """The time passes, and in each part of it something befalls the guard; gives the memory in MB each time."""
    scene.lives(60.0)
    scene.starts()
    for _ in range(parts):
        scene.lives(lasts_s / parts * 0.75)
        scene.befalls()
        scene.lives(max(0.0, lasts_s / parts * 0.25))
        yield psutil.Process().memory_info().rss / 1e6
    scene.line.is_lost = False
    scene.lives(60.0)
    scene.is_killed()


def judged(scene: Scene, tally: Tally, where: str) -> None:
    """Each trouble was told once, at its beginning and at its end, in time; and nothing else."""
    times = Counter(message.id for message in scene.line.arrived)
    by_run: dict[str, list[Message]] = defaultdict(list)
    for message in {message.id: message for message in scene.line.arrived}.values():
        if message.phase != "still":
            by_run[message.run].append(message)
    for key, count in times.items():
        if count > 1:
            tally.doubled += count - 1
            tally.note(f"{where}: {key} came {count} times")
    for trainer in scene.trainers:
        tally.operations += 1
        _compare(scene, trainer, by_run[trainer.log.name], tally, where)


def _compare(scene: Scene, trainer: Trainer, came: list[Message], tally: Tally, where: str) -> None:
    name = f"{where}: {trainer.log.name} (an iteration takes {trainer.each_s:.0f} s)"
    left, end_s = list(came), scene.world.awake_s
    for trouble in trainer.troubles:
        mine = left[:1] if left and left[0].phase == "was" else left[:2]
        is_new, goes_on = end_s - trouble.from_s < YOUNG_S, end_s - trouble.until_s < YOUNG_S
        said = [(message.kind, str(message.phase)) for message in mine]
        whole = [(trouble.kind, "began"), (trouble.kind, "ended")]
        if said not in (whole, [(trouble.kind, "was")]) and not (goes_on and said == whole[:1]):
            if is_new and not said:
                return
            tally.lost += 1
            tally.note(f"{name}: {trouble} is told as {said}; all: {[one.id for one in came]}")
            return
        late_s = mine[0].at_s - trouble.wall_s - LATE_S[trouble.kind] - 3 * trainer.each_s - ROUND_S
        if late_s > 0 and not scene.was_away(trouble):
            tally.lost += 1
            tally.note(f"{name}: {trouble} is told {late_s:.0f} s too late")
        del left[: len(mine)]
    if left:
        tally.doubled += len(left)
        tally.note(f"{name}: nothing befell it, and it tells {[one.id for one in left]}")
