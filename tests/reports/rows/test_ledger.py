"""Rows stand still while a run goes on: none comes and goes, none changes places for a trifle."""

import pytest

from itermon.analysis.findings import Findings, LedgerRow, Level, Progress
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, GAP, PAUSE, TRAINING, Witness
from itermon.reports.rows.ledger import (
    ROW_TO_ROW,
    StandingRows,
    how_often,
    ledger_rows,
    name_of,
    share,
    stops_beside,
    time_of,
)


def ledger_of(**seconds: float) -> list[LedgerRow]:
    whole_s = sum(seconds.values())
    return [LedgerRow(cause, lost_s, lost_s / whole_s) for cause, lost_s in seconds.items()]


def causes(order: StandingRows, of: object = "a run", **seconds: float) -> list[str]:
    return [row.cause for row in order.rows(ledger_of(**seconds), of)]


def test_training_is_first_and_then_the_largest() -> None:
    assert causes(StandingRows(), gap=1.0, training=2.0, evaluation=9.0) == [TRAINING, EVALUATION, GAP]
    assert causes(StandingRows(), gap=1.0, evaluation=9.0) == [EVALUATION, GAP]
    assert causes(StandingRows()) == []


def test_a_lane_that_was_shown_keeps_its_row() -> None:
    order = StandingRows()
    causes(order, training=90.0, evaluation=9.0, gap=1.0)
    rows = order.rows(ledger_of(training=90.0, evaluation=9.0), "a run")
    assert [row.cause for row in rows] == [TRAINING, EVALUATION, GAP]
    assert (rows[-1].seconds, rows[-1].share, rows[-1].count) == (0.0, 0.0, 0)
    assert causes(order, "another part of it", training=90.0, evaluation=9.0) == [TRAINING, EVALUATION]


def test_a_little_more_time_changes_no_places_and_clearly_more_does() -> None:
    order = StandingRows()
    assert causes(order, training=9.0, evaluation=1.0, checkpoint=0.9) == [TRAINING, EVALUATION, CHECKPOINT]
    assert causes(order, training=9.0, evaluation=1.0, checkpoint=1.1) == [TRAINING, EVALUATION, CHECKPOINT]
    assert causes(order, training=9.0, evaluation=1.0, checkpoint=1.3) == [TRAINING, CHECKPOINT, EVALUATION]
    assert causes(order, training=0.1, gap=9.0, evaluation=1.0)[:2] == [TRAINING, GAP]


def test_how_often_and_how_long_each_or_from_which_to_which() -> None:
    assert (
        how_often(LedgerRow("pause", 500.0, 0.5, 5, least_s=8.0, most_s=400.0), PAUSE)
        == "5 times, 8.00 s to 6 m 40 s"
    )
    assert how_often(LedgerRow("pause", 100.0, 0.5, 5, least_s=18.0, most_s=22.0), PAUSE) == "5 × 20.0 s"
    assert how_often(LedgerRow("pause", 100.0, 0.5), PAUSE) == ""


def test_what_passed_from_row_to_row_is_not_so_many_iterations_of_so_long() -> None:
    """Of 14 rows the first has no time, so `14 × 13.3 s` would stand beside a usual time of 14.3 s."""
    row = LedgerRow(TRAINING, 186.0, 1.0, 14)
    assert (how_often(row, TRAINING), how_often(row, ROW_TO_ROW)) == ("14 × 13.3 s", "")


def test_a_bound_is_marked_as_one() -> None:
    assert share(LedgerRow("evaluation", 10.0, 0.1, 5, at_most=True)) == "≤10.0 %"
    assert share(LedgerRow("evaluation", 1.0, 0.0004, 5, at_most=True)) == "< 0.1 %"
    assert share(LedgerRow("evaluation", 1.0, 0.0004, 5, at_least=True)) == "≥0.0 %"
    assert share(LedgerRow("evaluation", 10.0, 0.1, 5, estimated=True)) == "~10.0 %"
    rough = LedgerRow("evaluation", 10.0, 0.1, 5, estimated=True, rough=True)
    assert (share(rough), how_often(rough, rough.cause), time_of(rough)) == ("~10 %", "", "")


@pytest.mark.parametrize(
    ("evaluates", "others", "said"),
    [(True, (), "training + evaluating"), (False, (), "training"), (True, (EVALUATION,), "training")],
)
def test_time_that_holds_evaluations_is_not_called_training_alone(
    evaluates: bool, others: tuple[str, ...], said: str
) -> None:
    ledger = tuple(LedgerRow(cause, 9.0, 0.5, 1) for cause in (TRAINING, *others))
    for level in (Level(evaluates=evaluates), Level(evaluated=evaluates)):  # ... or those before it did
        found = Findings(level=level, ledger=ledger)
        assert [name_of(cause, found) for cause in (TRAINING, GAP)] == [said, GAP]
    assert str(ledger_rows(found, 80)[0]).startswith(f" {said} ")


@pytest.mark.parametrize(
    ("undescribed", "row_to_row", "others", "said"),
    [
        (True, True, (), "row to row"),
        (True, True, (EVALUATION,), "row to row"),
        (True, False, (), "iterations"),
        (True, False, (EVALUATION,), "iterations"),
        (False, False, (), "training"),
    ],
)
def test_what_passes_from_row_to_row_of_an_unknown_script_is_not_called_training(
    *, undescribed: bool, row_to_row: bool, others: tuple[str, ...], said: str
) -> None:
    ledger = tuple(LedgerRow(cause, 9.0, 0.5, 1) for cause in (TRAINING, *others))
    found = Findings(ledger=ledger, undescribed=undescribed, row_to_row=row_to_row)
    assert name_of(TRAINING, found) == said
    assert name_of(PAUSE, found) == ("between trainings" if row_to_row else PAUSE)
    assert name_of(GAP, found) == ("not printed" if undescribed else GAP)
    total = Findings(progress=Progress(wall_witness=Witness.TOTAL))
    assert name_of(GAP, total) == "not printed"


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        ((EVALUATION,), "training + evaluating"),
        ((CHECKPOINT,), "training + saving"),
        ((CHECKPOINT, EVALUATION), "training + eval + save"),
    ],
)
def test_time_that_holds_stops_which_nobody_can_tell_apart_is_called_so(
    hidden: tuple[str, ...], said: str
) -> None:
    found = Findings(progress=Progress(hidden_stops=hidden), ledger=(LedgerRow(TRAINING, 9.0, 1.0, 1),))
    assert name_of(TRAINING, found) == said
    assert str(ledger_rows(found, 80)[0]).startswith(f" {said} ")


@pytest.mark.parametrize(
    ("witness", "causes", "beside"),
    [
        (None, (), [EVALUATION]),
        (None, (EVALUATION,), []),
        (None, (EVALUATION_AND_CHECKPOINT,), []),
        (Witness.STAMPS, (), []),
    ],
)
def test_stops_are_beside_a_sum_of_iteration_times_that_has_no_part_of_them(
    witness: Witness | None, causes: tuple[str, ...], beside: list[str]
) -> None:
    ledger = tuple(LedgerRow(cause, 9.0, 0.5, 1) for cause in (TRAINING, *causes))
    found = Findings(progress=Progress(evaluations=3, wall_witness=witness), ledger=ledger)
    assert stops_beside(found) == beside
    assert stops_beside(Findings(progress=found.progress)) == [], "nothing is divided"
