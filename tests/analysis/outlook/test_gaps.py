"""What is usual from line to line is what there was, of irregular rows and of silences that come again."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Activity
from itermon.analysis.outlook.gaps import Lengths, Usual, printed_every, usual
from itermon.analysis.run import Run
from itermon.events import Alive, ClockKind, Event, Iteration, RunInfo, SpanEnd

# The bounds as numbers of its own: from the code, a test would move with them.
FEWEST = 8

LOG = RunInfo(source_format="log", clock=ClockKind.LOG)


def rows(gaps: list[float], *, each_s: float = 1.0, every: list[int] | None = None) -> list[Event]:
    at_s, index, events = 1_000.0, 0, [Iteration(0, each_s, at_s=1_000.0)]
    for n, gap_s in enumerate(gaps):
        at_s += gap_s
        index += every[n] if every else 1
        events.append(Iteration(index, each_s, at_s=at_s))
    return [LOG, *events]


def taken(events: list[Event]) -> Run:
    run = Run()
    run.apply(events)
    return run


def test_the_median_and_a_long_gap_are_of_the_newest_rows_without_those_that_a_stop_explains() -> None:
    columns = taken(rows([1.0] * 7 + [3.0, 5.0])).columns
    assert usual(columns, 0, ()) == Usual(1.0, 5.0)
    assert usual(columns, 0, {9}) == Usual(1.0, 3.0)
    assert usual(columns, 1, {9}) is None, f"fewer than {FEWEST}"


def test_rows_that_come_irregularly_are_no_silence() -> None:
    every = [40, 30, 45, 35, 40, 30, 45, 9, 8, 9, 40, 30, 45, 35, 40, 45, 9, 8, 9, 8]
    run = taken(rows([float(n) for n in every], every=every))
    heard_s = run.intake.last_at_s or 0.0
    assert run.findings(heard_s + 45.0).now.activity == Activity.TRAINING
    assert run.findings(heard_s + 200.0).now.activity == Activity.SILENT


def test_usual_is_what_the_newest_forty_eight_gaps_were() -> None:
    for ones, median_s in ((24, 9.0), (25, 1.0)):
        assert usual(taken(rows([9.0] * 30 + [1.0] * ones)).columns, 0, ()) == Usual(median_s, 9.0)


@pytest.mark.parametrize(("times", "after", "told"), [(3, 5, 1), (4, 5, 0), (4, 25, 0), (4, 600, 0)])
def test_a_silence_that_comes_again_and_again_is_none(times: int, after: int, told: int) -> None:
    """Nor is one news beside three as long that are told of nowhere, in however many rows."""
    gaps = [*[1.0] * 30, 100.0] * times + [1.0] * after
    silent = [one for one in taken(rows(gaps)).findings().incidents if one.kind == "silent"]
    assert len(silent) == told


def test_of_many_rows_a_few_long_gaps_are_not_common() -> None:
    lengths = Lengths()
    for seconds in (100.0, 110.0, 105.0, 300.0, 40.0):
        lengths.note(seconds)
    assert lengths.is_common(100.0, 150)
    assert not lengths.is_common(100.0, 151), "three others are fewer than one in fifty"
    assert not lengths.is_common(300.0, 10)


def test_gaps_are_as_long_within_a_quarter_or_so() -> None:
    lengths = Lengths()
    for seconds in (100.0, 110.0, 105.0, 300.0, 40.0):
        lengths.note(seconds)
    assert (lengths.as_long(105.0), lengths.as_long(105.0, besides=[105.0, 40.0]), lengths.as_long(200.0)) == (
        4,
        3,
        1,
    )


def test_a_line_that_is_no_row_breaks_a_silence_of_which_the_longest_is_told() -> None:
    events = rows([1.0] * 40)
    last_s = 1_040.0
    talks = [Alive(last_s + passed_s) for passed_s in (500.0, 2_500.0, 2_510.0)]
    run = taken([*events, *talks, Iteration(41, 1.0, at_s=last_s + 2_515.0)])
    (one,) = (one for one in run.findings().incidents if one.kind == "silent")
    assert (one.began_at_s, one.ended_at_s) == (last_s + 500.0, last_s + 2_500.0)
    assert one.state.startswith("Nothing new for 33 m 20 s")


def test_an_evaluation_that_the_log_tells_is_in_no_usual_gap() -> None:
    events = rows([1.0] * 12)
    run = taken([*events, SpanEnd("evaluation", duration_s=50.0), Iteration(13, 1.0, at_s=1_062.0)])
    assert usual(run.columns, 0, run.intake.spans.by_position) == Usual(1.0, 1.0)


@pytest.mark.parametrize(
    ("indices", "every"),
    [
        ([], 1),
        ([5], 1),
        ([0, 10], 10),
        ([0, 10, 30], 10),
        ([0, 1, 11, 21, 31], 10),  # three steps count
        ([0, 9, 10, 12, 15], 2),
        ([0, 1, 3, 6, 16], 3),
        ([0, 1, 2, 12, 22], 10),
        ([7, 0, 4, 4], 4),  # a step back is none
    ],
)
def test_lines_are_as_far_apart_as_the_newest_three_steps(indices: list[int], every: int) -> None:
    assert printed_every(taken([Iteration(i, 1.0) for i in indices]).columns) == every
