"""The compressions that logs come in. Each library unpacks no more at a time than it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_WINDOW_BYTES = 1 << 27
"""What a member may ask to remember of its text: `xz -9` 64 MiB, `zstd --long` 128 MiB."""

_ZSTD_SLICE_BYTES = 128
"""A block of zstd has at least 4 bytes and at most 128 KiB of text: 4 MiB for one slice."""


class DecodingError(OSError):
    """A compression that cannot be read here, and why."""


class Member(Protocol):
    """Unpacks one member; an interface of the standard library's (bz2, lzma, and from Python 3.14 on zstd)."""

    @property
    def needs_input(self) -> bool:
        """Does it give nothing more before it gets more?"""

    @property
    def eof(self) -> bool:
        """Is the member complete?"""

    @property
    def unused_data(self) -> bytes:
        """What it was given beyond the member's end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """The next of the text, about `max_length` bytes at the most. Raises errors of its own."""


class Compression(NamedTuple):
    """One of them: what it is called, how a member begins, and what unpacks one."""

    name: str
    magics: tuple[bytes, ...]
    make: Callable[[], Member]


class _Gzip:
    """zlib's object hands back what it has not used yet."""

    def __init__(self) -> None:
        self._zlib: Any = import_module("zlib").decompressobj(wbits=31)
        self._rest = b""
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._zlib.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._zlib.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        text: bytes = self._zlib.decompress(self._rest + data, max_length)
        self._rest = self._zlib.unconsumed_tail
        self.needs_input = not self._rest and len(text) < max_length
        return text


class _Zstandard:
    """The package's object knows no `max_length`: it gets slices that cannot grow far."""

    def __init__(self) -> None:
        try:
            zstandard = import_module("zstandard")
        except ImportError:
            raise DecodingError(0, "compressed with zstd; to read it: pip install 'itermon[zstd]'") from None
        self._zstd: Any = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW_BYTES).decompressobj()
        self._rest = b""

    @property
    def needs_input(self) -> bool:
        return not self._rest

    @property
    def eof(self) -> bool:
        return bool(self._zstd.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._zstd.unused_data) + self._rest

    def decompress(self, data: bytes, max_length: int) -> bytes:
        rest = self._rest + data
        parts, length, at = [], 0, 0
        size = min(_ZSTD_SLICE_BYTES, max_length)
        while at < len(rest) and length < max_length and not self._zstd.eof:
            parts.append(self._zstd.decompress(rest[at : at + size]))
            length += len(parts[-1])
            at += size
        self._rest = rest[at:]
        return b"".join(parts)


class _Bzip2:
    """The library's object asks for more as soon as its input is used, while it still holds text of a block."""

    def __init__(self) -> None:
        self._bz2: Any = import_module("bz2").BZ2Decompressor()
        self._holds = False

    @property
    def needs_input(self) -> bool:
        return bool(self._bz2.needs_input) and not self._holds

    @property
    def eof(self) -> bool:
        return bool(self._bz2.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._bz2.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        text: bytes = self._bz2.decompress(data, max_length)
        self._holds = len(text) >= max_length and not self._bz2.eof
        return text


def _xz() -> Any:
    return import_module("lzma").LZMADecompressor(memlimit=MOST_WINDOW_BYTES)


COMPRESSIONS = (
    Compression("gzip", (b"\x1f\x8b\x08",), _Gzip),
    Compression(
        "bzip2",
        tuple(b"BZh%d%s" % (level, then) for level in range(1, 10) for then in (b"1AY&SY", b"\x17rE8P\x90")),
        _Bzip2,
    ),
    Compression("xz", (b"\xfd7zXZ\x00",), _xz),
    Compression(
        "zstd", (b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % byte for byte in range(0x50, 0x60))), _Zstandard
    ),
)
"""A bzip2 file without text has no block. The last magics of zstd are those of frames to be skipped (pzstd)."""
