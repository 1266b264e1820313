"""Which runs are attempts of one training. Two witnesses are asked for; where one is missing each is its own.

The first: the same command in the same folder (see `trainer_hooks.launch`), under the same name. The second: its
iterations go on where the other stopped, or at what it saved last; or Slurm queued the same job again and they go
on somewhere in what had been done. A sweep of equal commands that all stopped at one iteration stays apart: which
of them goes on is not known.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..runs.listing import first_of
from .reach import Reach, reach_of, saved_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events import RunInfo
    from ..runs.listing import KnownRun


class _Attempt(msgspec.Struct, frozen=True):
    run: KnownRun
    info: RunInfo
    reach: Reach


def trainings(runs: Iterable[KnownRun]) -> list[list[KnownRun]]:
    """The attempts of each training that has several, oldest first; runs that stand alone are left out."""
    alike: dict[tuple[str, str], list[tuple[KnownRun, RunInfo]]] = {}
    for run in runs:
        info = first_of(Path(run.recording)) if run.recording else None
        if info is not None and info.launch and info.started_at_s is not None:
            alike.setdefault((run.name, info.launch), []).append((run, info))
    found: list[list[KnownRun]] = []
    for group in alike.values():
        if len(group) > 1:
            chains = _chains(
                [
                    _Attempt(run, info, there)
                    for run, info in sorted(group, key=lambda one: one[1].started_at_s or 0.0)
                    if (there := reach_of(run)) is not None
                ]
            )
            found += [[one.run for one in chain] for chain in chains if len(chain) > 1]
    return found


def _chains(attempts: Sequence[_Attempt]) -> list[list[_Attempt]]:
    """Each goes on what exactly one earlier one left; where several might be meant, none is."""
    chains: list[list[_Attempt]] = []
    for attempt in attempts:
        before = [chain for chain in chains if _goes_on(attempt, chain)]
        queued = [chain for chain in before if _queued_again(attempt, chain[-1])]
        meant = queued or before
        if len(meant) == 1:
            meant[0].append(attempt)
        else:
            chains.append([attempt])
    return chains


def _goes_on(attempt: _Attempt, chain: Sequence[_Attempt]) -> bool:
    last, begun = chain[-1], attempt.reach.first
    if last.run.alive or (last.run.seen_at_s or 0.0) > (attempt.info.started_at_s or 0.0):
        return False
    stopped = last.reach.last
    if begun <= chain[0].reach.first + 1:  # from the beginning: another training, as far as is known
        return False
    if begun == stopped + 1:
        return True
    # An attempt that saved nothing leaves what was saved before it.
    kept = (saved_in(Path(one.run.recording or "")) for one in reversed(chain))
    saved = next((iteration for iteration in kept if iteration is not None), None)
    if saved is not None and begun in (saved, saved + 1):
        return True
    return _queued_again(attempt, last) and begun <= stopped


def _queued_again(attempt: _Attempt, before: _Attempt) -> bool:
    """Is it the same job of Slurm, which was queued once more since?"""
    now, then = attempt.info, before.info
    return bool(now.job) and now.job == then.job and (now.requeued or 0) > (then.requeued or 0)
