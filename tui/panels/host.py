"""The trainer's process and its machine, for the panel that shows both GPUs and host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ..drawing.lines import shed

if TYPE_CHECKING:
    from ...events import HostSample
    from ..drawing.lines import Block, Line


def host_lines(host: HostSample | None, width: int) -> Block:
    """The trainer's process and the machine, where a host sample is there."""
    if host is None:
        return []
    cpu = words.DASH if host.trainer_cpu is None else words.three_digits(host.trainer_cpu)
    first: list[tuple[int, Line]] = [(0, ((" CPU ", "label"), (cpu, "value")))]
    if host.machine_cores is not None:
        first.append((0, ((f" of {host.machine_cores}", "label"),)))
        first.append((2, ((" core" if host.machine_cores == 1 else " cores", "label"),)))
    if host.resident_bytes is not None:
        first.append((1, ((f"  {words.memory(host.resident_bytes)}", ""),)))
    lines: Block = [shed(first, width - 1)]  # a cell is left before the frame
    if host.read_bytes is not None or host.write_bytes is not None:
        read, write = (_rate(count, host.interval_s) for count in (host.read_bytes, host.write_bytes))
        said = f"read {read}  write {write}"
        lines.append(((" disk ", "label"), (said if len(said) + 6 < width else f"r {read}  w {write}", "")))
    if host.io_pressure is not None and host.io_pressure > 0.05:
        lines.append(((" waiting for I/O ", "label"), (words.percent(host.io_pressure, 0), "warn")))
    return lines


def _rate(count: int | None, interval_s: float | None) -> str:
    if count is None or not interval_s:
        return words.DASH
    return words.si(count / interval_s, "B/s")
