"""What evaluations took by lines of their own."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.stops.printed_times import PrintedTimes


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("eval time: 18.5", 18.5),
        ("Epoch 3 evaluating [time: 0.25s, valid_score: 0.75]", 0.25),
        ("Validation time = 12 s", 12.0),
        ("test_time(s): 2.50", 2.5),
        ("train time 12.5s, eval time 0.0s", None),  # there was none
        ("eval time: 18", None),  # of what?
        ("eval time: 0.5 min", None),
        ("eval time: 1.5 ms", None),
        ("eval time: 00:01:20", None),
        ("eval time: 0.25 (0.30)", None),
        ("eval time: 0.25 s/batch", None),
        ("retrieval time: 0.25 s", None),
        ("best eval: 0.25", None),
    ],
)
def test_it_is_read_where_its_unit_is_sure(line: str, seconds: float | None) -> None:
    times = PrintedTimes()
    times.row_says("loss: 0.5, train time: 3.25")
    times.hear(line)
    taken = times.taken()
    assert (taken and taken.seconds) == seconds
    assert times.taken() is None


def test_parts_of_one_are_not_the_whole_of_it() -> None:
    times = PrintedTimes()
    for line in ("eval time: 1.5 s", "eval time: 2.5 s"):
        times.hear(line)
    taken = times.taken()
    assert taken is not None
    assert taken.seconds is None


@pytest.mark.parametrize(("row_s", "apart"), [(2.0, True), (8.0, False)])
def test_a_row_that_took_less_has_none_of_it(row_s: float, apart: bool) -> None:
    times = PrintedTimes()
    times.hear("eval time: 4.5 s")
    times.row(row_s)
    taken = times.taken()
    assert taken is not None
    assert taken.apart is apart
