"""A second, far simpler reader of the same logs: where does it count other rows than itermon?

    python bench/second_reader.py FILE OR FOLDER ...

It knows no format. Lines that are alike but for their numbers are of one shape, and a place in a shape whose whole
numbers count on by the same step is a counter. Where a shape has a few lines more than itermon has rows, rows were
dropped; where its counter falls back more or less often than itermon has restarts, one of the two is wrong. Which
one is for a person to see: a step that begins again with each epoch falls, too, so only counters that end where
itermon ends are compared by their falls.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from itermon.bench.contradictions import ENDINGS, read
from itermon.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.analysis.findings import Progress

NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NO_NAME = re.compile(r"[^#A-Za-z:|=,/\[\](){} ]")

LONGEST = 3_000
"""Characters of a line that is looked at."""

FEWEST = 8
"""Lines of a shape."""

STEADY, REPEATED = 0.8, 0.1
"""Of its steps, at least so many are the usual one, and fewer than so many none at all."""

FEW, MORE = 3, 1.1
"""So many lines more than rows, or times as many: of another shape there would be far more, or fewer."""


class Counts(NamedTuple):
    """A counter: in how many lines of which shape, its first and last number, how often it fell or stood still."""

    lines: int
    shape: str
    first: int
    last: int
    falls: int
    repeats: int

    def __str__(self) -> str:
        again = f"{plural(self.falls, 'fall')} and {plural(self.repeats, 'repeat')}"
        return f"{self.lines:,} lines `{self.shape[:60]}` count {self.first:,} to {self.last:,} with {again}"


def counters(path: Path) -> Iterator[Counts]:
    """Of all shapes of a log, those with most lines first."""
    shapes = defaultdict(list)
    for line in _lines(path):
        numbers = [float(one.replace(",", "")) for one in NUMBER.findall(line)]
        shapes[NO_NAME.sub("", " ".join(NUMBER.sub("#", line).split()))].append(numbers)
    for shape, rows in sorted(shapes.items(), key=lambda one: -len(one[1])):
        if len(rows) >= FEWEST:
            yield from filter(None, (_counter(shape, list(column)) for column in zip(*rows, strict=False)))


def _lines(path: Path) -> Iterator[str]:
    for line in path.read_bytes().decode("utf-8", "replace").split("\n"):
        shown = ESCAPES.sub("", line.rstrip("\r")).split("\r")[-1]
        if len(shown) <= LONGEST:
            yield shown


def _counter(shape: str, numbers: list[float]) -> Counts | None:
    """`None` where these numbers of a shape's lines do not count."""
    if any(one % 1 for one in numbers):
        return None
    steps = [after - before for before, after in pairwise(numbers)]
    usual = Counter(one for one in steps if one > 0).most_common(1)
    falls, repeats = sum(one < 0 for one in steps), steps.count(0)
    if not usual or usual[0][1] < STEADY * len(steps) or repeats >= REPEATED * len(steps):
        return None
    return Counts(len(numbers), shape, int(numbers[0]), int(numbers[-1]), falls, repeats)


def doubts(found: Progress, counted: list[Counts]) -> Iterator[str]:
    """What the second reader counts otherwise, a sentence each."""
    told = f"told are {plural(found.rows, 'row')}"
    if not any(one.lines == found.rows for one in counted):
        for one in counted:
            if found.rows < one.lines <= MORE * found.rows + FEW:
                yield f"{one}; {told}"
    begun = found.trainings - 1 + found.restarts
    alike = [one for one in counted if one.lines == found.rows and one.last == found.iteration]
    if alike and not any(one.falls <= begun <= one.falls + one.repeats for one in alike):
        yield f"{alike[0]}; told are {plural(found.trainings, 'training')}, {plural(found.restarts, 'restart')}"


def _of_file(path: Path) -> list[str] | None:
    found = read(path).progress
    return [*doubts(found, [*counters(path)])] if found.rows else None


def main() -> None:
    """Print each doubt, and of how many logs there is one."""
    os.nice(5)
    named = [Path(one) for one in sys.argv[1:]]
    files = [file for one in named for file in (one.rglob("*") if one.is_dir() else [one])]
    logs = sorted(file for file in files if file.suffix in ENDINGS and file.is_file())
    doubted = unread = 0
    with ProcessPoolExecutor(2) as pool:
        for path, found in zip(logs, pool.map(_of_file, logs, chunksize=4), strict=True):
            unread += found is None
            doubted += bool(found)
            for one in found or ():
                print(f"{path.name}: {one}")
    print(f"{doubted:,} of {len(logs) - unread:,} logs are counted otherwise")


if __name__ == "__main__":
    main()
