"""Numbers read as a person would say them, and unknown is never 0."""

from datetime import timedelta, timezone

import pytest

from itermon.reports import format as fmt


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (0.000012, "12.0 µs"),
        (0.00345, "3.45 ms"),
        (0.328, "328 ms"),
        (0.99949, "999 ms"),
        (0.9996, "1.00 s"),
        (5.985, "5.99 s" if f"{5.985:.2f}" == "5.99" else "5.98 s"),
        (21.02, "21.0 s"),
        (99.96, "1 m 40 s"),
        (146, "2 m 26 s"),
        (3_599.6, "1 h 00 m"),
        (15_000, "4 h 10 m"),
        (187_800, "2 d 04 h"),
        (-2, "-2.00 s"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds: float | None, text: str) -> None:
    assert fmt.duration(seconds) == text


@pytest.mark.parametrize(
    ("half", "text"), [(0.2, "1 s"), (59, "59 s"), (1_320, "22 m"), (7_000, "2 h"), (200_000, "2 d")]
)
def test_an_interval_has_one_unit(half: float, text: str) -> None:
    assert fmt.interval(half) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(49_932, "49.9 k"), (511.6e12, "512 T"), (999_600, "1.00 M"), (7.44e-1, "0.74"), (None, "–")],
)
def test_si_has_three_digits(number: float | None, text: str) -> None:
    assert fmt.si(number) == text


def test_a_share_that_is_not_nothing_never_reads_as_nothing() -> None:
    assert fmt.percent(0.0) == "0.0 %"
    assert fmt.percent(0.0004) == "< 0.1 %"
    assert fmt.percent(1.639, 0) == "164 %"
    assert fmt.percent(None) == "–"


def test_a_moment_says_the_day_only_where_it_is_needed() -> None:
    zone = timezone(timedelta(hours=1))
    now = 1_700_000_000  # Tuesday 14 November 2023, 23:13 there
    assert fmt.moment(now + 600, now, zone) == "23:23"
    assert fmt.moment(now + 7_200, now, zone) == "Wed 01:13"
    assert fmt.moment(now + 20 * 86_400, now, zone) == "4 Dec 23:13"
    assert fmt.moment(now + 2_000 * 86_400, now, zone) == "6 May 2029"
    assert fmt.moment(1e18, now, zone) == "–"


def test_an_axis_tells_its_neighbours_apart() -> None:
    assert fmt.axis(21.05, 0.05) == "21.05 s"
    assert fmt.axis(0.104, 0.0001) == "104 ms"
    assert fmt.axis(0.0104, 0.0001) == "10.4 ms"
    assert all(len(fmt.axis(1.37 * 10**e, 1e-6)) <= 7 for e in range(-4, 5))
    assert fmt.axis(0.169, 0.001) == "169 ms"
    assert fmt.axis(84, 20) == "84 s"
    assert fmt.axis(1_800, 60) == "30 m"


def test_memory_is_in_binary_units() -> None:
    assert fmt.memory(118 * 1024**3) == "118 GiB"
    assert fmt.memory(None) == "–"
