"""When will memory be full? 100 planted leaks at half time, and 1,000 hours in which nothing ever is.

    PYTHONPATH=.build .venv/bin/python bench/memory_forecast.py [--leaks 100] [--hours 1000]

Leaks: a straight one, one under a sawtooth, one that grows by a jump at each evaluation, and one in noise; each is
seen in 300 to 8,000 samples. Right is an iteration within 10 % of the one at which nothing is left, said at half
time. Healthy: fast and slow sawtooth, peaks at evaluations, a few early steps, an allocator's records, a plateau,
a level that wanders, each by up to 22 % of the memory; six hours each, a sample every ten seconds, and no forecast
is right at any of them. (A first swing that takes half of what was left is a leak, as far as anybody can know.)
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from simulated_memory import HEALTHY, LEAKS, healthy, leak

HOURS, SAMPLES_AN_HOUR = 6, 360


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leaks", type=int, default=100)
    parser.add_argument("--hours", type=int, default=1_000)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    begin_s = time.process_time()
    print("leak         within 10 %  farther  silent  in its interval")
    said: Counter[str] = Counter()
    for kind in LEAKS:
        of_kind: Counter[str] = Counter()
        for seed in range(options.leaks // len(LEAKS)):
            of_kind.update(at_half_time(kind, seed, verbose=options.verbose))
        print(
            f"{kind:<12}{of_kind['right']:>12}{of_kind['wrong']:>9}{of_kind['silent']:>8}{of_kind['inside']:>17}"
        )
        said += of_kind
    print(f"{'all':<12}{said['right']:>12}{said['wrong']:>9}{said['silent']:>8}{said['inside']:>17}", flush=True)
    runs = max(1, options.hours // HOURS)
    print("\nhealthy        hours  runs with a forecast or jumps")
    for place, kind in enumerate(HEALTHY):
        seeds = range(runs // len(HEALTHY) + (place < runs % len(HEALTHY)))
        false = [seed for seed in seeds if is_warned(kind, seed)]
        which = f"  {false}" if options.verbose else ""
        print(f"{kind:<15}{HOURS * len(seeds):>5}{len(false):>10}{which}", flush=True)
    print(f"\n{time.process_time() - begin_s:.0f} s of CPU")


def at_half_time(kind: str, seed: int, *, verbose: bool) -> list[str]:
    """What is said of one leak when half of its time has passed."""
    followed, end = leak(kind, seed)
    found = None
    for number in range(end // 2 + 1):
        found = followed.sample(number)
    full = end * followed.iterations
    if verbose:
        print(kind, seed, end, round(full), found and (found.full_at_iteration, found.jump_at))
    if found is None:
        return ["silent"]
    inside = found.low_iteration <= full <= found.high_iteration
    is_right = abs(found.full_at_iteration - full) <= 0.1 * full
    return ["right" if is_right else "wrong", *(["inside"] if inside else [])]


def is_warned(kind: str, seed: int) -> bool:
    """Is anything ever forecast of one that is healthy, or said to jump?"""
    followed = healthy(kind, seed)
    samples = range(HOURS * SAMPLES_AN_HOUR)
    return any(followed.sample(number) is not None or followed.fillings.jumps() for number in samples)


if __name__ == "__main__":
    main()
