"""A training that was started here: its output is kept, and it outlives whoever watches."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import eventually

from itermon.cli.runs import open_run
from itermon.collectors.runs.launched import LaunchedSource
from itermon.collectors.runs.listing import find_run, known_runs
from itermon.events import Batch, Config, Iteration, PrintedLoss, RunInfo, SourceState, encode, expand
from itermon.launch.launch import Launched, LaunchError, launch


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def python(script: str, *, hooks: bool = False) -> Launched:
    return launch("tiny", [sys.executable, "-c", script], hooks=hooks)


def test_the_output_is_kept_as_it_was_written_and_the_exit_code_comes_back() -> None:
    launched = python(
        "import sys; print('iter 0'); print('oh', file=sys.stderr); print(sys.stdin.read()); sys.exit(3)"
    )
    assert launched.wait() == 3
    assert launched.log.read_text() == "iter 0\noh\n\n"
    assert launched.log.stat().st_mode & 0o777 == 0o600


def test_the_training_believes_that_it_has_a_terminal() -> None:
    launched = python("import os, sys; print(sys.stdout.isatty(), os.get_terminal_size())")
    launched.wait()
    assert launched.log.read_text() == "True os.terminal_size(columns=160, lines=50)\n"


@pytest.mark.parametrize("name", ["no-such-command", "no-such-\udc9b"])
def test_what_cannot_be_started_says_so_in_its_log(name: str) -> None:
    launched = launch("none", [name], hooks=False)
    assert launched.wait() == 127
    assert launched.last_line().endswith(": command not found")
    assert launched.log.read_bytes() == os.fsencode(f"itermon: {name}: command not found\n")


def test_a_training_that_was_killed_ends_as_a_shell_says_it() -> None:
    assert launch("killed", ["sh", "-c", "kill -9 $$"], hooks=False).wait() == 128 + signal.SIGKILL


def test_where_no_output_can_be_kept_one_line_says_so(
    run_folders: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (run_folders / "logs").write_text("a file")
    with pytest.raises(LaunchError, match=r"logs: Not a directory\. ITERMON_RUNS_DIR"):
        python("print('iter 0')")
    assert not capfd.readouterr().err, "the error is the line"


def test_it_is_listed_while_it_lives_and_after_and_a_hang_up_does_not_end_it() -> None:
    launched = python("print('begun'); input_ = open('/dev/zero'); import time\nwhile True: time.sleep(0.05)")
    try:
        eventually(lambda: launched.log.read_text() == "begun\n")
        run = find_run("tiny")
        assert (run.alive, run.pid, run.log) == (True, launched.pid, str(launched.log))
        os.kill(launched._supervisor.pid, signal.SIGHUP)
        assert find_run("tiny").alive
        assert os.getsid(launched.pid) != os.getsid(0), "Ctrl-C here does not reach it"
    finally:
        os.kill(launched.pid, signal.SIGKILL)
    launched.wait()
    assert not find_run("tiny").alive


TRAINER = """
import itermon, sys, time
hooks = itermon.Hooks()
for i in range(3): hooks.iteration(i)
while len(sys.argv) > 1: time.sleep(0.05)
"""


def read(launched: Launched, until: Callable[[Batch], bool]) -> list[Batch]:
    batches = []
    for batch in LaunchedSource(launched.log).batches(threading.Event()):
        batches.append(batch)
        if until(batch):
            break
    return batches


def indices(batches: list[Batch]) -> list[int]:
    return [event.index for batch in batches for event in expand(batch.events) if isinstance(event, Iteration)]


def test_hooks_are_found_while_it_runs_and_its_recording_afterwards() -> None:
    launched = launch("named", [sys.executable, "-c", TRAINER, "stay"], hooks=True)
    try:
        batches = read(launched, lambda batch: any(isinstance(event, Iteration) for event in batch.events))
    finally:
        os.kill(launched.pid, signal.SIGKILL)
    launched.wait()
    assert indices(batches) == [0, 1, 2]
    (info,) = [event for batch in batches for event in batch.events if isinstance(event, RunInfo)]
    assert info.name == "named"
    assert indices(read(launched, lambda batch: batch.state == SourceState.ENDED)) == [0, 1, 2]
    (run,) = known_runs()
    assert run.recording is not None
    assert run.log == str(launched.log), "one run, not two"


PRINTING = """
import itermon, sys, time
hooks = itermon.Hooks()
print("Overriding: max_iters = 3")
for i in range(3):
    hooks.iteration(i)
    print(f"iter {i}: loss {4 - i}.0000, time 1.00ms, mfu -100.00%", flush=True)
