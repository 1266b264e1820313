"""The verdict: the headline always, then what to do; what is cut says so, and which key shows it whole."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Findings, Verdict
from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.verdict import verdict, verdict_lines, verdict_style, whole_verdict

FOUND = Findings(
    verdict=Verdict("slow", "Slow.", ("one", "two", "three"), "Do this.", ("how fast it could be",), healthy=False)
)

LONG = Findings(verdict=Verdict("slow", "Slow.", ("evidence " * 12,), f"Do all of {'this and that ' * 9}now."))


def rows(found: Findings, count: int, columns: int = 60) -> list[str]:
    lines = verdict_lines(found, columns, count)
    assert len(lines) <= count
    assert max(map(width, lines)) <= columns
    return [text(line) for line in lines]


def test_all_of_it_where_there_is_room() -> None:
    whole = [" Slow.", " one", " two", " three", " Next: Do this.", " Not known: how fast it could be"]
    assert rows(FOUND, 9) == whole
    assert [text(line) for line in verdict(FOUND, 60)] == whole


@pytest.mark.parametrize(
    ("count", "left"),
    [
        (5, [" Slow.", " one", " two", " three", " Next: Do this."]),
        (3, [" Slow.", " one", " Next: Do this."]),
        (2, [" Slow.", " Next: Do this."]),
        (1, [" Slow."]),
    ],
)
def test_what_to_do_outweighs_the_last_of_the_evidence_and_a_key_shows_the_rest(
    count: int, left: list[str]
) -> None:
    shown = rows(FOUND, count)
    assert shown[-1].endswith("  v more ")
    assert [row.removesuffix("v more ").rstrip() for row in shown] == left


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_no_sentence_ends_in_its_middle_without_an_ellipsis(count: int, columns: int) -> None:
    said = " ".join(row.removesuffix("v more ").strip() for row in rows(LONG, count, columns))
    whole = " ".join(text(line).strip() for line in verdict(LONG, 10_000))
    assert said.endswith(("Slow.", "now.", " …"))
    assert set(said.removesuffix(" …").split()) <= set(whole.split())


def test_before_there_is_one_it_says_so() -> None:
    assert rows(Findings(), 3) == [" too little known for a verdict yet"]


@pytest.mark.parametrize(("healthy", "style"), [(True, "good"), (False, "warn"), (None, "value")])
def test_its_colour_says_whether_it_is_healthy(healthy: bool | None, style: str) -> None:
    found = Findings(verdict=Verdict(headline="It is.", healthy=healthy))
    assert verdict_style(found) == style
    assert verdict(found, 60)[0][1][1] == style


def test_its_page_begins_with_how_the_run_ended_and_says_nothing_twice() -> None:
    ended = Findings(verdict=Verdict(headline="Steady.", ending="The log ends at iteration 62 of 1,000."))
    same = Findings(verdict=Verdict(headline="Failed: out of memory", ending="Failed: out of memory"))
    whole = [text(line) for line in whole_verdict(ended, 60)]
    assert whole == [" The log ends at iteration 62 of 1,000.", " Steady."]
    assert [text(line) for line in whole_verdict(same, 60)] == [" Failed: out of memory"]
