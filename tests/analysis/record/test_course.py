"""The machine's course over a run: exact while it is short, even where it is long, and no dip is lost."""

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.record import course as course_module
from itermon.analysis.record.course import Course

rows = st.lists(st.tuples(st.floats(0.1, 3.0), st.floats(0, 1000) | st.none()), min_size=1, max_size=40)


def filled(data, most=1 << 14):
    course, now_s = Course(("power_w",), most=most), 0.0
    for span_s, value in data:
        now_s += span_s
        course.add(now_s, span_s, {"power_w": value})
    return course, now_s


@given(rows, st.floats(0, 40), st.floats(0.1, 40))
def test_a_stretch_is_the_mean_and_the_least_of_what_lies_in_it(data, begin_s, length_s):
    course, _ = filled(data)
    end_s, now_s = begin_s + length_s, 0.0
    covered = energy = 0.0
    for span_s, value in data:
        inside_s = min(end_s, now_s + span_s) - max(begin_s, now_s)
        now_s += span_s
        if inside_s > 1e-6 and value is not None:
            covered, energy = covered + inside_s, energy + inside_s * value
    for _again in range(2):  # also when it is asked for once more
        found = course.of("power_w", begin_s, end_s)
        if covered < 1e-3:
            continue
        assert found is not None
        assert found[0] == pytest.approx(energy / covered, rel=1e-3, abs=0.1)
        assert found[1] <= found[0] + 1e-6


def test_a_long_course_is_as_fine_at_its_beginning_as_at_its_end_and_keeps_its_dips() -> None:
    course, now_s = filled([(1.0, 5.0 if n == 100 else 700.0) for n in range(10_000)], most=400)
    assert len(course) < 400
    assert max(course.span_s) <= 4 * 10_000 / 400
    assert sum(course.span_s) == now_s
    assert course.of("power_w", 50, 250)[1] == 5.0  # the dip of the hundredth second
    assert course.of("power_w", 0, now_s)[0] == pytest.approx((700 * 9_999 + 5) / 10_000)
    assert list(course.span_s[-50:]) == [1.0] * 50  # the newest are exact


def test_what_was_not_measured_is_not_there() -> None:
    course, end_s = filled([(1.0, None), (1.0, None)])
    assert course.of("power_w", 0, end_s) is None
    assert course.of("power_w", 100, 200) is None
    assert Course(("power_w",)).of("power_w", 0, 1) is None


def test_an_unknown_row_hides_no_other() -> None:
    course, _ = filled([(1.0, 10.0), (1.0, None), (1.0, 30.0), (1.0, 50.0)])
    assert course.of("power_w", 0, 3) == (20.0, 10.0)


def test_a_row_beside_the_stretch_does_not_count() -> None:
    course, _ = filled([(1.0, 10.0), (1.0, 700.0), (1.0, 20.0)])
    assert course.of("power_w", 1.0, 2.0) == (700.0, 700.0)


def test_what_is_remembered_goes_when_rows_become_one() -> None:
    course, _ = filled([(1.0, float(n)) for n in range(1, 16)], most=16)
    assert course.of("power_w", 0, 1) == (1.0, 1.0)
    course.add(16.0, 1.0, {"power_w": 16.0})
    assert course.of("power_w", 0, 1) == (2.0, 1.0)


def test_a_clock_that_is_set_back_puts_no_row_out_of_order() -> None:
    course, end_s = filled([(1.0, 5.0)] * 3)
    course.add(end_s - 1.5, 1.0, {"power_w": 9.0})
    assert len(course) == 3


def test_what_was_measured_after_a_pause_says_nothing_of_the_time_before_it() -> None:
    course = Course(("power_w",))
    for at_s, value in ((1.0, 10.0), (2.0, 20.0), (9.0, 1.0)):
        course.add(at_s, 1.0, {"power_w": value})
    assert course.of("power_w", 0.0, 5.0) == (15.0, 10.0)
    assert course.of("power_w", 3.0, 5.0) is None
    assert course.of("power_w", 1.5, 8.5) == (pytest.approx((10 + 0.5) / 1), 1.0)


