import pytest

from itermon.collectors.trackers.wandb.first_records import CHARACTERS, PORTIONS, RECORDS, ROWS, FirstRecords
from itermon.collectors.trackers.wandb.records import Exited, Measured, Printed, Row

PORTION = Printed("x", 1.0, is_error=False)


@pytest.mark.parametrize(
    ("one", "most"),
    [(Row({"a": 1.0}), ROWS), (PORTION, PORTIONS), (Measured(1.0, {}), RECORDS), (Exited(0, 1.0), 1)],
)
def test_so_many_of_a_kind_are_enough(one, most):
    first = FirstRecords()
    assert [first.add(one) for _ in range(most)] == [False] * (most - 1) + [True]
    assert first.said == [one] * most


def test_long_texts_are_enough_sooner():
    assert FirstRecords().add(Printed("x" * CHARACTERS, 1.0, is_error=False))


def test_rows_and_portions_are_there_by_themselves():
    first = FirstRecords()
    for one in (PORTION, Row({"a": 1.0}), Measured(1.0, {})):
        first.add(one)
    assert (first.printed, first.rows) == ([PORTION], [Row({"a": 1.0})])
