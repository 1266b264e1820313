"""Finding a run, listing runs, streaming one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from waiting import eventually

from itermon.cli import exits
from itermon.cli.main import main
from itermon.cli.runs import open_run
from itermon.collectors.runs.event_reader import EventReader
from itermon.collectors.runs.recording import RecordingSource
from itermon.events import Config, End, Event, GpuSample, Iteration, Phases, RunInfo, encode, encode_all
from itermon.trainer_hooks import Hooks


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    return tmp_path


def itermon(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="itermon")


def finished_run(name: str = "tiny") -> Path:
    with Hooks(name) as hooks:
        hooks.begin()
        for index in range(30):
            hooks.iteration(index, loss=1.0)
    assert hooks.recording is not None
    return hooks.recording


def test_without_runs_one_learns_how_to_make_one() -> None:
    result = itermon("attach")
    assert result.exit_code == 0
    assert "itermon.watch()" in result.output


def test_runs_are_listed_for_people_and_for_programs() -> None:
    finished_run("done")
    with Hooks("going") as hooks:
        hooks.iteration(0)
        listed = itermon("attach").stdout.splitlines()
        assert [line.split()[:2] for line in listed[1:]] == [["1", "going"], ["2", "done"]]
        assert "running" in listed[1]
        assert "finished" in listed[2]
        assert " 29 " in listed[2]
        runs = msgspec.json.decode(itermon("attach", "--json").output)
        assert [(run["name"], run["alive"]) for run in runs] == [("going", True), ("done", False)]


def test_a_run_is_reported_by_its_name_while_it_lives_and_after() -> None:
    with Hooks("going") as hooks:
        hooks.begin()
        for index in range(30):
            hooks.iteration(index, loss=1.0)
        eventually(lambda: b'"index":29' in hooks.recording.read_bytes())
        assert "30 iterations seen" in itermon("report", "going").output
    assert "finished" in itermon("report", "going").output
    assert "30" in itermon("report", str(os.getpid()), "--json").output
    assert itermon("report", "goin").exit_code == exits.NO_INPUT, "a part of a name is no name"


def test_a_run_is_streamed_as_it_was_recorded() -> None:
    path = finished_run()
    for name in ("tiny", path, path.stem.rpartition(".")[2]):
        assert itermon("stream", name).stdout_bytes == path.read_bytes()


def test_a_finished_run_is_attached_to_by_its_recording() -> None:
    finished_run()
    result = itermon("attach", "tiny", "--max-iters", "100")
    assert result.exit_code == 0, result.output
    assert "30 iterations" in result.output


@pytest.mark.parametrize("command", ["attach", "stream"])
def test_what_names_no_run_gets_one_line_and_its_exit_code(command: str) -> None:
    finished_run()
    for text, shown in (
        ("tinny", "Known here: tiny"),
        ("ssh://-oProxyCommand=x/r", "ssh://HOST/RUN"),
        ("ssh:///r", "HOST"),
    ):
        result = itermon(command, text)
        assert result.exit_code == exits.NO_INPUT
        assert shown in result.output
        assert result.output.count("\n") == 1


@pytest.mark.parametrize("command", ["attach", "stream"])
def test_a_log_is_no_recording_and_one_line_says_what_to_do_with_it(command: str, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("tokens per iteration will be: 16,384\niter 0: loss 2.5, time 100.00ms, mfu 40.00%\n" * 9)
    result = itermon(command, log)
    assert result.exit_code == exits.NOT_A_LOG
    assert f"itermon {log}" in result.output
    assert result.output.count("\n") == 1


def test_a_recording_is_told_by_its_first_event_and_may_be_empty_yet(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for begin in (b"", b'{"type":"hologram"}\n', encode(GpuSample(1.0)), encode(RunInfo())):
        path.write_bytes(begin)
        assert isinstance(open_run(str(path)), RecordingSource)


def test_a_file_whose_name_holds_no_time_is_a_run_all_the_same(run_folders: Path) -> None:
    path = finished_run()
    for name in (
        "odd.99999999-999999.1.jsonl",
        "odd-rank1.99999999-999999.1.jsonl",
        "odd-rank2.00010101-000000.1.jsonl",
    ):
        path.with_name(name).write_bytes(path.read_bytes())
    assert itermon("stream", "odd").stdout_bytes == path.read_bytes()


def test_a_reader_of_a_stream_may_leave_early() -> None:
    with Hooks("long") as hooks:
        for index in range(20_000):
            hooks.iteration(index)
    command = f"{sys.executable} -m itermon stream long | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, check=True, timeout=60)
    assert isinstance(EventReader().feed(done.stdout)[0], RunInfo)
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments",
    [
        ["ssh://a/run", "ssh://a/run"],
        [f"ssh://box{number}/run" for number in range(17)],
        ["--node", "a", "--node", "b"],
        ["run", "other", "--node", "a"],
        ["ssh://a/run", "ssh://b/run", "--pid", "1"],
    ],
)
def test_machines_that_are_no_run_together_are_a_wrong_argument(arguments: list[str]) -> None:
    assert itermon("attach", *arguments).exit_code == 2


def test_the_ranks_of_several_machines_are_one_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`itermon stream` there is the one here: a stand-in for ssh."""
    (tmp_path / "runs").mkdir()
    for rank in range(3):
        events: list[Event] = [RunInfo(name="far", rank=rank, clock="hook"), Config(world_size=3)]
        for i in range(300):
            events.append(Iteration(i, 0.5, 3.0, at_s=1e9 + 0.5 * i + 0.001 * rank, data_wait_s=0.01))
            events.append(Phases(i, {"forward": 0.2 if rank == 2 else 0.1, "backward": 0.3}))
        name = f"far{rank}.20260101-120000.{70 + rank}.jsonl"
        (tmp_path / "runs" / name).write_bytes(encode_all([*events, End(at_s=1e9 + 151)]))
    stand_in = tmp_path / "bin" / "ssh"
    stand_in.parent.mkdir()
    # ssh -T -o BatchMode=yes -- HOST "itermon stream RUN"
    stand_in.write_text(f"#!/bin/sh\necho $5 >> {tmp_path}/asked\nexec {sys.executable} -m $6\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    shown = itermon("attach", "ssh://a/far0", "ssh://b/far1", "ssh://c/far2").output
    assert "Rank 2 is late in its forward pass, and all wait for it." in shown
    assert sorted((tmp_path / "asked").read_text().split()) == ["a", "b", "c"]
    by_node = itermon("attach", "--node", "a", "--node", "b", "far0").output
    assert "are both of rank 0" in by_node
