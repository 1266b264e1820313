"""Pairs of a key and a number, whatever stands in the number's place."""

import pytest

from itermon.collectors.log_formats.parsing.pairs import numbers


@pytest.mark.parametrize(
    "nothing", ["", " ", "np.float64()", "np.float64( )", "tensor( )", "tensor", "np.", ":", "x"]
)
def test_what_is_no_number_is_left_out(nothing: str) -> None:
    assert numbers(f"a: {nothing} | b: np.float64(2.5) | c: 105.2 ms") == {"b": 2.5, "c": 105.2}
