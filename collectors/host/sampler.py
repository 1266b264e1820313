"""The trainer's processes and the machine, pass after pass, as `HostSample`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from ...events import HostSample, Message, Severity
from ..clean import clean
from . import limits, portable, procfs
from .roles import COMPILER, LOADER, TRAINER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...events import Event
    from .procfs import Used
    from .trainer import Trainer

_LINUX = sys.platform.startswith("linux")
_PRESSURES = ("io", "cpu", "memory")
_RATES = {"trainer_cpu": TRAINER, "compile_workers_cpu": COMPILER, "loader_workers_cpu": LOADER}
_NEEDS_TWO = "needs two samples"
_NO_LIMIT = "the trainer's control group sets no limit that can be read"
_NO_SHARED = "the trainer's /dev/shm cannot be seen"


class HostSampler:
    """A `Sampler` (see `sampling`). `checkpoints` says where they go; what is not there is where the trainer runs.

    `used` gives what a process used (see `procfs`), `clock` seconds that only grow, `wall` Unix time.
    """

    def __init__(
        self,
        trainer: Trainer,
        checkpoints: Callable[[], str | None] = lambda: None,
        *,
        used: Callable[[int], Used | None] = procfs.used if _LINUX else portable.used,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        proc: Path = Path("/proc"),
    ) -> None:
        self._trainer = trainer
        self._checkpoints = checkpoints
        self._used = used
        self._clock = clock
        self._wall = wall
        self._proc = proc
        self._before: dict[int, Used] = {}
        self._pressure_s: dict[str, float] = {}
        self._cpu_s: float | None = None
        self._before_s: float | None = None
        self._under_way: tuple[str, float] | None = None
        self._reported = ""

    def sample(self) -> list[Event]:
        """One pass. What the system does not report is absent, with the reason."""
        absent_trainer = self._trainer.missing()
        if absent_trainer:
            return self._without(absent_trainer)
        now_s = self._clock()
        interval_s = None if self._before_s is None else now_s - self._before_s
        self._before_s = now_s
        absent: dict[str, str] = {}
        known: dict[str, Any] = {}
        for what, ask in (
            ("the trainer's processes", self._processes),
            ("the machine's load", self._machine),
            ("the trainer's limits", self._limits),
            ("the disk of the checkpoints", self._disk),
        ):
            self._under_way = (what, self._clock())
            for field, (value, why) in ask(interval_s).items():
                if value is None:
                    absent[field] = why
                else:
                    known[field] = value
        self._under_way = None
        return [HostSample(at_s=self._wall(), interval_s=interval_s, absent=absent, **known)]

    def _without(self, why: str) -> list[Event]:
        """No trainer, no sample: this machine may have nothing to do with the run. Reported once."""
        reported, self._before_s = self._before_s is not None or self._reported == why, None
        self._before, self._reported = {}, why
        return [] if reported else [Message(clean(why), at_s=self._wall(), about="host")]

    def hung(self, longer_than_s: float) -> list[Event]:
        """What the operating system does not answer, reported once: a dead network drive can take minutes."""
        under_way = self._under_way
        if under_way is None or self._clock() - under_way[1] < longer_than_s or self._reported == under_way[0]:
            return []
        self._reported = under_way[0]
        text = f"the system does not answer about {under_way[0]}; the host line waits for it"
        return [Message(text, level=Severity.WARNING, at_s=self._wall(), about="host")]

    def close(self) -> None:
        """Nothing is held."""

    def _processes(self, interval_s: float | None) -> dict[str, tuple[Any, str]]:
        roles = self._trainer.roles()
        now = {pid: use for pid in roles if (use := self._used(pid))}
        if not now:  # ended this very second
            self._before = {}
            return {"trainer_pid": (None, "it has ended")}
        before, self._before = self._before, now
        of_role = {role: [pid for pid in now if roles[pid] == role] for role in (TRAINER, COMPILER, LOADER)}
        grown = {pid: _since(use, before.get(pid)) for pid, use in now.items()} if before else {}
        part: dict[str, tuple[Any, str]] = {
            "trainer_pid": (self._trainer.pid, ""),
            "trainer_processes": (len(now), ""),
            "compile_workers": (len(of_role[COMPILER]), ""),
            "loader_workers": (len(of_role[LOADER]), ""),
            "resident_bytes": (sum(now[pid].resident_bytes for pid in of_role[TRAINER]), ""),
        }
        for field, role in _RATES.items():
            # A compile worker's children (ptxas, a C compiler) live for a moment: only it knows their time.
            spent_s = sum(
                grown[pid].cpu_s + (grown[pid].children_cpu_s if role == COMPILER else 0.0)
                for pid in (of_role[role] if grown else ())
            )
            part[field] = (spent_s / interval_s if grown and interval_s else None, _NEEDS_TWO)
        for field in ("read_bytes", "write_bytes", "major_faults"):
            part[field] = _sum(grown.values(), field) if grown else (None, _NEEDS_TWO)
        return part

    def _machine(self, interval_s: float | None) -> dict[str, tuple[Any, str]]:
        memory = psutil.virtual_memory()
        part: dict[str, tuple[Any, str]] = {
            "machine_cores": (os.cpu_count(), "not known"),
            "memory_available_bytes": (memory.available, ""),
            "memory_total_bytes": (memory.total, ""),
        }
        times = psutil.cpu_times()
        # Linux counts a guest's time as the user's too.
        busy_s = sum(getattr(times, kind, 0.0) for kind in ("user", "nice", "system", "irq", "softirq", "steal"))
        before_s, self._cpu_s = self._cpu_s, busy_s
        load = None if before_s is None or not interval_s else max(busy_s - before_s, 0.0) / interval_s
        part["machine_cpu"] = (load, _NEEDS_TWO)
        for resource in _PRESSURES:
            part[f"{resource}_pressure"] = self._pressure(resource, interval_s)
        return part

    def _limits(self, _interval_s: float | None) -> dict[str, tuple[Any, str]]:
        pid = self._trainer.pid
        room = limits.memory_room(pid, self._proc) if pid and _LINUX else None
        shared = limits.shared_memory(pid, self._proc) if pid and _LINUX else None
        return {
            "memory_charged_bytes": (room and room.used_bytes, _NO_LIMIT),
            "memory_limit_bytes": (room and room.limit_bytes, _NO_LIMIT),
            "shared_used_bytes": (shared and shared.used_bytes, _NO_SHARED),
            "shared_total_bytes": (shared and shared.limit_bytes, _NO_SHARED),
        }

    def _pressure(self, resource: str, interval_s: float | None) -> tuple[float | None, str]:
        try:
            waited_s = procfs.pressure_s(resource, self._proc)
        except OSError:
            return None, "not reported by this kernel (/proc/pressure; boot option psi=1)"
        if waited_s is None:
            return None, f"/proc/pressure/{resource} is not as expected"
        before_s = self._pressure_s.get(resource)
        self._pressure_s[resource] = waited_s
        if before_s is None or not interval_s:
            return None, _NEEDS_TWO
        return min(max(waited_s - before_s, 0.0) / interval_s, 1.0), ""

    def _directory(self) -> Path | None:
        here, setting = self._trainer.directory(), self._checkpoints()
        there = (here or Path()) / setting if setting else None
        return there if there and there.is_absolute() and there.is_dir() else here

    def _disk(self, _interval_s: float | None) -> dict[str, tuple[Any, str]]:
        directory = self._directory()
        if directory is None:
            why = "the directory of the checkpoints is not known"
            return {"disk_free_bytes": (None, why), "read_ahead_bytes": (None, why)}
        try:
            free, device = shutil.disk_usage(directory).free, directory.stat().st_dev
        except OSError as error:
            why = clean(f"{directory}: {error.strerror}")
            return {"disk_free_bytes": (None, why), "read_ahead_bytes": (None, why)}
        ahead = procfs.read_ahead_bytes(device) if _LINUX else None
        return {"disk_free_bytes": (free, ""), "read_ahead_bytes": (ahead, "not reported by this system")}


def _since(now: Used, before: Used | None) -> Used:
    """What a process used since the last pass.

    One that is new may have lived for `LOOK_S` before it was seen: its bytes are all counted now, so that none
    is lost, but not its CPU time, which would be more than there are cores.
    """
    if before is None or before.born != now.born:
        return now._replace(cpu_s=0.0, children_cpu_s=0.0)
    return now._replace(
        cpu_s=max(now.cpu_s - before.cpu_s, 0.0),
        children_cpu_s=max(now.children_cpu_s - before.children_cpu_s, 0.0),
        major_faults=_more(now.major_faults, before.major_faults),
        read_bytes=_more(now.read_bytes, before.read_bytes),
        write_bytes=_more(now.write_bytes, before.write_bytes),
    )


def _more(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else max(now - before, 0)


def _sum(grown: Iterable[Used], field: str) -> tuple[int | None, str]:
    """A counter's growth over all processes that report it."""
    known = [value for use in grown if (value := getattr(use, field)) is not None]
    return (sum(known), "") if known else (None, "not reported by this system, or only to the process's owner")
