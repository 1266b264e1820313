"""`itermon guard`: what it looks after, what it says, and that it can be killed at any time."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from waiting import eventually

from itermon.cli.exits import NO_INPUT
from itermon.cli.main import main

KEEPS = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
FAILURE = 'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\nRuntimeError: CUDA error: no\n'


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ITERMON_NOTIFY", "ITERMON_NOTIFY_FILE"):
        monkeypatch.delenv(name, raising=False)


def lines(first: int, last: int) -> str:
    return "".join(f"iter {i}: loss 3.0000, time 200.00ms, mfu 20.00%\n" for i in range(first, last))


@pytest.mark.parametrize("arguments", [[], ["--all", "train.log"]])
def test_what_is_to_be_looked_after_has_to_be_said(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["guard", *arguments])
    assert result.exit_code == 2
    assert "--all" in result.output


def test_without_a_channel_it_says_how_to_have_one() -> None:
    result = CliRunner().invoke(main, ["guard", "--all"])
    assert result.exit_code == NO_INPUT
    assert "ntfy https://ntfy.sh/TOPIC" in result.output


def test_kinds_that_there_are_not_are_refused() -> None:
    result = CliRunner().invoke(main, ["guard", "--all", "--on", "failled", "true"])
    assert result.exit_code == 2
    assert "did you mean failed?" in result.output


def test_a_log_that_is_not_there_is_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["guard", str(tmp_path / "none.log"), "--on", "all", "true"])
    assert result.exit_code == NO_INPUT
    assert "no such file" in result.output


def test_it_prints_how_it_outlives_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["itermon", "guard", "--all", "--install", "--on", "failed", "tell me"])
    result = CliRunner().invoke(main, sys.argv[1:])
    assert result.exit_code == 0
    assert '"guard" "--all" "--on" "failed" "tell me"' in result.output
    assert "[Service]" in result.output


class Guarding:
    """A guard in a process of its own; each message is a line of `kept`."""

    def __init__(self, log: Path, kept: Path) -> None:
        self.kept = kept
        line = shlex.join([sys.executable, "-c", KEEPS, str(kept)])
        arguments = [str(log), "--max-iters", "500", "--on", "all", line]
        command = [sys.executable, "-m", "itermon", "guard", *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def got(self) -> list[str]:
        return (
            [json.loads(line)["id"] for line in self.kept.read_text().splitlines()] if self.kept.exists() else []
        )

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        _, _ = self.process.communicate(timeout=60)
        return self.process.returncode


def test_killed_and_started_again_it_repeats_nothing_and_misses_nothing(tmp_path: Path) -> None:
    log, kept = tmp_path / "train.log", tmp_path / "kept"
    log.write_text(lines(0, 60))
    state = tmp_path / "runs"
    first = Guarding(log, kept)
    eventually(lambda: [*state.glob("guard-*.json")])
    first.end(signal.SIGKILL)
    [told] = [*state.glob("guard-*.json")]
    since = json.loads(told.read_text())
    told.write_text(json.dumps(since | {"since_s": since["since_s"] - 900.0}))  # it began a while ago
    with log.open("a") as file:  # while nobody looks
        file.write(FAILURE)
    long_ago_s = time.time() - 600.0
    os.utime(log, (long_ago_s, long_ago_s))
    second = Guarding(log, kept)
    eventually(second.got)
    second.process.send_signal(signal.SIGHUP)  # its session ends
    eventually(lambda: not json.loads(told.read_text()).get("waiting"))
    assert second.end(signal.SIGKILL) == -signal.SIGKILL, "it had outlived the session"
    third = Guarding(log, kept)
    assert third.process.stderr
    eventually(lambda: ": seen: Failed" in third.process.stderr.readline())
    assert third.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert [one.partition("/failed")[2] for one in third.got()] == [":1:59/began"]
    assert "secret" not in told.read_text()
