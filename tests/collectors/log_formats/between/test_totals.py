"""A clock and totals that begin again in one row: another training, though nothing numbers the rows."""

import pytest

from itermon.collectors.log_formats.between.totals import Totals
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo


def read(text: str) -> list[list[int]]:
    """The places of the rows, training by training."""
    reader, runs = LogReader(name="x"), [[]]
    for event in reader.feed(text.encode()) + reader.end(b""):
        if isinstance(event, RunInfo):
            runs.append([])
        elif isinstance(event, Iteration):
            runs[-1].append(event.index)
    return [run for run in runs if run]


ROWS = [(5 * n, 0.5 - n / 64, 4.25 * n, 5120 * n) for n in range(1, 6)]
ANEW = [(2 * n, 0.25 - n / 64, 0.75 * n, 1280 * n) for n in range(1, 9)]
NAMES = "num_episodes", "total_loss", "total_time", "total timesteps"


def test_rows_whose_clock_and_totals_begin_again_are_another_training_s() -> None:
    table = "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in [*ROWS, *ANEW]), ""])
    assert read(table) == [[*range(5)], [*range(8)]]


@pytest.mark.parametrize(
    ("rows", "again"),
    [
        ([(1, 10), (2, 20), (3, 30), (4, 40), (1, 10)], True),
        ([(1, 10), (2, 20), (3, 30), (1, 10)], False),  # grown too seldom
        ([(1, 10), (2, 20), (3, 30), (4, 40), (1, 50)], False),  # the other goes on
        ([(1, 10), (2, 20), (3, 30), (4, 40), (3, 30)], False),  # late, and no beginning
        ([(1, 10), (2, 20), (3, 5), (4, 40), (5, 50), (1, 1)], False),  # one is no total
    ],
)
def test_all_of_them_begin_again(rows: list[tuple[float, float]], *, again: bool) -> None:
    totals = Totals()
    found = [totals.begin_again([("clock", clock), ("n", n)], "clock") for clock, n in rows]
    assert found == [*[False] * (len(rows) - 1), again]
