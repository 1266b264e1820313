"""The demo trains, is watched, and leaves nothing behind, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import WITHIN_S, eventually


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    for name in ("tmp", "sockets"):
        (tmp_path / name).mkdir(mode=0o700)
    return os.environ | {"TMPDIR": str(tmp_path / "tmp"), "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets")}


def left_behind(tmp_path: Path) -> list[str]:
    return [str(path) for name in ("tmp", "sockets") for path in (tmp_path / name).iterdir()]


@pytest.mark.parametrize("way", ["--log", "--no-mouse"])
def test_a_pipe_gets_the_report_of_a_short_training(way: str, tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "itermon", "demo", way, "--iterations", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WITHIN_S, check=True)
    assert "iteration 1 of 1" in done.stdout
    assert "tokens/iter" in done.stdout
    assert ("nanoGPT" in done.stdout) == (way == "--log")
    assert left_behind(tmp_path) == []


def test_a_demo_that_is_killed_leaves_no_process_and_no_file(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "itermon", "demo", "--iterations", "100000"]
    demo = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: list((tmp_path / "tmp").glob("itermon-demo-*/sockets/*")))
    finally:
        demo.send_signal(signal.SIGKILL)
        demo.wait()
    eventually(lambda: not left_behind(tmp_path))
