"""Several rows in one line."""

import pytest

from itermon.collectors.clean import clean_lines
from itermon.collectors.rows_in_a_line import rows_in

_ROWS = [f"[{n:03d}] train_loss: {2.5 / n:.3f} | dev_loss: {3.5 / n:.3f} | f1: 0.{n}25 " for n in range(8, 12)]


def test_rows_without_line_breaks_between_them() -> None:
    assert rows_in("".join(_ROWS)) == _ROWS
    assert list(clean_lines(f"{''.join(_ROWS)}>>> best\n{_ROWS[0]}\n".encode())) == [
        *_ROWS[:3],
        _ROWS[3] + ">>> best",
        _ROWS[0],
    ]
    row = "Epoch {}: train_loss=0.250, val_loss=0.375 "
    assert rows_in(row.format(7) + row.format(8)) == [row.format(7), row.format(8)]


@pytest.mark.parametrize(
    "line",
    [
        "[3] loss: 0.25 | acc: 0.5",
        "[3] loss: 0.25 | acc: 0.5 | best was [2] loss: 0.125 | acc: 0.75",  # looks back
        "[0] iou: 0.25 | dice: 0.5 [1] iou: 0.125 | dice: 0.75",  # classes: no loss
        "[0] loss: 0.25 [1] loss: 0.125 [2] loss: 0.5",  # parts of one
        "class 0: loss: 0.25 acc: 0.5 class 1: loss: 0.25 acc: 0.5",
        "Epoch 3: loss: 0.25 acc: 0.5 of Epoch 4: done",
    ],
)
def test_one_row(line: str) -> None:
    assert rows_in(line) == [line]
