"""Trainings that never were, printed as strangers' scripts print: which sentence of their reports is false?

    python bench/invented_strangers.py [--seeds 300] [--from 0] [--show SEED] [--kind shares]

As invented_logs.py, with scripts that print more beside their rows, and with more of each report judged: the slow
iterations and their causes, the shares of the time, evaluations, changes of level, the ETA, metrics and settings.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inventing.strange.judging import judged, read
from inventing.strange.writer import Writer

if TYPE_CHECKING:
    from inventing.strange.case import Fault


def of_seed(seed: int, folder: Path) -> tuple[int, str, str, list[Fault]]:
    """A seed, its script's style, what read it ("": refused), and the faults."""
    case = read(seed, folder)
    if case is None:
        return seed, Writer(seed).script.style, "", []
    return seed, case.script.style, case.found.source_format, judged(case)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--show", type=int, help="print the log of this seed")
    parser.add_argument("--kind", default="", help="only faults of a kind that begins so")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(Writer(options.show).write().text)
        return
    os.nice(5)
    kinds: Counter[str] = Counter()
    refused = faulty = 0
    seeds = range(options.first, options.first + options.seeds)
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        for seed, style, read_as, faults in pool.map(partial(of_seed, folder=Path(folder)), seeds, chunksize=4):
            refused, faulty = refused + (not read_as), faulty + bool(faults)
            kinds.update({one.kind for one in faults})
            for one in faults:
                if one.kind.startswith(options.kind):
                    print(f"{seed:>6} {style:<12} {read_as:<22} {one}", flush=True)
    print(
        f"{len(seeds)} logs, {refused} refused, {faulty} with a fault; logs by kind: {dict(kinds.most_common())}"
    )


if __name__ == "__main__":
    main()
