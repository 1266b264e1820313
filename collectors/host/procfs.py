"""Linux: what one process used, and what the machine waits for, from the text of /proc. See proc(5)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from ... import opening

_MOST_BYTES = 1 << 14  # of a file of /proc that holds a few lines
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

_SOME = re.compile(r"^some .*\btotal=(\d+)", re.ASCII | re.MULTILINE)  # microseconds


class Used(NamedTuple):
    """What a process used since its start. `None`: the system does not report it (to us)."""

    born: float  # distinguishes a process from a later one with the same id
    cpu_s: float
    children_cpu_s: float  # of those that ended and were waited for
    resident_bytes: int
    major_faults: int | None = None
    read_bytes: int | None = None  # from the disk, page-ins of mapped files included; the page cache's hits not
    write_bytes: int | None = None


def used(pid: int, proc: Path = Path("/proc")) -> Used | None:
    """What process `pid` used so far; `None` if it is gone (or a zombie). Two small reads: 30 µs."""
    try:
        stat = parse_stat(opening.read_bytes(proc / str(pid) / "stat", _MOST_BYTES))
    except OSError:
        return None
    if stat is None:
        return None
    try:
        read_bytes, write_bytes = parse_io(opening.read_bytes(proc / str(pid) / "io", _MOST_BYTES))
    except OSError:
        return stat  # another user's process: its I/O is secret, its CPU is not
    return stat._replace(read_bytes=read_bytes, write_bytes=write_bytes)


def parse_stat(text: bytes) -> Used | None:
    """/proc/PID/stat. The name in it may hold anything, spaces and parentheses too: the last one ends it."""
    fields = text.rpartition(b")")[2].split()
    # Field 3 of proc(5) is the first here; 12 majflt, 14-15 time, 16-17 the children's, 22 start, 24 rss.
    if len(fields) < 22 or fields[0] in (b"Z", b"X"):
        return None
    try:
        number = [int(field) for field in fields[1:22]]
    except ValueError:
        return None
    return Used(
        born=number[18] / _TICKS_PER_S,
        cpu_s=(number[10] + number[11]) / _TICKS_PER_S,
        children_cpu_s=(number[12] + number[13]) / _TICKS_PER_S,
        resident_bytes=max(number[20], 0) * _PAGE_BYTES,
        major_faults=number[8],
    )


def parse_io(text: bytes) -> tuple[int | None, int | None]:
    """/proc/PID/io: bytes that came from and went to the storage (`rchar` counts the page cache's too)."""
    found: dict[bytes, int] = {}
    for line in text.splitlines():
        name, _, number = line.partition(b":")
        if number.strip().isdigit():
            found[name] = int(number)
    return found.get(b"read_bytes"), found.get(b"write_bytes")


def pressure_s(resource: str, proc: Path = Path("/proc")) -> float | None:
    """See `parse_pressure`. Raises `OSError` where the kernel does not count it."""
    return parse_pressure(opening.read_bytes(proc / "pressure" / resource, _MOST_BYTES).decode(errors="replace"))


def parse_pressure(text: str) -> float | None:
    """/proc/pressure/*: seconds since the boot in which at least one task waited for the resource."""
    found = _SOME.search(text)
    return int(found[1]) / 1e6 if found else None


def read_ahead_bytes(device: int, sysfs: Path = Path("/sys/class/bdi")) -> int | None:
    """What the kernel reads ahead on the file system of `st_dev` = `device`; `None` where it does not say."""
    try:
        kib = opening.read_bytes(sysfs / f"{os.major(device)}:{os.minor(device)}" / "read_ahead_kb", _MOST_BYTES)
    except OSError:
        return None
    return int(kib) * 1024 if kib.strip().isdigit() else None