while len(sys.argv) > 1: time.sleep(0.05)
"""


def losses(batches: list[Batch]) -> list[float | None]:
    return [event.loss for batch in batches for event in batch.events if isinstance(event, PrintedLoss)]


def test_what_a_hooked_training_prints_is_told_beside_its_hooks() -> None:
    launched = launch("printing", [sys.executable, "-c", PRINTING, "stay"], hooks=True)
    try:
        seen: list[Batch] = []
        read(launched, lambda batch: bool(seen.append(batch)) or len(losses(seen)) == 3)
        attached: list[Batch] = []
        for batch in open_run("printing").batches(threading.Event()):
            attached.append(batch)
            if len(losses(attached)) == 3:
                break
    finally:
        os.kill(launched.pid, signal.SIGKILL)
    launched.wait()
    ended = read(launched, lambda batch: batch.state == SourceState.ENDED)
    for batches in (seen, attached, ended):
        assert losses(batches) == [4.0, 3.0, 2.0]
        assert 3 in [e.max_iterations for batch in batches for e in batch.events if isinstance(e, Config)]


def test_hooks_that_are_asked_for_disturb_nobody_and_hide_nothing(run_folders: Path) -> None:
    (run_folders / "site").mkdir()
    (run_folders / "site" / "sitecustomize.py").write_text("import sys; sys.hidden = 'found'\n")
    os.environ["PYTHONPATH"] = str(run_folders / "site")
    try:
        launched = python("import sys; print(sys.hidden, 'torch' in sys.modules)", hooks=True)
        launched.wait()
    finally:
        del os.environ["PYTHONPATH"]
    assert launched.log.read_text() == "found False\n"
    assert not (run_folders / "runs").exists(), "a process that does not train records nothing"


def test_a_python_without_itermon_trains_all_the_same() -> None:
    launched = launch("bare", [sys.executable, "-S", "-c", "import site; print('trains')"], hooks=True)
    assert launched.wait() == 0
    assert launched.log.read_text().splitlines()[-1] == "trains"


def keep(run_folders: Path, name: str, content: bytes = b"") -> None:
    path = run_folders / ("logs" if name.endswith(".log") else "runs") / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def test_a_recording_that_began_a_second_later_belongs_to_the_same_run(run_folders: Path) -> None:
    keep(run_folders, "a.20260101-000001.7.jsonl", encode(RunInfo(output="a.20260101-000000.7")))
    keep(run_folders, "a.20260101-000000.7.log")
    (run,) = known_runs()
    assert run.recording is not None
    assert run.log is not None


def test_a_process_that_was_given_the_same_pid_later_is_another_run(run_folders: Path) -> None:
    keep(run_folders, "a.20260101-000000.7.log")
    keep(run_folders, "b.20260301-000000.7.jsonl", encode(RunInfo()))
    assert sorted((run.name, run.log is None) for run in known_runs()) == [("a", False), ("b", True)]


def test_an_output_belongs_to_the_one_trainer_that_wrote_it_or_to_none(run_folders: Path) -> None:
    stem = "start.20260101-000000.7"
    keep(run_folders, f"{stem}.log")
    keep(run_folders, "train.20260101-000010.8.jsonl", encode(RunInfo(output=stem, rank=0)))
    keep(run_folders, "train-rank1.20260101-000010.9.jsonl", encode(RunInfo(output=stem, rank=1)))
    assert {run.name: run.log is None for run in known_runs()} == {"train": False, "train-rank1": True}
    for name in ("start", "7", stem):
        assert find_run(name).name == "train", "called as it was started"
    keep(run_folders, "train.20260101-000110.18.jsonl", encode(RunInfo(output=stem, rank=0)))
    assert {run.log for run in known_runs()} == {None}


def test_a_trainer_below_a_launcher_is_one_run_with_its_output() -> None:
    shell = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", PRINTING, "stay"]
    launched = launch("wrapped", shell, hooks=True)
    try:
        run = eventually(lambda: next((run for run in known_runs() if run.iteration == 2), None))
        assert (run.name, run.alive, run.log) == ("wrapped", True, str(launched.log))
        assert find_run("wrapped") == find_run(str(launched.pid))
    finally:
        os.killpg(launched.pid, signal.SIGKILL)
    launched.wait()


def test_a_training_that_hooks_cannot_see_is_watched_by_its_log_meanwhile() -> None:
    line = "iter 0: loss 3.5, time 200.00ms, mfu 10.00%"
    launched = launch(
        "plain", ["sh", "-c", f"echo '{line}'; echo '{line.replace('0', '1', 1)}'; exec sleep 600"], hooks=True
    )
    try:
        batches = read(launched, lambda batch: 1 in indices([batch]))
    finally:
        os.killpg(launched.pid, signal.SIGKILL)
    launched.wait()
    assert indices(batches) == [0, 1]
    again = read(launched, lambda batch: batch.state == SourceState.ENDED)
    assert indices(again) == [0, 1]


def test_of_several_ranks_the_lowest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RANKS", "all")
    ranks = 'RANK=1 "$@" & RANK=0 "$@" & wait'
    launched = launch("ranks", ["sh", "-c", ranks, "sh", sys.executable, "-c", TRAINER, "stay"], hooks=True)
    try:
        batches = read(launched, lambda batch: any(isinstance(event, Iteration) for event in batch.events))
    finally:
        os.killpg(launched.pid, signal.SIGKILL)
    launched.wait()
    assert [e.rank for batch in batches for e in batch.events if isinstance(e, RunInfo)] == [0]
