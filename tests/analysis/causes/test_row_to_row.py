"""What passed from row to row, where several trainings share a log."""

from __future__ import annotations

from itermon.analysis.causes.ledger import from_row_to_row
from itermon.analysis.findings import LedgerRow
from itermon.events import PAUSE, TRAINING


def test_beside_pauses_what_rows_took_is_worked_out_up_to_each_first_row() -> None:
    rows = (LedgerRow(TRAINING, 60.0, 0.5, 9), LedgerRow(PAUSE, 60.0, 0.5, 1))
    assert [row.estimated for row in from_row_to_row(rows)] == [True, False]
    assert [row.estimated for row in from_row_to_row(rows[:1])] == [False]
