"""Are the rows that are listed as slow, and that no line explains, really those that stand out of all?

They were found as they came, beside a level that followed the times: where many rows take long, some of them are
found and others made the level. Here each row is held against what is usual around it, whatever the level was.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import STOPS, UNEXPLAINED, Strength
from ..causes.causes import NO_CAUSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..findings import Cause, Findings, LedgerRow, Spike
    from ..record.columns import Columns
    from ..timing.timing import Timing

AROUND = 64
"""Usual around a row is the median of its block of so many rows, of the one before and of the one behind it."""

FEWEST = 8
"""Of fewer rows around it nothing is usual."""

LONGER = 1.05
"""Asked for instead, where a listed row took no longer than those around it: half of all rows are as slow."""

RETURNS, ALIKE = 3, 2.5
"""What returns was there so often, and costs so many times what it does usually at most."""

MOST = 0.75
"""A stop that so many of the rows have is usual."""

SAMPLE = 1_024
"""So many rows of the whole log tell what a quick one takes: only those far above it are looked at one by one."""

OPENING = 32
"""The first rows of a training may be of its warm-up, of which no single one is told."""


def looked_again(found: Findings, timing: Timing, columns: Columns) -> Findings:
    """With the number of rows that are as slow and not listed; if that is most of them, without the listed ones.

    Then the unexplained time is a part of what there may be, and no place and no period of it is told.
    """
    found = replace(found, spikes=without_usual_stops(found.spikes, len(columns.duration_s)))
    more, least = as_slow(found.spikes, timing, columns)
    found = replace(found, spikes=as_they_return(found.spikes))
    listed = sum(1 for _ in _unexplained(found.spikes))
    if more <= listed:
        return replace(found, slow_untold=more, ledger=as_a_part(found.ledger) if more else found.ledger)
    return replace(
        found,
        spikes=without_unexplained(found.spikes),
        slow_untold=more + listed,
        slow_unnamed=least,
        slow_place=None,
        ledger=as_a_part(found.ledger),
    )


def as_slow(spikes: Sequence[Spike], timing: Timing, columns: Columns) -> tuple[int, float]:
    """How many other rows take as much longer than those around them as the least of `spikes` without a cause.

    And how many times as long that is; 0 where there are no such `spikes`.
    """
    slow = {*timing.slow.itself}
    listed = [one.position for one in _unexplained(spikes) if one.position in slow]
    usual = _Usual(columns)
    times = [columns.duration_s[n] / usual_s for n in listed if (usual_s := usual.around(n))]
    if not times:
        return 0, 0.0
    least = min(times) if min(times) > 1 else LONGER
    openings = [*(one.begun for one in timing.over), timing.begun]
    aside = {*timing.slow.position, *columns.uncounted}
    over = {columns.averaged_at(n) for n in listed}
    more = [
        n
        for n in _long(columns, least)
        if n not in aside
        and columns.averaged_at(n) in over
        and not any(begun <= n < begun + OPENING for begun in openings)
        and (usual_s := usual.around(n))
        and columns.duration_s[n] >= least * usual_s
    ]
    return len(more), least


def without_usual_stops(spikes: Sequence[Spike], rows: int) -> tuple[Spike, ...]:
    """Of `spikes` whose stops lines tell of, those alone that stand out: where most rows since the first have one.

    An epoch in a row, each with its evaluation: none is slow beside the others, and the ledger has what they took.
    """
    told = {one.position: sum(cause.seconds for cause in one.causes) for one in spikes if _is_told(one)}
    if len(told) < FEWEST or len(told) < MOST * (rows - min(told)):
        return tuple(spikes)
    most_s = ALIKE * median(told.values())
    return tuple(one for one in spikes if told.get(one.position, most_s + 1) > most_s)


def _is_told(spike: Spike) -> bool:
    return bool(spike.causes) and all(
        cause.kind in STOPS and cause.strength == Strength.LOG for cause in spike.causes
    )


def as_they_return(spikes: Sequence[Spike]) -> tuple[Spike, ...]:
    """Of `spikes` that are said to return, those alone of which several were as slow: of others nobody knows."""
    seconds: dict[str, list[float]] = {}
    for one in spikes:
        for cause in one.causes:
            if cause.kind == UNEXPLAINED and cause.strength == Strength.PERIOD:
                seconds.setdefault(cause.evidence, []).append(cause.seconds)
    most_s = {said: ALIKE * median(known) for said, known in seconds.items() if len(known) >= RETURNS}
    return tuple(replace(one, causes=tuple(_as_it_returns(each, most_s) for each in one.causes)) for one in spikes)


def _as_it_returns(cause: Cause, most_s: Mapping[str, float]) -> Cause:
    if cause.kind != UNEXPLAINED or cause.strength != Strength.PERIOD:
        return cause
    if cause.seconds <= most_s.get(cause.evidence, 0.0):
        return cause
    return replace(cause, strength=Strength.GUESS, evidence=NO_CAUSE)


def without_unexplained(spikes: Sequence[Spike]) -> tuple[Spike, ...]:
    """Those of `spikes` that a line, a span or a measurement tells the cause of."""
    unexplained = {one.position for one in _unexplained(spikes)}
    return tuple(one for one in spikes if one.position not in unexplained)


def as_a_part(ledger: Sequence[LedgerRow]) -> tuple[LedgerRow, ...]:
    """The `ledger`, its unexplained time a part of all that may be: not of so many rows, nor each of so long."""
    return tuple(
        replace(row, at_least=True, count=0, least_s=None, most_s=None, usual_s=None)
        if row.cause == UNEXPLAINED
        else row
        for row in ledger
    )


def _unexplained(spikes: Iterable[Spike]) -> Iterable[Spike]:
    return (one for one in spikes if all(cause.kind == UNEXPLAINED for cause in one.causes))


def _long(columns: Columns, least: float) -> Iterable[int]:
    """The positions of all rows that may take `least` times as much as others."""
    rows = columns.duration_s
    known = sorted(d for d in rows[:: max(1, len(rows) // SAMPLE)] if d > 0)
    quick_s = known[len(known) // 4] if known else 0.0
    return (n for n, d in enumerate(rows) if d >= least * quick_s)


class _Usual:
    """What is usual around a row, worked out once a block."""

    def __init__(self, columns: Columns) -> None:
        self._rows, self._of = columns.duration_s, dict[int, float | None]()

    def around(self, position: int) -> float | None:
        """`None`: too few rows there have a time."""
        block = position // AROUND
        if block not in self._of:
            near = self._rows[max(0, block - 1) * AROUND : (block + 2) * AROUND]
            known = [d for d in near if d > 0]
            self._of[block] = median(known) if len(known) >= FEWEST else None
        return self._of[block]
