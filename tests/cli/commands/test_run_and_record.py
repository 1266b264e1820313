"""Starting a training with `itermon run`; recording a run into a file that replays."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from waiting import eventually

from itermon.cli import exits
from itermon.cli.commands.run import _watch
from itermon.cli.main import main
from itermon.collectors.runs.event_reader import EventReader
from itermon.collectors.runs.listing import find_run
from itermon.events import Iteration
from itermon.trainer_hooks import Hooks

LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(20))


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    return tmp_path


def itermon(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="itermon")


def test_without_a_terminal_a_training_is_reported_when_it_has_ended(run_folders: Path) -> None:
    script = run_folders / "train.py"
    script.write_text(f"print({LOG!r}, end='')\n")
    result = itermon("run", "--", sys.executable, script)
    assert result.exit_code == 0
    assert "20 iterations" in result.stdout
    assert "ended with exit code 0" in result.stderr
    assert Path(find_run("train").log or "").read_text() == LOG


def test_its_exit_code_is_ours(run_folders: Path) -> None:
    result = itermon("run", "--", sys.executable, "-c", f"print({LOG!r}); raise SystemExit(7)")
    assert result.exit_code == 7


def test_a_training_without_iterations_that_succeeds_is_a_success(run_folders: Path) -> None:
    result = itermon("run", "--", "echo", "done")
    assert result.exit_code == 0
    assert "no line of a known log format" in result.stderr


def test_what_crashes_before_its_first_iteration_says_of_what(run_folders: Path) -> None:
    result = itermon("run", "--hooks", "--", sys.executable, "-c", "raise ValueError('no data in /x')")
    assert result.exit_code == 1
    assert "ValueError: no data in /x" in result.stderr


def test_a_viewer_that_is_terminated_says_that_the_training_goes_on(run_folders: Path) -> None:
    wait = "import os, time; os.replace('begun~', 'begun'); time.sleep(60)"
    (run_folders / "begun~").touch()
    command = [sys.executable, "-m", "itermon", "run", "--name", "long", "--", sys.executable, "-c", wait]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, cwd=run_folders, **pipes) as viewer:  # type: ignore[call-overload]
        eventually((run_folders / "begun").exists)
        viewer.terminate()
        _, said = viewer.communicate(timeout=60)
        run = find_run("long")
        os.kill(run.pid, signal.SIGKILL)
    assert viewer.returncode == 143
    assert run.alive
    assert "the training goes on" in said
    assert "itermon attach long" in said


def test_an_exit_that_a_library_caught_in_its_import_is_made_good() -> None:
    """Nothing is waited for then, be there a screen or none."""
    with pytest.raises(SystemExit) as left:
        _watch(None, [], None, [143], hooks=False)  # type: ignore[arg-type]
    assert left.value.code == 143


def test_a_training_that_is_not_watched_goes_on_and_can_be_attached_to(run_folders: Path) -> None:
    result = itermon(
        "run", "--detach", "--name", "my long.run", "--", sys.executable, "-c", "open('/dev/zero').read()"
    )
    run = find_run("my long.run")
    os.kill(run.pid, signal.SIGKILL)
    assert result.exit_code == 0
    assert "itermon attach my-long-run" in result.stderr
    assert find_run("my-long-run").pid == run.pid
    assert run.alive


def test_options_after_the_command_are_the_commands_own(run_folders: Path) -> None:
    itermon("run", "--name", "echo", "--", "echo", "--help", "--name", "x")
    assert Path(find_run("echo").log or "").read_text() == "--help --name x\n"


def test_a_run_is_recorded_with_the_machines_samples(run_folders: Path) -> None:
    with Hooks("tiny") as hooks:
        for index in range(30):
            hooks.iteration(index)
    file = run_folders / "out.jsonl"
    result = itermon("record", "tiny", "-o", file)
    assert result.exit_code == 0
    assert "itermon replay" in result.output
    events = EventReader().feed(file.read_bytes())
    assert [event.index for event in events if isinstance(event, Iteration)] == list(range(30))
    again = itermon("record", "tiny", "-o", file)
    assert again.exit_code == 2
    assert "not overwritten" in again.output
    assert "30 iterations" in itermon("report", file).output


def test_what_could_not_be_recorded_leaves_no_file(run_folders: Path) -> None:
    file, dead = run_folders / "out.jsonl", run_folders / "dead.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(dead))
    for _ in range(2):
        result = itermon("record", dead, "-o", file)
        assert result.exit_code == exits.NO_INPUT
        assert not file.exists()


def test_several_files_of_a_run_are_recorded_as_one(run_folders: Path) -> None:
    file, log, errors = (run_folders / name for name in ("out.jsonl", "train.out", "train.err"))
    log.write_text(LOG)
    errors.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
    command = [sys.executable, "-m", "itermon", "record", "--no-machine", str(log), str(errors), "-o", str(file)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as recording:
        eventually(lambda: file.exists() and file.read_bytes().count(b"OutOfMemoryError") == 1)
        recording.send_signal(signal.SIGINT)
    events = EventReader().feed(file.read_bytes())
    assert sum(isinstance(event, Iteration) for event in events) == 20


def test_what_is_piped_in_is_recorded(run_folders: Path) -> None:
    file = run_folders / "out.jsonl"
    command = [sys.executable, "-m", "itermon", "record", "-", "-o", str(file)]
    subprocess.run(command, input=LOG.encode(), check=True, capture_output=True, timeout=60)
    events = EventReader().feed(file.read_bytes())
    assert sum(isinstance(event, Iteration) for event in events) == 20
