"""Figures of one report that contradict each other: in how many of many logs?

    python bench/contradictions.py FILE OR FOLDER ...

Nobody has to know the truth of a log for that: the causes' seconds are the wall time, what is counted twice is
counted alike, what comes next is still to come. Each line is a fault of itermon, whatever was logged.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.events import DATA, EVALUATION, TRAINING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from itermon.analysis.findings import Findings

ENDINGS = {".log", ".txt", ".out", ".err", ".csv", ".jsonl", ".json"}
SAME = 0.01
"""Two figures of the same thing may differ by so much: both are rounded."""

FEWEST = 8
"""Times that a level is made of, at least, before it is said to be normal."""

VALIDATION = {"val_loss", "valid_loss", "validation_loss", "eval_loss", "dev_loss", "vali_loss"}
TEST = {"test_loss"}
"""How logs call these losses."""

SHORTEST, LONGEST = 0.5, 2.0
"""Times the normal iteration that the mean one may take, where the level never moved and nothing else is left."""


def contradictions(found: Findings) -> Iterator[str]:
    """What in `found` cannot all be true, a sentence each."""
    yield from _of_time(found)
    yield from _of_counts(found)
    yield from _of_losses(found)
    yield from _of_spikes(found)
    yield from _of_pace(found)
    yield from _of_names(found)


def _of_time(found: Findings) -> Iterator[str]:
    wall_s, rows = found.progress.wall_s, {row.cause: row for row in found.ledger}
    whole_s = sum(row.seconds for row in found.ledger)
    if wall_s is not None and TRAINING in rows and not isclose(whole_s, wall_s, rel_tol=SAME):
        yield f"the causes' seconds are {whole_s:.3f}, the wall time is {wall_s:.3f}"
    for row in found.ledger:
        if row.least_s is not None and row.most_s is not None and row.count:
            mean_s = row.seconds / row.count
            if not row.least_s * (1 - SAME) <= mean_s <= row.most_s * (1 + SAME):
                yield f"{row.cause}: {row.count} take {mean_s:.3f} s, from {row.least_s:.3f} to {row.most_s:.3f}"
    for before, after in pairwise(found.level.shifts):
        if not isclose(before.after_s, after.before_s, rel_tol=SAME):
            yield f"the level became {before.after_s:.4f} s and was {after.before_s:.4f} before it moved again"
    clean_s, training = found.level.clean_s, rows.get(TRAINING)
    level = found.level
    alone = found.progress.trainings == 1 and not (level.shifts or level.crept or level.between)
    if clean_s and level.iterations >= FEWEST and alone and training and training.count:
        waits_s = rows[DATA].seconds if DATA in rows else 0.0
        each_s = (training.seconds + waits_s) / training.count
        if not SHORTEST <= each_s / clean_s <= LONGEST:
            yield f"a normal iteration takes {clean_s:.4f} s, {training.count:,} of them {each_s:.4f} s each"


def _of_counts(found: Findings) -> Iterator[str]:
    progress, told = found.progress, found.progress.evaluations
    timed = next((row.count for row in found.ledger if row.cause == EVALUATION and not row.estimated), 0)
    if told and timed > told:
        yield f"{timed} evaluations have a time, {told} are told of"
    last, end = progress.iteration, progress.max_iterations
    if last is not None and end is not None and last > end:
        yield f"iteration {last} of {end}"
    if progress.newest_seen > progress.iterations_seen:
        yield f"{progress.newest_seen} iterations of the newest training, {progress.iterations_seen} of all"
    for one in found.eta.schedules:
        if last is not None and one.next_iteration is not None and one.next_iteration <= last:
            yield f"the next {one.kind} is at {one.next_iteration}, and {last} is over"


def _of_losses(found: Findings) -> Iterator[str]:
    losses = found.losses
    best, newest = losses.best_validation, losses.validation
    if best is not None and newest is not None and best > newest:
        yield f"the best validation loss is {best}, the newest {newest}"
    at = losses.validation_at
    if best is not None and at is not None and (losses.best_validation_at or 0) > at:
        yield f"the best validation loss is of {losses.best_validation_at}, the newest of {at}"
    end = found.progress.max_iterations
    if at is not None and end is not None and at > end:
        yield f"a validation loss of iteration {at} of {end}"


def _of_spikes(found: Findings) -> Iterator[str]:
    for spike in found.spikes:
        whole_s = spike.clean_s + sum(cause.seconds for cause in spike.causes)
        if not isclose(whole_s, spike.duration_s, rel_tol=SAME, abs_tol=1e-3):
            yield f"iteration {spike.index} took {spike.duration_s:.3f} s, its parts {whole_s:.3f}"


def _of_pace(found: Findings) -> Iterator[str]:
    """Of speeds and of what is left: none can be of quicker iterations than those that are told of."""
    level, progress, speed = found.level, found.progress, found.throughput
    quickest_s = level.between[0] if level.between else 0.0
    left, eta = (progress.max_iterations or 0) - (progress.iteration or 0), found.eta
    if eta.remaining_s and eta.remaining_s < (1 - SAME) * left * quickest_s:
        yield f"{left:,} iterations in {eta.remaining_s:.0f} s, nine in ten take {quickest_s:.4f} s or more"
    if eta.low_s is not None and not eta.low_s <= (eta.remaining_s or 0.0) <= (eta.high_s or 0.0):
        yield f"{eta.remaining_s} s to go, between {eta.low_s} and {eta.high_s}"
    if level.p95_s is not None and level.clean_s is not None and level.p95_s < (1 - SAME) * level.clean_s:
        yield f"one in twenty takes longer than {level.p95_s:.4f} s, usual is {level.clean_s:.4f}"
    clean, tokens = speed.tokens_per_s_clean, speed.tokens_per_iteration
    has_usual = (
        level.clean_s and level.between is None
    )  # of a range the mean of its rows counts, which is not told
    if clean and tokens and has_usual and not isclose(tokens / level.clean_s, clean, rel_tol=SAME):
        yield f"{clean:.1f} tokens/s, {tokens:,} in {level.clean_s:.4f} s"
    wall_s, seen = progress.wall_s, progress.iterations_seen
    moves = level.shifts or level.crept or level.between or level.iterations < FEWEST
    least = None if moves else level.clean_s
    if wall_s and least and progress.trainings == 1 and not progress.at_least and seen * least > 1.5 * wall_s:
        yield f"{seen:,} iterations of {least:.4f} s each in {wall_s:.1f} s"


def _of_names(found: Findings) -> Iterator[str]:
    """Of two figures with names that say the same."""
    losses = found.losses
    for one in found.scalars:
        name = one.name.lower().replace("/", "_").replace("-", "_")
        told = losses.validation if losses.validation_called == "validation" else None
        if name in VALIDATION and told is not None and not isclose(one.newest, told, rel_tol=SAME):
            yield f"{one.name} is {one.newest}, the validation loss {told}"
        told = losses.validation if losses.validation_called == "test" else None
        if name in TEST and told is not None and not isclose(one.newest, told, rel_tol=SAME):
            yield f"{one.name} is {one.newest}, the test loss {told}"


def read(path: Path) -> Findings:
    """All findings of a log."""
    run = Run()
    for batch in LogSource(path, follow=False).batches(threading.Event()):
        if batch.restart:
            run = Run()
        if not batch.preview:
            run.apply(batch.events)
    return run.findings(spikes=None)


def _of_file(path: Path) -> tuple[Path, list[str]]:
    return path, [*contradictions(read(path))]


def main() -> None:
    """Print each contradiction, and in how many logs there is one."""
    os.nice(5)
    named = [Path(one) for one in sys.argv[1:]]
    files = [file for one in named for file in (one.rglob("*") if one.is_dir() else [one])]
    logs = sorted(file for file in files if file.suffix in ENDINGS and file.is_file())
    wrong = 0
    with ProcessPoolExecutor(2) as pool:
        for path, faults in pool.map(_of_file, logs, chunksize=4):
            wrong += bool(faults)
            for fault in faults:
                print(f"{path.name}: {fault}")
    print(f"{wrong:,} of {len(logs):,} reports contradict themselves")


if __name__ == "__main__":
    main()
