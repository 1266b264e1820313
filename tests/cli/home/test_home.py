"""All runs at once: each line is what the report of that run says; what stands still is read once."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from seed_runs import run_a

from itermon.cli import main
from itermon.cli.home import home as room
from itermon.cli.home import summary
from itermon.cli.home.home import Home, HomeRun
from itermon.cli.home.logs import Logs
from itermon.events import Config, End, EndReason, Event, Iteration, RunInfo, encode_all

STARTED_S = 1_767_268_800.0
LOG = "".join(f"iter {i}: loss {3 + 1 / (1 + i):.4f}, time {100 + i % 3}.00ms, mfu 40.00%\n" for i in range(400))
CRASH = LOG + 'Traceback (most recent call last):\n  File "t.py", line 3\nRuntimeError: CUDA out of memory\n'


def steps(count: int, *, of: int = 1_000, end: End | None = None, loss: float = 3.0) -> list[Event]:
    begin: list[Event] = [
        RunInfo(name="gpt", started_at_s=STARTED_S),
        Config(max_iterations=of, cost_per_hour=36.0),
    ]
    done = [Iteration(i, 0.1, loss, at_s=STARTED_S + i / 10) for i in range(count)]
    return [*begin, *done, *([end] if end else [])]


RUNS = {
    "done": steps(1_000, end=End(at_s=STARTED_S + 100)),
    "lost": steps(300),
    "failed": steps(40, end=End(EndReason.FAILED, STARTED_S + 5, "boom", 1)),
    "nan": steps(200, end=End(EndReason.KILLED, exit_code=-9), loss=float("nan")),
    "xl": run_a(),
    "empty": [RunInfo(name="empty")],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable, name in (("ITERMON_RUNS_DIR", "runs"), ("ITERMON_SOCKETS_DIR", "sockets"), ("HOME", "home")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setattr("itermon.collectors.host.written.files_written", lambda _: {})
    monkeypatch.setattr("itermon.cli.home.logs._NEW_S", 60.0)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / "runs").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for number, (name, events) in enumerate(RUNS.items()):
        (tmp_path / "runs" / f"{name}.20260101-12000{number}.{number + 1}.jsonl").write_bytes(encode_all(events))
    for name, text in (("train.log", LOG), ("crash.log", CRASH)):
        (tmp_path / "work" / name).write_text(text)
        os.utime(tmp_path / "work" / name, (STARTED_S, STARTED_S))
    return tmp_path


def home(**options: object) -> Home:
    return Home(Logs(processes=False), **options)  # type: ignore[arg-type]


def looked(of: Home) -> dict[str, HomeRun]:
    runs = of.look()
    while of.has_more:
        runs = of.look()
    return {run.place.name: run for run in runs}


def test_each_line_is_what_the_report_of_that_run_says() -> None:
    runs = looked(home())
    assert set(runs) == {*RUNS, "train.log", "crash.log"}
    for name, run in runs.items():
        printed = CliRunner().invoke(main.main, ["report", run.place.key, "--json"], prog_name="itermon")
        assert run.line
        if name == "empty":
            assert run.line.iteration is None
            continue
        found = json.loads(printed.stdout)
        losses, progress, eta = found["losses"], found["progress"], found["eta"]
        standing = [one for one in found["incidents"] if not one["over"] and one["severity"] != "info"]
        expected = {
            "state": "end unknown" if found["ended"] == "unknown" else found["ended"],
            "iteration": progress["iteration"],
            "max_iterations": progress["max_iterations"],
            "fraction": progress["fraction"],
            "remaining_s": eta["remaining_s"],
            "iteration_s": found["level"]["clean_s"],
            "loss": losses["validation"] if losses["train"] is None else losses["train"],
            "cost": eta["cost_so_far"],
        }
        assert {field: getattr(run.line, field) for field in expected} == pytest.approx(expected, nan_ok=True), (
            name
        )
        sentences = [one["state"] for one in standing] or [
            found["verdict"]["ending"],
            found["verdict"]["headline"],
        ]
        assert any(run.line.said[:100] in said for said in sentences), name


def test_what_stands_still_is_read_once_and_kept_until_it_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = home()
    before = looked(first)
    first.close()
    read: list[str] = []
    real = summary.read_in_steps
    monkeypatch.setattr(summary, "read_in_steps", lambda source: (read.append(source.title), real(source))[1])
    again = looked(home())
    assert read == []
    assert {name: run.line for name, run in again.items()} == {name: run.line for name, run in before.items()}
    recording = next((folder / "runs").glob("lost.*"))
    with recording.open("ab") as file:
        file.write(encode_all([Iteration(300, 0.1, 2.0), End()]))
    line = looked(home())["lost"].line
    assert line is not None
    assert (len(read), line.iteration, line.state) == (1, 300, "finished")


def test_a_look_takes_no_longer_than_it_may_and_says_that_there_is_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_LOOK_S", -1.0)
    slow = home()
    runs = slow.look()
    assert slow.has_more
    assert {run.line for run in runs} == {None}
    assert {run.place.state for run in runs if run.place.run} == {"finished", "lost", "failed", "killed"}


def test_what_is_long_is_read_over_several_looks_and_at_a_small_share(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(10_000))
    monkeypatch.setattr(room, "_LOOK_S", 2.0)  # of a clock that ticks once each time it is asked
    monkeypatch.setattr(room.time, "monotonic", lambda: float(next(moments)))
    slow, looks, shares = home(), 0, set[float]()
    while slow.has_more and looks < 500:
        slow.look()
        shares.add(slow.share)
        looks += 1
    assert len(RUNS) < looks < 500
    assert shares == {room._LIVING_SHARE, room._ENDED_SHARE, 0.0}


def test_what_the_person_says_of_the_runs_counts_and_is_kept_apart() -> None:
    plain, dear = home(), home(settings=[Config(cost_per_hour=72.0)])
    costs = [of_run.cost for of in (plain, dear) if (of_run := looked(of)["done"].line)]
    plain.close()
    dear.close()
    assert costs[1] == pytest.approx(2 * (costs[0] or 0.0))
    assert [
        line.cost
        for of in (home(), home(settings=[Config(cost_per_hour=72.0)]))
        if (line := looked(of)["done"].line)
    ] == costs


def test_a_living_run_is_followed_and_its_line_moves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = next((folder / "runs").glob("lost.*"))
    monkeypatch.setattr("itermon.run_files.is_live", lambda path: path == recording)
    now_s = [STARTED_S + 30.0]
    live = home(clock=lambda: now_s[0])
    line = looked(live)["lost"].line
    assert line is not None
    assert (line.state, line.iteration) == ("running", 299)
    assert line.remaining_s == pytest.approx(70.1, abs=0.5)
    with recording.open("ab") as file:
        file.write(encode_all([Iteration(i, 0.1, 2.5, at_s=STARTED_S + i / 10) for i in range(300, 350)]))
    now_s[0] += 6.0
    line = looked(live)["lost"].line
    assert line is not None
    assert (line.iteration, line.loss) == (349, 2.5)
    line_key = recording.stem
    assert line_key in live._followed, "it is read on, not anew"
    monkeypatch.setattr("itermon.run_files.is_live", lambda _: False)
    line = looked(live)["lost"].line
    assert line is not None
    assert line.state == "lost"
    assert line_key not in live._followed


def test_runs_prints_the_same_for_programs_and_for_people() -> None:
    runner = CliRunner()
    printed = json.loads(runner.invoke(main.main, ["runs", "--json"], prog_name="itermon").stdout)
    assert {run["name"] for run in printed} == {*RUNS, "train.log", "crash.log"}
    done = next(run for run in printed if run["name"] == "done")
    assert (done["state"], done["iteration"], done["alive"], done["remaining_s"]) == ("finished", 999, False, None)
    table = runner.invoke(main.main, ["runs"], prog_name="itermon").stdout
    assert "Out of memory" in next(row for row in table.splitlines() if "crash.log" in row)
