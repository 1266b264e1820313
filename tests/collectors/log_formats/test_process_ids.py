"""Another process is known by its id, where its counter does not go on."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.process_ids import ProcessIds, process_of
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("I0301 10:00:06.250000  5674 solver.cpp:218] Iteration 900", "5674"),
        ("I20250301 10:00:06.250000 5674 solver.cpp:218] Iteration 900", "5674"),
        ("[pid 12] step 3", "12"),
        ("2025-03-01 PID=12 step 3", "12"),
        ("Iteration 900, loss = 0.25", None),
        ("rapid 12 step 3", None),
        ("", None),
    ],
)
def test_a_prefix_may_name_the_process(line: str, said: str | None) -> None:
    assert process_of(line) == said


@pytest.mark.parametrize(
    ("rows", "jumps"),
    [
        ([(1, 10), (1, 20), (2, 9_000), (2, 9_010)], [2]),
        ([(1, 10), (1, 20), (2, 30), (2, 40)], []),
        ([(1, 10), (2, 10), (1, 20), (2, 20), (1, 9_000), (2, 9_000)], []),
        ([(1, 10), (1, 20), (1, 9_000)], []),
        ([(1, 10), (2, 9_000)], []),
        ([(1, 10), (1, 20), (2, 9_000), (2, 9_010), (3, 20_000)], [2, 4]),
    ],
)
def test_another_id_whose_counter_jumps_is_another_process(rows: list[tuple[int, int]], jumps: list[int]) -> None:
    ids, last, found = ProcessIds(), None, []
    for place, (process, index) in enumerate(rows):
        if ids.jumps(f"[pid {process}] step {index}", index, last):
            found.append(place)
        last = index
    assert found == jumps


def test_what_lies_between_two_tails_is_in_neither_training() -> None:
    lines = [
        f"I030{day} 10:00:{second:02d}.000000  {process} solver.cpp:218] Iteration {first + 20 * n}, loss = 0.5"
        for day, process, first in ((1, 71, 8_900), (3, 72, 59_900))
        for n, second in enumerate(range(0, 50, 10))
    ]
    reader = LogReader(lines)
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    rows = [event for event in events if isinstance(event, Iteration)]
    assert [event.resumed for event in events if isinstance(event, RunInfo)][-1] is False
    assert {row.averaged_over for row in rows} == {1, 20}
    assert (rows[5].index, rows[5].duration_s) == (59_900, None)
