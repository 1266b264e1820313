"""What holds the clocks of busy GPUs down: their power limit, heat, something else, or nothing.

A GPU at its power limit lowers its clock so far that it stays below: its power stands at the limit, and its clock
moves under the highest one, as its load does. One of these alone is no evidence: an H100 was seen at 97 % of its
limit with its full clock in every sample, and a clock that was set by hand stands still. Where the driver itself
says why, it is believed. Measured on 62 runs of four H100, sampled each 15 s: 58 limited ones have their power at
94 to 99 % of the limit, and the clock of the slowest GPU is below the highest in 92 to 100 % of the samples; three
others in none; one lies between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import THROTTLING_LIMITS
from ..findings import GpuClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .profile import Profile

FEWEST = 8
"""Busy samples of a GPU before its clock is judged."""

AT_LIMIT = 0.93
"""Of the power limit: the median of a limited GPU at least. What is lower has another reason."""

BELOW = 0.995
"""Of the highest clock: one step of an H100 (15 of 1,980 MHz) is less."""

OFTEN = 0.5
"""Of the busy samples: then it is the state of the run, and not of a moment."""

SELDOM = 0.1
"""Below so many of them, nothing holds the clock down."""

FAR = 0.8
"""Of the power limit: a driver that speaks of the power cap below it means another one than that of the board."""

STILL, SURELY = 0.8, 0.98
"""A clock that has one value in so many samples was set, unless the power is as near to its limit as this."""

TOGETHER = 1.005
"""GPUs whose clocks are so near the slowest one gate the others with it."""

POWER, HEAT, OTHER, NOTHING = "power", "heat", "other", "nothing"

_REACHED = ("GB300", "GB200", "B300", "B200", "H200", "H100", "H800", "A100", "A800")
"""Parts that run at the highest clock that their driver lists while nothing holds them. GeForce never do."""

_CAP = frozenset({"power cap"})


def clock_of(number: int, profile: Profile, boost_hz: float) -> GpuClock | None:
    """The clock of one GPU against `boost_hz`, and what holds it down; `None`: too little is known."""
    clock_hz, below = profile.clock_hz, profile.below(BELOW * boost_hz)
    if clock_hz is None or below is None or profile.clocks.total() < FEWEST:
        return None
    return GpuClock(
        gpu=number,
        limited_by=_reason(profile, below),
        clock_hz=clock_hz,
        boost_hz=boost_hz,
        below_share=below,
        power_share=profile.power_share,
        temperature_c=profile.temperature_c,
    )


def _reason(profile: Profile, below: float) -> str:
    capped, hot = profile.held(_CAP), profile.held(THROTTLING_LIMITS)
    if hot is not None and hot >= SELDOM:
        return HEAT
    if below < OFTEN and (below < SELDOM or capped is None or capped < OFTEN):
        return NOTHING
    if capped is not None:
        power = profile.power_share
        # The driver's word, unless the power is far from its limit: then one of the two is wrong.
        return POWER if capped >= OFTEN and (power is None or power >= FAR) else OTHER
    return POWER if _stands_at_its_limit(profile) else OTHER


def _stands_at_its_limit(profile: Profile) -> bool:
    power = profile.power_share
    still = max(profile.clocks.values()) / profile.clocks.total()
    return power is not None and power >= AT_LIMIT and (still <= STILL or power >= SURELY)


def boosts(profiles: Mapping[int, Profile]) -> dict[int, float]:
    """The clock that each GPU runs at where nothing holds it down: the highest seen on any of its kind.

    What the driver lists as the highest counts where parts of this kind do reach it.
    """
    seen: dict[str, float] = {}
    for profile in profiles.values():
        listed = profile.listed_hz if any(part in profile.name for part in _REACHED) else 0.0
        seen[profile.name] = max(seen.get(profile.name, 0.0), profile.highest_hz, listed)
    return {number: seen[profile.name] for number, profile in profiles.items() if seen[profile.name]}


def gating(clocks: list[GpuClock]) -> tuple[int, ...]:
    """The GPUs that a synchronous step waits for, by their clocks: the slowest, and those as slow."""
    slowest = min((one.clock_hz for one in clocks), default=0.0)
    return tuple(one.gpu for one in clocks if one.clock_hz <= slowest * TOGETHER)
