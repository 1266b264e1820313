"""The verdict: the headline always, and what to do before the last of the evidence."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Findings, Verdict
from itermon.tui.drawing.lines import text
from itermon.tui.panels.verdict import verdict, verdict_style

FOUND = Findings(
    verdict=Verdict("slow", "Slow.", ("one", "two", "three"), "Do this.", ("how fast it could be",), healthy=False)
)


def rows(found: Findings, count: int) -> list[str]:
    return [text(line) for line in verdict(found, 60, count)]


def test_all_of_it_where_there_is_room() -> None:
    assert rows(FOUND, 9) == [
        " Slow.", " one", " two", " three", " Next: Do this.", " Not known: how fast it could be",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "left"),
    [
        (5, [" Slow.", " one", " two", " three", " Next: Do this."]),
        (3, [" Slow.", " one", " Next: Do this."]),
        (2, [" Slow.", " Next: Do this."]),
        (1, [" Slow."]),
    ],
)
def test_what_to_do_outweighs_the_last_of_the_evidence(count: int, left: list[str]) -> None:
    assert rows(FOUND, count) == left


def test_before_there_is_one_it_says_so() -> None:
    assert rows(Findings(), 3) == [" too little known for a verdict yet"]


@pytest.mark.parametrize(("healthy", "style"), [(True, "good"), (False, "warn"), (None, "value")])
def test_its_colour_says_whether_it_is_healthy(healthy: bool | None, style: str) -> None:
    found = Findings(verdict=Verdict(headline="It is.", healthy=healthy))
    assert verdict_style(found) == style
    assert verdict(found, 60, 1)[0][1][1] == style
