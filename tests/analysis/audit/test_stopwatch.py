"""The log's times against the clock on the wall."""

import pytest

from itermon.analysis.audit.stopwatch import wall_over_logged
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Iteration,
    RunInfo,
)

INFO = RunInfo(clock="log", time_includes=(EVALUATION, CHECKPOINT))


def lines(every: int, printed_s: float, real_s: float, count: int = 40) -> list[Iteration]:
    """A log that prints each `every`th iteration."""
    return [Iteration(i, printed_s, at_s=100 + i * real_s) for i in range(0, count * every, every)]


def test_times_that_agree_are_one() -> None:
    assert wall_over_logged(INFO, lines(1, 1.0, 1.0)) == pytest.approx(1.0)
    assert wall_over_logged(INFO, lines(10, 0.5, 0.5)) == pytest.approx(1.0)


def test_times_of_handing_over_are_found_too_short() -> None:
    assert wall_over_logged(INFO, lines(10, 0.02, 0.3)) == pytest.approx(15.0)


def test_lines_of_one_buffer_count_once() -> None:
    bursts = [Iteration(i, 1.0, at_s=100.0 + 8 * (i // 8)) for i in range(80)]
    assert wall_over_logged(INFO, bursts) == pytest.approx(1.0)


def test_an_evaluation_in_a_printed_time_and_a_pause_change_nothing() -> None:
    log = lines(1, 1.0, 1.0)
    late = [Iteration(i.index, i.duration_s, at_s=(i.at_s or 0) + (600 if i.index > 20 else 0)) for i in log]
    late[30] = Iteration(30, 61.0, at_s=late[30].at_s)
    late[31:] = [Iteration(i.index, i.duration_s, at_s=(i.at_s or 0) + 60) for i in late[31:]]
    assert wall_over_logged(INFO, late) == pytest.approx(1.0)


def test_six_marks_over_ten_seconds_are_enough() -> None:
    assert wall_over_logged(INFO, lines(1, 2.0, 2.0, count=6)) == pytest.approx(1.0)
    assert wall_over_logged(INFO, lines(1, 2.0, 2.0, count=5)) is None
    assert wall_over_logged(INFO, lines(1, 1.9, 1.9, count=6)) is None
    again = [*lines(1, 2.0, 2.0, count=5), Iteration(0, 2.0, at_s=110.0)]
    assert wall_over_logged(INFO, again) is None, "nothing lies between the last mark and one that begins again"


def test_it_is_not_told_where_it_cannot_be() -> None:
    good = lines(1, 1.0, 1.0)
    assert wall_over_logged(RunInfo(clock="log"), good) is None  # evaluations stand outside of the times
    assert wall_over_logged(RunInfo(time_includes=INFO.time_includes), good) is None  # no clock
    assert wall_over_logged(INFO, lines(1, 0.1, 0.1)) is None  # four seconds
    assert wall_over_logged(INFO, lines(1, 9.0, 9.0, count=5)) is None
    assert wall_over_logged(INFO, [Iteration(i, 1.0) for i in range(40)]) is None
    again = [Iteration(i.index % 8, i.duration_s, at_s=i.at_s) for i in good]
    assert wall_over_logged(INFO, again) == pytest.approx(1.0)  # restarts are skipped, not counted


def test_lines_without_a_time_and_means_are_no_marks() -> None:
    untimed = [Iteration(i, None, at_s=100.0 + i) for i in range(40)]
    assert wall_over_logged(INFO, untimed) is None
    means = [Iteration(i, 1.0, at_s=100.0 + i, averaged_over=10) for i in range(0, 400, 10)]
    assert wall_over_logged(INFO, means) is None


def test_iterations_without_a_stamp_count_with_their_own_times() -> None:
    """Every seventh waits for its loader, and a line with a stamp comes every twentieth: the clocks agree."""
    took_s = [6.0 if i % 7 == 0 else 0.9 for i in range(280)]
    rows = [
        Iteration(i, took, at_s=1_000.0 + sum(took_s[: i + 1]) if i % 20 == 19 else None)
        for i, took in enumerate(took_s)
    ]
    assert wall_over_logged(INFO, rows) == pytest.approx(1.0)
