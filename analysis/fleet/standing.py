"""How each rank stands among the others: those that the others wait for first, and why they are thought to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events.fleet import Member, RankGpu
from .pattern import LATE_SHARE, Pattern, pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...events.fleet import FleetCourse, FleetReading, RankKey

STILL, GONE, BEHIND, UNSCRAPED, LATE, IN_STEP = "still", "gone", "behind", "not reached", "late", ""
"""How a rank is, the worst first."""

_ORDER = {state: number for number, state in enumerate((STILL, GONE, BEHIND, UNSCRAPED, LATE, IN_STEP))}
_SPREAD = 0.1
"""Of the ranks: where more than these are late it is the work that is uneven, and no one rank is named."""


class RankStanding(msgspec.Struct, frozen=True):
    """One rank. `late_s`: beyond the median rank, by itself; the others in one figure or none each."""

    member: Member
    state: str = IN_STEP
    late_s: float | None = None
    late_share: float | None = None
    """Of an iteration."""

    behind: float | None = None
    unscraped_s: float | None = None
    gpu: RankGpu | None = None


class Standing(msgspec.Struct, frozen=True):
    """The run: its ranks, those with something to say first."""

    rows: tuple[RankStanding, ...]
    ranks: int
    missing: int
    """Ranks that the run should have, and nobody exports."""

    twice: tuple[tuple[str, str, str], ...]
    """Ranks that are there more than once: which, and two places."""

    all_still: bool
    uneven: bool
    knows_late: bool
    pattern: Pattern

    def of(self, state: str) -> list[RankStanding]:
        """The ranks that are so."""
        return [row for row in self.rows if row.state == state]


def standing(reading: FleetReading, course: FleetCourse) -> Standing:
    """What the newest reading says, with the course before it."""
    known = {member.key: member for member in reading.members}
    gone = {member.key: member for member in reading.gone}
    keys = dict.fromkeys([*reading.still, *gone, *reading.behind, *reading.unscraped_s, *reading.late_s, *known])
    all_still = bool(known) and reading.still_ranks >= len(known)
    rows = [
        _row(reading, known.get(key) or gone.get(key) or Member(*key), key, all_still=all_still) for key in keys
    ]
    rows.sort(key=_first)
    numbers = {member.rank for member in reading.members}
    return Standing(
        rows=tuple(rows),
        ranks=len(known),
        missing=max(0, (reading.world_size or 0) - len(numbers)) if known else 0,
        twice=tuple(_twice(reading.members)),
        all_still=all_still,
        uneven=reading.late_ranks > max(2, _SPREAD * len(known)),
        knows_late=reading.local_s is not None,
        pattern=pattern(course, reading.usual_s),
    )


def _row(reading: FleetReading, member: Member, key: RankKey, *, all_still: bool) -> RankStanding:
    late_s, usual_s = reading.late_s.get(key), reading.usual_s
    share = late_s / usual_s if late_s is not None and usual_s else None
    behind, unscraped_s = reading.behind.get(key), reading.unscraped_s.get(key)
    if member in reading.gone:
        state = GONE
    elif key in reading.still and not all_still:
        state = STILL
    elif behind:
        state = BEHIND
    elif unscraped_s is not None:
        state = UNSCRAPED
    else:
        state = LATE if share is not None and share > LATE_SHARE else IN_STEP
    return RankStanding(member, state, late_s, share, behind, unscraped_s, reading.gpus.get(key))


def _first(row: RankStanding) -> tuple[int, float, float, int, str]:
    number = int(row.member.rank) if row.member.rank.isascii() and row.member.rank.isdigit() else 1 << 60
    return _ORDER[row.state], -(row.behind or 0.0), -(row.late_s or 0.0), number, row.member.instance


def _twice(members: Iterable[Member]) -> list[tuple[str, str, str]]:
    seen: dict[str, Member] = {}
    found: dict[str, tuple[str, str, str]] = {}
    for member in members:
        first = seen.setdefault(member.rank, member)
        if first is not member:
            found.setdefault(member.rank, (member.rank, place(first), place(member)))
    return list(found.values())


def place(member: Member) -> str:
    """Where a rank is, as its exporter says, or as the server calls what it scrapes."""
    return member.host or member.instance
