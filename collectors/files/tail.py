"""The bytes of a file that others write: complete lines, each once, whatever happens to the file."""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import TYPE_CHECKING

from ...opening import open_file
from ...words import plural
from .decoding import HEAD_BYTES, decoder_for, may_be_compressed

if TYPE_CHECKING:
    from pathlib import Path

    from .decoding import Decoder

CHUNK_BYTES = 1 << 18
"""Read at a time: large enough that calls cost nothing, small enough to stay in the cache."""

COMPRESSED_BYTES = 1 << 14
"""Read at a time of a compressed file: what it unpacks to comes in pieces, see `decoding`."""

PATIENCE_BYTES = 1 << 24
"""After so much without the end of a line, `read` comes back with nothing, so that its caller can stop."""

MOST_LINE_BYTES = 1 << 20
"""More of a line without an end is not kept in memory: its first part is a line, the rest is passed over."""

_WITNESS_BYTES = 64  # of what was read last: if they no longer stand there, the file was written anew

_LIKE_BYTES = 1 << 12
"""So much of the newest lines is kept: some ten of them show the shape that a whole line has."""


_WORD = re.compile(rb"\s*([^\W\d]*)")
_FRAME = re.compile(
    rb"\d/\d{1,12} \[\d[\d:]{3,15}<[\d:?]{1,15}, {1,3}\d[\d.]{0,12}(?:[a-z]{1,12}/s|s/[a-z]{1,12})"
    rb"(?:, [^],]{1,99}){0,20}?(, [^],]{1,99})$"
)
"""A frame of a bar that was cut behind its rate, as by a kill: all but the last of its values are whole."""


def _like(line: bytes, before: bytes) -> bool:
    """Is it like one of the lines before it but for its digits, and is its last number at least as long?"""
    shape, last = _shape(line)
    alike = [digits for of, digits in map(_shape, before.splitlines()[1:]) if of == shape]
    return bool(alike) and last >= min(alike)


def _shape(line: bytes) -> tuple[bytes, int]:
    """The line with one digit for each number, clock or bar, and how many digits its last number has.

    Colours, which fall within a bar, and the steps back with which it is drawn again are left out.
    """
    line = re.sub(rb"\x1b\[[\d;]{0,20}[A-Za-z]|\x08+", b"", line)
    shape = re.sub(
        rb"\d+(?::\d+)*",
        b"0",
        re.sub(rb"(?:\xe2\x96[\x88-\x8f]|\xe2\x94[\x80\x81]|\xe2\x95[\xb8\xba]|[ #])+", b" ", line),
    )
    return shape.strip(), len(line) - len(line.rstrip(b"0123456789"))


class LineBuffer:
    """Makes complete lines of bytes that come in pieces."""

    def __init__(self) -> None:
        self.partial = b""  # of a line that has no end yet
        self._newest = b""  # the end of the lines before it
        self._skipping = False  # the rest of a line that was too long

    def add(self, data: bytes) -> bytes:
        """The complete lines of what was left over and `data`; what is incomplete is left over."""
        end = _end_of_lines(data)
        if self._skipping:
            if not end:
                return b""
            first = min(at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0)
            data, end, self._skipping = data[first + 1 :], end - first - 1, False
        if end:
            lines, self.partial = self.partial + data[:end], data[end:].lstrip(b"\0")
            self._newest = lines[-_LIKE_BYTES:]
            return lines
        self.partial += data
        if len(self.partial) > MOST_LINE_BYTES:
            lines, self.partial, self._skipping = self.partial[:MOST_LINE_BYTES] + b"\n", b"", True
            return lines
        return b""

    def rest(self, *, over: bool = False) -> bytes:
        """A last line that never got its newline, once nothing more will come; empty if it may have been cut.

        A line cut inside a number would give a wrong number, so one that ends in a digit does not count. It does
        where the file is `over`, as nobody writes it, and the line has the shape of one before it.
        """
        line = self.unfinished(over=over)
        self.partial, self._skipping = b"", False
        return line

    def unfinished(self, *, over: bool) -> bytes:
        """What `rest` would give now."""
        if self._skipping or not self.partial.strip():
            return b""
        if self.partial[-1:] not in b".0123456789" or (over and _like(self.partial, self._newest)):
            return self.partial + b"\n"
        frame = _FRAME.search(self.partial[-_LIKE_BYTES:]) if over else None
        return self.partial[: -len(frame[1])] + b"\n" if frame else b""

    @property
    def is_cut(self) -> bool:
        """Is a last line, which begins as the one before it, not given as it may have been cut?"""
        before_it = self._newest.rstrip(b"\r\n").rpartition(b"\n")[2]
        begins, before = _WORD.match(self.partial), _WORD.match(before_it)
        alike = begins is not None and before is not None and begins[1] == before[1]
        return alike and bool(self.partial.strip()) and not self._skipping and not self.unfinished(over=True)


