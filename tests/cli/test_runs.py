"""From what was typed after `attach` to a run: of this machine by name, PID, socket or recording, or over ssh."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sshd import MISSING, SSHD, other_machine
from waiting import WITHIN_S

from itermon.cli.exits import NO_INPUT, NoInputError, NotALogError
from itermon.cli.runs import living_pid, look_at, open_run, pids_of, run_called, source_of
from itermon.collectors.host import stacks, writer
from itermon.collectors.host.stacks import ProcessStack
from itermon.collectors.runs.launched import LaunchedSource
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.runs.socket import SocketSource
from itermon.collectors.runs.ssh import SshSource
from itermon.events import CHECKPOINT, End, Iteration, RunInfo, SpanEnd, encode_all, expand

RUN_ID = "gpt.20260101-120000.4242"


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished run, called gpt."""
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / f"{RUN_ID}.jsonl"
    path.write_bytes(encode_all([RunInfo(name="gpt", pid=4242), Iteration(0, 1.0)]))
    return path


@pytest.fixture
def alive(recording: Path) -> Iterator[Path]:
    """The same with the lock of a trainer that lives."""
    lock = os.open(recording, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield recording
    os.close(lock)


@pytest.mark.parametrize("text", ["gpt", "4242", RUN_ID, "gp"])
def test_a_run_is_meant_by_name_pid_and_id(recording: Path, text: str) -> None:
    assert recording.is_file()
    assert isinstance(open_run(text), RecordingSource)


def test_a_recording_is_meant_by_its_path_and_may_still_be_empty(recording: Path) -> None:
    assert isinstance(open_run(str(recording)), RecordingSource)
    recording.write_bytes(b"")
    assert isinstance(open_run(str(recording)), RecordingSource)


def test_a_socket_is_a_living_trainer(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert isinstance(open_run(str(tmp_path / "s")), SocketSource)


def test_the_ranks_of_a_run_are_read_together(recording: Path) -> None:
    for rank, run_id in enumerate([RUN_ID, "gpt-rank1.20260101-120000.4243"]):
        events = [RunInfo(name="gpt", rank=rank, started_at_s=1_000.0), Iteration(0, 1.0)]
        (recording.parent / f"{run_id}.jsonl").write_bytes(encode_all(events))
    assert isinstance(open_run("4242"), RanksSource)


def test_ranks_whose_hooks_count_no_iteration_leave_the_run_to_their_output(recording: Path) -> None:
    """An optimizer of the script's own calls no hook: waits and saves alone would hide a log that says it all."""
    started = "gpt.20260101-115959.4200"
    for rank, run_id in enumerate([RUN_ID, "gpt-rank1.20260101-120000.4243"]):
        info = RunInfo(name="gpt", rank=rank, started_at_s=1_000.0, output=started)
        saved = SpanEnd(CHECKPOINT, duration_s=1.0)
        (recording.parent / f"{run_id}.jsonl").write_bytes(encode_all([info, saved, End()]))
    logs = recording.parent.parent / "logs"
    logs.mkdir(mode=0o700)
    lines = [f"iter {n}: loss {4 - n}.0000, time 100.00ms, mfu -100.00%\n" for n in range(4)]
    (logs / f"{started}.log").write_text("".join(lines))
    (logs / f"{started}.exit").write_text('{"exit_code": 0, "at_s": 5.0}')
    for text in ("gpt", "4200", started):
        run = run_called(text)
        assert run is not None
        batches = list(source_of(run, follow=False).batches(threading.Event()))
        began = max(number for number, batch in enumerate(batches) if batch.restart)
        events = [event for batch in batches[began:] for event in expand(batch.events)]
        assert [event.index for event in events if isinstance(event, Iteration)] == [0, 1, 2, 3]
        assert [event.reason for event in events if isinstance(event, End)] == ["finished"]


@pytest.mark.parametrize("text", ["ssh://", "ssh://box", "ssh://box/", "ssh:///run", "ssh://-oProxyCommand=x/run"])
def test_an_address_over_ssh_names_host_and_run_and_no_option(text: str) -> None:
    with pytest.raises(NoInputError, match="write ssh://HOST/RUN"):
        open_run(text)
    assert isinstance(open_run("ssh://box/run"), SshSource)


def test_a_log_is_no_recording_and_a_folder_no_run(recording: Path, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("iter 0: loss 3.5\n")
    with pytest.raises(
        NotALogError, match=r"no recording, for its first line is no event\. A log is watched with"
    ):
        open_run(str(tmp_path / "train.log"))
    with pytest.raises(NoInputError, match="neither a recording nor a trainer's socket"):
        open_run(f"{tmp_path}/")
    with pytest.raises(NoInputError, match="Known here: gpt"):
        open_run("bert")
    assert recording.is_file()


def test_exactly_a_name_is_a_run_and_its_beginning_is_none(recording: Path) -> None:
    found = run_called("gpt")
    assert found is not None
    assert found.recording == str(recording)
    assert run_called("gp") is None


@pytest.mark.parametrize("text", ["gpt", "4242", RUN_ID, f"/anywhere/{RUN_ID}.jsonl", f"/anywhere/{RUN_ID}.sock"])
def test_the_process_of_a_living_run_is_sampled(alive: Path, text: str) -> None:
    assert alive.is_file()
    assert living_pid(text) == 4242


def test_of_a_run_that_ended_or_is_elsewhere_no_process_is_sampled(recording: Path) -> None:
    assert recording.is_file()
    assert [living_pid(text) for text in ("gpt", "bert", "ssh://box/gpt")] == [None, None, None]


def test_a_training_that_has_no_hooks_yet_is_followed_until_it_has(recording: Path) -> None:
    recording.unlink()
    logs = recording.parent.parent / "logs"
    logs.mkdir(mode=0o700)
    (logs / f"{RUN_ID}.log").write_text("loading\n")
    assert isinstance(open_run("gpt"), LaunchedSource)


@pytest.mark.skipif(SSHD is None, reason=MISSING)
def test_a_run_of_another_machine_is_read_over_a_real_ssh(recording: Path, tmp_path: Path) -> None:
    """Who logs in where and by which port is ssh's to say; a run that is not there, its host's."""
    ours = {name: os.environ[name] for name in ("ITERMON_RUNS_DIR", "ITERMON_SOCKETS_DIR")}
    with other_machine(tmp_path, ours) as (host, here):

        def said(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
            line = [sys.executable, "-m", "itermon", command, *arguments]
            return subprocess.run(line, env=here, capture_output=True, text=True, check=False, timeout=WITHIN_S)

        assert said("stream", f"ssh://{host}/gpt").stdout.startswith(recording.read_text())
        missing = said("stream", f"ssh://{host}/nope")
        assert missing.returncode == NO_INPUT
        assert missing.stderr == f"Error: {host}: nope: no run is called 'nope'. Known here: gpt\n"
        listed = said("attach", f"ssh://{host}")
        assert [line.split()[1:3] for line in listed.stdout.splitlines()[1:]] == [["gpt", "4242"]]
        assert '"gpt"' in said("attach", "--json", f"ssh://{host}").stdout
        (tmp_path / "there" / "itermon").unlink()
        for arguments in (("stream", f"ssh://{host}/gpt"), ("attach", f"ssh://{host}")):
            assert "no itermon on the PATH" in said(*arguments).stderr
            assert said(*arguments).returncode == NO_INPUT


@pytest.mark.usefixtures("recording")
def test_a_number_is_a_process() -> None:
    assert pids_of(str(os.getpid())) == [os.getpid()]
    with pytest.raises(NoInputError):
        pids_of("4194305")


@pytest.mark.usefixtures("recording")
def test_a_log_is_the_process_that_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 1: loss 2.0\n")
    monkeypatch.setattr(writer, "writer_of", lambda _: None)
    with pytest.raises(NoInputError, match="no process of this machine"):
        pids_of(str(log))
    monkeypatch.setattr(writer, "writer_of", lambda _: 7)
    assert pids_of(str(log)) == [7]


@pytest.mark.usefixtures("recording")
def test_a_look_says_why_there_is_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_at("gpt") == "gpt: it has ended; there is nothing to look at."
    seen = [ProcessStack(7)]
    monkeypatch.setattr(stacks, "stacks_of", lambda _: seen)
    assert look_at(str(os.getpid())) is seen
