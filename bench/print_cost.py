"""What a print costs whose lines `itermon.watch()` reads, beside the same print alone. CPU time of the thread.

    python bench/print_cost.py [--rounds 40]

Both write the line of nanoGPT to /dev/null, in turns. A print is two calls of the stream's `write`.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from statistics import median

from itermon.trainer_hooks.output.taps import Taps

PRINTS = 900  # two writes each: below what the queue holds


def print_ns(stream: object) -> float:
    """The mean of `PRINTS` prints."""
    begun = time.thread_time_ns()
    for i in range(PRINTS):
        print(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%", file=stream)  # type: ignore[call-overload]
    return (time.thread_time_ns() - begun) / PRINTS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    alone, read = [], []
    with Path(os.devnull).open("w") as stream:
        for _ in range(options.rounds):
            alone.append(print_ns(stream))
            taps = Taps((stream,))
            read.append(print_ns(stream))
            taps.remove()
    added = median(read) - median(alone)
    print(f"print alone {median(alone) / 1e3:.2f} µs, read {median(read) / 1e3:.2f} µs: "
          f"{added / 1e3:+.2f} µs a print, {added / 2e3:+.2f} µs a write")  # fmt: skip


if __name__ == "__main__":
    main()
