"""Pairs of a key and a number, whatever stands in the number's place."""

import pytest

from itermon.collectors.log_formats.families.pairs import numbers, pairs, words


@pytest.mark.parametrize(
    "nothing", ["", " ", "np.float64()", "np.float64( )", "tensor( )", "tensor", "np.", ":", "x"]
)
def test_what_is_no_number_is_left_out(nothing: str) -> None:
    assert numbers(f"a: {nothing} | b: np.float64(2.5) | c: 105.2 ms") == {"b": 2.5, "c": 105.2}


def test_what_has_no_separator_is_no_pair() -> None:
    assert pairs("lm loss: 7.5 | nothing | b:c: d |") == {"lm loss": "7.5", "b": "c: d"}
    assert numbers("a=1; b = 2 s; c=x", between=";", inside="=") == {"a": 1.0, "b": 2.0}


def test_words_before_a_number_with_a_colon_name_it() -> None:
    assert words("Epoch[1] lr: 0.01, eta: 1:52:14, time: 1.865 (2.0), loss:3 max mem: 20") == {
        "lr": 0.01,
        "time": 1.865,
        "mem": 20.0,
    }
