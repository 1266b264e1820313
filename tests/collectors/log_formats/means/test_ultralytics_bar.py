"""The times of a bar of Ultralytics' own: of stretches of its clock, and never of its rate, which begins at 0."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.means.ultralytics_bar import OwnClock
from itermon.collectors.log_formats.parsing.bars import Bar


def times(*frames: tuple[int, float], total: int = 100) -> list[tuple[int, float | None]]:
    clock = OwnClock()
    read = [clock.time_of(Bar("", n, total, elapsed_s, 9.0, "")) for n, elapsed_s in frames]
    return [(one["averaged_over"], one.get("duration_s")) for one in read]


def test_a_row_within_a_stretch_has_no_time_of_its_own() -> None:
    found = times((1, 0.2), (10, 1.1), (21, 2.2), (30, 3.1), (41, 4.2))
    assert found == [(0, None), (0, None), (20, pytest.approx(0.1)), (0, None), (20, pytest.approx(0.1))]


def test_from_a_minute_on_its_clock_shows_seconds_and_a_stretch_is_as_much_longer() -> None:
    assert times((30, 60.0), (34, 65.0), (50, 80.0)) == [(30, 2.0), (0, None), (20, 1.0)]


def test_a_full_bar_of_which_nothing_is_known_has_the_mean_of_all() -> None:
    assert times((100, 5.0)) == [(100, 0.05)]
    assert times((6, 0.6), (7, 1.4), total=7) == [(0, None), (7, pytest.approx(0.2))]
    assert times((6, 0.1), (7, 0.2), total=7) == [(0, None), (0, None)]
