"""What several attempts of one training cost: what was lost between them, and how much of their time remained."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from ...events import TRAINING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..findings import LedgerRow
    from ..record.columns import Columns


class Attempt(NamedTuple):
    """Where an attempt begins among the iterations, and when it began and was heard of last (Unix time)."""

    position: int
    begun_s: float | None = None
    ended_s: float | None = None


class Work(NamedTuple):
    """Of all attempts together; `None` where a clock is missing.

    lost_iterations: what came after the point that the next one went on from: done again since, or still to be.
    lost_s: from those points to the end of each attempt.
    wall_s: in which an attempt ran.
    gaps_s: between them, when none did: a queue, a night.
    goodput: normal training that remained, as a share of `wall_s`.
    """

    lost_iterations: int
    lost_s: float | None = None
    wall_s: float | None = None
    gaps_s: float | None = None
    goodput: float | None = None


def work_of(columns: Columns, attempts: Sequence[Attempt], ledger: Sequence[LedgerRow]) -> Work:
    """Of a run whose processes are the `attempts`, and whose wall time is divided by `ledger`."""
    remains, lost_s = _what_remains(columns, attempts)
    kept = _iterations(columns, attempts, remains)
    done = _iterations(columns, attempts, [*(one.position for one in attempts[1:]), len(columns)])
    wall_s = _sum((one.begun_s, one.ended_s) for one in attempts)
    gaps_s = _sum((before.ended_s, after.begun_s) for before, after in pairwise(attempts))
    row = next((row for row in ledger if row.cause == TRAINING and row.count), None)
    # The row leaves out what was done again, but not what still is to be done again.
    goodput = min(1.0, row.seconds / row.count * kept / wall_s) if row and wall_s else None
    return Work(done - kept, lost_s, wall_s, gaps_s, goodput)


def _what_remains(columns: Columns, attempts: Sequence[Attempt]) -> tuple[list[int], float | None]:
    """Up to which position what each attempt did counts, and the seconds after that, of all."""
    ends = [*(one.position for one in attempts[1:]), len(columns)]
    until_s = [one.ended_s for one in attempts]
    lost: list[tuple[float | None, float | None]] = []
    for number, attempt in enumerate(attempts[1:], 1):
        for earlier in range(number):
            begin, end = attempts[earlier].position, ends[earlier]
            cut = bisect_left(columns.index, columns.index[attempt.position], begin, end)
            since_s = attempts[earlier].begun_s if cut == begin else _time_at(columns, cut - 1)
            lost.append((since_s, until_s[earlier]))
            ends[earlier], until_s[earlier] = cut, since_s
    return ends, _sum(lost)


def _iterations(columns: Columns, attempts: Sequence[Attempt], ends: Sequence[int]) -> int:
    """Of each attempt up to the position where it ends, those that were never printed included."""
    parts = ((one.position, end) for one, end in zip(attempts, ends, strict=True) if end > one.position)
    return sum(columns.index[end - 1] - columns.index[begin] + 1 for begin, end in parts)


def _time_at(columns: Columns, position: int) -> float | None:
    at_s = columns.time_at(position)
    return None if isnan(at_s) else at_s


def _sum(parts: Iterable[tuple[float | None, float | None]]) -> float | None:
    """The seconds from one to the other, of all of them; `None` where one is not known."""
    total_s = 0.0
    for since_s, until_s in parts:
        if since_s is None or until_s is None:
            return None
        total_s += max(0.0, until_s - since_s)
    return total_s
