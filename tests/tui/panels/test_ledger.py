"""Where the time went: every cause with its bar, share and seconds, in as many rows as there are."""

from __future__ import annotations

from itermon.analysis.findings import Findings, LedgerRow
from itermon.events import CHECKPOINT, EVALUATION, TRAINING
from itermon.tui.drawing.lines import text
from itermon.tui.panels.ledger import ledger

FOUND = Findings(
    ledger=(
        LedgerRow(TRAINING, 900.0, 0.9, 90),
        LedgerRow(EVALUATION, 75.0, 0.075, 5),
        LedgerRow(CHECKPOINT, 25.0, 0.025, 1),
    )
)


def test_the_largest_comes_first_and_all_rows_are_equally_wide() -> None:
    lines = ledger(FOUND, 60, 9)
    assert [text(line).split()[0] for line in lines] == ["training", "evaluation", "checkpoint"]
    assert [span[0].strip() for line in lines for span in line if "%" in span[0]] == ["90.0 %", "7.5 %", "2.5 %"]
    assert len({len(text(line)) for line in lines}) == 1


def test_each_bar_has_the_colour_of_its_cause_and_training_is_no_cause() -> None:
    assert [(line[0][1], line[1][1]) for line in ledger(FOUND, 60, 9)] == [
        ("label", TRAINING), ("", EVALUATION), ("", CHECKPOINT),
    ]  # fmt: skip


def test_the_smallest_have_no_room_first() -> None:
    assert [text(line).split()[0] for line in ledger(FOUND, 60, 2)] == ["training", "evaluation"]


def test_without_wall_time_it_says_so() -> None:
    assert [text(line) for line in ledger(Findings(), 60, 9)] == [" no wall time yet"]
