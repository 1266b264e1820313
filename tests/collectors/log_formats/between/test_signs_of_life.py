"""Lines that are no rows count as signs of life, now and then; those of whoever watches a hang do not."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.between.signs_of_life import EVERY_S, SignsOfLife
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.logs.reader import LogReader
from itermon.events import Alive

DAY = "2025-03-01"
AT_10 = stamp(f"{DAY} 10:00:00 x") or 0.0


def begun(row_at_s: float | None = AT_10) -> SignsOfLife:
    life = SignsOfLife()
    life.row(row_at_s)
    return life


def test_a_line_is_a_sign_some_seconds_after_the_one_before() -> None:
    life = begun()
    seen = [life.sign(f"scoring {n}", AT_10 + n) for n in range(60)]
    assert [event for events in seen for event in events] == [Alive(AT_10 + n) for n in range(5, 60, int(EVERY_S))]
    assert life.sign("no stamp here", None) == []
    assert begun(None).sign("a row without a time", 7.0) == [Alive(7.0)]


@pytest.mark.parametrize(
    "text",
    [
        "[W ProcessGroupNCCL.cpp:616] waits",
        "Watchdog caught it",
        "heartbeat of rank 3",
        "still waiting for 1",
    ],
)
def test_who_watches_a_training_that_hangs_shows_no_life(text: str) -> None:
    assert begun().sign(text, AT_10 + 1_200) == []


def silences(between: list[str]) -> list[str]:
    rows = [f"{DAY} 10:{n:02d}:00 INFO step: {n} loss: 2.5" for n in range(30)]
    last = [f"{DAY} 14:{n:02d}:00 INFO step: {n + 30} loss: 2.5" for n in range(10)]
    run, reader = Run(), LogReader(rows)
    run.apply(reader.feed("".join(f"{line}\n" for line in (*rows, *between, *last)).encode()))
    return [one.state for one in run.findings().incidents if one.kind == "silent"]


def test_a_silence_is_a_time_without_any_line_and_ends_with_one() -> None:
    assert silences([]) == ["Nothing new for 3 h 31 m; 60.0 s is usual."]
    talks = [f"{DAY} {10 + n // 60}:{n % 60:02d}:30 INFO a document is scored" for n in range(30, 240)]
    assert silences(talks) == []
    assert silences(talks[:60]) == ["Nothing new for 2 h 30 m; 60.0 s is usual."]
