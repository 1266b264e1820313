"""Which looks of the hooks' own thread say where an iteration lost its time, and how much each stands for.

A look names the place of its moment alone. One in the last moments of an iteration, no longer than the usual time,
may have found the normal work after whatever was slow: it decides nothing. What was blocked in native code is an
exception: nobody could look before that was over, and the look came at that very moment.

And what lines tell of data that were loaded there, which nobody looked at.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import DATA, UNEXPLAINED, Strength
from ...words import plural
from ..findings import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events import Stack
    from ..record.spans import Note

BESIDE_DATA = "data were loaded there, too, and the log gives one time for all"

_LOADER = re.compile(r"torch/utils/data/dataloader\.py:\d+ (\w+\.)?__next__")


def deciding(stacks: Sequence[Stack], duration_s: float, clean_s: float) -> list[Stack]:
    """Those of an iteration's looks that say where it lost its time, oldest first."""
    until_s = duration_s - clean_s
    found = (_as_far_as(stack, until_s) for stack in stacks)
    return sorted((stack for stack in found if stack is not None), key=lambda stack: stack.waited_s or 0.0)


def _as_far_as(stack: Stack, until_s: float) -> Stack | None:
    """Of several looks that found the same, one at most came after `until_s`, so far apart are they."""
    if stack.native or (stack.waited_s or 0.0) <= until_s:
        return stack
    return replace(stack, count=stack.count - 1, waited_s=until_s) if stack.count > 1 else None


def waits_for_a_loader(stacks: Sequence[Stack], duration_s: float, clean_s: float) -> Cause | None:
    """Waiting for data, where each look that decides found the training thread in a `DataLoader`."""
    decide = deciding(stacks, duration_s, clean_s)
    if not decide or not all(any(map(_LOADER.match, stack.frames)) for stack in decide):
        return None
    looks = sum(stack.count for stack in decide)
    found = f"{plural(looks, 'look')} found it in the DataLoader's __next__"
    return Cause(DATA, 0.0, Strength.HOOK, found)


def stands_for(stacks: Sequence[Stack], until_s: float) -> list[float]:
    """What each look stands for: from halfway to the one before it to halfway to the next."""
    moments = [stack.waited_s or 0.0 for stack in stacks]
    halves = [(one + next_one) / 2 for one, next_one in pairwise(moments)]
    return [end - begin for begin, end in pairwise([0.0, *halves, max(until_s, moments[-1])])]


def beside_data(notes: Iterable[Note], seconds: float) -> list[Cause]:
    """What nobody timed of a row in which a line tells of data that were loaded, and another of a stop.

    Where the load has a time, what follows it (its first batches are made) has none.
    """
    loaded = [note for note in notes if note.kind == DATA and note.strength == Strength.LOG and note.inside]
    others = any(note.kind != DATA and note.duration_s is None for note in notes)
    return [Cause(UNEXPLAINED, seconds, Strength.GUESS, BESIDE_DATA)] if loaded and others else []
