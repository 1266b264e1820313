"""The machine's past: right over any stretch, bounded over any length, nothing made up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.record.history import History

rows = st.lists(st.tuples(st.floats(0.1, 3.0), st.floats(0, 1000) | st.none()), min_size=1, max_size=40)


def filled(data, most=1 << 16):
    history, now_s = History(("power_w",), ("read_bytes",), most=most), 0.0
    for span_s, value in data:
        now_s += span_s
        history.add(now_s, span_s, {"power_w": value, "read_bytes": value})
    return history, now_s


@given(rows, st.floats(0, 40), st.floats(0.1, 40))
def test_a_stretch_is_the_mean_and_the_sum_of_what_lies_in_it(data, begin_s, length_s):
    history, _ = filled(data)
    end_s, now_s = begin_s + length_s, 0.0
    covered = energy = read = 0.0
    for span_s, value in data:
        inside_s = min(end_s, now_s + span_s) - max(begin_s, now_s)
        now_s += span_s
        if inside_s > 0 and value is not None:
            covered, energy = covered + inside_s, energy + inside_s * value
            read += inside_s / span_s * value
    found = history.between(begin_s, end_s)
    if covered < 1e-9:
        assert covered == pytest.approx(0, abs=1e-6)
        return
    assert found["power_w"] == pytest.approx(energy / covered, rel=1e-6, abs=1e-3)
    assert found["read_bytes"] == pytest.approx(read, rel=1e-6, abs=1e-3)


@given(rows)
def test_folding_keeps_every_total_and_the_rows_stay_few(data):
    whole, _ = filled(data)
    folded, _ = filled(data, most=8)
    assert len(folded) < 8
    for name in ("power_w", "read_bytes"):
        assert (folded.total(name) is None) == (whole.total(name) is None)
    if whole.total("read_bytes") is not None:
        assert folded.total("read_bytes") == pytest.approx(whole.total("read_bytes"))
    ends = [0.0, *folded.at_s]
    assert folded.at_s[-1] == whole.at_s[-1]
    for row in range(len(folded)):  # every row begins where the one before it ended
        assert folded.at_s[row] - folded.span_s[row] == pytest.approx(ends[row], abs=1e-6)


def test_what_was_not_measured_is_not_there():
    history, end_s = filled([(1.0, None), (1.0, None)])
    assert history.between(0, end_s) == {}
    assert history.between(100, 200) == {}
    assert history.total("power_w") is None
    assert history.usual("power_w", 0, end_s) is None


def test_a_clock_that_is_set_back_puts_no_row_out_of_order():
    history, end_s = filled([(1.0, 5.0)] * 3)
    history.add(end_s - 1.5, 1.0, {"power_w": 9.0})
    assert len(history) == 3


@pytest.mark.parametrize(
    ("pair", "mean", "total"),
    [
        ([(1.0, 10.0), (3.0, 50.0)], 40.0, 60.0),
        ([(1.0, None), (3.0, 50.0)], 50.0, 50.0),
        ([(1.0, 10.0), (3.0, None)], 10.0, 10.0),
        ([(1.0, None), (3.0, None)], math.nan, math.nan),
    ],
)
def test_a_folded_pair_is_the_mean_and_the_sum_of_what_was_measured(pair, mean, total) -> None:
    history, _ = filled([*pair, *pair, (1.0, 7.0), (1.0, 8.0), (1.0, 9.0), (1.0, 6.0)], most=8)
    assert list(history.span_s) == [4.0, 4.0, 1.0, 1.0, 1.0, 1.0]
    for name, value in (("power_w", mean), ("read_bytes", total)):
        assert list(history.columns[name]) == pytest.approx([value, value, 7, 8, 9, 6], nan_ok=True)


def test_of_a_pair_that_is_folded_the_row_that_was_measured_counts() -> None:
    history = History(["power_w"], ["read_bytes"], most=8)
    for second in range(1, 9):
        known = second % 2 == 1
        history.add(second, 1.0, {"power_w": 10.0 * second if known else None, "read_bytes": 5 if known else None})
    assert list(history.at_s) == [2, 4, 5, 6, 7, 8]
    assert list(history.columns["power_w"])[:3] == [10.0, 30.0, 50.0]
    assert list(history.columns["read_bytes"])[:3] == [5, 5, 5]


def test_what_is_usual_is_the_median_of_the_rows_that_end_in_the_stretch() -> None:
    history, _ = filled([(1.0, 1.0), (1.0, 2.0), (1.0, 9.0), (1.0, 4.0), (1.0, 100.0), (1.0, 100.0)])
    assert history.usual("power_w", 2, 4) == 4.0
    assert history.usual("power_w", 1, 1) == 1.0


def test_the_total_of_a_mean_is_its_integral_and_of_a_sum_its_sum() -> None:
    history, _ = filled([(2.0, 10.0), (3.0, None), (4.0, 5.0)])
    assert (history.total("power_w"), history.total("read_bytes")) == (40.0, 15.0)


def test_a_column_without_a_value_hides_no_other() -> None:
    history = History(["power_w"], ["read_bytes"])
    history.add(1.0, 1.0, {"read_bytes": 5.0})
    assert history.between(0, 1) == {"read_bytes": 5.0}


def test_two_rows_of_one_moment_are_one() -> None:
    history, _ = filled([(1.0, 5.0)])
    history.add(1.0, 1.0, {"power_w": 9.0})
    assert list(history.columns["power_w"]) == [5.0]


def test_the_older_half_is_folded() -> None:
    history, _ = filled([(1.0, 5.0)] * 12, most=12)
    assert list(history.span_s) == [2.0] * 3 + [1.0] * 6


def test_eighteen_hours_at_one_a_second_are_kept_as_they_are() -> None:
    history = History(("power_w",))
    for second in range(1, 65_536):
        history.add(float(second), 1.0, {"power_w": 1.0})
    assert (len(history), set(history.span_s)) == (65_535, {1.0})


def test_eighteen_hours_are_kept_as_they_were_sampled() -> None:
    history = History(("power_w",))
    for second in range(1 << 16):
        history.add(float(second), 1.0, {"power_w": 1.0})
    assert len(history) == (1 << 16) - (1 << 14), "then the older half is folded in pairs"
    assert list(history.span_s[:2]) == [2.0, 2.0]
    assert history.span_s[-1] == 1.0
