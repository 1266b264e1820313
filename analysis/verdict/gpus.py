"""What the GPUs' samples say of the whole run: what holds them down, whose they are, which are idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import TRAINING
from ...words import duration, listed, percent, times
from ..gpus.limits import FEWEST, HEAT, OTHER, POWER
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import GpuClock, GpuUse
    from .facts import Facts

HIGH_POWER = 0.9
"""Of the limit: of a GPU that takes as much and still runs at its full clock, people would suspect the limit."""

HOTTER_C = 5.0
"""Than the others: a hotter chip needs more power for the same clock."""

WAITS = 0.5
"""Utilization below which a GPU mostly waits, whatever it computes in between."""

MOSTLY = 0.7
"""Of the wall time in normal iterations: then evaluations and checkpoints are not what the GPUs wait in."""

COARSE_S = 5.0
"""Seconds between samples from which on they are no longer those of a live screen, and what they show is said."""


def evidence(f: Facts) -> tuple[str, ...]:
    """The sentences that are known."""
    use = f.findings.gpu_use
    if use is None:
        return ()
    said = (held(use), _cost(use), _hot(use), _shared(use), _idle(use), *_sensors(use))
    return tuple(say.sentence(text) for text in said if text)


def unknowable(f: Facts) -> tuple[str, ...]:
    """What these samples do not contain."""
    use = f.findings.gpu_use
    if use is None:
        return ()
    parts = []
    if use.limited_by is None and use.samples >= FEWEST and use.why_unknown:
        record = "; nvidia-smi records clocks.current.sm" if "clocks" in use.why_unknown else ""
        parts.append(f"whether power or heat holds the GPUs down: {use.why_unknown}{record}")
    said = next((why for gpu in f.findings.gpus if (why := gpu.absent.get("power_w"))), "")
    if said and use.every_s >= COARSE_S:
        parts.append(f"the power of the GPUs: {said}")
    if use.every_s >= COARSE_S and (f.clean_s or 0.0) < 2 * use.every_s:
        every, least = duration(use.every_s), duration(2 * use.every_s)
        parts.append(
            f"what the GPUs did in one iteration: a sample each {every} shows stretches, of {least} at least"
        )
    return tuple(parts)


def starved(f: Facts) -> Diagnosis | None:
    """The GPUs wait most of the time, and nothing above says for what."""
    use = f.findings.gpu_use
    if use is None or use.utilization is None or use.samples < FEWEST or f.share(TRAINING) < MOSTLY:
        return None
    now = f.load.utilization
    if use.utilization >= WAITS or now is None or now >= WAITS:
        return None
    who = "GPU works" if len(use.ours) == 1 else "GPUs work"
    rest = "waits" if len(use.ours) == 1 else "wait"
    period = f"its load comes and goes every {duration(use.period_s)}" if use.period_s else ""
    return Diagnosis(
        "starved",
        f"The {who} {percent(use.utilization, 0)} of the time and {rest} for the rest.",
        say.evidence(f, period, say.data(f), say.speed(f), say.steadiness(f), say.where(f)),
        "See what the loop waits for: "
        + ("itermon stack PID shows it." if f.hooked else f"{say.USE_HOOKS}: they time the waits for data."),
        healthy=False,
        gain=f.whatever_is_left or (1.0, 1 / max(use.utilization, 0.01)),
    )


def held(use: GpuUse) -> str:
    """What holds the clocks of the GPUs that gate down, by how much, and what that costs at most."""
    gates = [one for one in use.clocks if one.gpu in use.gating] or list(use.clocks)
    if not gates or use.limited_by is None:
        return ""
    slowest = min(gates, key=lambda one: one.clock_hz)
    who = _gpus([one.gpu for one in gates])
    clock = f"{_mhz(slowest.clock_hz)} of {_mhz(slowest.boost_hz)} MHz"
    at = f"{who} {_verb('run', gates)} at {percent(slowest.share)} of the boost clock ({clock})"
    power = percent(slowest.power_share, 0)
    if use.limited_by == POWER:
        return f"power-limited: {at}, at {power} of the power limit"
    if use.limited_by == HEAT:
        return f"limited by heat: {at}; the driver says so"
    if use.limited_by == OTHER:
        limit = f"the power is at {power} of the limit; " if slowest.power_share is not None else ""
        return f"{at}: {limit}nvidia-smi's clocks_event_reasons.active says why"
    most = max(one.power_share or 0.0 for one in use.clocks)
    clock = f"the full clock ({_mhz(slowest.boost_hz)} MHz)"
    return f"not power-limited: {clock} at {percent(most, 0)} of the power limit" if most >= HIGH_POWER else ""


def _cost(use: GpuUse) -> str:
    """What the power limit costs at most: where an iteration does nothing but compute."""
    if use.limited_by != POWER:
        return ""
    slowest = min(one.share for one in use.clocks)
    if not slowest:
        return ""
    return f"without it at most {times(1 / slowest)} faster; better airflow or a higher limit helps"


def _hot(use: GpuUse) -> str:
    """Of GPUs at their power limit: are those that gate the hotter ones?"""
    gates = [one for one in use.clocks if one.gpu in use.gating]
    others = [one for one in use.clocks if one.gpu not in use.gating]
    here, there = _degrees(gates), _degrees(others)
    if use.limited_by != POWER or here is None or there is None or here - there < HOTTER_C:
        return ""
    return (
        f"{_gpus([one.gpu for one in gates])} {_verb('are', gates)} at {here:.0f} °C, the others at {there:.0f} °C"
    )


def _degrees(clocks: Sequence[GpuClock]) -> float | None:
    known = [one.temperature_c for one in clocks if one.temperature_c is not None]
    return sum(known) / len(known) if known and len(known) == len(clocks) else None


def _shared(use: GpuUse) -> str:
    if use.others:
        return (
            f"{_gpus(use.ours)} {_are(use.ours)} this run's ({use.ours_by}), {_gpus(use.others)} somebody else's"
        )
    if use.apart:
        apart = listed([_gpus(group) for group in use.apart])
        return f"{apart} do different things: --world-size says how many are this run's"
    return ""


def _idle(use: GpuUse) -> str:
    if not use.idle:
        return ""
    watts = f" ({use.idle_w:.0f} W{' each' if len(use.idle) > 1 else ''})" if use.idle_w else ""
    return f"{_gpus(use.idle)} {'do' if len(use.idle) > 1 else 'does'} nothing all the time{watts}"


def _sensors(use: GpuUse) -> list[str]:
    return [f"the power of GPU {gpu} is not believed: {why}" for gpu, why in use.impossible_power.items()]


def _gpus(numbers: Sequence[int]) -> str:
    """`GPU 0`, `GPUs 1 and 2`, `GPUs 0 to 3`."""
    ordered = sorted(numbers)
    if len(ordered) == 1:
        return f"GPU {ordered[0]}"
    if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"GPUs {ordered[0]} to {ordered[-1]}"
    return f"GPUs {listed([str(number) for number in ordered])}"


def _verb(verb: str, of: Sequence[object]) -> str:
    return verb if len(of) > 1 else {"are": "is"}.get(verb, f"{verb}s")


def _are(numbers: Sequence[int]) -> str:
    return _verb("are", numbers)


def _mhz(clock_hz: float) -> str:
    return f"{clock_hz / 1e6:,.0f}"
