"""What a run was in, and got out of: remembered as the events come, since the newest figures no longer show it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import partial
from itertools import pairwise
from math import isnan
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import Iterations
from ...words import duration, rounded_duration
from ..outlook.gaps import Lengths, printed_every
from ..outlook.now import LEAST_SILENCE_S, SILENT
from ..state import last_iteration, overrun
from ..timing.founded import is_partly_timed
from ..timing.level import FEW_ROWS
from .growth import Growth
from .kinds import FINISHED, KINDS, NOT_FINITE, STOPPED
from .kinds import SILENT as SILENCE
from .lasting import Lasting, next_look
from .losses import collapsed, not_finite
from .rare_rows import prints_rarely
from .slower import slower
from .unannounced import Unannounced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...events import Iteration
    from ..findings import Incident
    from ..intake import Intake
    from ..verdict.facts import Facts
    from .found import Found

    Standing = Callable[[Intake, "Past", float | None], tuple[bool, tuple[Incident, ...]]]

MOST = 256
"""Incidents that are kept and told, the newest."""

LOOKS = 256, 64
"""So many times at least the figures are looked at in the midst of a log, and once more for each so many
iterations: no log can make it a burden."""


ALIKE = 2
"""Trainings of one log that end at the same iteration have all come to their end, and none was stopped."""

ROWS, FAR = 9, 2.0
"""Of the newest rows the least gap: what lasts less than twice that is an ordinary one, and is not looked at."""

SEVERAL = 3
"""Gaps as long that are told of nowhere: one beside so many of them is no news."""

AS_LONG, ROWS_SINCE, FEWEST_SINCE = 0.5, 5, 3
"""Rows that take this part of a silence each, as the median of so many since: they are slow since then."""


class Past:
    """Silences that were broken, ends after which it went on, and what lasted a while.

    `standing` says whether a run is silent at a time, and gives the incidents that it is in by its silence or its
    end; `facts` gives all figures.
    """

    def __init__(self, standing: Standing, facts: Callable[[Intake, Past], Facts]) -> None:
        self._standing, self._facts = standing, facts
        self._over: dict[str, Found] = {}
        self._lasting = Lasting()
        self._growth = Growth()
        self.unannounced = Unannounced()
        self._gaps = Lengths()
        self._untold = Lengths()  # of these, those in which no line tells of anything, within one process
        self._next_look = next_look(0)
        self._looks = 0
        self._said_so = False  # that there were too many
        self.followed = False  # is what it is in looked at because another process begins?

    def stops(self, run: Intake, events: list[Iteration] | Iterations) -> list[int]:
        """Before which of `events`, of which the first was heard, the figures are looked at."""
        seen = len(run.columns)
        places: set[int] = set()
        place = self._next_look
        while place < seen + len(events):
            places.add(max(0, place - seen))
            place = next_look(place)
        if not isinstance(events, Iterations):
            places.update(_after_silences(events))
        return sorted(places)

    def hear(self, run: Intake, at_s: float | None, *, ends: bool = False) -> None:
        """Something of the time `at_s` comes: what is `run` in, that it breaks? It may say what `ends` with it."""
        heard_s = run.heard_s if run.heard_at == len(run.columns) else None
        if heard_s is not None and at_s is not None and at_s - heard_s > LEAST_SILENCE_S:
            self._gaps.note(at_s - heard_s)
            if not (ends or run.another_process or run.spans.open or run.spans.last):
                self._untold.note(at_s - heard_s)
        if run.another_process and at_s is not None and len(run.columns):
            self._was_its_end(run, at_s)
        if run.ended or (heard_s is not None and at_s is not None and _long(run, at_s - heard_s)):
            self._break_silence(run, at_s)

    def look(self, run: Intake) -> None:
        """At the figures, where they are due."""
        if len(run.columns) >= self._next_look:
            self._next_look = next_look(self._next_look)
            if _is_measured(run) and self._may_look(run):
                self._lasting.look(self._facts(run, self), len(run.columns) - 1, len(run.starts))

    def _was_its_end(self, run: Intake, at_s: float) -> None:
        """A line that is no row, as of another process's head, may have broken the silence behind the last row."""
        key = f"{SILENCE}:{len(run.starts)}:{run.columns.index[-1]}"
        at, one = self._over.get(key, (0, None))
        if one is not None and one.kind == SILENCE and at_s - (one.ended_at_s or at_s) < _lasted_s(one):
            self._over[key] = at, _afterwards(run, at_s, one.began_at_s, one)

    def _is_common(self, one: Incident, rows: int) -> bool:
        """Is it a silence of a length that comes again and again?"""
        return one.kind == SILENCE and self._gaps.is_common(_lasted_s(one), rows)

    def _without_ordinary(self, run: Intake, over: dict[str, Found]) -> dict[str, Found]:
        """Without silences that began a slower pace, and those no longer than several gaps that are none."""
        lasted_s = {key: _lasted_s(one) for key, (_, one) in over.items() if one.kind == SILENCE}
        left = set()
        for key, seconds in lasted_s.items():
            untold = self._untold.as_long(seconds, besides=lasted_s.values())
            at = over[key][0]
            if untold >= SEVERAL or _goes_on_so(run, at, seconds) or prints_rarely(run, at, seconds):
                left.add(key)
        return {key: one for key, one in over.items() if key not in left}

    def _break_silence(self, run: Intake, at_s: float | None) -> None:
        at = len(run.columns) - 1
        iteration = run.columns.index[-1] if at >= 0 else None
        if not self._may_look(run):
            if not self._said_so:
                self._said_so = True
                since = f"after iteration {iteration or 0:,} are not looked for"
                run.say(f"too many long gaps: silences and stops {since}")
            return
        self.followed = run.another_process
        silent, broken = self._standing(run, self, at_s)
        self.followed = False
        if silent and iteration is not None and at_s is not None and run.heard_s is not None:
            self.unannounced.note(iteration, at_s - run.heard_s, announced=bool(run.spans.open))
        for one in map(partial(_afterwards, run, at_s, run.heard_s), broken):
            ended = {"over": True, "ended_at_s": at_s, "ended_iteration": iteration}
            begun, before = self._over.pop(one.key, (at, one))
            if (
                one.kind == SILENCE == before.kind
            ):  # a line that is no row lies between the two: the longer is told
                longer = before.over and _lasted_s(before) >= _lasted_s(replace(one, **ended))
                self._over[one.key] = begun, before if longer else replace(one, **ended)
                continue
            began = {"began_at_s": before.began_at_s, "began_iteration": before.began_iteration}
            self._over[one.key] = begun, replace(one, **began, **ended)
        while len(self._over) > MOST:
            del self._over[next(iter(self._over))]

    def _may_look(self, run: Intake) -> bool:
        fewest, each = LOOKS
        self._looks += 1
        return self._looks <= fewest + len(run.columns) // each

    def with_those_of_now(
        self, run: Intake, zero_since: int | None, now: tuple[Incident, ...], *, starts_known: bool = True
    ) -> tuple[Incident, ...]:
        """All incidents, oldest first: those that are over, and those that the run is in.

        `zero_since`: the iteration since which the loss is exactly 0. Where it is not `starts_known`, how often it
        began, those of the newest training alone, and losses that are no numbers.
        """
        at = len(run.columns) - 1
        found = {one.key: (at, one) for one in now}
        of_loss = (*not_finite(run), *self._growth.found(run), *collapsed(run, zero_since))
        pace = () if is_partly_timed(run.timing, run.columns) else slower(run)  # of another kind each has its own
        derived = (*of_loss, *pace, *self._lasting.found)
        # what was missing was not silent, nor is who waits to be launched
        jumps = {*run.repeats.jumps, *run.repeats.trainings, *run.launches.positions}
        told = {key: one for key, one in self._over.items() if one[1].kind != SILENCE or one[0] + 1 not in jumps}
        few = run.info.undescribed and at + 1 < FEW_ROWS
        over = {key: one for key, one in told.items() if not self._is_common(one[1], at + 1)}
        over = {key: one for key, one in over.items() if not (few and one[1].kind == SILENCE)}
        over = {key: one for key, one in over.items() if not _of_other_lines(run, *one, starts_known=starts_known)}
        over = self._without_ordinary(run, over)
        unread = run.launches.other.behind > 0  # the newest row is no end of a log that goes on in another form
        over = {key: one for key, one in over.items() if not (unread and one[0] == at and one[1].kind == FINISHED)}
        over = {key: one for key, one in over.items() if not _went_past_its_end(run, *one)}
        ends = Counter(run.columns.index[start - 1] for start in run.repeats.trainings if start)
        over = {
            key: (begun, _until_the_next(run, begun, one))
            for key, (begun, one) in over.items()
            if one.kind != STOPPED or _is_told(run, begun, one, ends)
        }
        together = over | {one.key: (at, one) for at, one in derived} | found
        ordered = sorted(together.values(), key=lambda one: one[0])[-MOST:]
        trainings = run.repeats.trainings
        if not starts_known:
            last = trainings[-1] if trainings else 0
            return tuple(one for begun, one in ordered if begun >= last or one.kind == NOT_FINITE)
        if len(trainings) < 2:
            return tuple(one for _, one in ordered)
        return tuple(replace(one, training=max(1, bisect_right(trainings, begun))) for begun, one in ordered)


