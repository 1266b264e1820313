"""Why an iteration was slow: its causes, each with seconds, strength and evidence, in order of precedence."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...events import (
    CAUSE_OF_SPAN,
    CAUSES,
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    PAUSE,
    RESTART,
    STRAGGLER,
    TRAINING,
    UNEXPLAINED,
    UP_TO_THE_NEXT,
    WARMUP,
    WARMUP_AND_EVALUATION,
    Strength,
)
from ...words import duration, plural
from ..findings import Cause
from ..timing.clock import TICKS
from .looks import BESIDE_DATA, beside_data

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..ranks.leads import Lead
    from ..record.spans import Note

_LONG = 200  # characters of evidence: more parts are not named

LEAST_OTHER_S, LITTLE = 2.0, 0.2
"""Stamps are as coarse as they are, of whole seconds at worst; and what stands beside a stop may prepare it."""

FINE_OTHER_S = 0.1
"""... where stamps of milliseconds tell of both: a batch is fetched anew beside a stop."""

BETWEEN = "from the last iteration of one {0} to the first of the next"
"""What a pause or a restart is measured over: what a process does before and after its iterations is in it."""

NO_PAUSE = 5.0
"""Times what the iterations up to the first row usually take: no more than that, and they may have taken it
themselves, for the first ones of a process are slow."""

NO_MATTER = 0.002
"""Of what passed between two trainings, so much of it changes no digit that is shown: `5 h 14 m`."""

BETWEEN_BOTH = "between the two trainings"
"""What was reported there is of the one before, or of the one that begins."""

WARM_TICKS = 5.0
"""Of a clock that is too coarse for each row: what a beginning takes more is known from here on."""

NOISE = 0.2
"""Of the usual time: no more than noise, beside what is known."""

WORTH_NAMING = 0.2
"""A wait that the trainer measured is named where it is this share of what is too long, or more."""

ROUGH = 0.1
"""Of what a row took more than others: where those differ by more than this share, a stop took roughly that."""

MUCH = 0.1
"""... or where iterations without a row, which may take longer beside a stop, take this share of it themselves."""

_BOTH = frozenset((EVALUATION, CHECKPOINT))

NO_CAUSE = "no cause was found"
ITS_TIME = "the log gives its time"
ROUGHLY = "how long it took is not known well"
"""It is all that the row took more than others; no bound, as its iterations may have been faster than theirs."""

OF_BOTH = "the log has lines of both, and one time for both"
AT_MOST = "at most, as iterations that were not printed may be in it"

COVERS = 0.8
"""A late rank is the cause where it explains this share of what an iteration took too long."""


class Case(msgspec.Struct, frozen=True, gc=False):
    """One slow or labelled iteration and what is known of it. Seconds are of all iterations it is the mean of."""

    duration_s: float
    clean_s: float
    gap_s: float = 0.0  # before it, not in `duration_s`
    notes: tuple[Note, ...] = ()
    after: int | None = None  # the iteration before it, in whose lines what came before this one may stand
    longest_s: float = inf  # what the first iterations of a process took at most, by when it began
    tick_s: float = 0.0  # how fine the clock is that its own time was taken from; 0: finer than anybody asks
    noise_s: float = 0.0  # what it may take longer by chance, as rows beside it do: of one that is a mean
    more_s: float = 0.0  # ... what those of its iterations take of which it is the mean and those rows are not
    fine: bool = False  # is it of stamps that show it to be so?
    warmup: bool = False  # a process's first iterations, before its level settled
    restarted: bool = False  # the gap before it, if any, is that between two processes
    another: bool = False  # ... of which this one is another training, from its beginning
    tail_s: float = 0.0  # ... what iterations behind the last row of the one before may take
    unprinted: int = 0  # iterations of this process before this row, which took what was usual
    jumped: bool = False  # ... or that in which rows are missing
    data_wait_s: float | None = None
    usual_wait_s: float = 0.0
    waits_alike: bool = True  # ... and is it like most of those that it is the median of?
    usual_work_s: float | None = None  # what iterations of then usually took beside their waits
    unseen_s: float = 0.0  # what iterations without a row before it usually take: `gap_s` is beside that
    uncounted_s: float = 0.0  # what iterations that nobody counted may take of it, as they may be in it
    told_s: float | None = None  # what was reported without a time took at most, by the moments of its lines
    moment_s: float | None = None  # ... and how fine those are, where each has one
    lead: Lead | None = None  # the rank that came late, where several ranks report
    suspicions: tuple[tuple[Cause, float], ...] = ()  # what samples or timings say of it, and shares of the excess


LEAST_S = 1e-9
"""An excess of less is what subtractions leave of none: "+0 warm-up"."""

_ADDED_UP = 1e-6
"""Of a tick: what adding up many like times leaves of it."""


class Explanation(NamedTuple):
    """The causes of one iteration."""

    inside: list[Cause]  # with the clean time they add up to the iteration's own time
    outside: list[Cause]  # of the seconds before it

    @property
    def main_cause(self) -> str:
        """The costliest cause."""
        causes = [*self.inside, *self.outside]
        return max(causes, key=lambda c: c.seconds).kind if causes else TRAINING

    @property
    def kinds(self) -> list[str]:
        """Each cause once."""
        return [*dict.fromkeys(cause.kind for causes in self for cause in causes)]


def explain(case: Case) -> Explanation:
    """The causes of `case`."""
    return Explanation(within(case), before(case))


def within(case: Case) -> list[Cause]:
    """The causes inside the iteration's own time: with the clean time they add up to `duration_s`."""
    causes, rest_s = _measured(case)
    excess_s = rest_s - case.clean_s
    untimed = {n.kind for n in case.notes if n.inside and n.duration_s is None}
    unknown_s = 0.0 if untimed else case.uncounted_s  # beside stops of a known time they took what is left
    if excess_s > max(LEAST_S, case.tick_s * (1 + _ADDED_UP), unknown_s):
        return _one_stop(causes, _rest(case, excess_s, untimed, measured=bool(causes)), untimed)
    return causes