class Tail:
    """Follows the file that `path` names. `read` never blocks and can be called again for ever.

    Survives growth, truncation (also `copytruncate`, also when the file has already grown beyond its old size),
    replacement by another file (rotation by rename, a symbolic link that points elsewhere), deletion and
    re-creation. Of a file renamed away, all that was written before its successor appeared is read first.
    Compressed files and UTF-16 come out as UTF-8 text; offsets and sizes are those of the file as it is.
    Zeros where a line might begin are passed over, holes without reading them: `copytruncate` leaves them in front
    of what a trainer writes on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0  # of the file that is open, up to which bytes were read
        self.size = 0  # of that file, when last looked at
        self.blank = True  # nothing but zeros so far
        self.restarts = 0  # how often the file was truncated or replaced
        self._fd = -1
        self._buffer = LineBuffer()
        self._witness = b""
        self._decode: Decoder | None = None
        self._drained = True  # nothing waits in the decoder
        self._undecided = False  # too little is there to say how the file is encoded

    @property
    def is_open(self) -> bool:
        """Has there been a file to read?"""
        return self._fd >= 0

    @property
    def line_offset(self) -> int:
        """Where the first line begins that no call of `read` has returned yet. Only for plain files."""
        return self.offset - len(self._buffer.partial)

    @property
    def is_plain(self) -> bool:
        """Are the bytes of the file those of the text?"""
        return self._decode is None

    @property
    def caught_up(self) -> bool:
        """Was all read that was there when `read` last looked?"""
        return self._drained and (self.offset >= self.size or self._undecided)

    @property
    def problem(self) -> str:
        """What is wrong with the bytes, so that nothing more of them can be read; empty if nothing is."""
        return self._decode.problem if self._decode else ""

    @property
    def problem_at_end(self) -> str:
        """The same of a file that nobody writes to any more: also that its end is missing."""
        if self._undecided:
            return f"cut: it holds {plural(self.size, 'byte')}, only the beginning of compressed data"
        return self._decode.cut() if self._decode else ""

    @property
    def written_at_s(self) -> float:
        """When the file was last written to, by the clock of its file system."""
        return os.fstat(self._fd).st_mtime

    @property
    def progress(self) -> float:
        """How much of the file has been read, 0..1."""
        return min(self.offset / max(self.size, 1), 1.0)

    def read(self) -> bytes:
        """The next complete lines, about `CHUNK_BYTES` of them; empty if there are none now, see `caught_up`.

        Raises `OSError` where the file is there but cannot be read; a file that is not there is just silent.
        """
        if self._fd < 0 and not self._open():
            return b""
        if lines := self._complete_lines():
            return lines
        if not self.caught_up or not self._moved_away():
            return b""
        if last := self._complete_lines() or self.rest():  # written until it was moved
            return last
        self.close()
        self._begin_anew()
        return self.read()

    def rest(self, *, over: bool = False) -> bytes:
        """See `LineBuffer.rest`: for a file that nobody writes to any more."""
        return self._buffer.rest(over=over)

    def unfinished(self) -> bytes:
        """See `LineBuffer.unfinished`: of a file that nobody writes to any more."""
        return self._buffer.unfinished(over=True)

    @property
    def is_cut(self) -> bool:
        """See `LineBuffer.is_cut`."""
        return self._buffer.is_cut

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            # Forgotten first: a second thread that closes too would close whatever has the number by then.
            fd, self._fd = self._fd, -1
            os.close(fd)

    def _open(self) -> bool:
        try:
            self._fd = open_file(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def _complete_lines(self) -> bytes:
        passed = 0
        while passed < PATIENCE_BYTES and (data := self._next_bytes()) is not None:
            self.blank = self.blank and not data
            if lines := self._buffer.add(data):
                return lines
            passed += len(data) + 1
        return b""

    def _next_bytes(self) -> bytes | None:
        """The next bytes of the text; `None` at the end of the file as it is now."""
        self.size = os.fstat(self._fd).st_size
        if self.size < self.offset or not self._witness_stands():
            self._begin_anew()
        if text := self._unpacked():
            return text
        if self.size == self.offset or (self.offset == 0 and not self._find_decoder()):
            return None
        if self.problem:  # and whatever follows is part of it
            self._witness, self.offset = b"", self.size
            return None
        data = os.pread(self._fd, COMPRESSED_BYTES if self._decode else CHUNK_BYTES, self.offset)
        self._witness = (self._witness + data)[-_WITNESS_BYTES:]
        self.offset += len(data)
        if self._passes_zeros():
            if data and not data.strip(b"\0"):
                self._pass_hole()
                return b""
            data = data if self._decode or self._buffer.partial else data.lstrip(b"\0")
        if self._decode is None:
            return data
        self._decode.push(data, self.offset - len(data))
        return self._unpacked()

    def _unpacked(self) -> bytes:
        text = self._decode.pull() if self._decode else b""
        self._drained = not text
        return text

    def _find_decoder(self) -> bool:
        """At the beginning of a file: how is it encoded? False: too little of it is there to say."""
        head = os.pread(self._fd, HEAD_BYTES, 0)
        self._decode = decoder_for(head, lambda count, offset: os.pread(self._fd, count, offset))
        self._undecided = may_be_compressed(head)
        return not self._undecided

    def _passes_zeros(self) -> bool:
        return self._decode.is_between if self._decode else self._buffer.partial[-1:] in (b"", b"\0")

    def _pass_hole(self) -> None:
        """To where the file has data again, if there are only zeros that nobody has written."""
        try:
            begin = os.lseek(self._fd, self.offset, os.SEEK_DATA)
        except OSError as error:  # ENXIO: a hole up to the end. Others: a file system that does not know
            begin = self.size if error.errno == errno.ENXIO else self.offset
        if begin > self.offset:
            self.offset, self._witness = begin, b""

    def _witness_stands(self) -> bool:
        count = len(self._witness)
        return os.pread(self._fd, count, self.offset - count) == self._witness

    def _moved_away(self) -> bool:
        """Does `path` now name another file than the one that is open, and has anybody written to that?

        Until then whoever writes may still write to the old one: logrotate makes the new one first.
        """
        try:
            named = self.path.stat()
        except OSError:  # deleted: maybe created again soon
            return False
        is_written = stat.S_ISREG(named.st_mode) and named.st_size > 0
        return is_written and not os.path.samestat(named, os.fstat(self._fd))

    def _begin_anew(self) -> None:
        self.restarts += 1
        self.offset = 0
        self._decode, self._drained, self._undecided = None, True, False
        self._buffer = LineBuffer()
        self._witness = b""


def _end_of_lines(data: bytes) -> int:
    """Where the last complete line of `data` ends. A carriage return ends one too, unless a newline may follow."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
