"""macOS and Windows: what one process used, as far as psutil tells. Slower than /proc, and knows less."""

from __future__ import annotations

from typing import Any

import psutil

from .procfs import Used


def used(pid: int) -> Used | None:
    """What process `pid` used so far; `None` if it is gone, or not ours to look at."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            cpu = process.cpu_times()
            stat = Used(process.create_time(), cpu.user + cpu.system, 0.0, process.memory_info().rss)
            io = _io(process)
    except psutil.Error:
        return None
    return stat if io is None else stat._replace(read_bytes=io.read_bytes, write_bytes=io.write_bytes)


def _io(process: psutil.Process) -> Any:
    counters = getattr(process, "io_counters", None)  # macOS has none
    try:
        return counters() if counters else None
    except psutil.Error:
        return None
