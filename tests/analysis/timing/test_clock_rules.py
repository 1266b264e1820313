"""Clocks in a log that begin anew with each training: between two of them none ran."""

import pytest

from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.analysis.timing.clock import Clock
from itermon.collectors.logs.reader import LogReader
from itermon.events import GAP, ClockKind, Iteration, RunInfo


def test_trainings_with_a_clock_of_their_own_each_have_no_gap_between_them() -> None:
    """Fits of one script: each clock begins at 0, and from a minute on has whole seconds."""
    said = [
        f"{n}:\tlearn: 0.5\ttotal: {f'{s:.3g}s' if s < 60 else f'{int(s // 60)}m {int(s % 60)}s'}\tremaining: 1m\n"
        for _ in range(4)
        for n in range(549)
        if (s := 0.371 * (n + 1))
    ]
    reader, run = LogReader(), Run()
    run.apply([*reader.feed("".join(said).encode()), *reader.end(b"")])
    assert sum(row.share for row in run.findings(spikes=None).ledger if row.cause == GAP) < 0.002


def test_iterations_before_the_zero_of_a_clock_in_the_log_are_not_in_it() -> None:
    run = Run()
    rows = [(50 * epoch + n, 1.0 + n) for epoch in range(3) for n in range(3)]
    run.apply([RunInfo(undescribed=True), *(Iteration(n, 1.0, elapsed_s=shown_s) for n, shown_s in rows)])
    assert [one.name for one in run.findings().witnesses] == []
    clock = run.intake.labels.timing.clock
    assert (clock.unmeasured, clock.unseen) == (94, 0)


def test_what_a_process_made_behind_its_last_row_is_no_gap() -> None:
    for index, over, unseen, gap_s in ((60, 8, 12, 80.0), (60, 20, 0, 80.0), (60, 1, 19, 80.0), (100, 8, 0, 92.0)):
        rows = [(20, 100.0, 20), (40, 120.0, 20), (index, 220.0, over)]
        columns = Columns()
        columns.extend([Iteration(i, 1.0, at_s=at_s, averaged_over=of) for i, at_s, of in rows])
        clock = Clock(columns)
        gaps = [clock.tick(p, 1.0, 0.02, restarted=p == 2) for p in range(3)]
        assert (gaps[2], clock.unseen) == (gap_s, unseen), "of sixty it would have printed rows"


def test_iterations_without_a_row_may_have_been_as_slow_as_the_rows_at_both_ends() -> None:
    """Rows of every twentieth: the slower ones took 1.1 s each, as those between them did."""
    rows = [(20 * n, 100.0 + 22.0 * n, 1.1) for n in range(3)] + [(60, 194.0, 1.1)]
    columns = Columns()
    columns.extend([Iteration(index, each_s, at_s=at_s) for index, at_s, each_s in rows])
    clock = Clock(columns)
    gaps = [clock.tick(p, 0.65, 1.0, restarted=False) for p in range(4)]
    assert gaps[:3] == [0.0, 0.0, 0.0]
    assert 27.0 < gaps[3] < 29.0, "which is longer than any of them"


def test_what_iterations_without_a_row_take_is_weighed_by_their_number() -> None:
    """Every twentieth, each of 33 ms, by stamps of whole seconds: 20 or 40 of them lie between two of these."""
    columns = Columns()
    columns.extend([Iteration(20 * n, 0.033, at_s=100.0 + int(0.66 * n)) for n in range(40)])
    clock = Clock(columns)
    assert {clock.tick(p, 0.033, 1.0, restarted=False) for p in range(40)} == {0.0}
    assert abs((clock.unseen_s or 0.0) / 0.033 - 1) < 0.05


def test_a_clock_of_whole_seconds_shows_no_gap_before_rows_that_it_ticks_too_seldom_to_time() -> None:
    """The newest rollouts take longer than those before; none of them is timed yet, and nothing stood still."""
    table = """-----------------------------
| time/              |      |
|    iterations      | {:<4} |
|    time_elapsed    | {:<4} |
|    total_timesteps | {:<4} |
-----------------------------
"""
    clock_s = [*range(0, 201, 2), 205, 209, 213]
    rows = "".join(table.format(5 * n, s, 10 * n) for n, s in enumerate(clock_s, 1))
    reader, run = LogReader(), Run()
    run.apply([*reader.feed(rows.encode()), *reader.end(b"")])
    findings = run.findings()
    assert [spike.index for spike in findings.spikes] == []
    assert not any(row.cause == GAP for row in findings.ledger)


def test_a_gap_among_many_rows_is_in_the_sums_and_no_rows_own() -> None:
    """A clock that is read at the end of an epoch of ten rows: nobody knows before which of them it was."""
    run, elapsed_s = Run(), 0.0
    run.apply([RunInfo(source_format="t")])
    for n in range(1, 101):
        elapsed_s += 1.0 + 30.0 * (n % 10 == 5 and n > 40)
        run.apply([Iteration(n, 1.0, elapsed_s=None if n % 10 else elapsed_s)])
    found = run.findings(spikes=None)
    assert [one.index for one in found.spikes] == []
    assert sum(row.seconds for row in found.ledger if row.cause == GAP) == 30.0 * 6


@pytest.mark.parametrize(("each_s", "gap_s"), [(23.6, 0.0), (25.5, 50.0)])
def test_what_is_cut_off_of_printed_times_is_no_time_between_rows(each_s: float, gap_s: float) -> None:
    """Of 23.6 s `23` is printed, so that twenty rows lack half a second each."""
    run = Run()
    rows = [Iteration(n, 22.0 + (n % 4 > 0), at_s=1_000.0 + each_s * n) for n in range(21)]
    run.apply([RunInfo(clock=ClockKind.LOG), *rows])
    found = sum(row.seconds for row in run.findings(spikes=None).ledger if row.cause == GAP)
    assert abs(found - gap_s) < 6.0 if gap_s else found == 0.0
