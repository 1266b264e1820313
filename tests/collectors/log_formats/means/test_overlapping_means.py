"""Means over a window that is longer than what lies between two rows."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.means.overlapping_means import OverlappingMeans

WINDOW = 50


def told(took_s: list[float], every: int, digits: int, window: int = WINDOW, first: int = 0) -> list[float | None]:
    """What is got back of each row's iterations, of which the last `window` have their mean printed."""
    means, found = OverlappingMeans(window), []
    for count in range(every, len(took_s) + 1, every):
        newest = took_s[max(0, count - (window or count)) : count]
        mean_s = round(sum(newest) / len(newest), digits)
        found.append(means.since_the_last(first + count, mean_s, 10.0**-digits, mean_s))
    return found


@pytest.mark.parametrize("every", [1, 5, 10])
def test_each_rows_own_time_comes_back(every: int) -> None:
    took_s = [9.0] + [7.0, 8.0, 7.5, 7.2, 1.0] * 60
    of_rows = [sum(took_s[i : i + every]) / every for i in range(0, len(took_s) - every + 1, every)]
    assert told(took_s, every, 6) == [pytest.approx(one, abs=0.01) for one in of_rows]


def test_digits_that_do_not_suffice_tell_nothing() -> None:
    found = told([0.2, 0.3] * 500, 1, 2)
    assert set(found[WINDOW:]) == {None}


def test_of_a_process_that_goes_on_the_rows_before_are_not_known() -> None:
    assert set(told([1.0, 2.0] * 200, 10, 6, first=5000)[1:]) == {None}


def test_means_that_do_not_overlap_are_what_they_say() -> None:
    took_s = [float(n) for n in range(1, 401)]
    assert told(took_s, 100, 6, window=10)[:2] == [pytest.approx(95.5), pytest.approx(195.5)]
    assert told(took_s, 50, 6, first=118)[0] == pytest.approx(25.5)


@pytest.mark.parametrize("window", [1, 10, 50])
def test_where_nobody_said_the_window_the_first_iteration_that_leaves_it_tells(window: int) -> None:
    took_s, means, found = [9.0] + [0.5, 0.75, 0.25] * 60, OverlappingMeans(), []
    for count in range(1, len(took_s) + 1):
        newest = took_s[max(0, count - window) : count]
        found.append(means.since_the_last(count, sum(newest) / len(newest), 1e-12, 1.0))
    assert found == pytest.approx(took_s)
    assert means.window == window


def test_a_window_of_no_usual_length_is_not_believed() -> None:
    assert told([9.0] + [0.5] * 13, 1, 6, window=0)[-1] == pytest.approx(0.5, abs=1e-4)  # a mean of all
    means = OverlappingMeans()
    for count, mean_s in enumerate([9.0, 4.75, 3.33, 2.62], start=1):
        means.since_the_last(count, mean_s, 0.01, 1.0)
    assert [means.since_the_last(5 + at, 0.5, 0.01, 1.0) for at in range(3)] == [None] * 3


def test_rows_far_apart_are_what_they_print_where_nobody_said_the_window() -> None:
    assert told([9.0] + [0.5] * 399, 50, 6, window=0) == pytest.approx(
        [0.67] + [0.5 + 8.5 / n for n in range(100, 401, 50)]
    )


def test_digits_alone_make_it_rough() -> None:
    means = OverlappingMeans(10)
    rough = []
    for count in range(1, 1001):
        means.since_the_last(count, 0.01, 0.0001, 0.01)
        rough.append(means.rough)
    assert (rough[0], rough[-1]) == (False, True)
