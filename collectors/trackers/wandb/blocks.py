"""The records in a `.wandb` file: LevelDB's log format, with CRC-32 (IEEE) as checksum.

A record lies in one piece or in several, each with a head of 7 bytes: checksum of type and data, length, type. No
piece crosses a multiple of 32 KiB of the file. Only what its checksum confirms is given; after damage reading goes
on with the next block, and a record of which a piece is missing is left out.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b":W&B\xe1\xbe\x00"
"""How a file begins: name, number, version 0. It counts into the first block."""

BLOCK_BYTES = 32_768
MOST_BYTES = 1 << 24
"""Of a record: a history row of a person's own figures and texts is far below that."""

_HEAD = struct.Struct("<IHB")  # checksum, length, type
_HEAD_BYTES = _HEAD.size
_NOTHING, _WHOLE, _FIRST, _MIDDLE, _LAST = range(5)
_CHECKSUMS = {kind: zlib.crc32(bytes([kind])) for kind in (_WHOLE, _FIRST, _MIDDLE, _LAST)}


class Blocks:
    """Takes a file's bytes in, in any portions; gives its whole records."""

    def __init__(self) -> None:
        self.damaged = 0
        """Places that their checksum or their head does not confirm."""

        self.too_long = 0
        """Records of more than `MOST_BYTES`, which are left out."""

        self._at = 0  # where `_rest` begins in the file
        self._rest = b""
        self._pieces: list[bytes] | None = None  # of a record that has begun
        self._pieces_bytes = 0

    @property
    def torn_bytes(self) -> int:
        """How much of a record without its end the file so far ends with."""
        return len(self._rest.rstrip(b"\0")) + (0 if self._pieces is None else self._pieces_bytes)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The records that `data` completes: all have to be taken. A piece that is not whole yet is waited for."""
        rest = self._rest + data
        at = 0 if self._at else self._begin(rest)
        while (found := self._piece(rest, at)) is not None:
            at, kind, piece = found
            if kind == _WHOLE:
                self._pieces = None
                yield piece
            elif (record := self._joined(kind, piece)) is not None:
                yield record
        self._rest = rest[at:]
        self._at += at

    def _piece(self, rest: bytes, at: int) -> tuple[int, int, bytes] | None:
        """The piece at `at`: where it ends, its type and its data. `None`: it is not whole yet."""
        left = BLOCK_BYTES - (self._at + at) % BLOCK_BYTES
        body = at + _HEAD_BYTES
        if left >= _HEAD_BYTES:
            if body > len(rest):
                return None
            checksum, length, kind = _HEAD.unpack_from(rest, at)
            end = body + length
            if kind in _CHECKSUMS and end - at <= left:
                if end > len(rest):
                    return None
                piece = rest[body:end]
                if zlib.crc32(piece, _CHECKSUMS[kind]) == checksum:
                    return end, kind, piece
        if at + left > len(rest):
            return None  # the next block has not begun, and what is zero may still be written
        self.damaged += left >= _HEAD_BYTES and rest.count(b"\0", at, at + left) != left
        return at + left, _NOTHING, b""

    def _begin(self, rest: bytes) -> int:
        """Where the first record begins, once the file's own head is there."""
        if len(rest) < len(MAGIC):
            return 0
        self.damaged += not rest.startswith(MAGIC)
        return len(MAGIC)

    def _joined(self, kind: int, piece: bytes) -> bytes | None:
        """The record that `piece` completes; none of which a block is missing."""
        if kind == _NOTHING:
            self._pieces = None
        elif kind == _FIRST:
            self._pieces, self._pieces_bytes = [], 0
        if self._pieces is None:
            return None
        self._pieces.append(piece)
        self._pieces_bytes += len(piece)
        if self._pieces_bytes > MOST_BYTES:
            self._pieces = None
            self.too_long += 1
        elif kind == _LAST:
            whole, self._pieces = b"".join(self._pieces), None
            return whole
        return None
