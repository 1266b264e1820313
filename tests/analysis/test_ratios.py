"""A quotient is a number, or there is none."""

import pytest

from itermon.analysis.ratios import ratio


@pytest.mark.parametrize(
    ("value", "whole", "expected"),
    [(1.0, 4.0, 0.25), (0.0, 4.0, 0.0), (1.0, 0.0, None), (1e21, 5e-324, None), (None, 4.0, None),
     (1.0, None, None), (2.0, 1e-9, 2 / 1e-9)],
)  # fmt: skip
def test_there_is_none_where_there_is_nothing_to_divide_by(value, whole, expected):
    assert ratio(value, whole) == expected
