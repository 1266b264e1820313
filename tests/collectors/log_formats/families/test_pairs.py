"""Pairs of a key and a number, whatever stands in the number's place."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.families.pairs import numbers, pairs, words
from itermon.collectors.log_formats.generic.line_values import values_of


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


def test_a_letter_is_short_for_a_time_where_its_unit_says_so() -> None:
    assert values_of("step 5 | t=   12s | loss=2.5")["time"] == "12s"
    assert values_of("[ep 2 step 300 t: 12.5 min] loss=2.5")["time"] == "12.5 min"
    for other in ("t=12", "t=0.5", "t=12%", "t=12MB", "dt=12s"):
        assert "time" not in values_of(f"step 5 | {other} | loss=2.5"), other


def test_such_a_time_that_only_grows_is_a_clock() -> None:
    rows = "\n".join(f"[ep 0 step {50 * n:5} t={3 + 40 * n:6}s] L=0.5  PSNR={20 + n % 3}.5" for n in range(12))
    timed = [one.duration_s for one in iterations(read("counted lines", rows)) if one.duration_s is not None]
    assert timed
    assert all(abs(each_s - 0.8) < 1e-9 for each_s in timed)


def test_a_notebook_writes_tabs_and_line_ends_as_two_characters() -> None:
    assert words('Epoch [1][50/90]\\tlr: 0.5, time: 1.5, loss: 2.5\\n",') == {"lr": 0.5, "time": 1.5, "loss": 2.5}
