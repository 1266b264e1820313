"""Rows of several cores in one log."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.generic.last_resort.cores import Cores
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Message


def events_of(*lines: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")]


def printed(row: str, over: str, first: int = 2) -> list[str]:
    return [
        line
        for epoch in range(first, first + 3)
        for n in (0, 20, 40)
        for line in (*(row.format(core=core, n=n, x=f"{9 - epoch}.{n + core:02}") for core in (1, 0, 2)),
                     *([over.format(epoch)] if n == 40 else []))
    ]  # fmt: skip


ROWS = [
    ("[xla:{core}]({n}) Loss={x} Rate=180.5 Time=Wed May  1 10:00:00 2024", "Finished training epoch {}"),
    ("[cuda:{core}]({n}) loss: {x} | rate: 10.5", "completed epoch {}."),
]


@pytest.mark.parametrize(("row", "over"), ROWS)
def test_the_rows_of_one_core_are_read_in_the_epoch_that_a_line_behind_them_names(row: str, over: str) -> None:
    events = events_of(*printed(row, over))
    found = iterations(events)
    assert [one.loss for one in found] == [float(f"{9 - e}.{n + 1:02}") for e in (2, 3, 4) for n in (0, 20, 40)]
    assert [one.index for one in found] == sorted({one.index for one in found}), "one training"
    assert {one.duration_s for one in found} == {None}
    assert sum("several cores" in one.text for one in events if isinstance(one, Message)) == 1
    assert Cores.name == "rows of cores"


def test_without_a_word_of_an_epoch_nobody_knows_where_a_row_stands() -> None:
    assert iterations(events_of(*(one for one in printed(*ROWS[0]) if "Finished" not in one))) == []


@pytest.mark.parametrize(
    "row", ["[disk:{core}]({n}) loss=3%", "[eth:{core}]({n}) packets={x}", "[xla:{core}] Accuracy={x}"]
)
def test_what_has_no_loss_is_none(row: str) -> None:
    assert iterations(events_of(*printed(row, "Finished training epoch {}"))) == []
