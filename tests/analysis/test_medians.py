"""Medians of what is in order, and of what is known."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.medians import median_of_known, median_of_ordered


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_it_is_the_median_of_the_standard_library(values: list[float]) -> None:
    assert median_of_ordered(sorted(values)) == median(values)


@pytest.mark.parametrize(("values", "expected"), [([], None), ([None], None), ([3.0, None, 1.0, 2.0], 2.0)])
def test_what_is_not_known_does_not_count(values: list[float | None], expected: float | None) -> None:
    assert median_of_known(values) == expected