def _one_stop(timed: list[Cause], rest: list[Cause], untimed: Collection[str]) -> list[Cause]:
    """Both as one, where a stamp timed one of the two, and the other took less than the rest."""
    stops = [c for c in timed if c.kind in _BOTH and c.strength == Strength.LOG]
    left = any(c.kind in (UNEXPLAINED, GAP) and c.evidence != BESIDE_DATA for c in rest)
    known, told = {c.kind for c in stops}, {*untimed} & _BOTH
    if not (known and told and left) or known | told != _BOTH:
        return timed + rest
    seconds = sum(c.seconds for c in (*stops, *rest))
    both = Cause(EVALUATION_AND_CHECKPOINT, seconds, Strength.LOG, OF_BOTH, rough=any(c.rough for c in rest))
    return [*(c for c in timed if c not in stops), both]


def _measured(case: Case) -> tuple[list[Cause], float]:
    """What hooks timed inside the iteration, and the seconds that remain of it."""
    rest_s = case.duration_s
    causes: list[Cause] = []
    for note in case.notes:
        if not note.inside or note.duration_s is None:
            continue
        seconds = min(note.duration_s, rest_s)
        if seconds > 0:
            rest_s -= seconds
            kind = CAUSE_OF_SPAN.get(note.kind, UNEXPLAINED)
            causes.append(Cause(kind, seconds, note.strength, _evidence(note), bracketed=note.bracketed))
    timed = any(n.kind == DATA and n.inside for n in case.notes)
    if case.data_wait_s is not None and not timed:
        inside_s = _usually_inside_s(case, rest_s)
        waited_s = min(case.data_wait_s - inside_s, rest_s - case.clean_s)
        if waited_s > 0 and waited_s >= WORTH_NAMING * (rest_s - case.clean_s):
            rest_s -= waited_s
            agrees = (
                case.waits_alike
                and inside_s >= case.usual_wait_s
                and waited_s >= COVERS * (case.data_wait_s - inside_s)
            )
            evidence = f"waited {duration(case.data_wait_s)} for data" + agrees * f", usually {duration(inside_s)}"
            causes.append(Cause(DATA, waited_s, Strength.HOOK, evidence))
    return _together(causes), rest_s