def _afterwards(run: Intake, at_s: float | None, heard_s: float | None, one: Incident) -> Incident:
    """A silence, or an end that nobody had seen, as it is told once the source has gone on.

    Where another process begins, the one before it had ended; where the same goes on, it had only been silent.
    """
    silent_s = None if at_s is None or heard_s is None else max(0.0, at_s - heard_s)
    if one.kind not in (SILENCE, STOPPED) or silent_s is None or not len(run.columns):
        return one
    iteration, last = run.columns.index[-1], last_iteration(run)
    if run.another_process:
        of = f" of {last:,}" if last else ""
        said = f"{_what_came(run, len(run.columns))} {rounded_duration(silent_s)} later."
        sparse = printed_every(run.columns) > 1  # others may have followed
        row, unsaid = ("Its last row is of", "how it ended") if sparse else ("It ended at", "why")
        state = f"{row} iteration {iteration:,}{of}; no line that itermon can read says {unsaid}."
        return replace(one, kind=STOPPED, severity=KINDS[STOPPED].severity, state=state, evidence=(said,))
    if one.kind == SILENCE:
        return one
    state, severity = f"Nothing new for {duration(silent_s)}.", KINDS[SILENCE].severity
    return replace(one, kind=SILENCE, severity=severity, state=state, evidence=())


