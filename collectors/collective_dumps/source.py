"""A folder of flight recorder dumps as a source: what each rank waited in when they were written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ...events import Batch, EndOfFile, EndReason, Message, RankState, RunInfo, Severity, SourceState
from ...opening import read_bytes
from ..clean import clean
from ..source import Source
from .flight_recorder import states
from .plain_pickle import NotPlainError, loads

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from ...events import Event

MOST_BYTES = 64 << 20
"""Of one dump: 20,000 collectives with their frames are 30 MB."""

MOST_DUMPS = 4_096
_HEAD_BYTES = 1 << 16
_RANK = re.compile(r"rank[_-]?(\d{1,6})(?:\.(?:json|pkl|pickle))?$|^(?:nccl_trace|comm_lib_trace)\D*(\d{1,6})$")


def dumps_in(folder: Path) -> dict[int, Path]:
    """The dumps in `folder` by rank, by their names (`rank_3`, `nccl_trace_rank_3`) and first bytes."""
    found: dict[int, Path] = {}
    for path in sorted(folder.iterdir()):
        name = _RANK.search(path.name)
        if name is None or len(found) >= MOST_DUMPS or not path.is_file():
            continue
        try:
            head = read_bytes(path, _HEAD_BYTES)
        except OSError:
            continue
        if (b"entries" in head and b"pg_config" in head) or b"profiling_name" in head:
            found[int(name[1] or name[2])] = path
    return found


class DumpsSource(Source):
    """The dumps of `ranks`, each in a file of its own."""

    def __init__(self, folder: Path, ranks: dict[int, Path]) -> None:
        self.title = clean(str(folder))
        self._name = clean(folder.name)
        self._ranks = ranks

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """All of them at once: they do not grow."""
        dumps: dict[int, object] = {}
        events: list[Event] = [RunInfo(name=self._name, source_format="flight recorder dumps")]
        for rank, path in self._ranks.items():
            if stop.is_set():
                return
            try:
                dumps[rank] = _read(path)
            except (OSError, ValueError) as error:
                text = f"the dump of rank {rank} cannot be read: {error}"
                events.append(Message(clean(text), Severity.WARNING))
        events += (RankState(rank) for rank in dumps)
        events += states(dumps)
        text = "the collectives of all ranks were dumped: NCCL's watchdog does so when one times out"
        events += [Message(text, Severity.WARNING, ending=EndReason.FAILED), EndOfFile()]
        yield Batch(events, state=SourceState.ENDED)


def _read(path: Path) -> object:
    data = read_bytes(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise NotPlainError(f"more than {MOST_BYTES >> 20} MiB")
    if data.lstrip()[:1] == b"{":
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError as error:
            raise NotPlainError(f"no JSON ({error})") from None
    return loads(data)
