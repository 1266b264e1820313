"""What is no well-known line: seconds of CPU a MiB of text without a format, and lines a second of other kinds.

    python bench/unknown_text.py [MiB]

Python source of the standard library, and made-up prose, CSV, JSON, key=value lines and bars of no kind that is
known; rows that only `key: value` reads; a nanoGPT log with 30 lines of other libraries behind each iteration.
Beside each the floor: a bare loop over the lines, with one regular expression.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from metamorphosis.noise import NOISE

from itermon.collectors.files.tail import CHUNK_BYTES
from itermon.collectors.logs.reader import LogReader

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = [
    "the",
    "of",
    "training",
    "system",
    "value",
    "model",
    "because",
    "number",
    "between",
    "under",
    "often",
    "process",
    "time",
    "step",
    "water",
    "light",
]


def _prose(rng: Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randrange(4, 14))) + rng.choice(
        (".", f", {rng.randrange(999)} of them")
    )


def _csv(rng: Random) -> str:
    return (
        f"{rng.choice(WORDS)},{rng.randrange(99_999)},{rng.random():.3f},{rng.choice(WORDS)} {rng.choice(WORDS)}"
    )


def _key_value(rng: Random) -> str:
    return f"INFO worker={rng.randrange(9)} queue={rng.randrange(99)} state={rng.choice(WORDS)}"


def _bar(rng: Random) -> str:
    done = rng.randrange(30)
    return f"Downloading shard {done} of 30 [{'=' * done}>{'.' * (30 - done)}] {rng.randrange(99)} MB/s"


def _json(rng: Random) -> str:
    words = " ".join(rng.choices(WORDS, k=4))
    return json.dumps({"worker": rng.randrange(9), "text": words, "value": rng.random(), "queue": {"size": 3}})


KINDS: dict[str, Callable[[Random], str]] = {
    "prose": _prose,
    "CSV": _csv,
    "key=value": _key_value,
    "bars": _bar,
    "JSON": _json,
}
ROWS = 20_000
_FLOOR = re.compile(rb"(\d+).* (\d+\.\d+)")


def _texts(size: int) -> dict[str, bytes]:
    rng = Random(1)
    source = b"".join(path.read_bytes() for path in sorted(Path(os.__file__).parent.glob("*.py")))
    texts = {"source": source[:size].rpartition(b"\n")[0] + b"\n"}
    for name, line in KINDS.items():
        some = "".join(line(rng) + "\n" for _ in range(10_000)).encode()
        texts[name] = (some * (size // len(some) + 1))[:size].rpartition(b"\n")[0] + b"\n"
    return texts


def _rows() -> bytes:
    """Lines that only `key: value` reads."""
    rng = Random(1)
    return "".join(
        f"Epoch [{row // 600 + 1}/99], Step [{row % 600 + 1}/600], Loss: {rng.random():.4f}, "
        f"Time: {0.1 + rng.random() / 99:.2f}s\n"
        for row in range(ROWS)
    ).encode()


def _foreign() -> bytes:
    """Iterations of nanoGPT, each with 30 lines of other libraries behind it."""
    noise = b"\n".join(NOISE)
    iteration = b"iter %d: loss 2.5000, time 100.00ms, mfu 41.20%%\n%b\n"
    return b"".join(iteration % (n, noise) for n in range(ROWS // 6))


def _read(text: bytes) -> tuple[float, str]:
    """CPU seconds of reading, in the pieces in which a file is read; and what it was taken for."""
    reader, at, begin_s = LogReader(), 0, time.process_time()
    while at < len(text):
        end = text.rfind(b"\n", at, at + CHUNK_BYTES) + 1
        reader.feed(text[at:end])
        at = end
    reader.end(b"")
    return time.process_time() - begin_s, reader.format.name if reader.format else "no format"


def _floor_s(text: bytes) -> float:
    begin_s = time.process_time()
    for line in text.split(b"\n"):
        _FLOOR.match(line)
    return time.process_time() - begin_s


def main() -> None:
    """Print one line for each kind of text."""
    size = int(float(sys.argv[1]) * (1 << 20)) if len(sys.argv) > 1 else 4 << 20
    LogReader().feed(b"loads the formats\n")
    for name, text in _texts(size).items():
        spent_s, found = _read(text)
        mib = len(text) / (1 << 20)
        print(f"{name:14} {spent_s / mib:6.3f} s a MiB; floor {_floor_s(text) / mib:6.3f} ({found})")
    for name, text in {"rows": _rows(), "foreign lines": _foreign()}.items():
        spent_s, found = _read(text)
        lines = text.count(b"\n")
        print(f"{name:14} {lines / spent_s:9,.0f} lines/s; floor {lines / _floor_s(text):11,.0f} ({found})")


if __name__ == "__main__":
    main()
