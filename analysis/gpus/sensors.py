"""Power that cannot be right: no advice, no energy and no share is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...words import percent

if TYPE_CHECKING:
    from .profile import Profile

FEWEST = 3
"""Samples, and a share of those in which the GPU is busy, that are no accident of one reading."""

LEAST_SHARE = 0.02

MOST = 1.3
"""Times the limit, in the middle of all samples: a limiter holds the mean within a few percent of it."""


def impossible_power(profile: Profile) -> str:
    """Why the power of this GPU is not believed; "" where it may be right."""
    if profile.nothing >= FEWEST and profile.nothing >= LEAST_SHARE * profile.busy:
        share = percent(profile.nothing / profile.busy)
        return f"0 W in {share} of the samples in which it is busy"
    of_limit = profile.power_share
    if of_limit is not None and profile.busy >= FEWEST and of_limit > MOST:
        return f"{percent(of_limit)} of its limit, all the time"
    return ""
