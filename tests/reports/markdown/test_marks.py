"""Rows of marks: a block for each value, a mark where a cause was."""

from math import nan

from itermon.analysis.chart import ChartColumn
from itermon.reports.markdown.marks import lane, sparkline


def column(**counts: int) -> ChartColumn:
    return ChartColumn(0, 9, 0, 9, 1.0, 2.0, 1.5, counts=counts)


def test_the_lowest_value_is_the_lowest_block_and_the_highest_the_highest() -> None:
    assert sparkline([1.0, 8.0, 4.5, None, nan]) == "▁█▅  "
    assert sparkline([2.0, 2.0]) == "▁▁"
    assert sparkline([None, nan]) == ""


def test_a_lane_shows_where_it_was_and_where_more_than_once() -> None:
    columns = [column(), column(checkpoint=1), column(checkpoint=1, evaluation=1), column(evaluation=3)]
    assert lane(columns, "checkpoint", {"checkpoint"}) == "·▮▮·"
    assert lane(columns, "evaluation", {"evaluation", "checkpoint"}) == "·▮██"
    assert lane([column(unexplained=1)], "unexplained", {"unexplained"}) == "▯"
    assert lane(columns, "training", {"training"}) == "━━━━"
