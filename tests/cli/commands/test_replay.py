"""The commands that read pipes and old logs, as they are typed."""

import subprocess
import sys
from pathlib import Path

import pytest

from itermon.cli.commands.replay import SAMPLE
from itermon.events import Iteration, encode

LOG = "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(20))


def itermon(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "itermon", *arguments], input=given, capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("given", [LOG.encode(), b"".join(encode(Iteration(i, 0.1, 2.5)) for i in range(20))])
@pytest.mark.parametrize("arguments", [["-"], ["report", "-"]])
def test_a_pipe_is_reported_whether_text_or_events(given: bytes, arguments: list[str]) -> None:
    done = itermon(*arguments, given=given)
    assert done.returncode == 0
    assert b"20 iterations seen" in done.stdout


def test_a_pipe_without_a_log_is_no_log() -> None:
    done = itermon("report", "-", given=b"hello\n")
    assert done.returncode == 65
    assert b"no line of a known log format" in done.stderr


def test_a_replay_without_a_terminal_is_a_report(tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    path.write_text(LOG)
    assert b"20 iterations seen" in itermon("replay", str(path)).stdout
    assert itermon("replay", str(path) + "x").returncode == 66


def test_the_sample_shows_each_cause_and_is_named_as_what_it_is() -> None:
    """Nothing of the machine that it was recorded on is in it."""
    shown = itermon("replay", "--sample").stdout.decode()
    assert "201 iterations seen" in shown
    for cause in ("training", "warmup", "evaluation", "checkpoint", "data", "gc", "unexplained"):
        assert f" {cause} " in shown
    text = SAMPLE.read_text(encoding="utf-8")
    assert len(text) <= 100_000
    assert '"host"' not in text
    assert "/" not in text
    assert "the demo's trainer" in itermon("replay", "--help").stdout.decode()


def test_one_recording_is_played() -> None:
    assert itermon("replay").returncode == 2
    assert itermon("replay", "--sample", "x.log").returncode == 2
