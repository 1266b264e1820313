"""What a bar's smoothed rates do not prove: a warm-up or a slow row of less than its clock of whole seconds tells.

Nor is one slow row told of where most that took as long are not: smoothed, a slow spell looks usual.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import UNEXPLAINED, WARMUP, Witness
from ..causes.ledger import joined

if TYPE_CHECKING:
    from ..causes.tally import Tally
    from ..findings import LedgerRow, Spike
    from ..record.columns import Columns

_PROVEN_S = 2.0
"""Two readings of a clock of whole seconds prove no less."""

_LOOKED_AT = 4_096
"""Rows, evenly spread, by which it is told how many took as long: all of them would cost each frame too much."""

_AS_LONG, _TIMES = 0.5, 2
"""Of the least that is listed: so much more than usual is long; so many times as many are not listed."""

Told = tuple[tuple["LedgerRow", ...], tuple["Spike", ...]]


def without_unproven(
    ledger: tuple[LedgerRow, ...], spikes: tuple[Spike, ...], columns: Columns, tally: Tally
) -> Told:
    """`ledger` and `spikes` without what no clock of the bar's proves, where times are made of its rates."""
    if columns.witness != Witness.RATE:
        return ledger, spikes
    listed = not _leaves_most_out(columns, tally)
    unsure = [
        row
        for row in ledger
        if row.cause in (UNEXPLAINED, WARMUP)
        and (row.seconds < _PROVEN_S * row.count or not (listed or row.cause == WARMUP))
    ]
    found = (_proven(spike, listed=listed) for spike in spikes)
    return joined(ledger, unsure), tuple(spike for spike in found if spike.causes)


def _proven(spike: Spike, *, listed: bool) -> Spike:
    """With the causes that are no guess, and those long enough."""
    guesses = {UNEXPLAINED, WARMUP}
    causes = tuple(
        one
        for one in spike.causes
        if one.kind not in guesses or (one.seconds >= _PROVEN_S and (listed or one.kind == WARMUP))
    )
    lost_s = sum(one.seconds for one in spike.causes) - sum(one.seconds for one in causes)
    return replace(spike, causes=causes, clean_s=spike.clean_s + lost_s) if lost_s else spike


def _leaves_most_out(columns: Columns, tally: Tally) -> bool:
    """Did many more rows take about as long as the shortest that nothing explains?"""
    unexplained = tally.of(UNEXPLAINED)
    if not unexplained.count:
        return False
    step = max(1, len(columns) // _LOOKED_AT)
    rows = ((columns.duration_s[n], n) for n in range(0, len(columns), step))
    took = [d * columns.averaged_at(n) for d, n in rows if d == d]
    if not took:
        return False
    least_s = median(took) + max(_PROVEN_S, _AS_LONG * unexplained.least_s)
    listed = sum(one.count for one in tally.sums.values())
    return step * sum(d >= least_s for d in took) > _TIMES * listed
