"""What GPU and machine did in the seconds of one iteration, in a sentence each for screen and report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.findings import Alongside, GpuPhase


def alongside(a: Alongside) -> str:
    """`power 190 W (usually 690) · clock 1,980 MHz · memory 118 GiB · read 3 MB, wrote 1.50 GB · 2.1 kJ`"""
    parts = [
        _against_usual("power", a.power_w, a.usual_power_w, 1.0, "W"),
        _against_usual("clock", a.sm_clock_hz, a.usual_sm_clock_hz, 1e-6, "MHz"),
        f"memory {words.memory(a.memory_used_bytes)}" if a.memory_used_bytes is not None else "",
        _bytes(a),
        f"CPU {a.trainer_cpu:.1f} cores" if a.trainer_cpu is not None else "",
        f"waiting for I/O {words.percent(a.io_pressure, 0)}"
        if a.io_pressure is not None and a.io_pressure > 0.05
        else "",
        f"{words.si(a.energy_j, 'J')}" if a.energy_j is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def gpu_phases(phases: Sequence[GpuPhase]) -> str:
    """`GPU: forward 310 ms (usually 110 ms), backward 240 ms`"""
    return "GPU: " + ", ".join(
        f"{phase.phase} {words.duration(phase.seconds)}"
        + (f" (usually {words.duration(phase.usual_s)})" if _differs(phase.seconds, phase.usual_s) else "")
        for phase in phases
    )


def _against_usual(what: str, value: float | None, usual: float | None, factor: float, unit: str) -> str:
    if value is None:
        return ""
    then = f" (usually {usual * factor:,.0f})" if usual is not None and _differs(value, usual) else ""
    return f"{what} {value * factor:,.0f} {unit}{then}"


def _differs(value: float, usual: float | None) -> bool:
    """Within a tenth it is the usual, and needs no second number."""
    return usual is not None and abs(value - usual) > 0.1 * usual


def _bytes(a: Alongside) -> str:
    told = [
        (word, amount) for word, amount in (("read", a.read_bytes), ("wrote", a.write_bytes)) if amount is not None
    ]
    return ", ".join(f"{word} {words.si(amount, 'B')}" for word, amount in told)
