"""Does what is said of a log stay the same where the log is changed and what it says of the training is not?

    python bench/metamorphic.py [FOLDER ...] [--only ts,crlf] [--file NAME] [--show 3] [--cuts 8]

The whole corpus takes a quarter of an hour on two cores: of a long log its beginning and its end are tried, and
each is cut at a few places that `--seed` chooses. `--slice 80` tries so many logs, each under one change: in 20 s.

Each log (of the folders; default: ../shared/corpus, and each format's own examples) gets stamps, launchers' and
loggers' prefixes, other line ends, colours, noise, a final evaluation; it is cut, doubled and split. No figure may
change but by the resolution of stamps that were added. A figure that is not said any more is withheld, which is no
violation, and counted as well.
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
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from corpus import real_logs
from metamorphosis.changes import CHANGES, Change, cuts, split
from metamorphosis.figures import TIMES, Said, of_bytes
from metamorphosis.judge import Judged, judge, judge_cut

if TYPE_CHECKING:
    from collections.abc import Sequence

LEFT_OUT = ("gpu", "INDEX.md", "INDEX.tsv")


class Tried(NamedTuple):
    """One log under one change."""

    file: str
    change: str
    faults: list[str]
    withheld: list[str]


def try_log(name: str, data: bytes, changes: Sequence[Change], count: int, seed: int = 0) -> list[Tried]:
    """All changes of one log; none where nothing is said of it."""
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        before = of_bytes(data, folder)
        if not before.format:
            return []
        tried = []
        for change in changes:
            at = cuts(data, count, f"{name}{seed or ''}") if change.cuts else []
            found = _judged(change, data, before, folder, at)
            tried += [Tried(name, change.name, [str(one) for one in found.faults], found.withheld)]
        return tried


def _judged(change: Change, data: bytes, before: Said, folder: Path, places: list[int]) -> Judged:
    if change.cuts:
        found = [(at, judge_cut(before, of_bytes(data[:at], folder))) for at in places]
        return Judged([f"at {at}: {fault}" for at, one in found for fault in one.faults], [])  # type: ignore[misc]
    if change.splits:
        out, errors = split(data)
        one, other = (of_bytes(out, folder, errors), of_bytes(errors, folder, out))
        found = [judge(change, before, said) for said in (one, other) if said.figures.get("iterations")]
        return min(found, key=lambda one: len(one.faults), default=Judged([], ["all"]))
    return judge(change, before, of_bytes(change.make(data), folder))


def files_of(folders: list[Path], wanted: str, each: int) -> list[Path]:
    """The logs, largest first, at most so many `each` folder."""
    chosen: list[Path] = []
    found = [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in LEFT_OUT and wanted in str(path)
    ]
    found.sort(key=lambda path: (-path.stat().st_size, path))
    places = Counter[Path]()
    for path in found:
        places[path.parent] += 1
        if places[path.parent] <= each:
            chosen.append(path)
    return chosen


def examples(wanted: str) -> list[tuple[str, bytes]]:
    """Each format's own examples, as long as their lines can be counted on."""
    from metamorphosis.examples import enlarged

    return [(name, data) for name, data in enlarged() if wanted in name]


