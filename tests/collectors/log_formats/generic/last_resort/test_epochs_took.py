"""Epochs of which a log tells how long they took, and nothing else that counts; and lines that sound so."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("2025-03-01 10:00:{0:02d},250 INFO  Epoch {0} took 0:00:05.250000", 5.25),
        ("Epoch {}/20 finished in 5.25 s", 5.25),
        ("Epoch {} done in 01:05", 65.0),
        ("Time taken for epoch {}: 5.25 sec", 5.25),
        ("Epoch {} evaluation took 5.25 s", None),
        ("Loading epoch {} took 5.25 s", None),
        ("Epoch {} took 5.25 s to load", None),
        ("Epoch 3 took {} s", None),
        ("Epoch {} time: 15.5", None),
        ("Time elapsed after epoch {}: 5.25 s", None),
    ],
)
def test_what_each_epoch_took_is_a_row_where_nothing_else_counts(line: str, found: float | None) -> None:
    reader = LogReader()
    text = "".join(f"Inner loop: started\n{line.format(n)}\n" for n in range(1, 9))
    rows = iterations([*reader.feed(text.encode()), *reader.end(b"")])
    assert [(one.index, one.duration_s) for one in rows] == (
        [] if found is None else [(n, found) for n in range(1, 9)]
    )


def test_where_rows_have_a_loss_a_line_of_what_the_epoch_took_is_none() -> None:
    reader = LogReader()
    text = "".join(f"Epoch {n} loss: {3 / n:.4f}\nEpoch {n} took 5.25 s\n" for n in range(1, 9))
    rows = iterations([*reader.feed(text.encode()), *reader.end(b"")])
    assert [(one.loss is not None, one.duration_s) for one in rows] == [(True, 5.25)] * 8
