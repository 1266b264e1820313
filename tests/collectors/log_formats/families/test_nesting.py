"""Bars that are drawn below others."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.families.nesting import Nesting
from itermon.collectors.log_formats.parsing.bars import Bar


def test_a_bar_below_another_that_is_open_is_not_the_training_s() -> None:
    nesting = Nesting()
    assert not nesting.is_other(Bar("", 1, 90, 1.0, 1.0, ""))
    assert not nesting.is_other(Bar("Training", 1, 90, 1.0, 1.0, ""))
    assert nesting.is_other(Bar("", 1, 10, 1.0, 1.0, "", inner=True))
    assert nesting.is_other(Bar("", 2, 10, 1.0, 1.0, "")), "the same one, drawn where it stood"
    assert not nesting.is_other(Bar("", 2, 90, 1.0, 1.0, ""))


@pytest.mark.parametrize(("n", "other"), [(4, False), (5, True)])
def test_below_an_open_bar_with_a_title_of_its_own_stands_the_training_s(n: int, other: bool) -> None:
    nesting = Nesting()
    assert nesting.is_other(Bar("Folds", n, 5, 1.0, 1.0, ""))
    assert nesting.is_other(Bar("", 1, 10, 1.0, 1.0, "", inner=True)) is other
