"""However a training ends, its report says so, with the exit code that its launcher saw."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from itermon.cli.reading import read_to_the_end
from itermon.cli.sources import OpenOptions, open_sources
from itermon.launch.launch import launch


class Ending(NamedTuple):
    """The last lines of a trainer; what its report is to say of them, and its exit code."""

    lines: str
    reason: str
    exit_code: int
    exit: str = ""


ENDINGS = {
    "returns": Ending("pass", "finished", 0),
    "exit-0": Ending("sys.exit(0)", "finished", 0),
    "exit-1": Ending("sys.exit(1)", "failed", 1, "exit code 1"),
    "exit-words": Ending("sys.exit('no data')", "failed", 1, "exit code 1"),
    "raises-exit": Ending("raise SystemExit(2)", "failed", 2, "exit code 2"),
    "error": Ending("raise ValueError('nan')", "failed", 1, "exit code 1"),
    "caught": Ending("try: 1 / 0\nexcept ZeroDivisionError: sys.exit(1)", "failed", 1, "exit code 1"),
    "goes-on": Ending("try: sys.exit(1)\nexcept SystemExit: hooks.iteration(3)", "finished", 0),
    "ctrl-c": Ending("kill(signal.SIGINT)", "interrupted", 130, "SIGINT (signal 2)"),
    "os-exit-0": Ending("os._exit(0)", "finished", 0),
    "os-exit-3": Ending("os._exit(3)", "failed", 3, "exit code 3"),
    "terminated": Ending("kill(signal.SIGTERM)", "killed", 143, "SIGTERM (signal 15)"),
    "killed": Ending("kill(signal.SIGKILL)", "killed", 137, "SIGKILL (signal 9)"),
    "crashed": Ending("kill(signal.SIGSEGV)", "killed", 139, "SIGSEGV (signal 11)"),
    "aborted": Ending("os.abort()", "killed", 134, "SIGABRT (signal 6)"),
    "by-shell": Ending("os._exit(137)", "killed", 137, "SIGKILL (signal 9)"),
}

HEAD = """
import os, resource, signal, sys, time
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import itermon
def kill(number):
    os.kill(os.getpid(), number)
    time.sleep(9)
hooks = itermon.Hooks()
for i in range(3): hooks.iteration(i)
while b'"index":2' not in open(hooks.recording, 'rb').read(): time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """All of them at once: each takes as long as a Python takes to start. Their exit codes."""
    folder = tmp_path_factory.mktemp("endings")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ITERMON_RUNS_DIR", str(folder / "runs"))
        environment.setenv("ITERMON_SOCKETS_DIR", str(folder / "sockets"))
        launched = {
            name: launch(name, [sys.executable, "-c", HEAD + ending.lines], hooks=True)
            for name, ending in ENDINGS.items()
        }
        with ThreadPoolExecutor() as waiting:
            return dict(zip(launched, waiting.map(lambda one: one.wait(), launched.values()), strict=True))


@pytest.fixture
def kept(codes: dict[str, int], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes
    folder = tmp_path_factory.getbasetemp() / "endings0"
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(folder / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(folder / "sockets"))


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.usefixtures("kept")
def test_the_report_says_how_it_ended(codes: dict[str, int], name: str) -> None:
    expected = ENDINGS[name]
    assert codes[name] == expected.exit_code
    found = read_to_the_end(open_sources([name], OpenOptions())).findings()
    assert (found.ended, found.progress.iteration) == (expected.reason, 3 if name == "goes-on" else 2)
    assert found.ending is not None
    assert found.ending.exit == expected.exit or expected.reason == "finished"
    assert (found.verdict.healthy is False) == (expected.reason in ("failed", "killed"))
