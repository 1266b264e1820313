"""The newest losses in the frame of a chart: numbers, unless there are none any more."""

from itermon.analysis.findings import Losses
from itermon.tui.drawing.lines import text
from itermon.tui.lanes.losses import newest


def test_one_overflow_does_not_hide_all_losses_after_it() -> None:
    said = text(newest(Losses(train=2.5, not_finite=1, first_not_finite=3, not_finite_since=3)))
    assert "train 2.5" in said
    assert "1 × nan or inf" in said


def test_losses_that_are_no_numbers_are_told_since_when() -> None:
    said = text(newest(Losses(not_finite=9, first_not_finite=3, not_finite_since=60)))
    assert said == "9 × nan or inf since 60"
