"""A time as a clock shows it, with the day only where it is needed."""

from datetime import timedelta, timezone

import pytest

from itermon.reports.clock_time import at_clock_time, clock_time

ZONE = timezone(timedelta(hours=1))
NOW = 1_700_000_000  # Tuesday 14 November 2023, 23:13 there


def test_a_clock_time_says_the_day_only_where_it_is_needed() -> None:
    assert clock_time(NOW + 600, NOW, ZONE) == "23:23"
    assert clock_time(NOW + 7_200, NOW, ZONE) == "Wed 01:13"
    assert clock_time(NOW + 20 * 86_400, NOW, ZONE) == "4 Dec 23:13"
    assert clock_time(NOW + 2_000 * 86_400, NOW, ZONE) == "6 May 2029"


def test_the_week_is_said_up_to_the_sixth_day_and_the_year_after_three_hundred() -> None:
    assert clock_time(NOW + 6 * 86_400 - 1, NOW, ZONE) == "Mon 23:13"
    assert clock_time(NOW + 6 * 86_400, NOW, ZONE) == "20 Nov 23:13"
    assert clock_time(NOW - 299 * 86_400, NOW, ZONE) == "19 Jan 23:13"
    assert clock_time(NOW - 300 * 86_400, NOW, ZONE) == "18 Jan 2023"


def test_an_unknown_time_and_one_no_calendar_holds_are_dashes() -> None:
    assert clock_time(None, NOW, ZONE) == "–"
    assert clock_time(1e18, NOW, ZONE) == "–"


@pytest.mark.parametrize(
    ("text", "at_s"),
    [
        ("2023-11-14T23:13:20+01:00", NOW),
        ("2023-11-14 22:13:20+00:00", NOW),
        ("2023-11-15 00:00+00:00", NOW + 6_400),
    ],
)
def test_a_time_that_is_written_with_its_zone_is_that_moment(text: str, at_s: float) -> None:
    assert at_clock_time(text, 0.0) == at_s


@pytest.mark.parametrize("text", ["0:00", "09:30", "23:59"])
def test_a_time_of_day_is_the_next_one(text: str) -> None:
    then = at_clock_time(text, NOW)
    assert 0 < then - NOW <= 25 * 3_600  # an hour may be put back between
    assert clock_time(then, then).zfill(5) == text.zfill(5)


@pytest.mark.parametrize("text", ["", "soon", "24:00", "18", "1e9", "9999999-01-01"])
def test_what_is_no_time_is_refused_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(ValueError, match="Write 18:00"):
        at_clock_time(text, NOW)
