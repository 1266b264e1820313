"""What another program of this machine prints: for a bounded time and of a bounded length, without a terminal."""

from __future__ import annotations

import os
import subprocess
import threading

_MOST_TROUBLE = 4_096


def output_of(command: list[str], longest_s: float, most_bytes: int) -> tuple[bytes, str]:
    """What it prints, and what it says of its troubles. No shell, nothing on its standard input.

    Args:
        command: the program and its arguments.
        longest_s: after so long it is ended.
        most_bytes: what prints more is ended too.

    Raises:
        OSError: it cannot be started.
    """
    plain = {**os.environ, "PYTHON_COLORS": "0"}
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - our own words, and a number
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd="/", env=plain
    ) as running:
        end = threading.Timer(longest_s, running.kill)
        end.start()
        try:
            assert running.stdout is not None  # noqa: S101 - pipes were asked for
            assert running.stderr is not None  # noqa: S101
            told = running.stdout.read(most_bytes)
            running.kill()  # what prints more than that is not waited for
            return told, running.stderr.read(_MOST_TROUBLE).decode(errors="replace")
        finally:
            end.cancel()
