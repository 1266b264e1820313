"""A loss that jumped and does not come back, or grows on: read from the columns as they fill, by processes."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import inf, isnan, nan
from statistics import median
from typing import TYPE_CHECKING

from ...events import Severity
from ...words import loss as said
from ..findings import Incident
from ..outlook.losses import of_agents, still_learns
from ..record.pyramid import known
from ..verdict.losses import LOWER
from .found import end_of, moment, process_of
from .jumps import CHUNK, Jumps
from .kinds import GROWN, KINDS

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from ..intake import Intake
    from .found import Found
    from .jumps import Jump

BEHIND = 8
"""Entries that are not read yet: a loss may be printed after its iteration."""

LOOKED_AT = 4_096
"""Entries among which losses are looked for: not each of them need have one."""

MOVED = 4.0
"""A mean so far moves so many times as much in the first quarter of an epoch as in its last: no others do."""

SHORTEST = 12
"""Losses of an epoch in which means so far show; epochs shorter than a chunk are looked at together."""

_AT_ONCE = 1 << 12  # as a list they are compared in two thirds of the time

_LEARNS = "The validation loss has gone on falling meanwhile."


def _changes(losses: array[float], first: int) -> list[int] | None:
    """The positions, from `first` on, of those that are not the one before, to the last digit.

    A bar shows its newest loss until it has another one. `None`: all are known, and half of them or more change.
    """
    places = _changed(losses, first, len(losses) / 2)
    if len(places) < len(losses) / 2 or not losses:
        return places
    return _changed(losses, first, inf) if isnan(sum(losses)) else None


def _changed(losses: array[float], first: int, most: float) -> list[int]:
    """These positions, until they are `most`."""
    places: list[int] = []
    before = nan
    for start in range(0, len(losses), _AT_ONCE):
        if len(places) >= most:
            break
        for position, loss in enumerate(losses[start : start + _AT_ONCE].tolist(), first + start):
            if loss != before:  # in half the time of `map` and `compress`
                before = loss
                places.append(position)
    return places


class Growth:
    """What was found of the losses so far."""

    def __init__(self) -> None:
        self._read = 0
        self._process = 1
        self._jumps = Jumps()
        self._begun, self._epoch_ends = 0, -1  # position of an epoch's first loss; the iteration that ends it
        self._short = ShortEpochs()
        self._earlier: list[Found] = []  # of processes that are over

    def found(self, run: Intake) -> list[Found]:
        """The incidents, oldest first."""
        if of_agents(run.scalars, run.info.source_format):
            return []
        self._follow(run)
        return [*self._earlier, *self._of(run, None)]

    def _follow(self, run: Intake) -> None:
        """Read what is new."""
        while self._process < len(run.starts):
            end = end_of(run, self._process)
            self._take(run, end)
            self._earlier += self._of(run, end)
            self._process, self._jumps = self._process + 1, Jumps()
            self._read, self._short = max(self._read, end), ShortEpochs()
        self._take(run, len(run.columns) - BEHIND)

    def _take(self, run: Intake, end: int) -> None:
        """Up to the position `end`. Means so far begin anew with each epoch, and so does what is usual."""
        length = run.settings.config.iterations_per_epoch or 0
        if SHORTEST <= length < CHUNK and not self._short.are_others:
            self._take_short(run, length, end)
            return
        while self._read < end:
            stop = end if length < CHUNK else min(end, self._end_of_epoch(run, length))
            read, losses = self._read, run.columns.loss[self._read : stop]
            changes = _changes(losses, read)
            if changes is None:  # most logs print one in each line
                self._jumps.add(losses, range(read, stop))
            else:
                new = [at for at in changes if losses[at - read] == losses[at - read]]  # without those unknown
                self._jumps.add([losses[at - read] for at in new], new)
            self._read = stop
            if stop < end and _are_means(run.columns.loss[self._begun : stop]):
                self._jumps.begin_anew(of_losses=True)

    def _take_short(self, run: Intake, length: int, end: int) -> None:
        """Whole epochs up to the position `end`: of means so far each has one loss, its last."""
        while self._read < end and not self._short.are_others:
            stop = self._end_of_epoch(run, length)
            if stop >= end:
                return
            self._short.add(run.columns.loss[self._read : stop], stop - 1)
            self._read = stop
            if self._short.are_means:
                last = self._short.take()
                self._jumps.add([loss for _, loss in last], [at for at, _ in last])
        if self._short.are_others:
            self._read = run.starts[self._process - 1] if run.starts else 0
            self._take(run, end)

    def _end_of_epoch(self, run: Intake, length: int) -> int:
        """The position behind the epoch of what comes next."""
        index, read = run.columns.index, self._read
        if not self._epoch_ends - length < index[read] <= self._epoch_ends:
            self._begun, self._epoch_ends = read, -(-index[read] // length) * length
        return max(read + 1, bisect_right(index, self._epoch_ends, read))

    def _of(self, run: Intake, end: int | None) -> list[Found]:
        return [(one.first, _made(run, one, end)) for one in self._jumps.told]


def _are_means(losses: Sequence[float]) -> bool:
    """Are those of an epoch means of all its batches so far?"""
    known = [loss for loss in losses if loss == loss]
    quarter = len(known) // 4
    first, last = _moved(known[:quarter]), _moved(known[-quarter:])
    return len(known) >= CHUNK and first > MOVED * last > 0


class ShortEpochs:
    """The losses of epochs that are too short to tell, of each alone, whether they are means so far."""

    def __init__(self) -> None:
        self.are_means = self.are_others = False
        self._last: list[tuple[int, float]] = []  # of each epoch: position, and loss
        self._count, self._first_moved, self._last_moved = 0, 0.0, 0.0

    def add(self, losses: Sequence[float], at: int) -> None:
        """Those of one epoch, which ends at the position `at`."""
        known = [loss for loss in losses if loss == loss]
        if not known:
            return
        self._last.append((at, known[-1]))
        quarter = len(known) // 4
        self._first_moved += _moved(known[:quarter])
        self._last_moved += _moved(known[-quarter:]) if quarter else 0.0
        self._count += len(known)
        if not self.are_means and self._count >= CHUNK:
            self.are_means = self._first_moved > MOVED * self._last_moved > 0
            self.are_others = not self.are_means

    def take(self) -> list[tuple[int, float]]:
        """The last losses of the epochs so far, once."""
        taken, self._last = self._last, []
        return taken


def _moved(losses: Sequence[float]) -> float:
    return sum(abs(later - before) for before, later in pairwise(losses))


def _made(run: Intake, jump: Jump, end: int | None) -> Incident:
    since = run.columns.index[jump.first]
    back = end if jump.back is None else jump.back
    harmless = back is None and still_learns(run.evaluations.of_training, since, run.columns.index[-1])
    return Incident(
        kind=GROWN,
        key=f"{GROWN}:{process_of(run, jump.first)}:{since}",
        severity=Severity.INFO if harmless else KINDS[GROWN].severity,
        began_at_s=moment(run, jump.first),
        began_iteration=since,
        ended_at_s=moment(run, back) if back is not None else None,
        ended_iteration=run.columns.index[back] if back is not None else None,
        over=back is not None,
        state=_state(jump, since, None if jump.back is None else run.columns.index[jump.back]),
        evidence=(*_evidence(run, jump, since), *((_LEARNS,) if harmless else ())),
        action=""
        if harmless
        else f"Stop it and {LOWER} In a GAN or in reinforcement learning a growing loss can be normal.",
    )


def _state(jump: Jump, since: int, back: int | None) -> str:
    """What it did at iteration `since`, and at which it was `back`."""
    at = f"at iteration {since:,}"
    if jump.grew:
        at = f"by iteration {since:,}"
    verb = "grew" if jump.grew else "jumped"
    if back is not None:
        return f"The loss {verb} {at}, and had mostly come down again by {back:,}."
    return f"The loss has {'grown' if jump.grew else verb} {at}, and has not come back down."


def _evidence(run: Intake, jump: Jump, since: int) -> tuple[str, ...]:
    """Medians that anybody can work out from the losses as they were printed; nothing where those do not show it.

    Of means so far, and of losses that were printed again and again, others were compared.
    """
    at = jump.low_at if jump.grew else jump.first - 1
    before = None if at is None else _median(_known_up_to(run, at)[-CHUNK:])
    after = _median(_known_up_to(run, jump.first)[-CHUNK:] if jump.grew else _known_from(run, jump.first)[:CHUNK])
    if at is None or before is None or after is None or after <= before:
        return ()
    if jump.grew:
        low_at = run.columns.index[at]
        said_at = f"{said(before)} up to {low_at:,} and {said(after)} up to {since:,}"
        return (f"The median of {CHUNK} losses in a row is {said_at}.",)
    return (
        f"The median of the {CHUNK} losses before it is {said(before)}, of the {CHUNK} from it on {said(after)}.",
    )


def _median(losses: Sequence[float]) -> float | None:
    """`None` where too few are known."""
    return median(losses) if len(losses) == CHUNK else None


def _known_up_to(run: Intake, position: int) -> Sequence[float]:
    """Those of the process near `position`."""
    start = max(run.starts[process_of(run, position) - 1], position + 1 - LOOKED_AT)
    return known(run.columns.loss[start : position + 1])


def _known_from(run: Intake, position: int) -> Sequence[float]:
    end = min(end_of(run, process_of(run, position)), position + LOOKED_AT)
    return known(run.columns.loss[position:end])
