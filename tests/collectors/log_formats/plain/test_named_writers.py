"""Rows that name their writers, several side by side in one log."""

import pytest

from itermon.collectors.log_formats.plain.named_writers import RETURNS, NamedWriters
from itermon.collectors.logs.reader import LogReader
from itermon.events import OtherRows

FRONTS = [
    "(Trainer pid={}) epoch",
    "[worker {}] epoch",
    "2025-03-01 10:00:00 INFO agent {}: epoch",
    "client {} | epoch",
]


def why(*rows: str) -> str:
    writers = NamedWriters()
    for row in rows:
        writers.row(row)
    return writers.why


@pytest.mark.parametrize("front", FRONTS)
def test_rows_of_writers_that_take_turns_count_for_nobody(front: str) -> None:
    rows = [f"{front.format(n)} {epoch + n} loss 0.5" for epoch in range(1, RETURNS) for n in (7, 8, 9)]
    assert why(*rows).startswith("rows of 3 writers")
    assert not why(*rows[: RETURNS - 1])
    assert not why(*sorted(rows)), "one after another"
    assert not why(*(row for row in rows if "7" in row[:40]))


def test_parts_that_share_a_counter_of_rounds_are_one_program() -> None:
    rows = [f"round: {epoch} client: {n} loss 0.5" for epoch in range(1, RETURNS + 1) for n in (7, 8, 9)]
    assert why(*rows) == "rows of 3 parts of the training take turns in each round of this log"
    assert why(*rows[:3], *rows).startswith("rows of 3 parts"), "it began again"
    assert why(*rows, rows[0].replace(": 1 ", ": 3 ")).startswith("rows of 3 writers"), "one is behind"
    assert why(*rows, rows[-2]).startswith("rows of 3 writers"), "one speaks twice in a round"
    by_process = [row.replace("client: ", "(train pid=") + ")" for row in rows]
    assert why(*(row.replace(" loss", ") loss") for row in by_process)).startswith("rows of 3 writers")


def test_parts_whose_own_counter_stands_still_are_one_program_where_each_speaks_once_a_round_in_any_order() -> (
    None
):
    orders = [(7, 8, 9), (9, 7, 8), (8, 7, 9), (9, 8, 7)] * (RETURNS // 2)
    rows = [f"Client{n} Train => Local Epoch: 0 loss 0.5" for order in orders for n in order]
    assert why(*rows) == "rows of 3 parts of the training take turns in each round of this log"
    assert why(*rows[:7], rows[7], *rows[6:]).startswith("rows of 3 writers"), "one spoke twice in a round"
    assert why(*rows, "Client4 Train => Local Epoch: 0 loss 0.5").startswith("rows of 4 writers"), "one came late"


def test_what_names_no_writer_in_front_says_nothing() -> None:
    assert not why(*(f"epoch {n} loss 0.5 agents {n % 2}" for n in range(40)))


def test_a_reader_tells_it_of_any_format() -> None:
    lines = [f"(Trainer pid={10 + n}) INFO:root:epoch: {e}, loss: 0.{e}" for e in range(1, 30) for n in range(3)]
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    assert any(isinstance(event, OtherRows) and "3 writers" in event.against for event in events)
