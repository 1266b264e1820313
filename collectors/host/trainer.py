"""The trainer's processes: found once, looked through every few seconds, shared by the samplers."""

from __future__ import annotations

import os
import sys
import threading
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from .roles import Process, roles
from .writer import writer_of

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_S = 5.0
"""The tree is looked through this often: loader workers live for an epoch, and 2,000 processes cost 20 ms."""
FIND_S = 10.0
"""... and looked for at most this often, at first after a second: a trainer often starts after its viewer."""


class Trainer:
    """The tree below `pid`, or below the process that writes `log`. For any thread.

    `log` is a path, or "pipe:[12345]" (see `writer`). Without either, there is no trainer.
    """

    def __init__(
        self, pid: int | None = None, log: str | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pid = pid
        self._given = pid is not None
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._roles: dict[int, str] = {}
        self._seen = False
        self._look_again_s = -inf
        self._patience_s = 0.5

    def roles(self) -> dict[int, str]:
        """The role of each process of the tree by id; empty if there is no trainer now."""
        with self._lock:
            now_s = self._clock()
            if now_s >= self._look_again_s:
                self._look_through()
                self._patience_s = LOOK_S if self._roles else min(2 * self._patience_s, FIND_S)
                self._look_again_s = now_s + self._patience_s
            return self._roles

    def pids(self) -> frozenset[int]:
        """The process ids of the tree."""
        return frozenset(self.roles())

    def variable(self, name: str) -> str | None:
        """An environment variable of the trainer's, as it was started with; ours where it is not known."""
        found = [v for pid, role in self.roles().items() if (v := _variable(pid, name)) is not None]
        return found[0] if found else None if self.pid and self._roles else os.environ.get(name)

    def directory(self) -> Path | None:
        """Where the trainer runs, and most write their checkpoints below it."""
        try:
            return Path(psutil.Process(self.pid).cwd()) if self.pid else None
        except (psutil.Error, OSError):
            return None

    def missing(self) -> str:
        """Why there is no trainer on this machine; "" if there is one."""
        if self.roles():
            return ""
        if self._given:
            return f"process {self.pid} has ended" if self._seen else f"there is no process {self.pid}"
        if self._log is None:
            return "the trainer's process is not known; --pid PID shows its GPU"
        return "no process of yours writes this log here; --pid PID or --gpu N shows its GPU"

    def _look_through(self) -> None:
        if not self._given and not (self.pid and psutil.pid_exists(self.pid)):
            linux = sys.platform.startswith("linux")
            self.pid = writer_of(self._log) if self._log and linux else None
        self._roles = roles(_tree(self.pid), _uses_gpu) if self.pid else {}
        self._seen = self._seen or bool(self._roles)


def _tree(root: int) -> list[Process]:
    """The process and all below it, parents first."""
    try:
        top = psutil.Process(root)
        processes = [top, *top.children(recursive=True)]
    except psutil.Error:
        return []
    return [p for process in processes if (p := _describe(process))]


def _describe(process: psutil.Process) -> Process | None:
    try:
        with process.oneshot():
            try:
                command = tuple(process.cmdline())
            except psutil.AccessDenied:
                command = ()
            return Process(process.pid, process.ppid(), process.name(), command)
    except psutil.Error:
        return None


def _variable(pid: int, name: str) -> str | None:
    try:
        environment: dict[str, str] = psutil.Process(pid).environ()
    except (psutil.Error, OSError):
        return None
    return environment.get(name)


def _uses_gpu(pid: int) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{fd}").startswith("/dev/nvidia") for fd in os.listdir(folder))  # noqa: PTH115, PTH208
    except OSError:
        return False
