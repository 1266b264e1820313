"""What a report says of a stranger's log, against what happened: counts, values, times and sentences."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.reports.report_text import report

from .views import EPOCH, ROW, STEP, View
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from itermon.analysis.findings import Findings

    from .plans import Plan
    from .tape import Tape
    from .wording import Script


class Fault(NamedTuple):
    """A sentence or a figure that is not what happened."""

    kind: str
    said: str
    true: str

    def __str__(self) -> str:
        return f"[{self.kind}] {self.said} - {self.true}"


@dataclass
class Case:
    """One log, its report, and its truth by one way to count."""

    seed: int
    tape: Tape
    plan: Plan
    script: Script
    found: Findings
    text: str  # of the report, on one line
    row_losses: list[float]
    last_line: str
    settings: dict[str, object]

    def view(self, unit: str) -> View:
        return View(unit, self.tape, self.plan, self.script)


def read(seed: int, folder: Path) -> Case | None:
    """The report of a seed's log; `None` where it is refused."""
    writer = Writer(seed)
    tape = writer.write()
    path = folder / f"stranger-{seed}.log"
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
    from . import judge_counts, judge_sentences, judge_slow, judge_times, judge_values  # noqa: PLC0415

    called = case.found.progress.called
    units = {"row": (ROW, STEP), "epoch": (EPOCH,)}.get(called, (STEP, EPOCH, ROW))
    judges: tuple[Callable[[Case, View], Iterator[Fault]], ...] = (judge_times.faults, judge_slow.faults)
    views = [view for view in map(case.view, units) if view.items]
    counts = [[*judge_counts.faults(case, view)] for view in views]
    if not views:
        return [*judge_values.faults(case), *judge_sentences.faults(case)]
    best = min(range(len(views)), key=lambda place: len(counts[place]))
    timed = [fault for judge in judges for fault in judge(case, views[best])]
    return [*counts[best], *timed, *judge_values.faults(case), *judge_sentences.faults(case)]
