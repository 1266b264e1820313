"""Time to the first full screen of logs of 10,000 and of 10,000,000 iterations: size must not matter.

    python bench/first_screen.py [SMALL] [LARGE] [REPETITIONS]      10,000, 10,000,000 and 7: two minutes, 550 MB

The newest iteration's number must stand on the screen of a real terminal, 120 × 40; the two logs take turns.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from ptyrun import PtyRun
from screen import ITERMON, write_log


def main(small: int, large: int, repetitions: int) -> None:
    """Measure both and print the ratio."""
    times: dict[int, list[float]] = {small: [], large: []}
    with tempfile.TemporaryDirectory() as name:
        for count in times:
            write_log(Path(name, f"{count}.log"), count)
        for _ in range(repetitions):
            for count, seen in times.items():
                run = PtyRun((*ITERMON, str(Path(name, f"{count}.log"))))
                seconds = run.read(30, until=f"{count - 1:,}".encode())
                run.stop()
                if seconds is None:
                    raise SystemExit(f"the screen of {count:,} iterations never showed its newest one")
                seen.append(seconds)
        sizes = {count: Path(name, f"{count}.log").stat().st_size / 1e6 for count in times}
    middles = {count: statistics.median(seen) for count, seen in times.items()}
    for count, seen in times.items():
        print(
            f"{count:>12,} iterations, {sizes[count]:6.1f} MB: {1e3 * middles[count]:5.0f} ms "
            f"({1e3 * min(seen):.0f}–{1e3 * max(seen):.0f}, {repetitions} times)"
        )
    print(f"ratio {middles[large] / middles[small]:.2f} (target 1.2)")


if __name__ == "__main__":
    numbers = [int(text.replace(",", "").replace("_", "")) for text in sys.argv[1:]]
    main(*(numbers + [10_000, 10_000_000, 7][len(numbers) :]))
