"""Reads the log of a seed, and holds its report against what happened: counts, values, times and sentences."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.reports.report_text import report

from . import judge_counts, judge_sentences, judge_slow, judge_times, judge_values, judge_waits
from .case import Case
from .views import EPOCH, ROW, STEP
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .case import Fault
    from .views import View


def read(seed: int, folder: Path) -> Case | None:
    """The report of a seed's log; `None` where it is refused."""
    return read_of(Writer(seed), seed, folder)


def read_of(writer: Writer, seed: int, folder: Path) -> Case | None:
    """The same of another writer's."""
    tape = writer.write()
    path = folder / f"{type(writer).__name__}-{seed}.log"  # several are written at the same time
    path.write_text(tape.text, encoding="utf-8", newline="")
    run = Run()
    for batch in LogSource(path, follow=False).batches(threading.Event()):
        if batch.restart:
            run = Run()
        if not batch.preview:
            run.apply(batch.events)
    if not len(run.columns):
        return None
    found = run.findings(spikes=None)
    text = re.sub(r"\s+", " ", report(found, title=path.name))
    losses = [one for one in run.columns.loss.tolist() if one == one]
    return Case(
        seed, tape, writer.plan, writer.script, found, text, losses, tape.text.splitlines()[-1], writer.settings
    )


def judged(case: Case) -> list[Fault]:
    """All faults, by that way to count by which there are the fewest."""
    called = case.found.progress.called
    units = {"row": (ROW, STEP), "epoch": (EPOCH,)}.get(called, (STEP, EPOCH, ROW))
    judges: tuple[Callable[[Case, View], Iterator[Fault]], ...] = (
        judge_times.faults,
        judge_slow.faults,
        judge_waits.faults,
    )
    views = [view for view in map(case.view, units) if view.items]
    counts = [[*judge_counts.faults(case, view)] for view in views]
    if not views:
        return [*judge_values.faults(case), *judge_sentences.faults(case)]
    best = min(range(len(views)), key=lambda place: len(counts[place]))
    timed = [fault for judge in judges for fault in judge(case, views[best])]
    return [*counts[best], *timed, *judge_values.faults(case), *judge_sentences.faults(case)]
