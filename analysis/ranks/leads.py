"""Which rank of an iteration came last to the collective, how late, and in which phase."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ...events import DATA, FORWARD, SYNC

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_OF = 0.5
"""A phase in which the late rank lost this part of what the others waited is what it was late in."""


class Local(NamedTuple):
    """What one rank did in one iteration, as far as it is known."""

    wait_s: float | None = None
    phases: Mapping[str, float] | None = None

    @property
    def whole(self) -> bool:
        """Is all of it known, and what it waited for other ranks told apart?"""
        return self.phases is not None and SYNC in self.phases

    @property
    def forward_s(self) -> float | None:
        """Seconds of the forward pass."""
        return None if self.phases is None else self.phases.get(FORWARD)


class Lead(NamedTuple):
    """The slowest rank of one iteration, and the median of the others; `phase` is what it was late in, or ""."""

    rank: int
    local_s: float
    others_s: float
    phase: str = ""

    @property
    def seconds(self) -> float:
        """How long the others waited for it."""
        return self.local_s - self.others_s


def lead_of(ranks: Mapping[int, Local]) -> Lead | None:
    """The last of them, by what all report: all they do without waiting, or data and forward, or data alone."""
    if all(local.whole for local in ranks.values()):
        parts = {rank: _own(local) for rank, local in ranks.items()}
    elif all(local.forward_s is not None for local in ranks.values()):
        parts = {
            rank: {DATA: local.wait_s or 0.0, FORWARD: local.forward_s or 0.0} for rank, local in ranks.items()
        }
    else:
        parts = {rank: {DATA: local.wait_s} for rank, local in ranks.items() if local.wait_s is not None}
    if len(parts) < 2:
        return None
    local_s = {rank: sum(of.values()) for rank, of in parts.items()}
    rank = max(local_s, key=lambda r: local_s[r])
    others = [of for r, of in parts.items() if r != rank]
    others_s = median(sum(of.values()) for of in others)
    return Lead(rank, local_s[rank], others_s, _late_in(parts[rank], others, local_s[rank] - others_s))


def _own(local: Local) -> dict[str, float]:
    """Its phases without the sync. On a GPU, whose forward begins where the step before ended, data is in it."""
    own = {phase: seconds for phase, seconds in (local.phases or {}).items() if phase != SYNC}
    if DATA not in own and local.wait_s is not None:
        own[DATA] = min(local.wait_s, own.get(FORWARD, 0.0))
        own[FORWARD] = own.get(FORWARD, 0.0) - own[DATA]
    return own


def _late_in(own: Mapping[str, float], others: list[dict[str, float]], late_s: float) -> str:
    """The phase that took it longer than the others, by most of what it was late."""
    longer = {phase: seconds - median(of.get(phase, 0.0) for of in others) for phase, seconds in own.items()}
    phase = max(longer, key=lambda name: longer[name])
    return phase if longer[phase] >= MOST_OF * late_s > 0 else ""
