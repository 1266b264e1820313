"""Asks NCCL's RAS twice, through its own program, where the ranks of this machine's training stand."""

from __future__ import annotations

import os
import shutil
import socket
import time
from typing import TYPE_CHECKING

import psutil

from ...events import Batch
from ..clean import clean
from ..host.programs import output_of
from ..source import Source
from .ras import communicators, holds_any_of, states

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator

    from ...events import Collective
    from .ras import Communicator

PAUSE_S = 2.0
"""Between two looks: a rank that waits for no other has called more by then, unless iterations take longer."""

ANOTHER_JOB = "it answers for another job: no process of this run is in it (in a container PIDs are other ones)"

_ANSWER_S = 5  # what ncclras itself waits for the other ranks
_LONGEST_S = 8.0
_MOST_BYTES = 64 << 20  # a thousand ranks in ten groups are 4 MB


def program() -> str | None:
    """NCCL's own client, where it is installed."""
    return shutil.which("ncclras")


def waiting(
    ncclras: str,
    pids: Collection[int],
    pause: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> tuple[list[Collective], str]:
    """Where the ranks of the job stand that has processes with these `pids` here; and why that is not known.

    Each host has one port for all its jobs, and the first of them answers there.
    """
    try:
        at_s, before = clock(), _asked(ncclras)
        if not holds_any_of(before, own_names(), pids):
            return [], ANOTHER_JOB
        pause(PAUSE_S)
        return states(before, _asked(ncclras), at_s), ""
    except (OSError, ValueError) as error:
        return [], clean(str(error), 200)


class RasSource(Source):
    """One look: where the ranks stand whose processes `pids` gives. Its batch has no state, as a sampler's."""

    title = "ncclras"

    def __init__(self, pids: Callable[[], Collection[int]]) -> None:
        self._pids = pids

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """What it tells; nothing where there is no ncclras, or where it answers for another job."""
        ncclras = program()
        if ncclras is None:
            return
        told, _trouble = waiting(ncclras, self._pids(), stop.wait)
        if told and not stop.is_set():
            yield Batch(told)


def own_names() -> set[str]:
    """What this machine is called: its names and its addresses, in small letters."""
    name = socket.gethostname().lower()
    addresses = {one.address for of_one in psutil.net_if_addrs().values() for one in of_one}
    return {name, name.partition(".")[0], "localhost", *(one.partition("%")[0].lower() for one in addresses)}


def _asked(ncclras: str) -> list[Communicator]:
    told, said = output_of([ncclras, "-f", "json", "-t", str(_ANSWER_S), *_address()], _LONGEST_S, _MOST_BYTES)
    if not told and said:
        raise ValueError(said.strip().split("\n")[0])
    return communicators(told)


def _address() -> list[str]:
    """As NCCL reads `NCCL_RAS_ADDR`: `host:port`, `[::1]:port`; without it the client knows its own."""
    host, colon, port = os.environ.get("NCCL_RAS_ADDR", "").strip().rpartition(":")
    return ["-h", host.strip("[]"), "-p", port] if colon and host and port.isdigit() else []
