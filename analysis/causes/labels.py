"""The slow iterations and their causes: final after a while, open to new evidence until then."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from math import isnan
from statistics import median
from typing import TYPE_CHECKING

from ...events import CAUSES, EVALUATION, TRAINING
from ..findings import Spike
from . import causes as why
from .periods import (
    NEWEST,
    Period,
    Printed,
    find,
    suspicion,
)
from .sample_windows import (
    BEFORE_S,
    Moment,
    measure,
    suspect,
)
from .tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Cause
    from ..ranks.stragglers import Lead, Ranks
    from ..record.columns import Columns
    from ..record.spans import Spans
    from ..record.telemetry import Telemetry
    from ..timing.timing import Timing

LAG = 64
"""Iterations after which a label is final: a change of level needs 32 to be told from slow iterations."""

_KEPT = 256  # labels between two tallies that are kept, to add up any window quickly
_NAMES = tuple(CAUSES)
_NUMBER = {kind: number for number, kind in enumerate(_NAMES)}


class Labels:
    """Explains what `Timing` found slow. `tally` has the final ones; the newest are explained when asked for."""

    def __init__(
        self, columns: Columns, spans: Spans, starts: Sequence[int], telemetry: Telemetry, ranks: Ranks
    ) -> None:
        self._columns = columns
        self._spans = spans
        self._starts = starts
        self._telemetry = telemetry
        self._ranks = ranks
        self._leads: dict[int, Lead] = {}  # of final ones, by position
        self.periods: tuple[Period, ...] = ()
        self._unexplained: list[tuple[int, float]] = []  # (iteration, excess) of the newest process
        self._process = 0
        self._examined = 0  # final ones that have been looked at for a period
        self._find_at = 3
        self.shown: tuple[Period, ...] = ()  # with what the open ones add
        self._looked_at = (0, 0, 0)
        self._moments: dict[int, Moment] = {}  # of final ones, by position
        self.tally = Tally()
        self._final = array("B")  # the main cause of each final one, as a number
        self._kept: list[Tally] = []

    def settle(self, timing: Timing) -> None:
        """Make final what is old enough."""
        self.shown, self._looked_at = self.periods, (0, 0, 0)
        self._remember(timing)
        while self._settles(timing):
            place = len(self._final)
            if place % _KEPT == 0:
                self._kept.append(self.tally.copy())
            position = timing.slow.position[place]
            lead = self._ranks.at(position)
            if lead is not None:
                self._leads[position] = lead
            self._final.append(_NUMBER[self._tell(timing, place, self.tally)])
            if place >= self._examined:
                self._examine(timing, place)

    def _remember(self, timing: Timing) -> None:
        """What the samples say of open ones, as soon as the samples are whole: they are not kept for ever."""
        for place in range(len(self._final), len(timing.slow)):
            position = timing.slow.position[place]
            if position in self._moments or self._telemetry.behind(self._columns.at(position)):
                continue
            moment = self._moment(timing, place)
            if moment is not None:
                self._moments[position] = moment

    def _settles(self, timing: Timing) -> bool:
        place, positions = len(self._final), timing.slow.position
        if place >= len(positions) or positions[place] >= timing.done - LAG:
            return False
        waits = positions[place] >= timing.done - 16 * LAG  # for samples of its last second, but not for ever
        return not (waits and self._telemetry.behind(self._columns.at(positions[place])))

    def _examine(self, timing: Timing, place: int) -> None:
        """Look for cadences, the more rarely the more there is, and begin anew when they change."""
        self._examined = place + 1
        slow = self._periodic(timing, place)
        if slow is None:
            return
        process = bisect_right(self._starts, timing.slow.position[place]) - 1
        if process != self._process:
            self._unexplained.clear()
            self._process = process
        self._unexplained = [*self._unexplained[1 - NEWEST :], slow]
        self._find_at -= 1
        if self._find_at > 0:
            return
        self._find_at = max(1, len(self._final) // 16)
        found = self._find(self._unexplained, timing.slow.position[place]) or self.periods
        if found != self.periods:
            self.periods = self.shown = found
            self.tally, self._final, self._kept = Tally(), array("B"), []

    def _find(self, slow: Sequence[tuple[int, float]], last: int) -> tuple[Period, ...]:
        start = self._starts[bisect_right(self._starts, last) - 1]
        return find(slow, Printed(self._columns.index, start, last + 1))

    def look(self, timing: Timing) -> None:
        """Let the newest, open ones count for cadences, too: a run may end before they are final."""
        key = (len(self._final), len(timing.slow), timing.done)
        if key == self._looked_at:
            return
        self._looked_at = key
        self.shown = self.periods
        places = range(len(self._final), len(timing.slow))
        if not places or len(places) > LAG or bisect_right(self._starts, timing.done) - 1 != self._process:
            return
        open_ones = [slow for place in places if (slow := self._periodic(timing, place)) is not None]
        if open_ones:
            candidates = [*self._unexplained, *open_ones]
            self.shown = self._find(candidates, timing.slow.position[-1]) or self.periods

    def _periodic(self, timing: Timing, place: int) -> tuple[int, float] | None:
        """Iteration and excess of what no line and no hook explains."""
        position = timing.slow.position[place]
        if position in self._spans.by_position:
            return None
        case = self._case(timing, place)
        excess_s = case.duration_s - case.clean_s + case.gap_s
        if case.warmup or case.restarted or excess_s <= 0:
            return None
        return self._columns.index[position], excess_s

    def whole(self, timing: Timing) -> Tally:
        """All causes of the run, the open ones included."""
        self.look(timing)
        anew = self.shown != self.periods and len(timing.slow) <= _KEPT
        tally = Tally() if anew else self.tally.copy()
        for place in range(0 if anew else len(self._final), len(timing.slow)):
            self._tell(timing, place, tally)
        return tally

    def between(self, timing: Timing, first: int, last: int) -> Tally:
        """The causes of positions `first`..`last`, inclusive."""
        positions = timing.slow.position
        low, high = bisect_left(positions, first), bisect_right(positions, last)
        start, stop = -(-low // _KEPT), min(high, len(self._final)) // _KEPT
        tally = Tally()
        if start < stop:
            tally = self._kept[stop].copy() if stop < len(self._kept) else self._up_to(timing, stop * _KEPT)
            tally.subtract(self._kept[start])
            places = [*range(low, start * _KEPT), *range(stop * _KEPT, high)]
        else:
            places = list(range(low, high))
        for place in places:
            self._tell(timing, place, tally)
        return tally

    def _up_to(self, timing: Timing, stop: int) -> Tally:
        tally = self._kept[-1].copy()
        for place in range((len(self._kept) - 1) * _KEPT, stop):
            self._tell(timing, place, tally)
        return tally

    def kinds(self, timing: Timing, low: int, high: int) -> tuple[str, ...]:
        """The main causes of the places `low`..`high` (exclusive), each once, that of the slowest first."""
        final = min(high, len(self._final))
        found = [_NAMES[number] for number in dict.fromkeys(self._final[low:final])]
        for place in range(max(low, final), high):
            kind = self._tell(timing, place, Tally())
            if kind not in found:
                found.append(kind)
        if len(found) > 1:
            durations = timing.slow.duration_s[low:high]
            first = self.kind(timing, low + durations.index(max(durations)))
            found.sort(key=lambda kind: kind != first)
        return tuple(kind for kind in found if kind != TRAINING)

    def kind(self, timing: Timing, place: int) -> str:
        """The main cause at `place`."""
        if place < len(self._final):
            return _NAMES[self._final[place]]
        return self._tell(timing, place, Tally())

    def at(self, timing: Timing, place: int) -> Spike | None:
        """The spike at `place`, if it cost at least a fifth of an iteration."""
        spike = self.spike(timing, timing.slow.position[place])
        if spike is None or sum(c.seconds for c in spike.causes) < 0.2 * timing.slow.level_s[place]:
            return None
        return spike

    def spike(self, timing: Timing, position: int) -> Spike | None:
        """The iteration at `position` with its causes, slow or not; `None` without a time."""
        columns = self._columns
        place = bisect_left(timing.slow.position, position)
        known = place < len(timing.slow) and timing.slow.position[place] == position
        at_s = columns.at(position)
        duration_s = columns.duration_s[position] * columns.over(position)
        if known:
            case = self._case(timing, place)
            alone_s = self.tally.of(EVALUATION).mean_s
            outside = why.before(case)
            found = why.divided([*why.within(case), *outside], alone_s)
            # A log without a clock has no gap where it gives the time of an evaluation beside the iterations.
            duration_s = case.duration_s + max(case.gap_s, sum(c.seconds for c in outside))
        elif isnan(duration_s):
            return None
        else:
            found = []
        return Spike(
            index=columns.index[position],
            position=position,
            duration_s=duration_s,
            clean_s=duration_s - sum(c.seconds for c in found),
            causes=tuple(sorted(found, key=lambda c: -c.seconds)),
            at_s=None if isnan(at_s) else at_s,
            averaged_over=columns.over(position),
        )

    def newest(self, timing: Timing, most: int | None) -> tuple[Spike, ...]:
        """The newest `most` spikes (`None`: all), oldest first."""
        found: list[Spike] = []
        for place in range(len(timing.slow) - 1, -1, -1):
            if most is not None and len(found) >= most:
                break
            spike = self.at(timing, place)
            if spike is not None:
                found.append(spike)
        return tuple(reversed(found))

    def _tell(self, timing: Timing, place: int, tally: Tally) -> str:
        """Add the causes at `place` to `tally`; the costliest of them."""
        case = self._case(timing, place)
        inside, outside = why.within(case), why.before(case)
        tally.add(inside)
        tally.add(outside)
        tally.inside_s += sum(c.seconds for c in inside)
        tally.outside_s += sum(c.seconds for c in outside)
        return _main([*inside, *outside])

    def _case(self, timing: Timing, place: int) -> why.Case:
        columns, slow = self._columns, timing.slow
        position = slow.position[place]
        over = columns.over(position)
        duration_s = columns.duration_s[position] * over
        process = bisect_right(self._starts, position) - 1
        start = self._starts[process]
        first = start + (timing.warmup if process == 0 else 1)
        wait_s, usual_s = self._waits(position)
        return why.Case(
            duration_s=0.0 if isnan(duration_s) else duration_s,
            clean_s=slow.level_s[place] * over,
            gap_s=slow.gap_s[place],
            notes=self._spans.by_position.get(position, ()),
            warmup=position < max(first, start + 1),
            restarted=process > 0 and position == start,
            data_wait_s=wait_s,
            usual_wait_s=usual_s,
            lead=self._leads.get(position) or self._ranks.at(position),
            suspicions=self._suspicions(timing, place),
        )

    def _suspicions(self, timing: Timing, place: int) -> tuple[tuple[Cause, float], ...]:
        """What samples say, or else the timings."""
        position = timing.slow.position[place]
        moment = self._moments.get(position) if place < len(self._final) else self._moment(timing, place)
        over = self._columns.over(position)
        duration_s = over * self._columns.duration_s[position] + timing.slow.gap_s[place]
        told = suspect(moment, duration_s, over * timing.slow.level_s[place]) if moment is not None else []
        if not told and self.shown:
            by_lines = [kind for kind, seen in self._spans.seen.items() if seen]
            periodic = suspicion(self.shown, self._columns.index[position], by_lines)
            told = [(periodic, 1.0)] if periodic is not None else []
        return tuple(told)

    def _moment(self, timing: Timing, place: int) -> Moment | None:
        """What GPUs and host did in the seconds of the iteration, where samples say so."""
        position = timing.slow.position[place]
        end_s, duration_s = self._columns.at(position), self._columns.duration_s[position]
        duration_s *= self._columns.over(position)
        if isnan(end_s) or isnan(duration_s) or position in self._moments:
            return self._moments.get(position)
        begin_s = end_s - duration_s - timing.slow.gap_s[place]
        gpus, host = self._telemetry.between(begin_s - BEFORE_S, end_s)
        return measure(gpus, host, begin_s, end_s) if gpus or host else None

    def _waits(self, position: int) -> tuple[float | None, float]:
        waits = self._columns.data_wait_s
        if not waits or isnan(waits[position]):
            return None, 0.0
        over = self._columns.over(position)
        usual_s = median([w for w in waits[max(0, position - LAG) : position + 1] if w == w])
        return over * waits[position], over * usual_s


def _main(causes: list[Cause]) -> str:
    return max(causes, key=lambda c: c.seconds).kind if causes else TRAINING
