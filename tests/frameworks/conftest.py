"""These tests run with the real frameworks: `make test-frameworks` installs them. Elsewhere they are skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from itermon.events import Event, decode

SLEEPS_ALONE = """
import threading, time
class Now: ns, unix_ns = time.perf_counter_ns(), time.time_ns() - time.perf_counter_ns()
def sleep(seconds, really=time.sleep):
    really(seconds)
    if threading.current_thread() is threading.main_thread(): Now.ns += round(seconds * 1e9)
time.sleep = sleep
time.perf_counter_ns, time.perf_counter = lambda: Now.ns, lambda: Now.ns / 1e9
time.time_ns, time.time = lambda: Now.unix_ns + Now.ns, lambda: (Now.unix_ns + Now.ns) / 1e9
"""
"""A clock that counts what the script sleeps: no busy machine, no first import, no slow disk."""


@pytest.fixture
def train(tmp_path: Path) -> Callable[..., list[Event]]:
    """Run a trainer in a process of its own (hooks stay in a process for good); what it recorded."""

    def train(
        script: str, *, name: str = "", check: bool = True, sleeps_alone: bool = False, **environment: str
    ) -> list[Event]:
        environment = {
            **os.environ,
            "ITERMON_RUNS_DIR": str(tmp_path / "runs"),
            "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets"),
            "HF_HUB_OFFLINE": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
            **environment,
        }
        done = subprocess.run(
            [sys.executable, "-c", SLEEPS_ALONE * sleeps_alone + textwrap.dedent(script)],
            env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0 or not check, done.stderr[-3000:]
        (path,) = sorted((tmp_path / "runs").glob(f"{name}*.jsonl"))
        return [decode(line) for line in path.read_bytes().splitlines()]

    return train


@pytest.fixture
def clock_of_the_script(tmp_path: Path) -> dict[str, float]:
    """What a script has left of its own stopwatch."""
    clock: dict[str, float] = json.loads((tmp_path / "clock.json").read_text())
    return clock