def _usually_inside_s(case: Case, rest_s: float) -> float:
    """What of the usual wait the clean time holds: none where that is all taken by what is usual beside it.

    `rest_s`: what is to be explained. Of no more than noise it is all of the usual wait.
    """
    if case.usual_work_s is None or rest_s <= (1 + NOISE) * case.clean_s:
        return case.usual_wait_s
    room_s = max(0.0, case.clean_s - case.usual_work_s)
    return case.usual_wait_s if room_s >= COVERS * case.usual_wait_s else room_s


def _together(causes: list[Cause]) -> list[Cause]:
    """`causes` with one of each kind that is no stop: the compiler runs for the parts of a model in turn."""
    found: dict[str, Cause] = {}
    others = []
    for cause in causes:
        first = found.setdefault(cause.kind, cause)
        if first is cause:
            continue
        if CAUSES[cause.kind].is_stop or first.strength != cause.strength:
            others.append(cause)
            continue
        said = first.evidence
        if cause.evidence not in said and len(said) < _LONG:
            said = f"{said}; {cause.evidence}" if said else cause.evidence
        found[cause.kind] = Cause(cause.kind, first.seconds + cause.seconds, first.strength, said)
    return [*found.values(), *others]


def _rest(case: Case, excess_s: float, untimed: Collection[str], *, measured: bool) -> list[Cause]:
    """What the excess that nobody timed is put down to: all of it to one kind."""
    is_noise = excess_s <= NOISE * case.clean_s
    reported = {CAUSE_OF_SPAN[kind] for kind in untimed if kind in CAUSE_OF_SPAN}
    evaluated, saved = EVALUATION in reported, CHECKPOINT in reported
    if case.warmup:
        is_noise = is_noise or excess_s <= WARM_TICKS * case.tick_s
        return [] if is_noise and not evaluated else _warming_up(excess_s, evaluated=evaluated)
    if reported:
        if excess_s <= case.noise_s:
            return []  # what it cost, nobody can tell
        rough = case.noise_s > ROUGH * excess_s or case.more_s > MUCH * excess_s
        kind = EVALUATION_AND_CHECKPOINT if evaluated and saved else _first(reported)
        if {c.kind for c, _ in case.suspicions} == {EVALUATION, CHECKPOINT} == reported:
            return _suspected(case, excess_s)  # the samples divide it
        return beside_data(case.notes, excess_s) or _told(case, excess_s, kind, UNEXPLAINED, rough=rough)
    if is_noise and (measured or case.notes or case.gap_s):
        return []  # no more than noise compared with what is known
    unknown = Cause(UNEXPLAINED, excess_s, Strength.GUESS, NO_CAUSE)
    late = _straggler(case, excess_s)
    return [late] if late else _suspected(case, excess_s) or [unknown]


def _warming_up(excess_s: float, *, evaluated: bool) -> list[Cause]:
    if evaluated:
        return [Cause(WARMUP_AND_EVALUATION, excess_s, Strength.LOG, "first iteration, and an evaluation line")]
    return [Cause(WARMUP, excess_s, Strength.GUESS, "before the level settled")]


def _straggler(case: Case, excess_s: float) -> Cause | None:
    lead = case.lead
    if lead is None or lead.seconds < COVERS * excess_s:
        return None
    took = f"rank {lead.rank} took {duration(lead.local_s)} before the collective"
    return Cause(STRAGGLER, excess_s, Strength.HOOK, f"{took}, the others usually {duration(lead.others_s)}")


def _suspected(case: Case, seconds: float) -> list[Cause]:
    return [msgspec.structs.replace(cause, seconds=share * seconds) for cause, share in case.suspicions]