def bounded(data: bytes, most: int, *, both_ends: bool = True) -> bytes:
    """Of a long log whole lines of its beginning, and half as many of its end."""
    if len(data) <= most:
        return data
    head, tail = data[: most * 2 // 3], data[-(most // 3) :] if both_ends else b""
    return (head.rpartition(b"\n")[0] or head) + b"\n" + (tail.partition(b"\n")[2] or tail)


def _try_file(path: Path, only: Sequence[str], count: int, most: int, seed: int) -> list[Tried]:
    """An added clock would have to invent how long the part took that is left out: it gets the beginning alone."""
    name = str(Path(*path.parts[-2:]))
    data = path.read_bytes().removesuffix(b"\n") + b"\n"  # an unfinished line may be cut
    tried: list[Tried] = []
    for stamps in (False, True):
        changes = [one for one in CHANGES if one.name in only and one.stamps is stamps]
        if changes:
            tried += try_log(name, bounded(data, most, both_ends=not stamps), changes, count, seed)
    return tried


def a_slice(files: list[Path], count: int, seed: int, most: int = 20_000) -> list[Tried]:
    """So many logs, each under one change, as `seed` chooses."""
    rng = Random(seed)
    tried: list[Tried] = []
    for path in rng.sample(files, min(count, len(files))):
        tried += _try_file(path, [rng.choice(CHANGES).name], 3, most, seed)
    return tried


def table(tried: list[Tried], changes: tuple[Change, ...], show: int) -> str:
    """Change × violations, and the first faults of each."""
    lines = [
        f"{'change':18}{'files':>7}{'violating':>11}{'violations':>12}{'withheld':>10}{'refused':>9}  by figure"
    ]
    for change in changes:
        own = [one for one in tried if one.change == change.name]
        figures = Counter(
            fault.partition(":")[0] if not change.cuts else "cut" for one in own for fault in one.faults
        )
        refused = sum(one.withheld == ["all"] for one in own)
        away = sum(bool(one.withheld) for one in own) - refused
        by = ", ".join(f"{figure} {n}" for figure, n in figures.most_common(6))
        lines.append(
            f"{change.name:18}{len(own):>7}{sum(bool(one.faults) for one in own):>11}"
            f"{sum(figures.values()):>12}{away:>10}{refused:>9}  {by}"
        )
    total = sum(len(one.faults) for one in tried)
    lines.append(f"{len({one.file for one in tried})} logs, {len(tried)} changed logs, {total} violations")
    for change in changes:
        bad = [one for one in tried if one.change == change.name and one.faults]
        lines += [f"{change.name}: {one.file}: {'; '.join(one.faults[:4])}" for one in bad[:show]]
        gone = [one for one in tried if one.change == change.name and one.withheld]
        lines += [f"{change.name}: {one.file}: withheld: {', '.join(one.withheld)}" for one in gone[:show]]
    return "\n".join(lines)


def main() -> None:
    """Try all and print one table; exit code 1 where anything was violated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--only", default="", help="changes, with commas between them")
    parser.add_argument("--file", default="", help="logs whose path holds this")
    parser.add_argument("--show", type=int, default=3, help="violating logs to print of each change")
    parser.add_argument("--cuts", type=int, default=8, help="places at which each log is cut")
    parser.add_argument("--seed", type=int, default=0, help="of the places, and of a slice")
    parser.add_argument("--slice", type=int, metavar="N", help="try N logs, each under one change")
    parser.add_argument("--most-kb", type=int, default=36, help="of each log, two thirds of it its beginning")
    parser.add_argument("--each", type=int, default=1_000, help="logs of each folder, the largest")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    only = options.only.split(",") if options.only else [one.name for one in CHANGES]
    corpus = [Path(one) for one in options.folders] or [one for one in [real_logs([])] if one]
    files = files_of(corpus, options.file, options.each)
    tried = a_slice(files, options.slice, options.seed) if options.slice else _try_all(files, only, options)
    print(table(tried, tuple(one for one in CHANGES if one.name in only), options.show))
    sys.exit(1 if any(one.faults for one in tried) else 0)


def _try_all(files: list[Path], only: list[str], options: argparse.Namespace) -> list[Tried]:
    """Each log under each change; violations are told as they are found."""
    most = options.most_kb * 1000
    one_file = partial(_try_file, only=only, count=options.cuts, most=most, seed=options.seed)
    tried: list[Tried] = []
    with ProcessPoolExecutor(options.jobs, initializer=os.nice, initargs=(5,)) as pool:
        for found in pool.map(one_file, files):
            tried += found
            for one in found:
                if one.faults:
                    print(f"{one.change}: {one.file}: {'; '.join(one.faults[:4])}", file=sys.stderr, flush=True)
    if not options.folders:
        changes = [one for one in CHANGES if one.name in only]
        for name, data in examples(options.file):
            tried += map(without_times, try_log(name, data, changes, options.cuts, options.seed))
    return tried


def without_times(one: Tried) -> Tried:
    """Examples are made to be read, and their times need not add up: none is judged by a clock that was added."""
    stamped = any(change.stamps for change in CHANGES if change.name == one.change)
    return one._replace(faults=[fault for fault in one.faults if not (stamped and fault.startswith(TIMES))])


if __name__ == "__main__":
    main()
