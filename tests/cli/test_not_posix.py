"""Where POSIX is missing (Windows) there is neither screen nor hooks; the report and the plan are there."""

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_POSIX = """
import os, random, signal, subprocess, sys, tempfile
import psutil  # its own Linux half needs what is taken away below
for module in ("fcntl", "termios", "pty", "tty"):
    sys.modules[module] = None
for name in ("geteuid", "getuid", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "register_at_fork"):
    delattr(os, name)
del signal.SIGHUP
from itermon.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("command", "said"), [("report", "100 ms clean"), ("plan", "time/iteration"), ("watch", "100 ms clean")]
)
def test_a_log_is_reported_without_posix(command: str, said: str, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"iter {i}: loss 2.5, time 100.00ms, mfu 10.00%\n" for i in range(30)))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, command, str(log)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
