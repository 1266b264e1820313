"""Which lines of a log are its end: those behind its newest row, or the last ones where it has none."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.events import Config, Counted, End, EndOfFile, EndReason, Event, Iteration, Launch, Message, RunInfo

RUN: list[Event] = [Config(max_iterations=1_000), *(Iteration(i, 1.0) for i in range(100))]


def errors(*lines: int) -> list[Event]:
    return [Message(f"ValueError: of line {n}", "error", line=n, ending=EndReason.FAILED) for n in lines]


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        ((35, 67, 700), None),  # others began since, and did not fail
        ((35, 850, 990), 850),  # those at the end, of which the first says why
        ((990,), 990),
    ],
)
def test_of_a_log_without_an_iteration_errors_long_before_its_end_are_none(
    lines: tuple[int, ...], first: int | None
) -> None:
    file = EndOfFile(at_s=1e9, read_at_s=2e9, lines=1_000, newest=0)
    end = End(EndReason.FAILED)  # as its reader says, by the newest of them
    over = watched([RunInfo(clock="log"), *errors(*lines), end, file]).findings().ending
    assert over is not None
    assert (over.words[0].line if over.words else None) == first
    assert over.reason == ("failed" if first else "unknown")


def test_how_much_of_a_log_stands_behind_its_newest_row_is_known() -> None:
    over = watched([*RUN, EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert over is not None
    assert (over.lines_behind, over.is_log, over.begun_line) == (30, True, None)
    held = watched([*RUN, EndOfFile(1e9, 2e9, lines=150)]).findings().ending
    assert held is not None
    assert (held.lines_behind, held.is_log) == (None, True)
    starts = watched([*RUN, Counted(begun=130), EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert starts is not None
    assert (starts.begun_line, starts.is_launch) == (130, False)
    launch = watched([*RUN, Launch(line=140), EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert launch is not None
    assert (launch.begun_line, launch.is_launch) == (140, True)
