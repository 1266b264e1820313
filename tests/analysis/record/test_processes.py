"""Iterations are cut where their index steps back: another process began. Each has its own words and settings."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest
from simulated_runs import watched

from itermon.analysis.record.columns import Columns
from itermon.analysis.record.messages import Messages
from itermon.analysis.record.processes import (
    Launches,
    Silences,
    at_jumps,
    by_process,
    jumps,
    of_rank,
    starts_ahead,
    starts_level,
)
from itermon.analysis.record.settings import Settings
from itermon.events import (
    ClockKind,
    Config,
    End,
    EndOfFile,
    EndReason,
    Event,
    Iteration,
    Iterations,
    Launch,
    Message,
    RunInfo,
)
from itermon.reports.report_text import report

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings

DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("indices", "parts"),
    [
        ([1, 2, 3], [[1, 2, 3]]),
        ([1, 1, 2], [[1, 1, 2]]),
        ([3, 2, 1], [[3], [2], [1]]),
        ([1, 1, 0], [[1, 1], [0]]),
        ([0, 1, 0, 1], [[0, 1], [0, 1]]),
        ([5, 6, 2, 3, 9], [[5, 6], [2, 3, 9]]),
        ([7], [[7]]),
    ],
)
def test_a_part_ends_where_the_index_steps_back(indices: list[int], parts: list[list[int]]) -> None:
    found = [*by_process([Iteration(i) for i in indices])]
    assert [list(part_indices) for _, part_indices in found] == parts
    assert [[e.index for e in part] for part, _ in found] == parts


def test_a_block_ascends_as_it_is() -> None:
    block = Iterations(array("q", [3, 4]), *(array("d", [1.0, 1.0]) for _ in range(3)))
    assert [*by_process(block)] == [(block, block.index)]


@pytest.mark.parametrize(
    ("before", "indices", "expected"),
    [
        ([], [20, 40, 60, 1_080, 1_100], [3]),
        ([], [20, 40, 60, 1_040, 1_060], []),  # not so far
        ([20, 40, 60], [50_000, 50_020], [0]),
        ([20, 40, 60], [80, 100, 50_000], [2]),
        ([20, 60_000], [60_020], []),  # it was one of those before
        ([20], [60_000, 120_000], []),  # nobody knows what is usual
        ([20], [40, 60_000, 60_020], []),  # by one distance
        ([10, 500, 520], [60_000], []),  # nothing is
        ([20, 40, 60], [60, 80, 100, 5_000], []),  # a row of the same iteration, in whichever batch it comes
        ([], [20, 40, 60, 60, 80, 100, 5_000], []),
        ([100, 200, 300], [2_400], [0]),
        ([100, 200, 300], [2_200], []),
        ([20, 40, 60], [0, 20, 40, 9_000], [3]),  # another process
        ([20, 40, 60], [30, 50, 70, 9_000], [3]),
        ([], [10, 20, 40, 60_000], [3]),  # one distance may be twice another
        ([], [10, 20, 41, 60_000], []),
        ([], [0, 60, 160, 2_160], [3]),  # twenty times the larger of them
        ([], [0, 60, 160, 2_150], []),
        ([0, 500], [*range(520, 680, 20), 60_000], [8]),  # the newest eight tell what is usual
        ([0, 500], [*range(520, 660, 20), 60_000], []),
    ],
)
def test_a_jump_is_far_more_than_the_usual_distance_of_rows(
    before: list[int], indices: list[int], expected: list[int]
) -> None:
    assert jumps(before, indices) == expected


def test_rows_are_cut_at_jumps() -> None:
    rows = [Iteration(i) for i in (1, 2, 3, 5_000, 5_001)]
    found = [*at_jumps((rows, [row.index for row in rows]), [], 0)]
    assert [(list(indices), jumped) for (_, indices), jumped in found] == [
        ([1, 2, 3], False),
        ([5_000, 5_001], True),
    ]


@pytest.mark.parametrize(
    ("seen", "begun", "jumped"),
    [
        ([0, 500, *range(520, 680, 20)], 0, True),  # by what was seen of this process, the newest of it
        ([0, 500, *range(520, 660, 20)], 0, False),
        ([20, 40, 60, 80], 1, True),
        ([20, 40, 60, 80], 2, False),  # one distance is too few
        ([], 0, False),
    ],
)
def test_the_rows_before_tell_whether_the_first_is_behind_a_jump(
    seen: list[int], begun: int, jumped: bool
) -> None:
    rows = [Iteration(60_000), Iteration(60_020)]
    assert [so for _, so in at_jumps((rows, [60_000, 60_020]), seen, begun)] == [jumped]


@pytest.mark.parametrize(
    ("indices", "seen", "jumped"),
    [
        ([1, 2, 3, 5_000], [], [False, True]),
        ([1, 2, 3, 4], [], [False]),
        ([10, 20, 30], [], [False]),
        ([5_000, 5_001], [1, 2, 3], [True]),
        ([4], [1, 2, 3], [False]),
    ],
)
def test_a_block_is_cut_as_rows_are(indices: list[int], seen: list[int], jumped: list[bool]) -> None:
    """The same log with other line ends is read row by row."""
    block = Iterations(array("q", indices), *(array("d", [1.0] * len(indices)) for _ in range(3)))
    rows = [Iteration(n, 1.0) for n in indices]
    for events in (block, rows):
        assert [so for _, so in at_jumps((events, indices), seen, 0)] == jumped


def test_what_lies_in_a_jump_is_neither_seen_nor_silent_and_no_share_is_told_where_it_is_most() -> None:
    times_s = [*((i, 2.0 * i) for i in range(100, 110)), *((i, 90_000 + 2.0 * i) for i in range(9_000, 9_010))]
    found = watched([RunInfo(), *(Iteration(i, 2.0, at_s=at_s) for i, at_s in times_s)]).findings(spikes=None)
    assert found.progress.iterations_seen == 20
    assert found.progress.restarts == 0
    assert found.ledger == ()  # the training went on there
    assert found.incidents == ()


def test_of_several_ranks_one_is_kept() -> None:
    events = [Iteration(1, rank=0), Iteration(1, rank=1), Iteration(2, rank=1)]
    assert of_rank(events, 1) == events[1:]
    assert of_rank(events[1:], 1) == events[1:]
    assert of_rank(events[1:], 0) == []


DONE = Message("All is done", line=50, ending=EndReason.FINISHED)
BROKEN = Message("OddError: no", "error", line=80, ending=EndReason.FAILED)
FIRST: list[Event] = [RunInfo(), *(Iteration(i, 1.0, at_s=1e9 + i) for i in range(1, 101))]
NEXT: list[Event] = [RunInfo(), *(Iteration(i, 1.0, at_s=1.0005e9 + i) for i in range(1, 31))]
OLD = EndOfFile(at_s=1.5e9, read_at_s=1.6e9)


def none_of(*after_none: bool | None) -> tuple[int, int]:
    """How many launches there are, and those without an iteration; `None`: iterations come."""
    launches = Launches(Messages(), Settings(), {})
    for part in after_none:
        launches.go_on(5) if part is None else launches.begin(Launch(after_none=part), lambda: None)
    return launches.count, launches.without_iterations


def test_launches_without_an_iteration_are_counted() -> None:
    assert none_of() == (0, 0)
    assert none_of(None, False, None) == (2, 0)
    assert none_of(True, None, None) == (2, 1)
    assert none_of(None, False, True, True, None) == (4, 2)
    assert none_of(None, False, True) == (3, 2)  # the newest has none so far
    assert none_of(None, False, False, None) == (3, 0)


def test_a_number_of_launches_that_is_not_certain_is_none() -> None:
    launches = Launches(Messages(), Settings(), {})
    launches.begin(Launch(), lambda: None)
    assert launches.count == 2
    launches.go_on(5)
    launches.begin(Launch(after_none=None), lambda: None)
    assert (launches.count, launches.without_iterations, launches.newest is None) == (0, 0, False)


def test_where_a_training_begins_without_a_launch_their_number_is_not_certain() -> None:
    launches = Launches(Messages(), Settings(), {})
    launches.begin_process(0, jumped=False)
    launches.begin_process(3, jumped=True)
    launches.begin(Launch(), lambda: None)
    launches.go_on(5)
    launches.begin_process(5, jumped=False)
    assert launches.count == 2
    launches.begin_process(9, jumped=False)
    assert (launches.count, launches.without_iterations) == (0, 0)


def test_where_a_launch_comes_to_its_first_iteration_another_process_is_proven() -> None:
    launches = Launches(Messages(), Settings(), {})
    assert not launches.go_on(7)
    launches.begin(Launch(), lambda: None)
    assert launches.go_on(9)
    assert launches.positions == {9}


def test_an_error_is_that_of_the_launch_it_stands_in() -> None:
    found = watched([*FIRST, DONE, BROKEN, Launch(at_s=1.0004e9, line=60), *NEXT, OLD]).findings()
    kinds = [(one.kind, one.began_iteration, one.state) for one in found.incidents]
    assert [(kind, at) for kind, at, _ in kinds] == [("finished", 100), ("stopped", 30)]
    assert "All is done" in kinds[0][2]
    assert found.ended == EndReason.UNKNOWN


def test_the_newest_launch_says_how_it_ends_though_it_has_no_iteration() -> None:
    found = watched([*FIRST, DONE, BROKEN, Launch(at_s=1.0004e9, line=60), OLD]).findings()
    ending = found.ending
    assert ending is not None
    assert (ending.reason, ending.words[0].text, ending.launch_line) == (EndReason.FAILED, "OddError: no", 60)
    assert ending.before is not None
    assert ending.before.text == "All is done"
    assert "It is of a launch that has no iteration, see line 60." in found.verdict.evidence
    assert "The one before it said: Line 50: All is done." in found.verdict.evidence
    assert (found.progress.launches, found.progress.launches_without_iterations) == (2, 1)


def test_a_launch_that_says_nothing_does_not_undo_what_the_one_before_said() -> None:
    ending = watched([*FIRST, DONE, Launch(at_s=1.0004e9, line=60), OLD]).findings().ending
    assert ending is not None
    assert (ending.reason, ending.launch_line) == (EndReason.FINISHED, None)


def test_how_long_a_launch_takes_to_its_first_iteration_is_no_silence() -> None:
    late: list[Event] = [RunInfo(), *(Iteration(i, 1.0, at_s=1.001e9 + i) for i in range(1, 31))]
    found = watched([*FIRST, Launch(at_s=1e9 + 4_000, line=60), *late]).findings()
    assert [(one.kind, one.ended_at_s) for one in found.incidents] == [("stopped", 1e9 + 4_000)]


def test_an_earlier_total_does_not_speak_of_a_later_launch() -> None:
    said = Config(origin="log line 3", max_iterations=40, world_size=2)
    other = Config(origin="log line 90", max_iterations=60)
    flag = Config(origin="--gpu-name", gpu_name="Odd GPU")
    config = watched([said, flag, *FIRST, Launch(line=60), other, *NEXT]).findings().config
    assert (config.max_iterations, config.world_size, config.gpu_name) == (60, None, "Odd GPU")
    silent = watched([said, *FIRST, Launch(line=60), *NEXT]).findings().config
    assert silent.world_size == 2


def test_each_of_several_jumps_is_one() -> None:
    assert jumps([], [1, 2, 3, 5_000, 5_001, 5_002, 10_000, 10_001]) == [3, 6]


def test_before_its_first_iteration_a_run_that_failed_has_ended_once_whatever_was_launched_since() -> None:
    events: list[Event] = [RunInfo(), DONE, BROKEN, End(EndReason.FAILED, 1e9), Launch(at_s=1.1e9, line=90)]
    assert [one.kind for one in watched(events).findings(1.2e9).incidents] == ["failed"]


def test_when_a_launch_failed_that_came_to_no_iteration_is_no_time_of_the_run() -> None:
    clocked = RunInfo(clock=ClockKind.LOG)
    late = Message("OddError: no", "error", line=80, at_s=1.0004e9 + 50, ending=EndReason.FAILED)
    found = watched([clocked, *FIRST[1:], Launch(at_s=1.0004e9, line=60), late]).findings()
    assert (found.progress.wall_s, [row.cause for row in found.ledger]) == (100.0, ["training"])


def test_a_training_that_begins_with_a_later_iteration_does_not_go_back() -> None:
    assert starts_ahead([4, 9, 99, 3, 3, 7], [0, 2, 3, 4, 6]) == 1
    assert starts_level([4, 9, 99, 3, 3, 7], [0, 2, 3, 4, 6]) == 1


def with_pauses(*pauses_s: float) -> Findings:
    """What is found in rows of 10 s, 200 in a row, with these pauses between."""
    rows, at_s = [], 1e9
    for pause_s in (0.0, *pauses_s):
        at_s += pause_s
        for _ in range(200):
            at_s += 10.0
            rows.append(Iteration(len(rows) + 1, None, 2.0, at_s=at_s))
    info = RunInfo(source_format="key: value log", undescribed=True, clock=ClockKind.LOG)
    return watched([info, *rows]).findings()


def test_a_pause_of_weeks_is_told_and_counts_as_no_time_of_the_training() -> None:
    said = report(with_pauses(20 * DAY_S))
    assert ", at least 20 d 00 h of it without a row" in said
    assert "Where the time went" not in said
    several = with_pauses(3 * DAY_S, 4 * DAY_S)
    assert 7 * DAY_S <= (several.progress.silent_s or 0.0) <= 7 * DAY_S + 60
    assert not several.ledger


def test_stops_that_are_short_or_a_small_part_are_no_silence() -> None:
    assert not with_pauses(600.0).progress.silent_s
    assert not with_pauses(1_700.0).progress.silent_s
    assert with_pauses(2_500.0, 4_000.0).progress.silent_s == pytest.approx(6_520.0)
    assert not with_pauses(0.0, 0.0).progress.silent_s


def test_silences_that_are_asked_for_again_are_those_of_all_rows_so_far() -> None:
    columns, times_s = Columns(), [*range(0, 90, 10), DAY_S, DAY_S + 10, 3 * DAY_S]
    silences, told = Silences(columns), []
    for n, at_s in enumerate(times_s):
        columns.extend([Iteration(n, 1.0, at_s=1e9 + at_s)])
        told.append(silences.seconds(float(at_s)))
    assert told[:9] == [None] * 9
    assert told[9:] == [DAY_S - 80, DAY_S - 80, 3 * DAY_S - 90]


def test_of_rows_that_are_hours_apart_weeks_without_one_are_a_silence_too() -> None:
    columns, hours = Columns(), [*range(0, 30, 3), *range(600, 630, 3)]
    columns.extend([Iteration(n, None, at_s=1e9 + 3_600 * hour) for n, hour in enumerate(hours)])
    assert Silences(columns).seconds(627 * 3_600.0) == 573 * 3_600
    even = Columns()
    even.extend([Iteration(n, None, at_s=1e9 + 10_800 * n) for n in range(20)])
    assert Silences(even).seconds(19 * 10_800.0) is None


def test_rows_of_one_training_that_are_as_far_apart_as_those_beside_them_are_no_silence() -> None:
    hourly = [3_000.0 * n for n in range(30)]
    quick = [hourly[-1] + 5 * DAY_S + 10.0 * n for n in range(300)]
    columns = Columns()
    columns.extend([Iteration(n, 1.0, at_s=1e9 + at_s) for n, at_s in enumerate([*hourly, *quick])])
    assert Silences(columns).seconds(quick[-1]) == 5 * DAY_S


def test_a_silence_is_not_as_many_times_what_passes_beside_it_as_what_usually_does() -> None:
    slow, stop = [90.0 * n for n in range(50)], 30 * 90.0
    slow += [slow[-1] + stop + at_s for at_s in slow]
    quick = [slow[-1] + 5.0 * n for n in range(1, 400)]
    columns = Columns()
    columns.extend([Iteration(n, 1.0, at_s=1e9 + at_s) for n, at_s in enumerate([*slow, *quick])])
    assert Silences(columns).seconds(quick[-1]) == stop
