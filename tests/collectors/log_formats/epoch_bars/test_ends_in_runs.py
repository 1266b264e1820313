"""Ends of bars without a line between them: passes of their own where less time on one shows it, at each place."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def rows(runs: list[list[int]]) -> int:
    """So many are read, of bars that took these seconds between two lines of clients that train."""
    lines = []
    for client, run in enumerate(runs):
        lines += [f"100%|####| 40/40 [00:{one:02}<00:00, {40 / (one + 0.5):.2f}it/s]" for one in run]
        lines.append(f"client_{client % 4}: Loss = 0.{900 - client}, Accuracy = 0.5")
    reader, data = LogReader(), "\n".join((*lines, "")).encode()
    return sum(isinstance(one, Iteration) for one in (*reader.feed(data), *reader.end(b"")))


@pytest.mark.parametrize("steady", [[3, 3, 3], [4, 5, 5]])
def test_each_is_a_pass_where_each_place_shows_less_time_once(steady: list[int]) -> None:
    assert rows([steady] * 6 + [[4, 3, 3], [4, 4, 3]] + [steady] * 6) == 42


def test_two_of_one_bar_are_one() -> None:
    doubled = [[3, 3, 3, 3], [4, 4, 3, 3], [3, 3, 4, 4], [5, 5, 3, 3]] * 4
    assert rows(doubled) < 64


def test_runs_of_several_lengths_prove_nothing() -> None:
    assert rows([[3, 3, 3], [4, 3, 3], [3, 3], [4, 4, 3], [3, 3, 3, 3]] * 4) < 60