def _until_the_next(run: Intake, at: int, one: Incident) -> Incident:
    """`one`, of an end at position `at` after which it went on, with how much later the next iteration came."""
    if one.kind != STOPPED or not one.over or not one.evidence or at < 0:
        return one
    ended_s, comes = run.columns.time_at(at), at + 1 < len(run.columns)
    next_s = run.columns.time_at(at + 1) if comes else one.ended_at_s
    if next_s is None or isnan(next_s - ended_s):
        return one
    later = f"{_what_came(run, at + 1)} {rounded_duration(max(0.0, next_s - ended_s))} later."
    return replace(one, evidence=(later,))


def _what_came(run: Intake, position: int) -> str:
    """What the iteration at `position` is, which may not have come yet: another process's, where that is proven.

    One process may train fold after fold, or go back to an earlier iteration.
    """
    if position >= len(run.columns):
        proven = run.spans.by_hooks or run.launches.newest is not None
        return "Another process began" if proven else "Another training began"
    if run.spans.by_hooks or position in run.launches.positions:
        return "The first iteration of another process came"
    if position in run.repeats.trainings:
        return "The first iteration of the next training came"
    return f"Iteration {run.columns.index[position]:,} came"


def _is_told(run: Intake, begun: int, one: Incident, ends: Counter[int]) -> bool:
    """Is an end that nobody said worth a word: no other training ends there, and the next one is known to be one?

    Not where the rows of both begin in their midst: the end of this one may be missing as well.
    Of a script that nobody described the counter alone proves nothing: the next row's process has to be known.
    """
    if one.began_iteration is not None and ends[one.began_iteration] >= ALIKE:
        return False
    if one.over and _is_a_part(run, begun):
        return False
    if one.over and last_iteration(run) is None and _saved_at_its_end(run, begun):
        return False
    return not (one.over and run.info.undescribed) or begun + 1 in run.launches.positions


