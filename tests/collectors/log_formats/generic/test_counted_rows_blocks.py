"""What stands behind a line that counts: of which row it is."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader


def events_of(text: str):
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def metrics(said: str, soon: str, late: str) -> str:
    """A line of each hour, and values 2 s and 40 minutes behind it."""
    return "\n".join(
        f"[2024-03-01 0{n}:00:00,000][trainer][INFO] - {said.format(n=n)}\n"
        f"[2024-03-01 0{n}:00:02,000][trainer][INFO] - Metrics: {{'{soon}': 0.{n}}}\n"
        f"[2024-03-01 0{n}:40:00,000][trainer][INFO] - Metrics: {{'{late}': 0.75}}"
        for n in range(1, 6)
    )


@pytest.mark.parametrize(("closing", "late"), [("Epoch {n} finished", False), ("Epoch {n} starts", True)])
def test_what_comes_long_behind_a_line_that_closes_an_epoch_is_of_the_next_one(closing: str, late: bool) -> None:
    """Values at once are its own; an evaluation in the midst of the next epoch moves neither its time nor its values."""
    found = iterations(events_of(metrics(closing, "accuracy", "f1")))
    assert [one.index for one in found] == [1, 2, 3, 4, 5]
    assert [one.scalars for one in found] == [
        {"accuracy": n / 10} | ({"f1": 0.75} if late else {}) for n in range(1, 6)
    ]
    assert [one.at_s % 3_600 for one in found if one.at_s] == [2_400.0 if late else 2.0] * 5
