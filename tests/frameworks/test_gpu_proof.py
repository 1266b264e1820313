"""The script that proves things on a GPU runs where there is none: its parts fit together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from itermon.events import HostSample, Iteration, decode

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")

PROOF = Path(__file__).parents[2] / "bench" / "gpu_proof.py"


def test_the_tiny_proof_trains_records_judges_and_trims(tmp_path: Path) -> None:
    places = {"ITERMON_RUNS_DIR": str(tmp_path / "runs"), "ITERMON_SOCKETS_DIR": str(tmp_path / "sockets")}
    done = subprocess.run(
        [sys.executable, PROOF, "--out", tmp_path / "out", "--tiny", "--seconds", "16"],  # 8: too few when busy
        env={**os.environ, **places}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "a hook's call in the loop: median" in done.stdout
    recorded = [decode(line) for line in (tmp_path / "out" / "tiny.jsonl").read_bytes().splitlines()]
    assert sum(isinstance(event, Iteration) for event in recorded) > 10
    assert any(isinstance(event, HostSample) and event.trainer_cpu is not None for event in recorded)
    assert 0 < (tmp_path / "out" / "tiny.trimmed.jsonl").stat().st_size <= 400_000
