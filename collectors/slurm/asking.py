"""Asks a Slurm program, bounded in time and output: a controller that is busy answers after minutes, or never."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE_S = 5.0
MOST_BYTES = 1 << 20  # a job of `scontrol` is 2 kB: 500 of them
_CHUNK_BYTES = 1 << 16
_THEIR_OWN = ("SQUEUE_", "SCONTROL_")  # what changes the form of their output


def answer_of(
    command: Sequence[str], *, patience_s: float = PATIENCE_S, most_bytes: int = MOST_BYTES
) -> str | None:
    """What the program printed; `None` where there is no such program, it failed, or did not answer in time.

    Of what is too long the beginning, up to the last whole line.
    """
    if shutil.which(command[0]) is None:
        return None
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SQUEUE_", "SCONTROL_"))
    }
    try:
        child = subprocess.Popen(  # noqa: S603 - no shell, and no word of it comes from outside
            [*command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"LC_ALL": "C"},
        )
    except OSError:
        return None
    assert child.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        said, whole = _read(child.stdout.fileno(), time.monotonic() + patience_s, most_bytes)
        if said is None or (whole and child.wait(patience_s)):
            return None
    except subprocess.TimeoutExpired:
        return None
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    text = said.decode(errors="replace")
    return text if whole else text.rpartition("\n")[0]


def _read(descriptor: int, until_s: float, most_bytes: int) -> tuple[bytes | None, bool]:
    """What came, and whether that is all; nothing where it took too long."""
    said = b""
    with selectors.DefaultSelector() as ready:
        ready.register(descriptor, selectors.EVENT_READ)
        while len(said) < most_bytes:
            if not ready.select(max(0.0, until_s - time.monotonic())):
                return None, False
            data = os.read(descriptor, _CHUNK_BYTES)
            if not data:
                return said, True
            said += data
    return said[:most_bytes], False
