"""Changes to a log that change nothing of what it says of the training."""

from __future__ import annotations

import re
import time
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from .moments import moments
from .noise import EVALUATION_BAR, NOISE

if TYPE_CHECKING:
    from collections.abc import Callable

FLUSH_LINES = 40  # of what a block-buffered writer holds back: 4 kB

_NUMBER = re.compile(rb"(?<=[A-Za-z_)\]'\"]: )(?=[-+]?\d)")


class Change(NamedTuple):
    """One change. `stamps`: it adds a clock; `evaluates`: one evaluation more; `twice`: all is there two times."""

    name: str
    make: Callable[[bytes], bytes]
    stamps: bool = False
    evaluates: bool = False
    twice: bool = False
    cuts: bool = False
    splits: bool = False
    flush_lines: int = 1  # that come at once


def _each_line(data: bytes, change: Callable[[int, bytes], bytes]) -> bytes:
    lines = data.removesuffix(b"\n").split(b"\n")
    end = b"\n" if data.endswith(b"\n") else b""
    return b"\n".join(change(number, line) for number, line in enumerate(lines)) + end


def _prefix(text: bytes) -> Callable[[bytes], bytes]:
    return lambda data: _each_line(data, lambda _, line: text + line)


def _stamped(pattern: str, each: int = 1) -> Callable[[bytes], bytes]:
    """`pattern` is that of `strftime`, with `{ms}` for milliseconds; `each` lines come at once."""

    def make(data: bytes) -> bytes:
        at = moments(data)

        def change(number: int, line: bytes) -> bytes:
            at_s = at[min(len(at) - 1, number - number % each + each - 1)]
            shown = time.strftime(pattern, time.localtime(at_s)).replace("{ms}", f"{int(at_s % 1 * 1000):03d}")
            return shown.encode() + line

        return _each_line(data, change)

    return make


def _colours(data: bytes) -> bytes:
    return _each_line(data, lambda _, line: b"\x1b[32m\x1b[1m" + line + b"\x1b[0m\x1b[K")


def _noise(data: bytes) -> bytes:
    """30 lines of other libraries, at five places, among them the beginning and the end.

    Each time in another order: first lines that all come again in theirs are another launch's, and rightly told.
    """
    lines = data.removesuffix(b"\n").split(b"\n")
    for part in (1.0, 0.7, 0.4, 0.1, 0.0):
        at = int(part * len(lines))
        lines[at:at] = Random(str(part)).sample(NOISE, len(NOISE)) if at else NOISE
    return b"\n".join(lines) + b"\n"


def _interleaved(data: bytes) -> bytes:
    """A line of another library behind each tenth."""
    rng = Random(1)
    return _each_line(data, lambda n, line: line + b"\n" + rng.choice(NOISE) if n % 10 == 9 else line)


def _twice(data: bytes) -> bytes:
    return data.removesuffix(b"\n") + b"\n" + data


def _ended(bar: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.removesuffix(b"\n") + b"\n" + bar


def _padded(data: bytes) -> bytes:
    return _NUMBER.sub(b"  ", data)


def _plain(data: bytes) -> bytes:
    return data


CHANGES = (
    Change("ts", _stamped("%b %d %H:%M:%S "), stamps=True),
    Change("ts-iso", _stamped("%Y-%m-%d %H:%M:%S.{ms} "), stamps=True),
    Change("ts-zone", _stamped("[%Y-%m-%dT%H:%M:%S.{ms}Z] "), stamps=True),
    Change("rank", _prefix(b"[rank0]: ")),
    Change("rank-tight", _prefix(b"[default0]:")),
    Change("srun", _prefix(b"0: ")),
    Change("compose", _prefix(b"trainer-1  | ")),
    Change("logger", _stamped("%Y-%m-%d %H:%M:%S,{ms} - INFO - "), stamps=True),
    Change("logger-name", _stamped("%Y-%m-%d %H:%M:%S,{ms} - __main__ - INFO - "), stamps=True),
    Change("logger-bars", _stamped("%Y-%m-%d %H:%M:%S.{ms} | INFO     | __main__:train:88 - "), stamps=True),
    Change("logger-place", _stamped("[%Y-%m-%d %H:%M:%S,{ms}][INFO][train.py:88] "), stamps=True),
    Change("logger-bare", _prefix(b"[INFO] train.py:88: ")),
    Change("logger-root", _prefix(b"INFO:root:")),
    Change("crlf", lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
    Change("bom", lambda data: b"\xef\xbb\xbf" + data),
    Change("colours", _colours),
    Change("split", _plain, splits=True),
    Change("flush", _stamped("%Y-%m-%d %H:%M:%S.{ms} ", FLUSH_LINES), stamps=True, flush_lines=FLUSH_LINES),
    Change("noise", _noise),
    Change("interleaved", _interleaved),
    Change("last-bar", _ended(EVALUATION_BAR.replace(b"Evaluating: ", b"")), evaluates=True),
    Change("last-evaluation", _ended(EVALUATION_BAR), evaluates=True),
    Change("padded", _padded),
    Change("twice", _twice, twice=True),
    Change("cut", _plain, cuts=True),
)


def split(data: bytes) -> tuple[bytes, bytes]:
    """Standard output, and what a bar and warnings go to."""
    lines = data.removesuffix(b"\n").split(b"\n")
    is_error = [b"\r" in line or b"%|" in line or b"Warning" in line for line in lines]
    parts = [
        b"\n".join(line for line, error in zip(lines, is_error, strict=True) if error is which)
        for which in (False, True)
    ]
    return parts[0] + b"\n", parts[1] + b"\n"


def cuts(data: bytes, count: int, seed: str) -> list[int]:
    """Random places, of all sizes of what is left."""
    rng = Random(seed)
    return sorted(rng.randrange(1, len(data)) for _ in range(count)) if len(data) > 1 else []
