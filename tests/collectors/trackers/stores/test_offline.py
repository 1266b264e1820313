"""Sessions of ClearML and Neptune without a server, as their own libraries write them (2.1 and 1.14)."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from itermon.collectors.trackers.known import Found, newest_run, source_of
from itermon.collectors.trackers.stores.offline import OfflineRun, is_session
from itermon.collectors.trackers.stores.store import StoreError
from itermon.events import Iteration

AT_S = 1_795_377_303.5


def loss(step: int) -> float:
    return 3 - step / 100


def clearml(folder: Path, steps: range = range(20), each: int = 7) -> Path:
    session = folder / "offline-669bef"
    session.mkdir(exist_ok=True)
    kind = {"type": "training_stats_scalar", "task": session.name, "method": "get"}
    monitor = kind | {"timestamp": 1, "iter": 5, "metric": ":monitor:gpu", "variant": "gpu_0", "value": 9.0}
    events = [
        kind | {"timestamp": (AT_S + n) * 1e3, "iter": n, "metric": "loss", "variant": "train", "value": loss(n)}
        for n in steps
    ]
    with (session / "metrics.jsonl").open("a") as file:
        for begin in range(0, len(events), each):
            file.write(json.dumps([*events[begin : begin + each], monitor]) + "\n")
    return session


def neptune(folder: Path, steps: range = range(20)) -> Path:
    session = folder / ".neptune" / "offline" / "run__07226f79"
    session.mkdir(parents=True, exist_ok=True)
    with (session / "data-1.log").open("a") as file:
        for path, value in ((["sys", "name"], None), (["monitoring", "gpu"], 9.0)):
            file.write(
                json.dumps({"obj": {"type": "LogFloats", "path": path, "values": [{"value": value}]}}) + "\n"
            )
        for n in steps:
            one = {"value": loss(n), "step": None, "ts": AT_S + n}
            change = {"type": "LogFloats", "path": ["train", "loss"], "values": [one]}
            file.write(json.dumps({"obj": change, "version": n, "at": AT_S + n}) + "\n")
    return session


@pytest.mark.parametrize(
    ("make", "tracker", "name"), [(clearml, "ClearML", "loss/train"), (neptune, "Neptune", "train/loss")]
)
def test_a_session_has_its_values_once_also_while_it_is_written(tmp_path, make, tracker, name):
    session = make(tmp_path)
    run = OfflineRun(session)
    first = [*run.new(), *run.new()]
    while more := run.new():
        first += more
    assert [(one.step, one.at_s, one.values) for one in first] == [
        (n, pytest.approx(AT_S + n), {name: loss(n)}) for n in range(20)
    ]
    make(tmp_path, range(20, 23))
    assert [one.step for one in run.new()] == [20, 21, 22]
    assert (run.new(), run.tracker, run.begun().name) == ([], tracker, session.name)


@pytest.mark.parametrize("make", [clearml, neptune])
def test_a_torn_line_is_waited_for(tmp_path, make):
    session = make(tmp_path)
    file = next(session.glob("*l*"))
    data = file.read_bytes()
    file.write_bytes(data[:-30])
    run = OfflineRun(session)
    before = len(run.new())
    file.write_bytes(data)
    assert before < 20
    assert before + len(run.new()) == 20


@pytest.mark.parametrize("make", [clearml, neptune])
def test_it_opens_by_its_folder_and_by_the_one_around_it(tmp_path, make):
    session = make(tmp_path)
    assert newest_run(tmp_path) == newest_run(session) == Found("ClearML or Neptune", session)
    source = source_of(session, follow=False, formats=None)
    events = [event for batch in source.batches(threading.Event()) for event in batch.events]
    found = [event for event in events if isinstance(event, Iteration)]
    assert [event.index for event in found] == list(range(20))
    assert [event.duration_s for event in found[1:]] == [pytest.approx(1.0)] * 19


def test_what_is_no_value_is_left_out(tmp_path):
    session = clearml(tmp_path, range(1))
    lines = ["no json", "{}", "[1, {}]", "[" * 10_000]
    bad = {"type": "training_stats_scalar", "iter": -1, "metric": "a", "variant": "b", "value": 1.0}
    lines += [json.dumps([bad, bad | {"iter": True, "value": "x"}, bad | {"iter": 1.5}, bad | {"iter": 1e300}])]
    with (session / "metrics.jsonl").open("a") as file:
        file.write("\n".join(lines) + "\n")
    assert len(OfflineRun(session).new()) == 1


def test_another_folder_and_one_that_goes(tmp_path):
    assert not is_session(tmp_path)
    with pytest.raises(StoreError, match="No such file"):
        OfflineRun(tmp_path).new()


def logged_of(tmp_path, **values):
    session = tmp_path / "offline-1"
    session.mkdir(exist_ok=True)
    usual = {
        "type": "training_stats_scalar",
        "timestamp": AT_S * 1e3,
        "iter": 3,
        "metric": "a",
        "variant": "b",
        "value": 1,
    }
    (session / "metrics.jsonl").write_text(json.dumps([usual | values]) + "\n")
    return [(one.step, one.at_s, one.values) for one in OfflineRun(session).new()]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, (3, AT_S, {"a/b": 1.0})),
        ({"iter": 0}, (0, AT_S, {"a/b": 1.0})),
        ({"iter": 4.0}, (4, AT_S, {"a/b": 1.0})),
        ({"iter": 2**53 - 1}, (2**53 - 1, AT_S, {"a/b": 1.0})),
        ({"iter": 2**53}, None),
        ({"iter": None}, None),
        ({"value": -9e307}, (3, AT_S, {"a/b": -9e307})),
        ({"value": 1e308}, None),
        ({"value": True}, None),
        ({"value": None}, None),
        ({"timestamp": 500}, (3, 0.5, {"a/b": 1.0})),
        ({"timestamp": 0}, (3, None, {"a/b": 1.0})),
        ({"timestamp": 1e14}, (3, None, {"a/b": 1.0})),
        ({"timestamp": "today"}, (3, None, {"a/b": 1.0})),
        ({"metric": ":monitor:gpu"}, None),
        ({"type": "plot"}, None),
    ],
)
def test_a_value_counts_where_all_of_it_can_be(tmp_path, values, found):
    assert logged_of(tmp_path, **values) == ([] if found is None else [found])


def test_of_a_thousand_names_each_is_counted_and_those_behind_them_are_not(tmp_path):
    session = neptune(tmp_path, range(0))
    names = [f"n{number}" for number in (*range(1_002), 5)]
    with (session / "data-1.log").open("w") as file:
        for name in names:
            change = {"type": "LogFloats", "path": [name], "values": [{"value": 1.0, "step": None, "ts": AT_S}]}
            file.write(json.dumps({"obj": change}) + "\n")
    found = [(one.step, *one.values) for one in OfflineRun(session).new()]
    assert found == [*((0, f"n{number}") for number in range(1_000)), (1, "n5")]


def test_a_step_that_the_script_gives_goes_before_the_count_of_values(tmp_path):
    session = neptune(tmp_path, range(0))
    ones = [{"value": 1.0, "step": step} for step in (10, None, 30, None)]
    change = {"obj": {"type": "LogFloats", "path": ["loss"], "values": ones}}
    (session / "data-1.log").write_text(json.dumps(change) + "\n")
    assert [one.step for one in OfflineRun(session).new()] == [10, 1, 30, 3]


def test_a_line_beyond_any_size_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr("itermon.collectors.trackers.stores.offline._MOST_BYTES", 2_000)
    session = clearml(tmp_path, range(2))
    with (session / "metrics.jsonl").open("a") as file:
        file.write("[" + " " * 5_000 + "]\n")
    run = OfflineRun(session)
    assert len([*run.new(), *run.new(), *run.new(), *run.new()]) == 2
    clearml(tmp_path, range(2, 4))
    found = [one for _ in range(9) for one in run.new()]
    assert [one.step for one in found] == [2, 3]
