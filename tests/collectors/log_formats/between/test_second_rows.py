"""A second row of a place, alike but for its values, is another process's where hardly any place has one."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, RunInfo


def events_of(rows: list[dict[str, object]]) -> list[Event]:
    reader = LogReader()
    events = reader.feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return [*events, *reader.end(b"")]


def begun(events: list[Event]) -> int:
    """Processes: what is said before the first row is of one."""
    kinds = [type(one) for one in events if isinstance(one, RunInfo | Iteration)]
    return sum(one is RunInfo and then is Iteration for one, then in pairwise(kinds))


def row(n: int, *, more: float = 0.0) -> dict[str, object]:
    return {"step": 20 * n, "loss": 8.5 - n / 64 + more, "cost": n / 4}


ROWS = [row(n) for n in range(1, 41)]


@pytest.mark.parametrize("at", [1, 20, 39])
def test_a_second_row_of_a_place_is_another_start(at: int) -> None:
    events = events_of([*ROWS[:at], row(at, more=0.25), *ROWS[at:]])
    found = iterations(events)
    assert [one.index for one in found] == [20 * n for n in (*range(1, at + 1), *range(at, 41))]
    assert found[at].loss == 8.5 - at / 64 + 0.25
    assert begun(events) == 2


def with_second(second: dict[str, object]) -> list[dict[str, object]]:
    return [*ROWS[:20], second, *ROWS[20:]]


@pytest.mark.parametrize(
    "rows",
    [
        with_second(row(20)),  # the same, printed twice
        with_second(row(20) | {"split": "test"}),
        with_second({"step": 400, "eval_loss": 2.5, "eval_cost": 1.5}),
        [one | {"rank": rank} for one in ROWS for rank in (0, 1)],
        [row(n, more=more) for n in range(1, 41) for more in (0.0, 0.25)],  # two ranks
        [one for n in range(1, 101) for one in (row(n), row(n, more=0.25))[: 1 + (n % 20 == 0)]],  # every 20 rows
        [*ROWS, row(40, more=0.25)],  # nothing goes on from there
        [*ROWS[:4], row(4, more=0.25), *ROWS[4:8]],  # too few to know
    ],
    ids=["twice", "words", "evaluation", "named ranks", "ranks", "regular", "last", "few"],
)
def test_other_second_rows_are_none(rows: list[dict[str, object]]) -> None:
    events = events_of(rows)
    assert begun(events) == 1
    indices = [one.index for one in iterations(events)]
    assert indices == sorted({*indices})


def test_place_after_place_with_two_rows_is_of_two_writers_and_no_start() -> None:
    """Far behind what was looked at before the first row was read."""
    doubled = [one for n in range(400, 407) for one in (row(n), row(n, more=0.25))]
    rows = [*map(row, range(1, 400)), *doubled, *map(row, range(407, 450))]
    reader, events = LogReader(), []
    for one in rows:
        events += reader.feed(f"{json.dumps(one)}\n".encode())
    events += reader.end(b"")
    assert begun(events) == 1
    assert [one.index for one in iterations(events)] == [20 * n for n in range(1, 450)]


def test_so_it_is_in_a_table() -> None:
    lines = ["step,loss,lr", *(f"{n},{8.5 - n / 64},0.5" for n in range(1, 41))]
    lines.insert(21, "20,8.75,0.25")
    reader = LogReader()
    events = [*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == [*range(1, 21), *range(20, 41)]
    assert begun(events) == 2


def test_the_first_row_of_a_process_stands_for_as_many_as_the_others() -> None:
    found = iterations(events_of([*ROWS, *(row(n) for n in range(30, 50))]))
    assert [one.averaged_over for one in found if one.averaged_over != 1] == [20]
    assert found[40].index == 600
    assert found[40].averaged_over == 20


def epoch(n: float, *, more: float = 0.0) -> dict[str, object]:
    return {"epoch": n, "train_loss": 2.5 - n / 64 + more, "lr": 0.5}


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize(
    ("second", "processes", "twice"),
    [(epoch(20), 1, []), (epoch(20, more=0.25), 2, [20])],
    ids=["the same row printed twice", "another start"],
)
def test_an_epoch_told_twice_makes_no_later_one(
    second: dict[str, object], processes: int, twice: list[int], *, table: bool
) -> None:
    rows = [*(epoch(n) for n in range(1, 21)), second, *(epoch(n) for n in range(21, 41))]
    lines = [",".join(epoch(1)), *(",".join(map(str, one.values())) for one in rows), ""]
    reader = LogReader()
    events = [*reader.feed("\n".join(lines).encode()), *reader.end(b"")] if table else events_of(rows)
    assert [one.index for one in iterations(events)] == [*range(1, 21), *twice, *range(21, 41)]
    assert begun(events) == processes


def test_fractions_of_an_epoch_may_be_the_same_by_rounding() -> None:
    rows = [epoch(n / 64) for n in range(1, 41)]
    rows[20]["epoch"] = rows[19]["epoch"]
    events = events_of(rows)
    assert len(iterations(events)) == 40
    assert begun(events) == 1
