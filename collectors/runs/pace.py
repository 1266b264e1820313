"""Does what comes down a pipe come as it happens, or is it history that is still being sent?

The clock of the other machine may be wrong, so no time is compared with ours: only how fast both go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import Iteration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Event

AHEAD_S = 2.0
"""History passes faster than it happened: by hours in a second. A network that was held up catches up by less."""


class Pace:
    """Told of all events as they come."""

    def __init__(self) -> None:
        self._behind_s: float | None = None
        self._live = False

    def is_live(self, events: Sequence[Event], arrived_s: float, *, waited: bool) -> bool:
        """Since the last iteration before these, did the run's time go on about as fast as ours?

        Args:
            events: Of one read.
            arrived_s: When they came (monotonic).
            waited: There was nothing to read before them: that counts until two iterations are known.
        """
        newest_s = next((event.at_s for event in reversed(events) if isinstance(event, Iteration)), None)
        if newest_s is None:
            return self._live or waited
        behind_s = arrived_s - newest_s
        self._live = waited if self._behind_s is None else self._behind_s - behind_s < AHEAD_S
        self._behind_s = behind_s
        return self._live
