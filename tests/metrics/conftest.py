"""The folder of runs of one test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from metric_recordings import Recorder


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    made = Recorder(tmp_path / "runs")
    yield made
    made.close()
