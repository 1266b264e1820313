"""Which causes have a lane, and in which order: while a run goes on, no lane comes and goes, nor changes places.

A gap of a thousandth that is there in one frame and not in the next would move all that stands below it: most of
what is written to a terminal while nothing happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.findings import LedgerRow
from ...events import TRAINING
from ...reports.ledger_rows import by_size

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLEARLY = 1.2
"""So much more time than the cause above it takes one to its place."""


class LaneOrder:
    """The causes that had a lane, as long as the reader looks at the same part of the same run."""

    def __init__(self, causes: Sequence[str] = ()) -> None:
        self._of: object = None
        self.causes = [*causes]

    def rows(self, ledger: Sequence[LedgerRow], of: object) -> list[LedgerRow]:
        """A row for each cause that takes time, or did: training first, then the largest.

        Args:
            ledger: as it is now.
            of: what is looked at: of anything else nothing is kept.
        """
        if of != self._of:
            self._of, self.causes = of, []
        now = {row.cause: row for row in by_size(ledger)}
        known = dict.fromkeys([*self.causes, *now])
        rows = [now.get(cause) or LedgerRow(cause, 0.0, 0.0) for cause in known]
        rows.sort(key=lambda row: row.cause != TRAINING)
        for start in range(1, len(rows)):
            at = start
            while at > 0 and rows[at - 1].cause != TRAINING and rows[at].seconds > _CLEARLY * rows[at - 1].seconds:
                rows[at - 1], rows[at] = rows[at], rows[at - 1]
                at -= 1
        self.causes = [row.cause for row in rows]
        return rows
