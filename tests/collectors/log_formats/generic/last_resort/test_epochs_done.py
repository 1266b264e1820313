"""Epochs that are done, where a log tells of nothing else; and lines that sound so."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, Message, RunInfo, SpanEnd


def told(text: str) -> list:
    reader = LogReader()
    events = reader.feed(text.encode())
    last = reader.end(b"")
    return last if reader.anew else [*events, *last]


def rows(text: str) -> list[int]:
    return [one.index for one in iterations(told(text))]


def test_epochs_are_counted_though_saves_count_them_too() -> None:
    text = "".join(f"EPOCH {n} COMPLETED @ 0{n}:07 PM\nSAVED CHECKPOINT @ EPOCH {n}\n" for n in range(1, 8))
    events = told(f"{text}Killed\n")
    assert [one.index for one in iterations(events)] == [*range(1, 8)]
    assert sum(isinstance(one, RunInfo) for one in events) == 2  # one without a clock, and that of the first row
    assert sum(isinstance(one, SpanEnd) and one.kind == CHECKPOINT for one in events) == 7
    assert [one.text for one in events if isinstance(one, Message)] == ["Killed"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[Round {} Complete] -> the global model was updated", [1, 2, 3, 4, 5, 6]),
        ("Round {} complete: 3 points for you", []),
        ("epoch {}/6 is done", [1, 2, 3, 4, 5, 6]),
        ("Step {} completed", []),
        ("epoch 3 is done, {} of 9 files", []),
    ],
)
def test_a_round_alone_may_be_one_of_a_game(line: str, found: list[int]) -> None:
    assert rows("".join(f"{line.format(n)}\n" for n in range(1, 7))) == found


def test_rows_with_values_go_before_them() -> None:
    text = "".join(f"Epoch {n} completed\naccuracy: 0.{n}\n" for n in range(1, 8))
    assert [one.scalars for one in iterations(told(text))] == [{"accuracy": float(f"0.{n}")} for n in range(1, 8)]