def three_samples() -> Course:
    course = Course(("power_w", "other"))
    for at_s, span_s, watts in (
        (10.0, 2.0, 5.0),
        (12.0, 2.0, 9.0),
        (12.0, 2.0, 99.0),
        (11.0, 1.0, 0.0),
        (16.0, 4.0, 1.0),
    ):
        course.add(at_s, span_s, {"power_w": watts})
    return course


def test_a_clock_that_stands_or_goes_back_adds_nothing() -> None:
    course = three_samples()
    assert list(course.at_s) == [10.0, 12.0, 16.0]
    assert (course.extremes("power_w"), course.extremes("other")) == ((1.0, 1.0, 9.0), None)


@pytest.mark.parametrize(
    ("begin_s", "end_s", "share"),
    [
        (8.0, 16.0, 1.0),
        (0.0, 16.0, 0.5),
        (8.0, 24.0, 0.5),
        (0.0, 32.0, 0.25),
        (9.0, 11.0, 1.0),
        (12.0, 12.0, 0.0),
        (13.0, 12.0, 0.0),
        (17.0, 20.0, 0.0),
        (0.0, 7.0, 0.0),
    ],
)
def test_samples_cover_what_lies_from_the_first_to_the_newest(begin_s: float, end_s: float, share: float) -> None:
    assert three_samples().covered(begin_s, end_s) == share
    assert Course(("power_w",)).covered(begin_s, end_s) == 0.0


def test_what_is_over_is_remembered_and_not_more_than_a_few_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course_module, "_MOST_REMEMBERED", 2)
    course = three_samples()
    kept = []
    for end_s in (17.0, 16.0, 12.0, 12.0, 10.0, 11.0):
        course.of("power_w", 8.0, end_s)
        kept.append(len(course._remembered))
    assert kept == [0, 1, 2, 2, 1, 2]


def test_of_older_rows_neighbours_become_one_as_long_as_they_are_short_together() -> None:
    """Six of eight are older: of their 7 s, and two that each eight may have, none is longer than 3.5 s."""
    rows = [(1.0, 10.0), (2.0, 40.0), (1.0, None), (1.0, 5.0), (1.0, None), (1.0, None), (1.0, 7.0), (1.0, 8.0)]
    course, _ = filled(rows, most=8)
    assert list(course.at_s) == [3.0, 6.0, 7.0, 8.0, 9.0]
    assert list(course.span_s) == [3.0, 3.0, 1.0, 1.0, 1.0]
    assert list(course._means["power_w"]) == pytest.approx([30.0, 5.0, nan, 7.0, 8.0], nan_ok=True)
    assert list(course._lows["power_w"]) == pytest.approx([10.0, 5.0, nan, 7.0, 8.0], nan_ok=True)
    assert course.extremes("power_w") == (8.0, 5.0, 40.0)


@pytest.mark.parametrize(
    ("begin_s", "end_s", "found"),
    [
        (8.0, 10.0, (5.0, 5.0)),
        (9.0, 11.0, (7.0, 5.0)),  # a second of each
        (9.0, 14.0, ((5.0 + 2 * 9.0 + 2 * 1.0) / 5, 1.0)),
        (10.0, 12.0, (9.0, 9.0)),
        (11.5, 11.75, (9.0, 9.0)),
        (15.0, 99.0, (1.0, 1.0)),
        (16.0, 99.0, None),
        (0.0, 8.0, None),
    ],
)
def test_each_row_counts_for_what_of_it_lies_inside(
    begin_s: float, end_s: float, found: tuple[float, float] | None
) -> None:
    assert three_samples().of("power_w", begin_s, end_s) == found


def test_sixteen_thousand_rows_are_the_most() -> None:
    course = Course(("power_w",))
    lengths = []
    for n in range(1 << 14):
        course.add(float(n), 1.0, {"power_w": 1.0})
        lengths.append(len(course))
    assert max(lengths) == (1 << 14) - 1
    assert len(course) < 1 << 14
