"""How far, how many, how often it began, what was evaluated and saved: against the truth."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .case import Fault
from .views import EPOCH, ROW, STEP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case
    from .views import View

SAME = 1.02

OF_IMAGES = "image"
"""What is counted where the log does not say how many of them a batch has."""


def faults(case: Case, view: View) -> Iterator[Fault]:
    """All of one way to count."""
    yield from _place(case, view)
    yield from _total(case, view)
    yield from _seen(case, view)


def _place(case: Case, view: View) -> Iterator[Fault]:
    p = case.found.progress
    if p.iteration is None or p.other.against or p.counts_rows or p.unit == OF_IMAGES:
        return
    rows = [row for row in case.tape.rows if not row.of_epoch] or case.tape.rows
    if "may be cut off, and is not read" in case.text and len(rows) > 1 and rows[-1].piece == case.tape.now - 1:
        rows = rows[:-1]
    ends_s = rows[-1].iteration.ends_s
    if view.unit == EPOCH:  # none has ended: then what is told is of the first one, which has begun
        ends_s = max((one.ends_s for one in view.items if one.ends_s <= ends_s), default=ends_s)
    newest = [one for one in view.items if one.ends_s == ends_s]
    numbers = {n for one in newest for n in one.numbers}
    if view.unit == ROW:
        numbers |= {len(case.tape.rows), len(case.tape.rows) - 1}
    if p.at_least and p.iteration <= max(numbers):
        return
    if p.iteration not in numbers:
        yield Fault("count", f"{p.unit} {p.iteration:,} is the newest", f"{sorted(numbers)} by {view.unit}")


def _total(case: Case, view: View) -> Iterator[Fault]:
    p, plan = case.found.progress, case.plan
    if p.max_iterations is None or p.other.against or p.counts_rows:
        return
    phase = plan.phases[view.last_phase]
    run = sum(one.epochs * one.batches for one in plan.phases)
    done = case.tape.iterations[-1].place + 1
    allowed = (
        {phase.epochs, sum(one.epochs for one in plan.phases)}
        if view.unit == EPOCH
        else {
            phase.epochs * phase.batches,
            run,
            plan.total,
        }
    )
    if len(plan.phases) > 1:
        allowed |= {phase.steps, phase.run_epochs}
    if "batch" in case.script.counts and "{epoch" not in case.script.place + case.script.headline:
        allowed |= {phase.batches}  # nobody says that there are epochs
    if case.script.style in ("bar",) and case.script.every % 4 in (0, 3):
        allowed |= {phase.batches}
    allowed |= {one * plan.batch_size for one in allowed} if "samples" in case.script.counts else set()
    if p.max_iterations not in {one + more for one in allowed for more in (-1, 0)}:
        yield Fault("total", f"{p.unit} of {p.max_iterations:,}", f"{sorted(allowed)} by {view.unit}, {done} done")


def _seen(case: Case, view: View) -> Iterator[Fault]:
    """Passed, as the head says it."""
    head = case.text.split(" Verdict ")[0]
    found = re.search(r"(at least )?([\d,]+) (\w+?)s?(?: seen|, called iterations here| in [\d,]+ rows?)", head)
    if not found or found[3] == OF_IMAGES:
        return
    said, true = int(found[2].replace(",", "")), len(view.items)
    if view.unit == STEP and case.tape.rows:  # what comes behind the newest row nobody can know
        until_s = case.tape.rows[-1].iteration.ends_s
        true = sum(one.ends_s <= until_s for one in view.items)
    loose = case.script.every * len({(row.iteration.phase, row.iteration.epoch) for row in case.tape.rows})
    loose = loose if view.unit == STEP else 1
    if said > true * SAME + loose or (not found[1] and said < true / SAME - loose):
        yield Fault("count", found[0], f"{true} by {view.unit}")
