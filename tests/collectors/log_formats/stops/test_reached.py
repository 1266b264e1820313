"""How far an evaluation has come by its own count."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.parsing.validation import Validation
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.collectors.log_formats.stops.reached import Reached


@pytest.mark.parametrize(
    ("seen", "length", "is_end", "is_of_few"),
    [
        ((0.0,), 196.0, False, True),
        ((0.0, 50.0), 196.0, False, True),
        ((0.0, 50.0, 100.0), 196.0, False, False),
        ((0.0, 50.0, 100.0, 150.0), 196.0, True, False),
        ((0.0,), 1.0, True, False),
        ((0.0,), None, True, False),
        ((), None, True, False),
    ],
)
def test_fewer_than_half_of_its_batches_are_few(
    seen: tuple[float, ...], length: float | None, is_end: bool, is_of_few: bool
) -> None:
    reached = Reached()
    for n in seen:
        reached = reached.at(n, length)
    assert (reached.is_end, reached.is_of_few) == (is_end, is_of_few)


@pytest.mark.parametrize(("n", "took_s"), [(0.0, None), (40.0, None), (98.0, 50.0), (50.0, 50.0)])
def test_a_few_of_its_batches_do_not_say_what_an_evaluation_took(n: float, took_s: float | None) -> None:
    one = Validation()
    one.part({"iteration": n, "length": 100.0, "spent_s": 50.0}, LogLine("", None), 51, {})
    assert [event.duration_s for event in one.over()] == [took_s]
