"""What the cursor steps through: slow iterations, and those from which on the level was another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Shift
    from ...analysis.run import Run


def next_mark(run: Run, shifts: Sequence[Shift], position: int | None, direction: int) -> int | None:
    """The mark nearest to `position`, later (+1) or earlier (-1); from `None`, the newest."""
    spike = run.next_spike(position, direction)
    places = [] if spike is None else [spike.position]
    if position is None:
        return max([*places, *(s.position for s in shifts)], default=None)
    places += [s.position for s in shifts if (s.position - position) * direction > 0]
    return min(places, key=lambda place: abs(place - position), default=None)
