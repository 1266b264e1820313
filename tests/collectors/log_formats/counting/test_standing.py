"""What a clock of rows says of their process."""

import pytest

from itermon.collectors.log_formats.counting.standing import (
    Clock,
    FirstPlace,
    clock_of,
)
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, SpanEnd


@pytest.mark.parametrize(
    ("elapsed_s", "before_s", "clock"),
    [
        (5.0, 10.0, Clock.NEW),
        (5.5, 10.0, None),  # of another process, or of one that began later
        (9.5, 10.0, Clock.RUNS_ON),
        (99.0, 10.0, Clock.RUNS_ON),
        (None, 10.0, None),
        (5.0, None, None),
        (0.0, 0.0, Clock.RUNS_ON),
    ],
)
def test_a_clock_at_half_of_what_it_was_began_again(
    elapsed_s: float | None, before_s: float | None, clock: Clock | None
) -> None:
    """One that shows what it showed runs on."""
    assert clock_of(elapsed_s, before_s) is clock


def test_whose_clock_it_is_behind_a_row_that_waits_the_rows_show() -> None:
    assert clock_of(9.5, 10.0, waits=True) is None
    assert clock_of(10.5, 10.0, waits=True) is Clock.RUNS_ON


def test_a_process_that_repeats_the_steps_of_the_one_before_it_is_another_where_its_clock_begins_again() -> None:
    clocks = [(20, 30, 40), (14, 25, 37), (15, 29, 39)]
    rows = [f"step {n}, loss {9 - n}.5, time elapsed {s}.5 sec" for one in clocks for n, s in enumerate(one, 1)]
    events = LogReader(rows).feed("".join(f"{line}\n" for line in rows).encode())
    assert [one.index for one in events if isinstance(one, Iteration)] == [1, 2, 3] * 3


def test_the_very_first_place_comes_again_where_an_epoch_is_named():
    place = FirstPlace()
    seen = [(0.0, 0.0), (500.0, 0.0), (0.0, 0.0), (0.0, None)]
    assert [place.comes_again(*one) for one in seen] == [False, False, True, False]
    alone = FirstPlace()
    assert [alone.comes_again(0.0, None) for _ in range(2)] == [False, False]  # each epoch may begin so


@pytest.mark.parametrize("behind", ["", "2025-03-01 10:00:30 INFO Testing: a sample"])
def test_the_start_line_and_the_first_place_again_are_a_training_even_of_a_single_row(behind: str) -> None:
    """Also where the process before was in the midst of an evaluation that it announced."""
    start = "2025-03-01 10:00:00 INFO ==== Execution starts ===="
    rows = [f"2025-03-01 10:0{n}:00 INFO Epoch: {n // 3}, Iteration: {n}, Loss: {9 - n}.5" for n in range(6)]
    lines = [start, *rows, behind, start, rows[0], behind, start, rows[0], behind]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines if line).encode())
    assert [one.index for one in events if isinstance(one, Iteration)] == [*range(6), 0, 0]
    assert not [one for one in events if isinstance(one, SpanEnd)]
    assert sum(isinstance(one, RunInfo) for one in events) == 1 + 3  # the reader's own, which names the format


def test_a_line_that_each_epoch_begins_with_begins_no_training():
    rows = [
        line
        for epoch in range(4)
        for line in (
            "INFO loading the data",
            *(f"INFO Epoch: {epoch}, Iteration: {n}, Loss: 2.5" for n in range(3)),
        )
    ]
    events = LogReader(rows).feed("".join(f"{line}\n" for line in rows).encode())
    assert sum(isinstance(one, RunInfo) for one in events) == 1 + 1
