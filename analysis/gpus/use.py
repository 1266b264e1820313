"""All that the samples say of the GPUs of a run, as a stretch: whose they are, how busy, what holds them down."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..findings import GpuUse
from . import jobs
from .limits import HEAT, NOTHING, OTHER, POWER, boosts, clock_of, gating
from .periods import period_of
from .sensors import impossible_power

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..findings import GpuClock
    from .profile import Profile

WAITING = 0.5
"""Utilization below which a period is looked for: what is busy has none that costs anything."""

_WORST_FIRST = (HEAT, POWER, OTHER, NOTHING)


class Owners(NamedTuple):
    """Whose the GPUs are."""

    ours: tuple[int, ...] = ()
    by: str = ""
    others: tuple[int, ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()


def gpu_use(
    profiles: Mapping[int, Profile], series: Mapping[int, Sequence[float]], world_size: int | None
) -> GpuUse | None:
    """What `profiles` say together; `None` without samples.

    Args:
        profiles: of each GPU, by its number.
        series: the newest values of each one's power or utilization, of the same moments.
        world_size: how many GPUs train together, as the run's settings say.
    """
    if not profiles:
        return None
    idle = tuple(n for n, one in profiles.items() if one.utilization is not None and one.utilization < jobs.IDLE)
    active = [number for number in profiles if number not in idle]
    whose = owners(profiles, active, {n: series[n] for n in active if n in series}, world_size)
    clocks, why = _clocks(profiles, whose)
    gates = gating(clocks)
    reasons = {one.limited_by for one in clocks if one.gpu in gates}
    used = [one.utilization for n, one in profiles.items() if n in whose.ours and one.utilization is not None]
    utilization = sum(used) / len(used) if used else None
    every_s = max(one.every_s for one in profiles.values())
    unbelieved = {n: said for n, one in profiles.items() if (said := impossible_power(one))}
    return GpuUse(
        samples=max(one.samples for one in profiles.values()),
        every_s=every_s,
        ours=whose.ours,
        ours_by=whose.by,
        others=whose.others,
        apart=whose.apart,
        idle=idle if whose.ours else (),
        idle_w=_power_w([profiles[n] for n in idle]),
        utilization=utilization,
        power_w=None if unbelieved.keys() & {*whose.ours} else _power_w([profiles[n] for n in whose.ours]),
        period_s=_period_s(whose.ours, series, every_s)
        if utilization is not None and utilization < WAITING
        else None,
        limited_by=next((reason for reason in _WORST_FIRST if reason in reasons), None),
        why_unknown=why,
        gating=gates if reasons - {NOTHING} else (),
        clocks=tuple(clocks),
        impossible_power={str(n): said for n, said in unbelieved.items()},
    )


def owners(
    profiles: Mapping[int, Profile],
    active: Sequence[int],
    series: Mapping[int, Sequence[float]],
    world_size: int | None,
) -> Owners:
    """Which of the `active` GPUs are this run's: by the source, by their number, by what they do together."""
    groups = jobs.groups({number: profiles[number] for number in active}, series)
    if seen := {number for number in profiles if profiles[number].ours}:
        # A source may know of one rank's process only: those that work with its GPU are the other ranks'.
        near = {n for group in groups if seen & {*group} for n in group if profiles[n].ours is None}
        ours = tuple(sorted(seen | near))
        by = "the trainer is on them" if len(ours) == len(seen) else "they work with the trainer's own"
        return Owners(ours, by, tuple(n for n in active if n not in ours))
    if len(active) <= 1 or len(active) == world_size:
        return Owners(tuple(active), "no other GPU is busy")
    fitting = [group for group in groups if len(group) == world_size]
    if len(fitting) == 1 and len(fitting[0]) > 1:
        others = tuple(n for n in active if n not in fitting[0])
        return Owners(fitting[0], "they work together, and are as many as train", others)
    if len(groups) == 1:
        return Owners(tuple(active), "nothing tells the busy GPUs apart")
    return Owners(apart=tuple(groups))


def _clocks(profiles: Mapping[int, Profile], whose: Owners) -> tuple[list[GpuClock], str]:
    """The clocks of ours; and where they are not known, why."""
    ours = {number: one for number, one in profiles.items() if number in whose.ours}
    if not ours:
        return [], "which GPUs are this run's is not known" if whose.apart else "no GPU is busy"
    highest = boosts(profiles)
    found = [clock_of(n, one, highest[n]) for n, one in ours.items() if n in highest]
    clocks = [one for one in found if one is not None]
    if clocks:
        return clocks, ""
    return [], "too few samples of busy GPUs" if highest else "the samples have no clocks"


def _power_w(profiles: Sequence[Profile]) -> float | None:
    """The mean of what each takes, where all of them say."""
    watts = [power for one in profiles if (power := one.power_w) is not None]
    return sum(watts) / len(watts) if watts and len(watts) == len(profiles) else None


def _period_s(ours: Sequence[int], series: Mapping[int, Sequence[float]], every_s: float) -> float | None:
    known = [series[number] for number in ours if number in series]
    if not known:
        return None
    together = [sum(values) / len(values) for values in zip(*known, strict=False)]
    lag = period_of(together)
    return lag * every_s if lag else None
