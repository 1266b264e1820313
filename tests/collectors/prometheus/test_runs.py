"""The runs of a cluster, from one answer."""

from __future__ import annotations

from typing import Any, cast

import pytest

from itermon.collectors.prometheus import runs as module
from itermon.collectors.prometheus.answers import Answer, Series
from itermon.collectors.prometheus.runs import Runs, runs_of, whole


class Knows:
    """A server that knows these series."""

    def __init__(self, *series: Series) -> None:
        self._series = list(series)

    def query(self, asked: str, at_s: float | None = None) -> Answer:
        assert "itermon_run_info" in asked
        return Answer(self._series, ("a note",))


def said(part: str, value: float, run: str = "a", **more: str) -> Series:
    return Series({"part": part, "run": run, **more}, [(0.0, -1.0), (1.0, value)])


def asked(*series: Series) -> Runs:
    return runs_of(cast("Any", Knows(*series)))


def test_the_newest_of_each_part_is_the_run_s() -> None:
    found = asked(
        said("ranks", 8.0), said("hosts", 2.0), said("usual_s", 0.5), said("now_s", 99.0), said("unknown", 3.0),
        said("framework", 8.0, framework="torch", world_size="16"),
    )  # fmt: skip
    assert (found.at_s, found.notes) == (99.0, ("a note",))
    (run,) = found.runs
    assert (run.name, run.ranks, run.hosts, run.usual_s) == ("a", 8, 2, 0.5)
    assert (run.framework, run.world_size) == ("torch", 16)


def test_those_that_move_come_first_then_the_newest_then_by_name() -> None:
    seen = {"old": 1.0, "b": 5.0, "a": 5.0, "moves": 0.5}
    found = asked(*[said("seen_at_s", at_s, run) for run, at_s in seen.items()], said("moves", 1.0, "moves"))
    assert [run.name for run in found.runs] == ["moves", "a", "b", "old"]
    assert [run.name for run in asked(said("ranks", 1, "never"), said("seen_at_s", 1, "once")).runs] == [
        "once",
        "never",
    ]


def test_there_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_RUNS", 2)
    assert [run.name for run in asked(*[said("ranks", 1, name) for name in "abc"]).runs] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("0", None),
        ("", None),
        ("-1", None),
        ("²", None),
        ("٣", None),
        ("9" * 9, 10**9 - 1),
        ("9" * 10, None),
    ],
)
def test_a_label_that_is_a_whole_number_above_0(text: str, number: int | None) -> None:
    assert whole(text) == number
