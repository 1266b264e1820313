"""Sentences of a report: each kind that is known is read and held against what happened."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from .case import Fault
from .plans import TRAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case

ENDS = ("finished", "failed", "interrupted", "killed", "stopped")


def faults(case: Case) -> Iterator[Fault]:
    """All of one report."""
    yield from _began(case)
    yield from _ended(case)
    yield from _stops(case)
    yield from _losses(case)
    yield from _incidents(case)
    yield from _of_lines(case)


def _began(case: Case) -> Iterator[Fault]:
    head = case.text.split(" Verdict ")[0]
    phases = len(case.tape.phases_begun)
    for pattern, what in (
        (r"(at least )?(\d+) trainings?", "trainings"),
        (r"(at least )?(\d+) starts?", "starts"),
    ):
        for found in re.finditer(rf" · {pattern}( |$)", head):
            if int(found[2]) > phases or (not found[1] and int(found[2]) != phases):
                yield Fault("began", found[0].strip(" ·"), f"{phases} {what}")
    if found := re.search(r"(\d+) restarts?", head):
        yield Fault("began", found[0], "there was none")
    if "several trainings at the same time" in case.text:
        yield Fault("began", "several trainings at the same time", "one after another")
    if "its counter goes back" in head:
        counted = [row.counts[0] for row in case.tape.rows if row.counts]
        falls = phases - 1
        for at in range(max((len(row.counts) for row in case.tape.rows), default=0)):
            counted = [row.counts[at] for row in case.tape.rows if len(row.counts) > at]
            falls = max(falls, sum(a > b for a, b in pairwise(counted)))
        if not falls:
            yield Fault("began", "its counter goes back", "it never does")


def _ended(case: Case) -> Iterator[Fault]:
    ended = case.found.ended
    last = case.tape.iterations[-1]  # that another phase is to come nobody says
    done = not case.tape.is_cut or last.place + 1 >= case.plan.phases[last.phase].steps - case.script.every
    if ended == "failed" and any(how == "failed" for how, _ in case.tape.ends):
        return
    if ended in ENDS and (ended != "finished" or not done):
        steps = case.plan.phases[last.phase].steps
        yield Fault(
            "end",
            f"ended: {ended}",
            f"phase {last.phase + 1} of {len(case.plan.phases)}, step {last.place + 1} of {steps}",
        )


def _stops(case: Case) -> Iterator[Fault]:
    """How many evaluations and saves it is told of, where a number is said."""
    for kind in ("evaluation", "checkpoint"):
        stops = [one for one in case.tape.stops if one.kind == kind]
        told = [one for one in stops if one.told]
        places = len({one.after for one in told})
        allowed = set(range(min(places, len(told)), len(told) + 1)) | {places}
        if kind == "evaluation":  # each also of the training's own metrics behind an epoch
            allowed |= {len({one.after for one in stops})}
        if case.tape.is_cut:  # one has begun
            allowed |= {one + 1 for one in allowed}
        for found in re.finditer(rf"(told of: |and )(\d[\d,]*) {kind}s?", case.text):
            if int(found[2].replace(",", "")) not in allowed:
                yield Fault("evals", found[0], f"{len(stops)} at {places} places")
        if re.search(rf"told of: [^.]*{kind}", case.text) and not stops and not case.tape.is_cut:
            yield Fault("evals", f"told of: {kind}s", "there was none")


def _losses(case: Case) -> Iterator[Fault]:
    verdict = case.found.verdict
    if verdict.kind.startswith("loss-"):
        rises = case.plan.overfits and ("over" in verdict.kind or "risen" in verdict.headline)
        if not rises:
            yield Fault("loss verdict", f"{verdict.kind}: {verdict.headline}", "all losses fall")
    if "nan or inf" in case.text:
        yield Fault("loss verdict", "nan or inf", "all losses are numbers")
    for one in verdict.evidence:
        if (
            re.search(r"overfit|lowest validation|validation loss (rises|has risen|is)", one)
            and not case.plan.overfits
        ):
            yield Fault("loss verdict", one, "all losses fall")


def _incidents(case: Case) -> Iterator[Fault]:
    waits_s = sum(step.waited_s for step in case.tape.iterations)
    for one in case.found.incidents:
        slower = one.kind == "slowed-down" and (
            case.plan.slower_from is not None or len({p.clean_s for p in case.plan.phases}) > 1
        )
        slower |= one.kind == "silent" and bool(case.plan.stalls)
        slower |= one.kind == "data-bound" and 6 * waits_s > sum(step.took_s for step in case.tape.iterations)
        if one.kind not in ("finished", "failed", "interrupted", "stopped") and not slower:
            yield Fault("incident", f"{one.kind}: {one.state}", "nothing of that kind happened")


def _of_lines(case: Case) -> Iterator[Fault]:
    """The newest row, word for word; and that times contradict each other, which none do."""
    if "contradict each other" in case.text or "contradicted by" in case.text:
        yield Fault("contradiction", "the log's times contradict each other", "all are what a clock showed")
    found = re.search(r" Newest row line ([\d,]+): ", case.text)
    if not found or not case.tape.rows:
        return
    lines = case.tape.text.split("\n")
    place = int(found[1].replace(",", "")) - 1
    lossy = [row for row in case.tape.rows if row.losses]
    newest = [loss for row in lossy[-2:] for loss in row.losses]
    if lossy and lossy[-1] is not case.tape.rows[-1]:  # a bar's frame, whose count tells
        newest += [float(count) for row in case.tape.rows[-2:] for count in row.counts]
    newest += [one.value for one in case.tape.values[-8:] if one.of_set == TRAIN]
    line = lines[place] if place < len(lines) else ""
    p = case.found.progress
    if p.unit == "epoch" and p.iteration is not None and "epoch" in line.lower():  # its closing line is its row
        newest.append(float(p.iteration))
    shown = [float(one) for one in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", line)]
    if newest and not any(abs(loss - one) < 6e-5 for loss in newest for one in shown):
        yield Fault("newest row", f"line {found[1]}: {line[:80]!r}", f"a row with {newest[-1]}")
