"""How long an evaluation lasts whose lines come one by one behind its announcement."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.stops.told_stops import ToldStops
from itermon.events import Event, Iteration, SpanEnd, Witness

BEGINS = "@01:00 Start evaluation of 40 scenes"
SCENES = [f"@01:0{n} scene {n}: overlap 0.5" for n in range(2, 8)]
SCORES = [f"@01:0{n} scene {n}: validation accuracy: 0.5" for n in range(2, 8)]


def row(minutes: int, number: int = 1) -> list[Event]:
    at_s = stamp(f"2025-03-01 10:{minutes:02}:00 x")
    return [Iteration(number, 60.0, at_s=at_s, witness=Witness.STAMPS)]


def heard(stops: ToldStops, *lines: str) -> ToldStops:
    for line in lines:
        text = line.replace("@", "2025-03-01 10:")
        stops.hear(text, stamp(text))
    return stops


def told(*lines: str) -> list[tuple[str, float | None]]:
    stops = ToldStops()
    stops.before(row(0), None)
    found = heard(stops, *lines).before(row(30, 2), None)
    return [(one.kind, one.duration_s) for one in found if isinstance(one, SpanEnd)]


@pytest.mark.parametrize("lines", [SCENES, SCORES])
def test_an_announced_evaluation_lasts_to_the_last_of_its_own_lines(lines: list[str]) -> None:
    assert told(BEGINS, *lines) == [("evaluation", 7.0)]


def test_lines_that_stand_elsewhere_between_rows_are_none_of_its_own() -> None:
    stops = ToldStops()
    stops.before(row(0), None)
    beats = [f"@0{n}:30 worker {n} is alive" for n in range(1, 9)]
    heard(stops, *beats).before(row(9, 2), None)
    later = [line.replace("@0", "@1") for line in beats]
    found = heard(stops, "@10:00 Start evaluation", "@10:04 worker 0 is alive", *later).before(row(30, 3), None)
    assert [one.duration_s for one in found if isinstance(one, SpanEnd)] == [4.0]


def test_what_ends_it_or_tells_of_something_else_is_its_end() -> None:
    done = ("@01:10 Evaluation done.", "@01:20 scene 8: overlap 0.5", "@01:30 scene 9: overlap 0.5")
    assert told(BEGINS, *SCENES, *done) == [("evaluation", 10.0)]
    saved = ("@01:10 Saving checkpoint", "@01:20 scene 8: overlap 0.5")
    assert ("evaluation", 7.0) in told(BEGINS, *SCORES, *saved)


def test_the_first_of_several_unlike_lines_is_no_end() -> None:
    unlike = ("@01:02 reading boxes", "@01:05 matching", "@01:50 drawing curves")
    assert told(BEGINS, *unlike) == [("evaluation", None)]
    assert told(BEGINS, "@01:40 reading boxes", "@01:41 matching") == [("evaluation", 40.0)]


COUNTED = [f"@0{n}:00 Val: [{n}0/90] sharpness 20.5" for n in range(2, 9)]


@pytest.mark.parametrize(
    ("next_row", "expected"), [(14, None), (15, 360.0)]
)  # minutes; silence for longer than its lines came is something else
def test_lines_that_count_an_evaluation_are_one_that_none_announces(next_row: int, expected: float | None) -> None:
    stops = ToldStops()
    stops.before(row(0), None)
    found = heard(stops, *COUNTED).before(row(next_row, 2), None)
    assert [(one.kind, one.duration_s) for one in found if isinstance(one, SpanEnd)] == [("evaluation", expected)]


def test_a_few_counted_lines_or_results_are_no_list() -> None:
    assert told(*COUNTED[:2]) == []
    assert told("@01:00 Test 5/90 %", "@02:00 Latest: [1/3]", "@03:00 Latest: [2/3]", "@04:00 Latest: [3/3]") == []


def test_results_that_go_on_are_a_part_of_what_is_known_up_to_the_first() -> None:
    results = ["@01:00 reading boxes", *(f"@01:{n}0 validation accuracy: 0.5" for n in range(1, 5))]
    assert told(*results) == [("evaluation", 40.0)]
