"""Where an entry stands: in which process, when, and where that process ends."""

from math import nan
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.incidents.found import end_of, moment, position_of, process_of


def run() -> Any:
    """0, 10, 20 of one process; 5, 15 of the next."""
    columns = type("Columns", (SimpleNamespace,), {"__len__": lambda _: 5})(
        index=[0, 10, 20, 5, 15], time_at=lambda position: [nan, 7.0, 8.0, 9.0, 10.0][position]
    )
    return SimpleNamespace(starts=[0, 3], columns=columns, process_start=3)


@pytest.mark.parametrize(("position", "process"), [(0, 1), (2, 1), (3, 2), (4, 2)])
def test_processes_count_from_one(position: int, process: int) -> None:
    assert process_of(run(), position) == process


def test_a_process_ends_where_the_next_begins() -> None:
    assert [end_of(run(), process) for process in (1, 2)] == [3, 5]


def test_an_entry_without_a_time_has_no_moment() -> None:
    assert [moment(run(), position) for position in (0, 1)] == [None, 7.0]


def test_an_iteration_is_that_of_the_newest_process() -> None:
    assert [position_of(run(), iteration) for iteration in (5, 10, 15, 20)] == [3, 4, 4, 5]
