"""A session's folder as one zip file, as ClearML leaves it when a run is over; nothing is unpacked to the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from ....opening import open_file, read_bytes
from ...files.decoding import FREE_BYTES, MOST_RATIO
from .store import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

_MAGIC = b"PK\x03\x04"
MOST_LIST_BYTES = 1 << 21
"""Of the list of its files: ten thousand and more. Python keeps ten times as much memory for it."""
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may ask for any memory
_ERRORS = (OSError, zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, RuntimeError, OverflowError)


class _Bounded(io.BufferedReader):
    """A file of which nobody reads more at once than `MOST_LIST_BYTES`, whatever its own words say is there."""

    def read(self, size: int | None = -1, /) -> bytes:
        is_little = size is not None and 0 <= size <= MOST_LIST_BYTES
        data = super().read(size if is_little else MOST_LIST_BYTES + 1)
        if len(data) > MOST_LIST_BYTES:
            raise zipfile.BadZipFile("the list of its files is beyond any size")
        return data


def files_in(path: Path, heads: Mapping[str, bytes]) -> list[str]:
    """The files in the zip at `path`, at its top or in a folder there, that begin as their name in `heads` says.

    The newest first.
    """
    try:
        if read_bytes(path, len(_MAGIC)) != _MAGIC:
            return []
        with _opened(path) as archive:
            found = [
                one
                for one in archive.infolist()
                if (head := heads.get(one.filename.rpartition("/")[2])) is not None
                and one.filename.count("/") < 2
                and (not _is_readable(one) or archive.open(one).read(len(head)) == head)
            ]
    except _ERRORS:
        return []
    return [one.filename for one in sorted(found, key=lambda one: one.date_time, reverse=True)]


def _is_readable(file: zipfile.ZipInfo) -> bool:
    return file.compress_type in _PACKINGS and not file.flag_bits & 1


class ZippedFile:
    """The file `name` in the zip at `path`: its bytes from its beginning on."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._stream: IO[bytes] | None = None
        self._ahead, self._at = b"", 0  # what was read and may be asked for again, and where it begins

    def read_at(self, offset: int, most_bytes: int) -> bytes:
        """What stands at `offset`, which never falls. Raises `StoreError`."""
        try:
            self._stream = self._stream or self._begin()
            while len(self._ahead) < offset + most_bytes - self._at:
                more = self._stream.read(offset + most_bytes - self._at - len(self._ahead))
                if not more:
                    break
                self._ahead += more
        except _ERRORS as error:
            raise StoreError(f"damaged, or no zip file that can be read here ({error})") from None
        self._ahead, self._at = self._ahead[offset - self._at :], offset
        return self._ahead[:most_bytes]

    def _begin(self) -> IO[bytes]:
        archive = _opened(self._path)
        info = archive.getinfo(self._name)
        if not _is_readable(info):
            raise StoreError("packed or encrypted in a way that is not read here: unpack it")
        packed_bytes = min(info.compress_size, self._path.stat().st_size)
        if info.file_size > max(FREE_BYTES, MOST_RATIO * packed_bytes):
            raise StoreError(f"it unpacks to more than {MOST_RATIO} times its size, which no real session does")
        return archive.open(info)


def _opened(path: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(_Bounded(io.FileIO(open_file(path))))
