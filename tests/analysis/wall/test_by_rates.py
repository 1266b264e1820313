"""What a bar's smoothed rates do not prove."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.analysis.causes.tally import Sum, Tally
from itermon.analysis.findings import Cause, LedgerRow, Spike
from itermon.analysis.wall.by_rates import without_unproven
from itermon.events import TRAINING, UNEXPLAINED, WARMUP, Iteration, RunInfo, Strength, Witness


@pytest.mark.parametrize(
    ("witness", "kind", "each_s", "others", "told"),
    [
        (Witness.RATE, UNEXPLAINED, 10.0, 0, True),
        (Witness.RATE, UNEXPLAINED, 10.0, 30, False),  # as many took as long, and are not listed
        (Witness.RATE, WARMUP, 37.0, 30, True),
        (Witness.RATE, WARMUP, 0.5, 0, False),
        (Witness.ELAPSED, UNEXPLAINED, 10.0, 30, True),
    ],
)
def test_what_the_clock_of_a_bar_does_not_prove_is_not_told(
    witness: Witness, kind: str, each_s: float, others: int, told: bool
) -> None:
    took = [14.0] * (1 + others) + [4.0] * 100
    columns = watched([RunInfo(), *(Iteration(n, s, witness=witness) for n, s in enumerate(took))]).intake.columns
    rows = (LedgerRow(TRAINING, 400.0, 0.9, 100), LedgerRow(kind, each_s, 0.1, 1))
    spike = Spike(0, 0, 4.0 + each_s, 4.0, (Cause(kind, each_s, Strength.GUESS),))
    tally = Tally({kind: Sum(each_s, 1, least_s=each_s, most_s=each_s)})
    ledger, spikes = without_unproven(rows, (spike,), columns, tally)
    assert ([row.cause for row in ledger], bool(spikes)) == ([TRAINING, *[kind] * told], told)
    assert sum(row.seconds for row in ledger) == pytest.approx(400.0 + each_s)
