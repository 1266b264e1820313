"""The commands that read pipes and old logs, as they are typed."""

import subprocess
import sys
from pathlib import Path

import pytest

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


def test_no_sample_is_made_up_where_none_was_recorded() -> None:
    done = itermon("replay", "--sample")
    assert done.returncode == 66
    assert b"no recording ships with this version" in done.stderr
    assert itermon("replay").returncode == 2
