"""Rows of JSON, one a line: what an odd one does to those beside it."""

import json

import pytest

from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, expand


@pytest.mark.parametrize("number", ["1e30", "18446744073709551616", "NaN", "-1e300"])
@pytest.mark.parametrize(("name", "lost"), [("iter", 3), ("epoch", None)])
def test_a_number_that_counts_nothing_makes_no_run_begin_again(name: str, lost: int | None, number: str) -> None:
    rows = [{"iter": n, "epoch": 1, "loss": 2.5, "dt_ms": 250.0} for n in range(1, 8)]
    odd = json.dumps(rows[2]).replace(f'"{name}": {rows[2][name]}', f'"{name}": {number}')
    lines = [json.dumps(row) if row["iter"] != 3 else odd for row in rows]
    reader = LogReader(name="x")
    events = [*expand(reader.feed("\n".join([*lines, ""]).encode(), None) + reader.end(b""))]
    assert sum(isinstance(event, RunInfo) for event in events) == 2, "the source's and the format's"
    assert [event.index for event in events if isinstance(event, Iteration)] == [
        n for n in range(1, 8) if n != lost
    ]


def test_an_object_whose_numbers_are_aligned_is_recognised() -> None:
    rows = [f'{{"iter": {n:6d}, "loss": {4 - n / 8:8.3f}}}' for n in range(6)]
    found = recognise(rows).format
    assert found is not None
    assert found.name == "JSON Lines"
