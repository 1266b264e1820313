"""Which iterations a recording holds, and what was saved last: without reading all of it."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ...events import CHECKPOINT, MAX_LINE_BYTES, Iteration, SpanEnd
from ...opening import reading
from ..runs.event_reader import EventReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..runs.listing import KnownRun

_HEAD_BYTES = 1 << 18  # before its first iteration a recording holds settings, and samples while it compiles
_CHUNK_BYTES = 1 << 20
_MOST_BYTES = 1 << 26
"""Of the end of a recording, looked through for what was saved last: 300,000 iterations, 50 ms."""

_UNFINISHED = "until the process ended"
"""What the hooks say of a checkpoint that the end of the process cut off: nothing goes on from that."""


class Reach(NamedTuple):
    """The first iteration of a recording, and the last."""

    first: int
    last: int


def reach_of(run: KnownRun) -> Reach | None:
    """`None` where an end shows no iteration. Of one that goes on only the first one matters: it stays."""
    try:
        first = _first_iteration(Path(run.recording or ""))
    except (OSError, StopIteration):
        return None
    last = first if run.alive else run.iteration
    return None if last is None else Reach(first, last)


def saved_in(recording: Path) -> int | None:
    """The iteration that was under way, or came next, when a checkpoint was written last; `None`: none was."""
    try:
        about = recording.stat()
        return _last_saved(recording, about.st_size, about.st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=4_096)  # what raises is not kept
def _first_iteration(recording: Path) -> int:
    with reading(recording, ours=True) as file:
        lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
        return next(
            event.index
            for line in itertools.takewhile(lambda _: file.tell() < _HEAD_BYTES, lines)
            for event in EventReader().feed(line)
            if type(event) is Iteration
        )


@functools.lru_cache(maxsize=4_096)
def _last_saved(recording: Path, size: int, modified_ns: int) -> int | None:  # noqa: ARG001 - what it depends on
    with reading(recording, ours=True) as file:
        return next((one for line in _lines_backwards(file, size) if (one := _saved(line)) is not None), None)


def _saved(line: bytes) -> int | None:
    for event in EventReader().feed(line + b"\n"):
        if type(event) is SpanEnd and event.kind == CHECKPOINT and not event.void and event.detail != _UNFINISHED:
            return event.iteration
    return None


def _lines_backwards(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The lines that may be the end of a checkpoint, the newest first."""
    end, rest = size, b""
    while end > max(0, size - _MOST_BYTES):
        begin = max(0, end - _CHUNK_BYTES)
        file.seek(begin)
        data = file.read(end - begin) + rest
        rest, _, whole = data.partition(b"\n") if begin else (b"", b"", data)
        yield from (one for one in reversed(whole.split(b"\n")) if b'"end_span"' in one and b'"checkpoint"' in one)
        if len(rest) > MAX_LINE_BYTES:
            return
        end = begin
