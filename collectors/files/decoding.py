"""Files that are not plain UTF-8 text, turned into it piece by piece: compressed, UTF-16, notebooks on one line.

However much a file unpacks to, no more than a few megabytes of it are in memory; one that unpacks to absurdly more
than its size is not read to its end. What can be read before a damage is read, and the damage described.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any, Protocol

from .compression import COMPRESSIONS
from .notebook import CompactNotebook, is_compact

if TYPE_CHECKING:
    from collections.abc import Callable

    from .compression import Compression

HEAD_BYTES = 64
"""Of the beginning of a file: enough to recognise its encoding."""

PIECE_BYTES = 1 << 18
"""Unpacked at a time."""

MOST_RATIO = 500
"""Of the 138 logs of 20 kB to 6 MB of a collection of real ones, the one that packs best is 59 times smaller with
gzip, 67 with bzip2, 80 with xz and zstd. A log of equal lines that only count reaches 170."""

FREE_BYTES = 1 << 26
"""So much may come out whatever the ratio: it takes no time, and a bar that hung for a day
packs 2,500 times smaller."""


class Decoder(Protocol):
    """What turns the bytes of a file into UTF-8: `push` them, then `pull` until nothing comes."""

    problem: str
    """Why nothing more of the file can be read; empty if nothing is wrong."""

    @property
    def is_between(self) -> bool:
        """Would zeros be passed over here?"""

    def push(self, data: bytes, offset: int) -> None:
        """More of the file, from `offset` on. Only when `pull` has just given nothing."""

    def pull(self) -> bytes:
        """The next piece of the text; empty if there is none before more of the file has come."""

    def cut(self) -> str:
        """What is wrong if the file ends here; empty if it may."""


def decoder_for(head: bytes, read_at: Callable[[int, int], bytes]) -> Decoder | None:
    """What decodes a file that begins with `head`; `None`: its bytes are those of the text.

    `read_at(count, offset)` reads the file again, where something is wrong with it. Raises `OSError` for a
    compression whose library is not installed.
    """
    for compression in COMPRESSIONS:
        if head.startswith(compression.magics):
            return _Members(compression, read_at)
    if is_compact(head):
        return CompactNotebook()
    encoding = _utf16(head)
    return None if encoding is None else _Utf16(encoding)


def may_be_compressed(head: bytes) -> bool:
    """Is `head` too short to say?"""
    return any(magic.startswith(head) for one in COMPRESSIONS for magic in one.magics if len(head) < len(magic))


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


class _Utf16:
    problem = ""
    is_between = False

    def __init__(self, encoding: str) -> None:
        self._decode = codecs.getincrementaldecoder(encoding)("replace").decode
        self._text = b""

    def push(self, data: bytes, offset: int) -> None:  # noqa: ARG002 - as every decoder's
        self._text = self._decode(data).encode(errors="replace")

    def pull(self) -> bytes:
        text, self._text = self._text, b""
        return text

    def cut(self) -> str:
        return ""


class _Members:
    """Decompresses a file, also one of several members (`cat a.gz b.gz`), or with zeros behind."""

    def __init__(self, compression: Compression, read_at: Callable[[int, int], bytes]) -> None:
        self.problem = ""
        self._compression = compression
        self._read_at = read_at
        self._member: Any = None  # `Member`; `None` between two
        self._waiting = b""  # not yet given to a member
        self._end: int  # of what was pushed, in the file
        self._pushed_at: int  # the last of it
        self._begin = 0  # of the member, in the file
        self._given = 0  # of the member's text
        self._unpacked = 0  # of the whole file's

    @property
    def is_between(self) -> bool:
        return self._member is None and not self._waiting

    def push(self, data: bytes, offset: int) -> None:
        self._waiting += data
        self._pushed_at, self._end = offset, offset + len(data)

    def pull(self) -> bytes:
        while not self.problem:
            if self._member is None and not self._next_member():
                return b""
            if self._member.needs_input and not self._waiting:
                return b""
            data = b""
            if self._member.needs_input:
                data, self._waiting = self._waiting, b""
            try:
                text: bytes = self._member.decompress(data, PIECE_BYTES)
            except Exception as error:  # noqa: BLE001 - each library has errors of its own
                return self._last_words(error)
            if self._member.eof:
                self._waiting, self._member = self._member.unused_data + self._waiting, None
            if text:
                return self._counted(text)
        return b""

    def cut(self) -> str:
        if self.problem or self.is_between:
            return self.problem
        return f"cut: it ends at byte {self._end:,}, in the middle of {self._compression.name} data"

    def _counted(self, text: bytes) -> bytes:
        self._given += len(text)
        self._unpacked += len(text)
        if self._unpacked > FREE_BYTES and self._unpacked > MOST_RATIO * self._end:
            self.problem = (
                f"not read beyond byte {self._end:,}: it unpacks to more than {MOST_RATIO} times its size, "
                "which no real log does"
            )
        return text

    def _next_member(self) -> bool:
        """Begin with the next member, if it has come."""
        self._waiting = rest = self._waiting.lstrip(b"\0")  # of a tape, or of a tar that was cut out
        if not rest or may_be_compressed(rest):
            return False
        self._begin, self._given = self._end - len(rest), 0
        if not rest.startswith(self._compression.magics):
            name = self._compression.name
            self.problem = f"not read beyond byte {self._begin:,}: what follows there is no {name} data"
            return False
        self._member = self._compression.make()
        return True

    def _last_words(self, error: Exception) -> bytes:
        """What the library had unpacked when it found the damage: it is thrown away with the error.

        So the member is unpacked once more, and byte by byte from where something new comes.
        """
        member, at, count, words = self._compression.make(), self._begin, 0, []
        try:
            while not member.eof:
                data = b""
                if member.needs_input:
                    many = 1 if at >= self._pushed_at else min(PIECE_BYTES, self._pushed_at - at)
                    data = self._read_at(min(many, self._end - at), at)
                    if not data:
                        break
                    at += len(data)
                text = member.decompress(data, max(1, min(PIECE_BYTES, self._given - count)))
                count += len(text)
                if count > self._given:
                    words.append(text[-min(len(text), count - self._given) :])
        except Exception as again:  # noqa: BLE001 - as before: this is where it ends
            error = again
        what = "needs too much memory" if "emory" in str(error) else "damaged"
        self.problem = f"{what} at byte {at:,} ({error or type(error).__name__}): not read beyond it"
        return b"".join(words)
