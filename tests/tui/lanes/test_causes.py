"""The lanes of the causes: a mark where each happened, and figures that add up to all of the time."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from itermon.analysis.chart import ChartColumn
from itermon.analysis.findings import Findings, LedgerRow, Level
from itermon.events import (
    CAUSES,
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GC,
    TRAINING,
    UNEXPLAINED,
)
from itermon.reports.rows.ledger import StandingRows
from itermon.tui.drawing.lines import text, width
from itermon.tui.lanes.axis import Axis, Grid, Margins
from itermon.tui.lanes.causes import CausesLane

WIDE = Margins(14, 24)

LEDGER = (
    LedgerRow(TRAINING, 880.0, 0.88, 88),
    LedgerRow(EVALUATION, 75.0, 0.075, 5),
    LedgerRow(CHECKPOINT, 25.0, 0.025, 1, estimated=True),
    LedgerRow(UNEXPLAINED, 20.0, 0.02, 2),
)


class Scene:
    """What the lane asks of a scene."""

    def __init__(self, ledger: tuple[LedgerRow, ...], *, by: str = "", held: bool = False) -> None:
        self.ledger, self.causes = ledger, StandingRows().rows(ledger, None)
        level = Level(evaluates=held)
        self.found = Findings(ledger=ledger, undescribed=bool(by), row_to_row=by == "rows", level=level)
        self.view = SimpleNamespace(span=None)


def axis_of(counts: dict[int, dict[str, int]], columns: int = 20, margins: Margins = WIDE) -> Axis:
    shown = [
        ChartColumn(
            first=i,
            last=i,
            first_index=i,
            last_index=i,
            low_s=1,
            high_s=1,
            median_s=1,
            counts=counts.get(i, {}),
        )
        for i in range(columns)
    ]
    return Axis(shown, Grid.of(columns, 10), margins)


def drawn(ledger: tuple[LedgerRow, ...], counts: dict[int, dict[str, int]], rows: int = 6) -> list[str]:
    lines = CausesLane().draw(Scene(ledger), axis_of(counts), rows)  # type: ignore[arg-type]
    assert {width(line) for line in lines} == {48}
    assert len(lines) == rows
    return [text(line) for line in lines]


def test_training_comes_first_then_the_largest_and_each_has_its_letter() -> None:
    assert [row[:13].split() for row in drawn(LEDGER, {})[:4]] == [
        ["training"], ["E", "evaluation"], ["C", "checkpoint"], ["?", "unknown"],
    ]  # fmt: skip


def test_the_figures_are_times_typical_seconds_and_share() -> None:
    rows = drawn(LEDGER, {})
    assert rows[0].endswith("  88 × 10.0 s  88.0 % ")
    assert rows[1].endswith("   5 × 15.0 s   7.5 % ")
    assert rows[2].endswith("   1 × 25.0 s  ~2.5 % ")


def test_of_unlike_times_the_longest_is_said_and_no_mean() -> None:
    """A pause of 27 days among four of minutes is none of `5 × 6 d`."""
    unlike = LedgerRow("pause", 2_345_000.0, 0.5, 5, least_s=80.0, most_s=2_340_000.0)
    many = LedgerRow("unexplained", 2_345_000.0, 0.5, 12_345, least_s=80.0, most_s=2_340_000.0)
    rows = drawn((unlike, many), {})
    assert rows[0].endswith("  5, max 27 d  50.0 % ")
    assert rows[1].endswith(" max 27 d  50.0 % ")


def test_a_mark_stands_where_it_happened_and_a_fuller_one_where_it_did_twice() -> None:
    counts = {4: {EVALUATION: 1}, 8: {EVALUATION: 1}, 9: {EVALUATION: 1}, 12: {UNEXPLAINED: 1}}
    rows = [row[14:24] for row in drawn(LEDGER, counts)]
    assert rows[0] == "━" * 10
    assert rows[1] == "  ▮ █     "
    assert rows[2].strip() == ""
    assert rows[3] == "      ▯   ", "what nothing explains is hollow"


def test_one_time_for_two_marks_both_where_it_was_divided_and_its_own_row_where_not() -> None:
    counts = {6: {EVALUATION_AND_CHECKPOINT: 1}}
    assert [row[14:24] for row in drawn(LEDGER, counts)[1:3]] == ["   ▮      "] * 2
    together = (LEDGER[0], LedgerRow(EVALUATION, 9.0, 0.1, 1), LedgerRow(EVALUATION_AND_CHECKPOINT, 5.0, 0.05, 1))
    rows = drawn(together, counts)
    assert rows[1][14:24].strip() == ""
    assert rows[2][14:24] == "   ▮      "


def test_where_there_are_too_many_the_smallest_share_a_row_and_nothing_is_lost() -> None:
    ledger = (*LEDGER, LedgerRow(DATA, 8.0, 0.008, 3), LedgerRow(GC, 2.0, 0.002, 9))
    rows = drawn(ledger, {2: {GC: 1}}, rows=3)
    assert rows[2][:13].split() == ["others"]
    assert rows[2].endswith("4 causes   5.5 % ")
    assert rows[2][14:24] == " ▮        "


@pytest.mark.parametrize("margins", [Margins(14, 24), Margins(14, 10), Margins(11, 0)])
@pytest.mark.parametrize("rows", range(2, 9))
def test_the_shares_add_up_whatever_room_there_is(rows: int, margins: Margins) -> None:
    lines = CausesLane().draw(Scene(LEDGER), axis_of({}, margins=margins), rows)  # type: ignore[arg-type]
    shown = [float(share) for line in lines for share in re.findall(r"([\d.]+) %", text(line))]
    assert sum(shown) == pytest.approx(100.0, abs=0.2)


def test_where_it_is_narrow_each_row_has_its_letter_and_its_share_uncut() -> None:
    lines = CausesLane().draw(Scene(LEDGER), axis_of({}, margins=Margins(11, 0)), 3)  # type: ignore[arg-type]
    assert [text(line)[:10] for line in lines] == ["   88.0 % ", " E  7.5 % ", " +  4.5 % "]


def test_without_any_time_there_is_no_lane() -> None:
    assert not CausesLane().is_shown(Scene(()))  # type: ignore[arg-type]
    assert CausesLane().is_shown(Scene(LEDGER))  # type: ignore[arg-type]


def test_every_cause_has_a_name_that_fits_its_cells() -> None:
    assert max(len(row.short or row.name) for row in CAUSES.values()) <= 10


def test_it_wants_a_row_a_cause_in_half_of_the_room() -> None:
    scene = Scene(LEDGER)
    lane = CausesLane()
    assert lane.wanted(scene, 20) == 4  # type: ignore[arg-type]
    assert lane.wanted(scene, 6) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("by", "held", "name", "heading"),
    [
        ("", False, "training", ""),
        ("prints", False, "iterations", ""),
        ("rows", False, "row to row", ""),
        ("rows", True, "row to row", ""),
        ("", True, "training", " · training holds the evaluations"),
    ],
)
def test_what_else_may_be_in_the_training_is_said(*, by: str, held: bool, name: str, heading: str) -> None:
    lane, scene, axis = CausesLane(), Scene(LEDGER[:1], by=by, held=held), axis_of({})
    row = text(lane.draw(scene, axis, 3)[0])  # type: ignore[arg-type]
    assert row.split("┊")[0].strip() == name
    assert ("88 × 10.0 s" in row) == (by != "rows"), "no mean of rows of which the first has no time"
    assert text(lane.heading(scene, axis)) == f"where the time went{heading}"  # type: ignore[arg-type]
