"""Metrics of evaluations beside the loss."""

import pytest

from itermon.analysis.outlook.other_metrics import better_than_at
from itermon.analysis.record.columns import Columns
from itermon.analysis.record.scalars import Scalars
from itermon.events import Iteration


@pytest.mark.parametrize(
    ("name", "then", "now", "is_better"),
    [
        ("val_acc", 0.4, 0.6, True),
        ("val_acc", 0.6, 0.4, False),
        ("valid/bleu", 10.0, 12.0, True),
        ("val_f1", 0.5, 0.5, False),
        ("val_mae", 0.4, 0.6, False),  # the less the better
        ("train_acc", 0.4, 0.6, False),
    ],
)
def test_a_metric_that_is_better_now_than_where_the_loss_was_least(
    name: str, then: float, now: float, *, is_better: bool
) -> None:
    columns = Columns()
    columns.extend([Iteration(index, 1.0) for index in range(10)])
    scalars = Scalars(columns)
    for position, value in ((2, then), (9, now)):
        scalars.add({name: value}, position)
    assert better_than_at(2, columns, scalars, 0) is is_better
    assert not better_than_at(None, columns, scalars, 0)
    assert not better_than_at(5, columns, scalars, 0), "nothing is known of it there"
