"""Which column of a row is the sum of its losses."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.means.ultralytics_losses import loss_of, names_total, total_of


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ("0.5 0.25 0.125 0.875 9 640 0 0 0 0 0 0 0", 0.875),
        ("0.5 0.25 0 0.75 9 640 0.1 0.2 0.3 0.4 0.5 0.6 0.7", 0.75),
        ("0.5 0.25 0.125 0.0625 0.03125 0.01562 0.9844 3 320 0 0 0", 0.9844),
        ("0.5 0.25 0.125 9 640", None),
        ("0 0 0 0 4 640", None),
    ],
)
def test_the_loss_of_a_line_without_heading_is_what_those_before_it_add_up_to(
    line: str, loss: float | None
) -> None:
    assert total_of(line.split()) == loss


def test_a_loss_that_is_no_number_stays_one() -> None:
    found = total_of(["nan", "nan", "nan", "nan", "9", "640"])
    assert found is not None
    assert found != found


def test_four_losses_are_added_up_unless_the_fourth_is_the_sum_of_the_others() -> None:
    assert loss_of(["0.5", "0.25", "0.125", "0.875", "9", "640"]) == 0.875
    assert loss_of(["1.5", "2.5", "1.25", "0.75", "9", "640"]) == 6.0
    assert loss_of(["1.5", "2.5", "1.25", "5.25", "9", "640"], has_total=False) == 10.5
    assert loss_of(["1.5", "x", "1.25", "9", "640"]) is None


def test_a_heading_names_the_sum_or_does_not() -> None:
    assert names_total("box obj cls total labels img_size")
    assert names_total("part_a part_b total_loss labels img_size")
    assert not names_total("box_loss seg_loss cls_loss dfl_loss Instances Size")
