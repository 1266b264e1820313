"""What a print costs that `itermon.watch()` times and reads, beside the same print alone. CPU time of the thread.

    python bench/print_cost.py [--rounds 40]

All write the line of nanoGPT to /dev/null, in turns. A print is two calls of the stream's `write`; the second,
which ends the line, is timed.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from statistics import median

from itermon.trainer_hooks.automatic.timed_calls import time_stream
from itermon.trainer_hooks.automatic.watcher import Watcher
from itermon.trainer_hooks.mark_queue import MarkQueue
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
    alone, timed, read = [], [], []
    marks = MarkQueue()
    marks.begin()
    watcher = Watcher(marks)  # type: ignore[arg-type]
    with Path(os.devnull).open("w") as stream:
        write = stream.write
        for _ in range(options.rounds):
            stream.write = write  # type: ignore[method-assign]
            alone.append(print_ns(stream))
            time_stream(watcher, stream)
            timed.append(print_ns(stream))
            taps = Taps((stream,))
            read.append(print_ns(stream))
            taps.remove()
            marks.clear()
    print(f"print alone {median(alone) / 1e3:.2f} µs")
    for what, costs in (("timed", timed), ("timed and read", read)):
        added = median(costs) - median(alone)
        print(f"{what} {median(costs) / 1e3:.2f} µs: {added / 1e3:+.2f} µs a print, {added / 2e3:+.2f} µs a write")


if __name__ == "__main__":
    main()
