"""A log that is written, truncated, rotated, deleted and replaced at random: is a line lost or doubled?

    python bench/tail_soak.py [OPERATIONS] [SEED]          100,000 and 1: about a minute

The writer and the reader are those of the tests (tests/file_soak.py), which try a thousand operations.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from file_soak import Soak


def main(operations: int, seed: int) -> None:
    """Soak, and print what came of it."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(Path(name), seed)
        soak.run(operations)
    lost = len(set(soak.expected) - set(soak.read))
    doubled = len(soak.read) - len(set(soak.read))
    invented = len(set(soak.read) - set(soak.expected))
    seconds = time.perf_counter() - begin
    print(f"{operations:,} operations (seed {seed}) in {seconds:.0f} s; {len(soak.read):,} lines read")
    print(", ".join(f"{name} {count:,}" for name, count in soak.done.most_common()))
    print(f"lost {lost}, doubled {doubled}, invented {invented}, in order: {soak.read == soak.expected}")
    if soak.read != soak.expected:
        raise SystemExit(1)


if __name__ == "__main__":
    numbers = [int(text.replace(",", "").replace("_", "")) for text in sys.argv[1:]]
    main(*(numbers + [100_000, 1][len(numbers) :]))
