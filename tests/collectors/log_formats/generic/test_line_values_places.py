"""Names and numbers that say of which iteration a line is, apart from each other."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.generic.line_values import places_of


@pytest.mark.parametrize(
    "names", ["Epoch and iter {} {}", "epoch, step = ({}, {}),", "Epoch & Batch: {} {} |", "Epoch iter {} {}"]
)
def test_two_names_in_front_of_two_numbers_have_one_each(names: str) -> None:
    assert [*places_of(f"{names.format(4, 999)} loss 2.5").values()] == [("999", ""), ("4", "")]


def test_a_name_with_its_number_is_no_first_of_two() -> None:
    assert places_of("Epoch 3 and step 4 of 10 loss 2.5") == {"epoch": ("3", ""), "step": ("4", "10")}
