"""Text of no known format: seconds of CPU a MiB, until nothing was found in it.

    python bench/unknown_text.py [MiB]

Python source of the standard library, and made-up prose, CSV, key=value lines and bars of no kind that is known.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

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


KINDS: dict[str, Callable[[Random], str]] = {"prose": _prose, "CSV": _csv, "key=value": _key_value, "bars": _bar}


def _texts(size: int) -> dict[str, bytes]:
    rng = Random(1)
    source = b"".join(path.read_bytes() for path in sorted(Path(os.__file__).parent.glob("*.py")))
    texts = {"source": source[:size].rpartition(b"\n")[0] + b"\n"}
    for name, line in KINDS.items():
        some = "".join(line(rng) + "\n" for _ in range(10_000)).encode()
        texts[name] = (some * (size // len(some) + 1))[:size].rpartition(b"\n")[0] + b"\n"
    return texts


def main() -> None:
    """Print one line for each kind of text."""
    size = int(float(sys.argv[1]) * (1 << 20)) if len(sys.argv) > 1 else 4 << 20
    LogReader().feed(b"loads the formats\n")
    for name, text in _texts(size).items():
        reader, at = LogReader(), 0
        begin_s = time.process_time()
        while at < len(text):
            end = text.rfind(b"\n", at, at + CHUNK_BYTES) + 1
            reader.feed(text[at:end])
            at = end
        spent_s = time.process_time() - begin_s
        found = reader.format.name if reader.format else "no format"
        print(f"{name:10} {spent_s / (len(text) / (1 << 20)):6.3f} s a MiB ({found})")


if __name__ == "__main__":
    main()
