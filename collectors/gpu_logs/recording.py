"""A file in which somebody recorded GPUs: what it is, and its samples as it grows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...opening import reading
from ..clean import clean_lines
from ..files.decoding import HEAD_BYTES, decoder_for
from ..files.patient import PatientTail
from ..patterns import lazy_pattern
from .documents import DocumentReader
from .tables import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...events import GpuSample
    from ..files.tail import Tail

LOOK_BYTES = 1 << 14
"""Of the beginning of a file: its headings stand there, behind a few lines of a driver's complaints."""

LOOK_LINES = 40

_WITHOUT_HEADINGS = lazy_pattern(
    r"(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}, )?[^\n]{0,200}\d+ (?:%|MiB|MHz|W)(?:,|$)"
)
_DOCUMENT = lazy_pattern(r'\A\s*\{[^{}]*?"query_time"\s*:')
NO_HEADINGS = (
    "a recording of GPUs without headings, so nobody can tell its columns apart: record it without noheader"
)


class NotARecordingError(ValueError):
    """The file is no recording of GPUs that can be read; the message says why."""


def is_recording(path: Path) -> bool:
    """Is the file at `path` a recording of GPUs, by its first lines? Of one that cannot be read: no."""
    try:
        with reading(path) as file:  # no log is unpacked for it: nobody names a compressed recording as a log
            head = file.read(LOOK_BYTES)
    except OSError:
        return False
    if decoder_for(head[:HEAD_BYTES], lambda _count, _offset: b""):
        return False
    return bool(_recognised(head))


def _recognised(head: bytes) -> TableReader | DocumentReader | None:
    """The reader of a file that begins with `head`."""
    if _DOCUMENT.search(head.decode(errors="replace")):
        return DocumentReader()
    table = TableReader()
    lines = [*clean_lines(head[: head.rfind(b"\n") + 1])][:LOOK_LINES]
    samples = table.read(lines)
    return TableReader() if samples or table.is_all_of_gpus else None


class Recording:
    """The samples in the file at `path`, each once. Reads what others write, and never writes."""

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        self.path = path
        self._tail: Tail = PatientTail(path, patient=follow)
        self._follow = follow
        self._reader: TableReader | DocumentReader | None = None
        self._restarts = 0
        self._head = b""  # as long as it does not say what the file is

    @property
    def zoned(self) -> bool | None:
        """Do its times say of which zone they are? `None`: it has no times, or nothing was read yet."""
        return self._reader.zoned if self._reader else None

    def new(self) -> Iterator[list[GpuSample]]:
        """What is new since it was last asked, some hundred samples at a time.

        Raises `NotARecordingError`, and `OSError` for a file that cannot be read.
        """
        while (data := self._tail.read()) or not self._tail.caught_up:
            if self._restarts != self._tail.restarts:
                self._restarts, self._reader, self._head = self._tail.restarts, None, b""
            yield self._samples(data)
        if not self._follow and (rest := self._tail.rest(over=True)):
            yield self._samples(rest)

    def close(self) -> None:
        """Let go of the file."""
        self._tail.close()

    def _samples(self, data: bytes) -> list[GpuSample]:
        if self._reader is None and data:
            data = self._head + data
            self._reader = _recognised(data[: 4 * LOOK_BYTES])
            if self._reader is None and self._follow and len(data) < LOOK_BYTES:
                self._head, data = data, b""
            elif self._reader is None:
                raise NotARecordingError(_why_not(data))
        return self._reader.read([*clean_lines(data)]) if self._reader and data else []


def _why_not(data: bytes) -> str:
    first = next(clean_lines(data[:LOOK_BYTES]), "")
    if re.search(_WITHOUT_HEADINGS.pattern, first):
        return NO_HEADINGS
    return (
        "no recording of GPUs that itermon knows. It reads what these write: nvidia-smi --query-gpu=timestamp,…"
        " --format=csv -l, nvidia-smi dmon -o DT, gpustat --json, itermon gpus --watch; and tables with headings"
    )
