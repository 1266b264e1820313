"""The newest losses in the frame of a chart: numbers, unless there are none any more."""

from math import nan

import pytest

from itermon.analysis.chart import ChartColumn
from itermon.analysis.findings import Findings, Losses
from itermon.tui.drawing.lines import text
from itermon.tui.lanes.axis import Axis, Grid, Margins
from itermon.tui.lanes.losses import LossesLane, newest, newest_by_column


def test_one_overflow_does_not_hide_all_losses_after_it() -> None:
    said = text(newest(Losses(train=2.5, not_finite=1, first_not_finite=3, not_finite_since=3)))
    assert "train 2.5" in said
    assert "1 × nan or inf" in said


def test_losses_that_are_no_numbers_are_told_since_when() -> None:
    said = text(newest(Losses(not_finite=9, first_not_finite=3, not_finite_since=60)))
    assert said == "9 × nan or inf since 60"


def column(first_index: int, last_index: int) -> ChartColumn:
    return ChartColumn(0, 0, first_index, last_index, None, None, None)


def test_a_cell_has_the_newest_of_its_evaluations_and_a_redone_iteration_stands_where_it_was_last() -> None:
    columns = [column(0, 9), column(10, 19), column(20, 29), column(15, 24), column(25, 34)]  # resumed at 15
    axis = Axis(columns, Grid(5, 2), Margins(0, 0))
    evaluations = [(5, 4.0), (8, 3.5), (12, 3.0), (17, 2.9), (99, 1.0), (28, nan), (30, 2.0)]
    assert newest_by_column(axis, evaluations) == {0: 3.5, 1: 3.0, 3: 2.9, 4: 2.0}
    assert newest_by_column(Axis([], Grid(5, 2), Margins(0, 0)), evaluations) == {}


class Scene:
    """What the lane asks of a scene."""

    has_times = True

    def __init__(self, validation: float) -> None:
        self.found = Findings(losses=Losses(train=2.0))
        self.validations = [(5, 1.0), (25, validation)]


@pytest.mark.parametrize(("validation", "row"), [(2.2, 3), (2.05, 3), (1.95, 5), (1.5, 6)])
def test_a_ring_lies_on_the_side_of_the_curve_on_which_its_loss_lies(validation: float, row: int) -> None:
    losses = [3.0, 2.0, 2.0, 2.0, 2.0]
    columns = [ChartColumn(0, 0, 10 * n, 10 * n + 9, None, None, None, loss=v) for n, v in enumerate(losses)]
    axis = Axis(columns, Grid(5, 2), Margins(9, 0))
    drawn = [text(line)[9:] for line in LossesLane().draw(Scene(validation), axis, 9)]  # type: ignore[arg-type]
    assert [number for number, line in enumerate(drawn) if line[2] == "○"] == [row]
    assert drawn[4][2] != " ", "the curve is still seen"
