"""Trainings that never were, printed as scripts print: is anything said of their logs that did not happen?

    python bench/invented_logs.py [--seeds 500] [--from 0] [--show SEED] [--kind bars]

Each seed makes a training (epochs, evaluations, saves, a crash, a resumed run) and a script of its own words,
separators, clocks and columns, so that all that is true of the log is known. A figure that is withheld counts as
right; one that contradicts what happened is printed, by its class.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from inventing import scripts, trainings
from inventing.prints import Printed, Printer
from inventing.truth import Wrong, wrong
from metamorphosis.figures import Said, of_bytes


def invented(seed: int) -> tuple[trainings.Course, scripts.Script, Printed]:
    """The training of a seed, its script, and what it printed."""
    random = Random(seed)
    course, script = trainings.invent(random), scripts.invent(random)
    return course, script, Printer(course, script, seed).write()


def judged(seed: int, folder: Path) -> tuple[scripts.Script, Said, list[Wrong]]:
    """What is said of a seed's log, and what of that is wrong."""
    course, script, printed = invented(seed)
    said = of_bytes(printed.text.encode(), folder)
    if not said.format or not printed.rows:
        return script, said, []
    return script, said, wrong(said.figures, course, script, printed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--show", type=int, help="print the log of this seed")
    parser.add_argument("--kind", help="only these scripts")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(invented(options.show)[2].text)
        return
    figures: Counter[str] = Counter()
    tried = refused = faulty = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.seeds):
            if options.kind and invented(seed)[1].kind != options.kind:
                continue
            script, said, faults = judged(seed, Path(folder))
            tried, refused, faulty = tried + 1, refused + (not said.format), faulty + bool(faults)
            figures.update(one.figure for one in faults)
            for one in faults:
                print(f"{seed:>6} {script.kind:<15} {said.format:<24} {script.times:<9} {one}", flush=True)
    print(f"{tried} logs, {refused} refused, {faulty} with a wrong figure: {dict(figures.most_common())}")


if __name__ == "__main__":
    main()
