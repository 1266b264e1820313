"""Trainings that never were, printed as well known trainers print them: which sentence of their reports is false?

    python bench/invented_frameworks.py [--seeds 100] [--from 0] [--only NAME] [--show SEED]

As invented_strangers.py: each seed makes a training, of which everything is known. Each trainer prints it word for
word as its own source does: its windows, running means, smoothed rates and rounded digits.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import inventing.frameworks
from inventing.frameworks.trainer import Trainer
from inventing.strange.judging import judged, read_of

if TYPE_CHECKING:
    from inventing.strange.case import Fault


def trainers() -> dict[str, type[Trainer]]:
    """All of them by their names."""
    for module in iter_modules(inventing.frameworks.__path__):
        import_module(f"inventing.frameworks.{module.name}")
    found, left = {}, [Trainer]
    while left:
        one = left.pop()
        left += one.__subclasses__()
        found.update({one.name: one} if one.name else {})
    return dict(sorted(found.items()))


def of_seed(job: tuple[str, int], folder: Path) -> tuple[str, int, str, list[Fault]]:
    """A trainer and a seed, what read its log ("": refused), and the faults."""
    name, seed = job
    case = read_of(trainers()[name](seed), seed, folder)
    return name, seed, case.found.source_format if case else "", judged(case) if case else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument("--show", type=int, help="print the log of this seed")
    options = parser.parse_args()
    names = [name for name in trainers() if name.startswith(options.only)]
    if options.show is not None:
        sys.stdout.write(trainers()[names[0]](options.show).write().text)
        return
    os.nice(5)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    jobs = [(name, seed) for name in names for seed in range(options.first, options.first + options.seeds)]
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        for name, seed, read_as, faults in pool.map(partial(of_seed, folder=Path(folder)), jobs, chunksize=4):
            kinds[name].update({"refused": not read_as, "with a fault": bool(faults)})
            kinds[name].update({one.kind for one in faults})
            for one in faults:
                print(f"{name:<14} {seed:>5} {read_as:<24} {one}", flush=True)
    for name in names:
        print(f"{name}: {options.seeds} logs; {dict(+kinds[name])}")


if __name__ == "__main__":
    main()
