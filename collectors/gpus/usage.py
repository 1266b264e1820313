"""Whose processes compute on a GPU, and how much of its memory is the trainer's.

A driver gives process ids of the *host*, inside containers too: it knows no process namespaces. So an id is only
believed where it must be ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_FIRST_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO of the kernel: the host's own


class Usage:
    """The processes of one pass: `memory_bytes` by id; a process whose memory is not reported has `None`."""

    def __init__(self, memory_bytes: dict[int, int | None]) -> None:
        self.memory_bytes = memory_bytes

    def of(self, trainer: Collection[int], *, believed: bool) -> tuple[int | None, str]:
        """The trainer's memory here, or `None` and why it is not known."""
        if not trainer:
            return None, "the trainer's process is not known: name it with --pid"
        ours = [pid for pid in self.memory_bytes if pid in trainer]
        if not believed and not all(_exists(pid) for pid in self.memory_bytes):
            return None, "in a container the driver gives the host's process ids"
        if not ours:
            return None, "the trainer does not compute on this GPU"
        known = [m for pid in ours if (m := self.memory_bytes[pid]) is not None]
        return (
            (sum(known), "") if len(known) == len(ours) else (None, "the driver does not report memory by process")
        )


def host_ids(own_namespace: Callable[[], str] | None = None) -> bool:
    """Whether the process ids seen here are the host's, so that NVML's can be compared with them."""
    try:
        return (own_namespace or _own_namespace)() == _FIRST_NAMESPACE
    except OSError:
        return True  # no /proc (macOS), where there are no such namespaces


def _own_namespace() -> str:
    return str(Path("/proc/self/ns/pid").readlink())


def _exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
