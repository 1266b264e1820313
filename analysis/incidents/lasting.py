"""Conditions that last: data, power, heat, a late rank. They are looked at at fixed places of the run.

So the same events give the same incidents, however they were batched and whenever somebody asked. One is said once
it was seen at two places in a row, and is over once it was not seen at two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..findings import Incident
from ..gpus.limits import HEAT as BY_HEAT
from ..gpus.limits import POWER as BY_POWER
from ..verdict.diagnosis import Diagnosis
from ..verdict.filling import filling_up
from ..verdict.gpus import held
from ..verdict.sentences import OF_THE_NEWEST, sentence, where
from ..verdict.troubles import data_bound, straggler, throttled
from .kinds import DATA, HEAT, KINDS, POWER, STRAGGLER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verdict.facts import Facts
    from .found import Found

FIRST = 64
"""Iterations before the first look."""

SHARE = 1 / 32
"""Of the run so far between two looks: so their cost stays a small part of all."""

IN_A_ROW = 2

COSTS = 0.95
"""Of the boost clock: a power limit that takes less of it is how the GPU is meant to run."""


def next_look(positions: int) -> int:
    """The position before which it is looked at next."""
    return positions + max(FIRST, int(positions * SHARE))


class Lasting:
    """The conditions that hold, and those that held."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self._seen: dict[str, tuple[int, Found]] = {}  # clear looks in a row, and the incident as it began
        self._open: dict[str, int] = {}  # its place in `found`
        self._unseen: dict[str, tuple[int, Incident]] = {}  # looks in a row, and when the first of them was

    def look(self, f: Facts, position: int, process: int) -> None:
        """What holds now, at `position`?"""
        here = {one.kind: one for one in _conditions(f, process)}
        for kind in [*self._seen]:
            if kind not in here:
                del self._seen[kind]
        for kind, one in here.items():
            self._see(kind, position, one, is_clear=kind != DATA or _waits_long(f))
        for kind in [*self._open]:
            if kind not in here:
                self._miss(kind, f)

    def _see(self, kind: str, position: int, one: Incident, *, is_clear: bool) -> None:
        self._unseen.pop(kind, None)
        if kind in self._open:
            place = self._open[kind]
            at, before = self.found[place]
            if kind == DATA:  # its figures are those of where it was seen
                return
            words = {"state": one.state, "evidence": one.evidence, "action": one.action}
            self.found[place] = at, replace(before, **words, rank=before.rank)
            return
        looks, began = self._seen.get(kind, (0, (position, one)))
        self._seen[kind] = looks + is_clear, began
        if looks + is_clear >= IN_A_ROW:
            del self._seen[kind]
            self._open[kind] = len(self.found)
            first = began[1] if kind == DATA else replace(one, **_beginning(began[1]))
            self.found.append((began[0], first))

    def _miss(self, kind: str, f: Facts) -> None:
        looks, first = self._unseen.get(kind, (0, _at(f)))
        self._unseen[kind] = looks + 1, first
        if looks + 1 >= IN_A_ROW:
            place = self._open.pop(kind)
            at, one = self.found[place]
            ended = {"ended_at_s": first.began_at_s, "ended_iteration": first.began_iteration}
            # What was measured of the newest iterations at a look is no figure of all that it lasted.
            evidence = () if kind == DATA else one.evidence
            self.found[place] = at, replace(one, over=True, evidence=evidence, **ended)
            del self._unseen[kind]


def _at(f: Facts, kind: str = "", process: int = 0) -> Incident:
    progress = f.findings.progress
    return Incident(
        kind=kind,
        key=f"{kind}:{process}:{progress.iteration}",
        severity=KINDS[kind].severity if kind else KINDS[DATA].severity,
        began_at_s=progress.last_event_at_s,
        began_iteration=progress.iteration,
    )


def _beginning(one: Incident) -> dict[str, object]:
    return {"key": one.key, "began_at_s": one.began_at_s, "began_iteration": one.began_iteration}


def _conditions(f: Facts, process: int) -> Iterator[Incident]:
    full = filling_up(f)  # of the kind of what will be full first
    for kind, diagnosis in (
        (HEAT, throttled(f) or _limit(f, BY_HEAT)),
        (POWER, _limit(f, BY_POWER)),
        (full.kind if full else "", full),
        (DATA, _data_bound(f)),
        (STRAGGLER, straggler(f)),
    ):
        if diagnosis is not None:
            late = f.findings.straggler
            rank = late.rank if kind == STRAGGLER and late is not None and late.share >= COMMON else None
            said = {"state": diagnosis.headline, "evidence": diagnosis.evidence, "action": diagnosis.next_step}
            yield replace(_at(f, kind, process), rank=rank, **said)


def _data_bound(f: Facts) -> Diagnosis | None:
    """By the newest iterations alone: what all wall time so far went to is not told of this part of it."""
    found, measured = data_bound(f), f.findings.throughput.data_wait_share
    if found is None or (measured is not None and measured < LEAST_WAIT):
        return None
    of_all = sentence(where(f))
    evidence = tuple(said.replace(OF_THE_NEWEST, "") for said in found.evidence if said != of_all)
    who = "The GPU waits" if f.busy is False else "The training loop waits"
    return found._replace(headline=f"{who} for its data.", evidence=evidence)


def _waits_long(f: Facts) -> bool:
    """Is a wait no chance? Where most iterations have no row, what a few rows waited rises and falls by itself."""
    progress, measured = f.findings.progress, f.findings.throughput.data_wait_share
    all_known = 2 * progress.iterations_unseen <= progress.iterations_seen
    return measured is None or all_known or measured >= 2 * LEAST_WAIT


LEAST_WAIT = 0.1
"""Of their time: what iterations wait for data while they are bound by it."""

COMMON = 0.5
"""Of the iterations: a rank that is late in fewer is not the only one."""


def _limit(f: Facts, by: str) -> Diagnosis | None:
    """The GPUs that gate run far below their boost clock, and it is known by what."""
    use = f.findings.gpu_use
    if use is None or use.limited_by != by:
        return None
    gates = [one.share for one in use.clocks if one.gpu in use.gating]
    if min(gates, default=1.0) > COSTS:
        return None
    said = held(use)
    state = f"{said[:1].upper()}{said[1:]}."
    help_ = "Better airflow helps." if by == BY_HEAT else "Better airflow or a higher limit helps."
    return Diagnosis(by, state, (), help_, healthy=None)
