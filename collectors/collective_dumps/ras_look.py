"""Asks NCCL's RAS twice, through its own program, where the ranks of this machine's training stand."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

from ..clean import clean
from ..host.programs import output_of
from .ras import communicators, states, stood_still

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import Collective
    from .ras import Communicator

PAUSE_S = 2.0
"""Between two looks: a rank that waits for no other has called more by then, unless iterations take longer."""

_ANSWER_S = 5  # what ncclras itself waits for the other ranks
_LONGEST_S = 8.0
_MOST_BYTES = 64 << 20  # a thousand ranks in ten groups are 4 MB


def program() -> str | None:
    """NCCL's own client, where it is installed."""
    return shutil.which("ncclras")


def waiting(ncclras: str, pause: Callable[[float], object] = time.sleep) -> tuple[list[Collective], str]:
    """Where the ranks stand that called nothing between two looks; and why that is not known."""
    try:
        before = _asked(ncclras)
        pause(PAUSE_S)
        return states(stood_still(before, _asked(ncclras))), ""
    except (OSError, ValueError) as error:
        return [], clean(str(error), 200)


def _asked(ncclras: str) -> list[Communicator]:
    told, said = output_of([ncclras, "-f", "json", "-t", str(_ANSWER_S), *_address()], _LONGEST_S, _MOST_BYTES)
    if not told and said:
        raise ValueError(said.strip().split("\n")[0])
    return communicators(told)


def _address() -> list[str]:
    """As NCCL reads `NCCL_RAS_ADDR`: `host:port`, `[::1]:port`; without it the client knows its own."""
    host, colon, port = os.environ.get("NCCL_RAS_ADDR", "").strip().rpartition(":")
    return ["-h", host.strip("[]"), "-p", port] if colon and host and port.isdigit() else []
