"""Always the same one, another each time, or too little to say."""

from __future__ import annotations

import pytest

from itermon.analysis.fleet.pattern import FIXED, ROTATING, Pattern, pattern
from itermon.events.fleet import FleetCourse


def course(slow: list[int | None], hosts: int = 4) -> FleetCourse:
    """Which host was slow in each column."""
    rows = {f"host-{host}": [0.5 if host == one else 0.4 for one in slow] for host in range(hosts)}
    return FleetCourse(columns=len(slow), rows=rows, median_s=[0.4] * len(slow))


@pytest.mark.parametrize(
    ("slow", "kind"),
    [
        ([1] * 10, FIXED),
        ([1] * 8 + [2] * 2, FIXED),
        ([1] * 7 + [2] * 3, ROTATING),
        ([0, 1, 2, 3] * 5, ROTATING),
        ([1] * 9, ""),
        ([None] * 50, ""),
        ([], ""),
    ],
)
def test_what_the_columns_say(slow: list[int | None], kind: str) -> None:
    found = pattern(course(slow), 0.5)
    assert found.kind == kind
    assert found.columns == sum(one is not None for one in slow)


def test_what_is_less_than_5_percent_of_an_iteration_is_nobodys() -> None:
    small = FleetCourse(rows={"a": [0.424] * 20, "b": [0.4] * 20}, median_s=[0.4] * 20)
    assert pattern(small, 0.5).columns == 0
    assert pattern(small, 0.4).columns == 20
    assert pattern(small, None).columns == 0


def test_columns_that_nobody_measured_say_nothing() -> None:
    holes = FleetCourse(rows={"a": [None, 0.5], "b": []}, median_s=[0.4, None, 0.4])
    assert pattern(holes, 0.5).columns == 0


def test_who_was_the_slowest_most_often_has_a_share() -> None:
    assert pattern(course([1] * 8 + [2] * 2), 0.5) == Pattern(FIXED, "host-1", 0.8, 10, 2)
    assert pattern(course([None] * 10), 0.5) == pattern(course([1] * 10), None) == Pattern("", "", 0.0, 0, 0)


def test_five_percent_of_an_iteration_is_nobodys_and_more_is() -> None:
    for late_s, columns in ((0.05, 0), (0.051, 12)):
        assert pattern(FleetCourse(rows={"a": [late_s] * 12}, median_s=[0.0] * 12), 1.0).columns == columns
