"""A recording that is looked through before it is read: its samples are packed meanwhile, so that no row is parsed
twice. To find out what a row says takes 10 µs, to pack and unpack that 3; a day of eight GPUs at one a second is
some 30 MB.
"""

from __future__ import annotations

import zlib
from itertools import starmap
from typing import TYPE_CHECKING, Any

import msgspec

from ...events import GpuSample
from .recording import Recording
from .survey import survey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .survey import Survey

MOST_BYTES = 1 << 26
_LIMITS = GpuSample.__struct_fields__.index("limits")  # of the one field that is a tuple: unpacked, it is a list


class SurveyedRecording:
    """The recording at `path`: `survey` looks through it as it stands, `new` gives its samples from the first."""

    def __init__(self, path: Path, *, follow: bool) -> None:
        self._path, self._follow = path, follow
        self._recording = Recording(path, follow=follow)
        self._packed: list[bytes] = []
        self._bytes = 0

    def survey(self) -> Survey | None:
        """See `survey`."""
        found = survey(self._recording, self._keep)
        if self._bytes > MOST_BYTES:  # then it is read once more
            self._recording.close()
            self._recording, self._bytes = Recording(self._path, follow=self._follow), 0
        return found

    def new(self) -> Iterator[list[GpuSample]]:
        """See `Recording.new`."""
        self._packed.reverse()
        while self._packed:
            yield _unpacked(self._packed.pop())
        yield from self._recording.new()

    def close(self) -> None:
        """Let go of the file."""
        self._recording.close()

    def _keep(self, samples: list[GpuSample]) -> None:
        if samples and self._bytes <= MOST_BYTES:
            packed = zlib.compress(msgspec.msgpack.encode([*map(msgspec.structs.astuple, samples)]), 1)
            self._packed.append(packed)
            self._bytes += len(packed)
        if self._bytes > MOST_BYTES:
            self._packed.clear()


def _unpacked(packed: bytes) -> list[GpuSample]:
    rows: list[list[Any]] = msgspec.msgpack.decode(zlib.decompress(packed))
    for row in rows:
        if row[_LIMITS] is not None:
            row[_LIMITS] = tuple(row[_LIMITS])
    return [*starmap(GpuSample, rows)]
