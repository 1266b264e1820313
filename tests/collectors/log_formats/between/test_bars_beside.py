"""Bars of evaluations between rows."""

import pytest

from itermon.collectors.log_formats.between.bars_beside import BarsBeside
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Iteration, SpanEnd

FULL = "100%|####| 90/90 [00:30<00:00,  3.00it/s]"


@pytest.mark.parametrize(
    ("text", "announced", "ends"),
    [
        (FULL, True, True),
        (f"Validation: {FULL}", False, True),
        (FULL, False, False),
        (f"Loading: {FULL}", True, False),
        (f"Train: {FULL}", True, False),
        (FULL.replace("90/90", "80/90"), True, False),
        (FULL.replace("00:30", "00:00"), True, False),
    ],
)
def test_an_evaluations_bar_is_known_by_its_title_or_by_the_line_before(
    text: str, announced: bool, ends: bool
) -> None:
    assert bool(BarsBeside().see(text, None, 40, announced=announced)) is ends
    assert not BarsBeside().see(text, None, None, announced=announced)


def test_one_that_is_drawn_once_more_is_one_and_one_behind_another_row_is_another() -> None:
    of = BarsBeside()
    assert [len(of.see(FULL, None, row, announced=True)) for row in (40, 40, 80)] == [1, 0, 1]


def test_evaluations_between_rows_take_time_and_are_no_iterations() -> None:
    row = "Epoch {} [{}/400]: loss: 0.{}5, batch time: 0.25\n"
    epochs = (
        "".join(row.format(n, step, n) for step in (100, 200, 300, 400)) + f"Test on epoch {n}\n{FULL}\n"
        for n in (1, 2, 3)
    )
    events = LogReader().feed("".join(epochs).encode())
    assert [one.duration_s for one in events if isinstance(one, SpanEnd) and one.kind == EVALUATION] == [30.0] * 3
    assert sum(isinstance(one, Iteration) for one in events) == 12