def _is_a_part(run: Intake, begun: int) -> bool:
    """Are the beginnings of the training of the row at `begun`, and of that of the next row, missing?"""
    cut, trainings = run.repeats.cut_off(run.launches.positions), run.repeats.trainings
    before = bisect_right(trainings, begun)
    return begun + 1 in cut and before > 0 and trainings[before - 1] in cut


def _went_past_its_end(run: Intake, begun: int, one: Incident) -> bool:
    """Was it at the end of a total that the same training has passed since? Then it was one of an epoch, say."""
    went_on = begun + 1 < len(run.columns) and begun + 1 not in {*run.repeats.trainings, *run.starts}
    return one.kind == FINISHED and one.over and went_on and bool(overrun(run))


def _saved_at_its_end(run: Intake, begun: int) -> bool:
    """Was something saved behind the row at `begun`, and nowhere within its training? So do those done."""
    trainings, saved = run.repeats.trainings, run.spans.saved
    start = trainings[before - 1] if (before := bisect_right(trainings, begun)) else 0
    first = bisect_left(saved, start)
    return first < len(saved) and saved[first] == begun


def _goes_on_so(run: Intake, begun: int, seconds: float) -> bool:
    """Do the rows since the one that broke a silence take as long each? Then it was the first of slower ones."""
    times = [run.columns.time_at(n) for n in range(begun + 1, min(len(run.columns), begun + 2 + ROWS_SINCE))]
    gaps_s = [later - before for before, later in pairwise(times) if not isnan(later - before)]
    return len(gaps_s) >= FEWEST_SINCE and median(gaps_s) >= AS_LONG * seconds


def _of_other_lines(run: Intake, begun: int, one: Incident, *, starts_known: bool) -> bool:
    """Is a silence one between stamps that the rows beside it have not, or may a start that was told lie in it?

    Rows of a buffered output come in blocks between the stamped lines of another.
    """
    if one.kind != SILENCE or not run.info.undescribed:
        return False
    near = range(max(0, begun), min(begun + 2, len(run.columns)))
    return (run.launches.told > 1 and not starts_known) or any(isnan(run.columns.time_at(n)) for n in near)


def _lasted_s(one: Incident) -> float:
    return (one.ended_at_s or 0.0) - (one.began_at_s or 0.0)


def _after_silences(events: list[Iteration]) -> Iterator[int]:
    """The places of those before which nothing was heard for as long as is a silence anywhere."""
    first, newest = events[0].at_s, events[-1].at_s
    if first is not None and newest is not None and newest - first <= LEAST_SILENCE_S:
        return
    heard_s = first
    for place, event in enumerate(events):
        if event.at_s is not None:
            if heard_s is not None and event.at_s - heard_s > LEAST_SILENCE_S:
                yield place
            heard_s = event.at_s if heard_s is None else max(heard_s, event.at_s)


def _long(run: Intake, silent_s: float) -> bool:
    """May it be one? What is usual is more than the level, but no less; nor is it less than from row to row."""
    if silent_s <= LEAST_SILENCE_S:
        return False
    level = run.timing.baseline.level if run.timing.baseline else 0.0
    return silent_s > max(SILENT * level, FAR * _from_row_to_row_s(run))


def _from_row_to_row_s(run: Intake) -> float:
    """The shortest of the newest gaps between rows of a process; 0: too few are known."""
    times = [
        run.columns.time_at(n) for n in range(max(run.process_start, len(run.columns) - ROWS), len(run.columns))
    ]
    gaps = [later - before for before, later in pairwise(times) if later > before]
    return min(gaps) if len(gaps) > 1 else 0.0


def _is_measured(run: Intake) -> bool:
    """Is there more than plain times and losses? Nothing else can last."""
    return run.telemetry.is_heard or bool(run.columns.data_wait_s) or bool(run.ranks.newest())
