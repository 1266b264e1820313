"""A time as a clock shows it, with the day only where it is needed."""

from datetime import timedelta, timezone

from itermon.reports.clock_time import clock_time

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
