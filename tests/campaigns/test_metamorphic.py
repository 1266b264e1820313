"""The formats' own examples, made longer and changed in ways that change nothing of what they say.

All real logs are tried by `bench/metamorphic.py`, some of them here. Examples are made to be read: their times
need not add up, so a clock that is added to them is tried there alone, as are figures of several runs.
"""

import json
from functools import cache
from zlib import crc32

import pytest
from metamorphic import a_slice, files_of, try_log, without_times
from metamorphosis.changes import CHANGES, Change
from metamorphosis.examples import enlarged
from metamorphosis.figures import COUNTED, LOSSES, TIMES, Said, Value
from metamorphosis.judge import judge, judge_cut
from real_logs import CORPUS

CHANGED = [change for change in CHANGES if not (change.twice or change.cuts)]


@cache
def logs() -> list[tuple[str, bytes]]:
    return list(enlarged())


@pytest.mark.parametrize("place", range(len(CHANGED)), ids=[change.name for change in CHANGED])
def test_what_is_said_of_a_log_stays_the_same(place: int) -> None:
    """Each change is tried on a sixteenth of the logs, by their names: a new example moves no other."""
    change = CHANGED[place]
    chosen = [(name, data) for name, data in logs() if (crc32(name.encode()) + place) % 16 == 0]
    assert chosen
    tried = [one for name, data in chosen for one in try_log(name, data, (change,), 1)]
    wrong = {one.file: one.faults for one in map(without_times, tried) if one.faults}
    assert wrong == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="real logs are not part of the project")
def test_a_slice_of_the_real_logs() -> None:
    """Each of some logs under one change, as a seed chooses: 20 s."""
    tried = a_slice(files_of([CORPUS], "", 1_000), 60, seed=11)
    assert {f"{one.change}, {one.file}": one.faults for one in tried if one.faults} == {}


def change(name: str) -> Change:
    return next(one for one in CHANGES if one.name == name)


def said(*rows: int, **figures: Value) -> Said:
    """What is said of a log with rows of these iterations."""
    known: dict[str, Value] = dict.fromkeys((*COUNTED, *TIMES, *LOSSES))
    counted: dict[str, Value] = {"iterations": len(rows), "passed": rows[-1], "first": rows[0], "last": rows[-1]}
    none = dict.fromkeys(("not_finite", "restarts", "evaluations", "checkpoints"), 0)
    return Said(
        "a format", known | counted | none | {"runs": 1, "ended": ""} | figures, [(row, 0.5) for row in rows]
    )


def faults(name: str, before: Said, after: Said) -> list[str]:
    return [one.figure for one in judge(change(name), before, after).faults]


def test_of_two_files_the_one_with_the_rows_has_some_of_those_that_the_bar_came_to() -> None:
    whole = said(1, 2, 3, 4)
    assert faults("split", whole, said(2, 4)) == []
    assert faults("split", whole, said(2, 3)) == ["iterations", "passed", "first", "last"]
    assert faults("split", whole, said(3, 4, passed=9)) == ["passed"]
    assert faults("noise", whole, said(2, 4)) == ["iterations", "first"]


def test_rows_that_the_report_says_are_numbered_by_itermon_claim_no_iteration() -> None:
    whole, rows = said(50, 100, 150), said(1, 2)
    assert "last" in faults("split", whole, rows)
    assert faults("split", whole, rows._replace(numbers_rows=True)) == []
    assert faults("split", whole, rows._replace(numbers_rows=True, figures=rows.figures | {"runs": 2})) == ["runs"]


def test_behind_an_interruption_a_bar_is_another_process_s_where_the_report_says_so() -> None:
    before = said(1, 2, 3, ended="interrupted")
    assert faults("last-bar", before, said(1, 2, 3, 500, runs=2)) == []
    assert "last" in faults("last-bar", before, said(1, 2, 3, 500))
    assert "last" in faults("last-bar", said(1, 2, 3), said(1, 2, 3, 500, runs=2))


def test_a_beginning_may_count_evaluations_where_no_number_is_said_of_the_whole() -> None:
    whole, part = said(1, 2, 3), said(1, 2, evaluations=2)
    assert [one.figure for one in judge_cut(whole, part).faults] == ["evaluations"]
    assert judge_cut(whole._replace(uncounted=True), part).faults == []


def test_an_example_that_is_made_longer_contradicts_neither_its_length_nor_its_clock() -> None:
    examples = dict(logs())
    rows = examples["LLaMA-Factory trainer_log.jsonl, LLaMA-Factory"].decode().splitlines()
    read = [json.loads(row) for row in rows]
    assert max(row["current_steps"] for row in read) <= {row["total_steps"] for row in read}.pop()
    assert len({row["elapsed_time"] for row in read}) == len(read)
