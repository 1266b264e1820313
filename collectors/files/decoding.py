"""Files that are not plain UTF-8 text: compressed ones and UTF-16, turned into it piece by piece."""

from __future__ import annotations

import codecs
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Decoder = Callable[[bytes], bytes]

HEAD_BYTES = 64
"""Of the beginning of a file: enough to recognise its encoding."""


class DecodingError(OSError):
    """Compressed data that cannot be read, and why."""


def decoder_for(head: bytes) -> Decoder | None:
    """What turns the bytes of a file that begins with `head` into UTF-8, piece after piece; `None`: nothing must.

    Raises `DecodingError` for a compression whose library is not installed.
    """
    for magic, make in _COMPRESSIONS.items():
        if head.startswith(magic):
            return _Members(make)
    encoding = _utf16(head)
    if encoding is None:
        return None
    decode = codecs.getincrementaldecoder(encoding)("replace").decode
    return lambda data: decode(data).encode(errors="replace")


def _utf16(head: bytes) -> str | None:
    """UTF-16 has a mark at its beginning (PowerShell's `>`), or a zero in every other byte of its text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = head[: len(head) & ~1]
    if len(sample) < 8:
        return None
    if not any(sample[1::2]) and all(sample[::2]):
        return "utf-16-le"
    return "utf-16-be" if not any(sample[::2]) and all(sample[1::2]) else None


class _Members:
    """Decompresses a file, also one of several members after each other (`cat a.gz b.gz`)."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._member = make()

    def __call__(self, data: bytes) -> bytes:
        parts = []
        try:
            while data:
                if self._member.eof:
                    self._member = self._make()
                parts.append(self._member.decompress(data))
                data = self._member.unused_data if self._member.eof else b""
        except Exception as error:  # noqa: BLE001 - each library has errors of its own
            raise DecodingError(0, f"damaged compressed data ({error})") from None
        return b"".join(parts)


def _gzip() -> Any:
    return import_module("zlib").decompressobj(wbits=31)


def _bzip2() -> Any:
    return import_module("bz2").BZ2Decompressor()


def _xz() -> Any:
    return import_module("lzma").LZMADecompressor()


def _zstd() -> Any:
    try:
        return import_module("zstandard").ZstdDecompressor().decompressobj()
    except ImportError:
        raise DecodingError(0, "compressed with zstd; to read it: pip install 'itermon[zstd]'") from None


_COMPRESSIONS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b\x08": _gzip,
    **{b"BZh%d1AY&SY" % level: _bzip2 for level in range(1, 10)},
    b"\xfd7zXZ\x00": _xz,
    b"\x28\xb5\x2f\xfd": _zstd,
}
