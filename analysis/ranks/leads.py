"""Which rank of an iteration came last to the collective, how late, and in which phase."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...events import DATA, FORWARD, SYNC

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_OF = 0.5
"""A phase in which the late rank lost this part of what the others waited is what it was late in."""

AS_MUCH = 0.5
"""One whose other phases are longer, too, by this part of what the longest is, in shares of what is usual, is slow
in all that it does: a GPU or a host, and no phase."""


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
    """The slowest rank of one iteration, and the median of the others; `phase` is what it was late in, or "".

    `parts` is (the rank's own seconds, the median of the others) by phase.
    """

    rank: int
    local_s: float
    others_s: float
    phase: str = ""
    parts: Mapping[str, tuple[float, float]] = MappingProxyType({})

    @property
    def seconds(self) -> float:
        """How long the others waited for it."""
        return self.local_s - self.others_s


def lead_of(ranks: Mapping[int, Local]) -> Lead | None:
    """The last of them, by what all report: all they do without waiting, or data and forward, or data alone."""
    if all(local.whole for local in ranks.values()):
        parts = {rank: own_phases(local) for rank, local in ranks.items()}
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
    both = {phase: (own, median(of.get(phase, 0.0) for of in others)) for phase, own in parts[rank].items()}
    return Lead(rank, local_s[rank], others_s, _late_in(both, local_s[rank] - others_s), both)


def phase_of(leads: Sequence[Lead]) -> str:
    """The phase that is late again and again; "" if several are, or the rank is slower in all that it does."""
    if not leads:
        return ""
    phases = {phase for lead in leads for phase in lead.parts}
    of = {phase: [lead.parts.get(phase, (0.0, 0.0)) for lead in leads] for phase in phases}
    longer = {phase: median(own - others for own, others in pairs) for phase, pairs in of.items()}
    usual = {phase: median(others for _, others in pairs) for phase, pairs in of.items()}
    phase = max(sorted(longer), key=lambda name: longer[name], default="")
    if not phase or longer[phase] < MOST_OF * median(lead.seconds for lead in leads):
        return ""
    rest_longer, rest = sum(longer.values()) - longer[phase], sum(usual.values()) - usual[phase]
    is_slow_in_all = rest_longer * usual[phase] >= AS_MUCH * longer[phase] * rest > 0
    return "" if is_slow_in_all else phase


def own_phases(local: Local) -> dict[str, float]:
    """Its phases without the sync. On a GPU, whose forward begins where the step before ended, data is in it."""
    own = {phase: seconds for phase, seconds in (local.phases or {}).items() if phase != SYNC}
    if DATA not in own and local.wait_s is not None:
        own[DATA] = min(local.wait_s, own.get(FORWARD, 0.0))
        own[FORWARD] = own.get(FORWARD, 0.0) - own[DATA]
    return own


def _late_in(both: Mapping[str, tuple[float, float]], late_s: float) -> str:
    """The phase that took it longer than the others, by most of what it was late."""
    longer = {phase: own - others for phase, (own, others) in both.items()}
    phase = max(longer, key=lambda name: longer[name])
    return phase if longer[phase] >= MOST_OF * late_s > 0 else ""
