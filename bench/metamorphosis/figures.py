"""What is said of a log: its figures, from its bytes, read as the program reads a file."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from math import nan
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from itermon.analysis.run import Run
from itermon.analysis.timing.baseline import VERIFY
from itermon.collectors.log_formats.registry import all_formats
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.merged import MergedSource
from itermon.events import CHECKPOINT, EVALUATION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from itermon.collectors.log_formats.base import LogFormat

Value = float | int | str | None

COUNTED = (
    "iterations",
    "passed",
    "first",
    "last",
    "total",
    "not_finite",
    "restarts",
    "runs",
    "evaluations",
    "checkpoints",
    "ended",
)
"""Figures of which nothing is rounded."""
TIMES = ("clean_s", "wall_s")
LOSSES = ("loss", "validation", "best_validation")


class Said(NamedTuple):
    """All of one log."""

    format: str  # empty: refused
    figures: dict[str, Value]
    rows: list[tuple[int, float]]  # index and loss of each iteration, in their order
    lines: int = 1
    clock_s: tuple[
        float, ...
    ] = ()  # from the first iteration's stamp to the last one's, or the newest; with the first
    levels_s: tuple[float, float] = (nan, nan)  # the lowest and the highest level of a stretch
    numbers_rows: bool = False  # says the report that itermon has numbered the rows, which name no iteration?
    uncounted: bool = False  # does it know that there were evaluations, and says of no number how many?


REFUSED = Said("", {}, [])


@cache
def _formats() -> tuple[LogFormat, ...]:
    """All formats, each asked once of a line: most lines of a log stand in many of its changed logs."""
    return tuple(
        msgspec.structs.replace(
            one,
            matches=lru_cache(1 << 13)(one.matches),
            is_iteration=lru_cache(1 << 13)(one.is_iteration),
            is_distinctive=one.is_distinctive and lru_cache(1 << 13)(one.is_distinctive),
        )
        for one in all_formats()
    )


def of_bytes(data: bytes, folder: Path, errors: bytes | None = None) -> Said:
    """What is said of a file with `data`; with `errors`, of two files of one run."""
    path = folder / "train.log"
    path.write_bytes(data)
    main = LogSource(path, follow=False, formats=_formats())
    if errors is None:
        return _of_source(main)._replace(lines=max(1, data.count(b"\n")))
    other = folder / "train.err"
    other.write_bytes(errors)
    return _of_source(MergedSource(main, [LogSource(other, follow=False, formats=_formats(), secondary=True)]))


def _of_source(source: LogSource | MergedSource) -> Said:
    run = Run()
    for batch in source.batches(threading.Event()):
        if batch.restart:
            run = Run()
        if not batch.preview:
            run.apply(batch.events)
    if not len(run.columns):
        return REFUSED
    found, taken = run.findings(spikes=0), run.intake
    progress, losses = found.progress, found.losses
    figures: dict[str, Value] = {
        "iterations": len(run.columns),
        "passed": None if found.uncounted else progress.iterations_seen,
        "first": progress.first_iteration,
        "last": progress.iteration,
        "total": progress.max_iterations,
        "clean_s": found.level.clean_s,
        "wall_s": progress.wall_s,
        "loss": losses.train,
        "validation": losses.validation,
        "best_validation": losses.best_validation,
        "not_finite": losses.not_finite + losses.not_finite_earlier,
        "restarts": progress.restarts,
        "runs": None if found.uncounted else progress.restarts + progress.trainings,  # begun, from wherever
        "evaluations": taken.spans.counted.told[EVALUATION],  # as many as the report says
        "checkpoints": taken.spans.counted.told[CHECKPOINT],
        "ended": found.ended,
        "wall_by": progress.wall_witness and progress.wall_witness.value,
    }
    rows = list(zip(run.columns.index.tolist(), run.columns.loss.tolist(), strict=True))
    columns, last = run.columns, len(run.columns) - 1
    passed_s = columns.time_at(last) - columns.time_at(0)
    after_s = max(0.0, (taken.last_at_s or 0.0) - columns.time_at(last)) if columns.at_s else 0.0
    clocks = [passed_s + more for more in (0.0, after_s)] if columns.at_s else []
    clock_s = (*clocks, *(one + columns.spent_s(0, 0) for one in clocks))
    evaluates = EVALUATION in taken.spans.reported and not figures["evaluations"]
    known = {"numbers_rows": progress.counts_rows, "uncounted": evaluates}
    levels_s = _levels(columns.duration_s)
    return Said(found.source_format, figures, rows, clock_s=clock_s, levels_s=levels_s, **known)


def _levels(times: Sequence[float]) -> tuple[float, float]:
    """Between what the level of a log may lie, whichever stretch of it is taken for normal."""
    known = [one for one in times if one == one]
    levels = (
        [median(known[place : place + VERIFY]) for place in range(max(1, len(known) - VERIFY + 1))]
        if known
        else []
    )
    if len(known) < VERIFY:
        levels = known
    return (min(levels), max(levels)) if levels else (nan, nan)
