"""Linux: how much memory the trainer may use, by its control group (cgroup v1 and v2), and of /dev/shm.

A container or a job of Slurm is killed at its group's limit, long before the machine is full. What the kernel can
drop at any time, the cached pages of files that nobody used lately, is charged to the group and kills nobody.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ... import opening

_MOST_BYTES = 1 << 14
_MOST_LEVELS = 32
_NO_LIMIT = 1 << 60
"""cgroup v1 says "none" by the largest number of pages."""

MOUNT = Path("/sys/fs/cgroup")


class _Names(NamedTuple):
    limit: str
    used: str
    cached: bytes


_V1 = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", b"total_inactive_file")
_V2 = _Names("memory.max", "memory.current", b"inactive_file")


class Room(NamedTuple):
    """What is charged to a group, and its limit."""

    used_bytes: int
    limit_bytes: int

    @property
    def left_bytes(self) -> int:
        """Until it is full."""
        return self.limit_bytes - self.used_bytes


def memory_room(pid: int, proc: Path = Path("/proc"), mount: Path = MOUNT) -> Room | None:
    """Of the control groups that process `pid` is in, the one with the least left; `None` without any limit."""
    try:
        text = opening.read_bytes(proc / str(pid) / "cgroup", _MOST_BYTES).decode(errors="replace")
    except OSError:
        return None
    rooms = []
    for top, group, names in _groups(text, mount):
        for level in _levels(group):
            room = _room(top / level, names)
            if room is not None:
                rooms.append(room)
    return min(rooms, key=lambda room: room.left_bytes, default=None)


def shared_memory(pid: int, proc: Path = Path("/proc")) -> Room | None:
    """Of /dev/shm as process `pid` sees it: a container has its own. `None` where we may not look."""
    try:
        there = os.statvfs(proc / str(pid) / "root" / "dev" / "shm")
    except OSError:
        return None
    total = there.f_blocks * there.f_frsize
    return Room(total - there.f_bavail * there.f_frsize, total) if total else None


def _groups(text: str, mount: Path) -> list[tuple[Path, str, _Names]]:
    """Where the memory groups in /proc/PID/cgroup lie: lines of `hierarchy:controllers:path`."""
    found = []
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controllers:
            found += [(mount, group, _V2), (mount / "unified", group, _V2)]
        elif "memory" in controllers.split(","):
            found.append((mount / "memory", group, _V1))
    return found


def _levels(group: str) -> list[str]:
    """The group itself and those above it, down to the mount's own: in a container that is all there is."""
    parts = [part for part in PurePosixPath(group).parts if part not in ("/", "..", ".")][:_MOST_LEVELS]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _room(folder: Path, names: _Names) -> Room | None:
    try:
        limit = opening.read_bytes(folder / names.limit, _MOST_BYTES).strip()
        used = opening.read_bytes(folder / names.used, _MOST_BYTES).strip()
    except OSError:
        return None
    if not limit.isdigit() or not used.isdigit() or int(limit) >= _NO_LIMIT:
        return None
    return Room(max(0, int(used) - _cached(folder, names.cached)), int(limit))


def _cached(folder: Path, name: bytes) -> int:
    try:
        lines = opening.read_bytes(folder / "memory.stat", _MOST_BYTES).splitlines()
    except OSError:
        return 0
    values = dict(line.split(None, 1) for line in lines if b" " in line)
    value = values.get(name, b"0").strip()
    return int(value) if value.isdigit() else 0