def before(case: Case) -> list[Cause]:
    """The causes of the seconds before the iteration, outside its own time."""
    rest_s = case.gap_s
    outside = [n for n in case.notes if not n.inside]
    causes: list[Cause] = []
    for note in outside:
        if note.duration_s is not None:
            evidence = "; ".join(filter(None, (BETWEEN_BOTH * case.another, _evidence(note))))
            known = CAUSE_OF_SPAN.get(note.kind, UNEXPLAINED), note.duration_s, note.strength, evidence
            causes.append(_after(case, Cause(*known, bracketed=note.bracketed)))
            rest_s -= note.duration_s
    if rest_s <= 0:
        return causes
    kinds = {CAUSE_OF_SPAN.get(n.kind, UNEXPLAINED) for n in outside if n.duration_s is None}
    if case.another:
        causes.append(_from_one_to_the_next(case, PAUSE, "training", rest_s))
    elif case.restarted:
        causes.append(_from_one_to_the_next(case, RESTART, "process", rest_s))
    elif case.jumped:
        causes.append(Cause(GAP, rest_s, Strength.GUESS, "the index jumps: rows in between are missing"))
    elif kinds:
        both = {EVALUATION, CHECKPOINT} <= kinds
        kind, rough = EVALUATION_AND_CHECKPOINT if both else _first(kinds), case.unseen_s > MUCH * rest_s
        told = _told(case, rest_s, kind, GAP, rough=rough)
        return _one_stop(causes, [_after(case, cause) for cause in told], kinds)
    elif not causes or rest_s > 0.2 * case.clean_s:
        why = "more time between two lines than their iterations take"
        causes += _suspected(case, rest_s) or [Cause(GAP, rest_s, Strength.GUESS, why)]
    return causes


def _from_one_to_the_next(case: Case, kind: str, what: str, seconds: float) -> Cause:
    """What passed between two: lines tell of it, but not how much of it the first iteration took, if untimed."""
    between = BETWEEN.format(what)
    own_s = min(case.clean_s * (case.unprinted + (not case.duration_s)), case.longest_s)
    tail = case.tail_s > LITTLE * seconds
    if own_s <= NO_MATTER * seconds:
        return Cause(kind, seconds, Strength.LOG, between, tail)
    if seconds < NO_PAUSE * own_s:
        return Cause(GAP, seconds, Strength.GUESS, f"{between}, whose first iterations may have taken it")
    of = "that iteration"
    if case.unprinted:  # whose own time, if it has one, is none of what passed before it
        timed = case.duration_s > 0
        of = f"the {plural(case.unprinted + (not timed), 'iteration')} {'before' if timed else 'up to'} it"
    return Cause(kind, seconds, Strength.GUESS, f"{between}, less {duration(own_s)} for {of}", tail)


def _told(case: Case, all_s: float, kind: str, other: str, *, rough: bool = False) -> list[Cause]:
    """What lines without a time tell of seconds that an iteration did not take: as many as their moments allow."""
    seconds = all_s if case.told_s is None else min(all_s, case.told_s)
    other_s = all_s - seconds
    words = OF_BOTH * (kind == EVALUATION_AND_CHECKPOINT)
    if case.uncounted_s:
        words = AT_MOST if not words else f"{words}; {AT_MOST}"
    words = "; ".join(filter(None, (words, ROUGHLY * rough)))
    least_s = TICKS * case.tick_s or (FINE_OTHER_S if case.fine else LEAST_OTHER_S)
    if other_s <= max(least_s, LITTLE * all_s):
        most_s = all_s if case.told_s is None or case.moment_s is None else case.told_s + case.moment_s
        return [Cause(kind, min(all_s, most_s), Strength.LOG, words, case.uncounted_s > 0, rough=rough)]
    told = [Cause(kind, seconds, Strength.LOG, words, case.uncounted_s > 0, rough=rough)] if seconds > 0 else []
    return [*told, Cause(other, other_s, Strength.GUESS, "no line that itermon can read says what it was")]


def _first(kinds: Collection[str]) -> str:
    """The one of several that one time is put down to: the first in the table of causes."""
    return next(kind for kind in CAUSES if kind in kinds)


def _after(case: Case, cause: Cause) -> Cause:
    """`cause` with the iteration behind which it came, where a line tells of it: it may bear this one's number."""
    if case.after is None or cause.strength != Strength.LOG:
        return cause
    evidence = ", ".join(filter(None, (cause.evidence, f"after iteration {case.after:,}")))
    return msgspec.structs.replace(cause, evidence=evidence)


def _evidence(note: Note) -> str:
    if note.strength == Strength.HOOK or note.detail == UP_TO_THE_NEXT:
        return note.detail
    return f"{note.detail}: {ITS_TIME}" if note.detail else ITS_TIME
