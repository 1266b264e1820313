"""A hang: where each rank stands, and who stands elsewhere than the others.

The witnesses, the best first: a process that is gone, what the ranks' collectives say, and their stacks. By stacks
the rank that is in no collective holds up those that are in one; where all are in one, the few that are in another
do. Ranks that all stand in the same place are a result too: then nobody is named.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...events import CollectiveWitness, EndReason
from ..findings import Activity, Hang, RankAt
from .places import NOT, SURE, Place, place_of
from .why import DEAD, DIFFERENT, ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...events import RankState, Stack
    from ..findings import Now
    from .collectives import Collectives, Judged

MOST_RANKS = 4_096
"""Ranks of which the state and the newest stack are kept."""

_GONE = (EndReason.LOST, EndReason.KILLED)
_SAME = "all ranks stand in the same place"


class Looks(NamedTuple):
    """The newest stacks of the ranks."""

    now: Sequence[Stack]
    """Of the iteration that is under way."""

    before: Sequence[Stack]
    """Of one that has ended."""


class RankStates:
    """The newest that is known of each rank."""

    def __init__(self) -> None:
        self.states: dict[int, RankState] = {}
        self.stacks: dict[int, Stack] = {}

    def add(self, event: RankState) -> None:
        """Take in the state of a rank: what it does not say stays as it was."""
        before = self.states.get(event.rank)
        if before is None:
            if len(self.states) < MOST_RANKS:
                self.states[event.rank] = event
            return
        pid = before.pid if event.pid is None else event.pid
        self.states[event.rank] = replace(event, pid=pid, host=event.host or before.host)

    def lost_among_failed(self) -> list[RankState]:
        """Ranks that were killed, or are gone without a word, where others say that they failed: with them."""
        states = self.states.values()
        gone = [state for state in states if state.ended and _kind(state) in _GONE]
        failed = sum(_kind(state) == EndReason.FAILED for state in states if state.ended)
        return gone if len(gone) <= failed else []

    def add_stack(self, event: Stack) -> None:
        """Take in where a rank is. In a run of one process no rank is said."""
        rank = event.rank or 0
        if not event.thread and event.frames and (rank in self.stacks or len(self.stacks) < MOST_RANKS):
            self.stacks[rank] = event

    def forget_stacks(self) -> None:
        """Another process begins, which may count from where the last one did."""
        self.stacks.clear()

    def newest_stacks(self, newest: Mapping[int, int], since_s: float | None) -> Looks:
        """The newest stack of each rank, by rank."""
        stacks = [self.stacks[rank] for rank in sorted(self.stacks)]
        now = [stack for stack in stacks if _is_of_now(stack, newest.get(stack.rank or 0), since_s)]
        return Looks(now, [stack for stack in stacks if stack not in now])

    def places(self, newest: Mapping[int, int], since_s: float | None) -> dict[int, Place]:
        """Where each rank stands, by a stack of the iteration that is under way, or by the stop that it is in."""
        found = {rank: Place(f"its {state.doing}", "", NOT) for rank, state in self.states.items() if state.doing}
        for rank, stack in self.stacks.items():
            if rank not in found and _is_of_now(stack, newest.get(rank), since_s):
                found[rank] = place_of(stack)
        return dict(sorted(found.items()))


def _kind(state: RankState) -> str:
    """The reason of its end, of what is said of it."""
    return state.ended.partition(":")[0]


def _is_of_now(stack: Stack, newest: int | None, since_s: float | None) -> bool:
    if stack.iteration is not None and newest is not None:
        return stack.iteration > newest
    return since_s is None or stack.at_s >= since_s


class Heard(NamedTuple):
    """What is known of the ranks besides where they stand."""

    total: int | None = None  # how many there are; `None`: not known
    newest: Mapping[int, int] = MappingProxyType({})  # the newest iteration of each rank that is heard
    since_s: float | None = None  # Unix time of the newest word of the run


def hang_of(ranks: RankStates, collectives: Collectives, now: Now, heard: Heard) -> Hang | None:
    """The hang of a run, if it hangs: by its silence, or since ranks said that they wait in vain."""
    judged = collectives.judged(heard.total)
    silent = now.activity == Activity.SILENT
    if judged is not None and judged.witness == CollectiveWitness.RAS and heard.since_s is not None and not silent:
        judged = None  # counts of calls differ for a moment in any run
    if judged is None and not silent and not ranks.lost_among_failed():
        return None
    places = ranks.places(heard.newest, heard.since_s)
    found = _by_death(ranks, judged, places) or _by_collectives(judged, places) or _by_stacks(places)
    known = {rank: _completed(at, ranks, heard.newest) for rank, at in _all_of(found, ranks, places).items()}
    suspects = {at.rank for at in found.suspects}
    return replace(
        found,
        begin_at_s=heard.since_s,
        last_iteration=max(heard.newest.values(), default=None),
        suspects=tuple(known[at.rank] for at in found.suspects),
        others=tuple(at for rank, at in sorted(known.items()) if rank not in suspects),
    )


def _by_death(ranks: RankStates, judged: Judged | None, places: Mapping[int, Place]) -> Hang | None:
    """Ranks whose process ended otherwise than by its own good-bye, while others wait."""
    dead = ranks.lost_among_failed() or [state for state in ranks.states.values() if state.ended]
    waiting = {at.rank for at in (*judged.suspects, *judged.others)} if judged else set()
    known = {*places, *ranks.states, *waiting}
    if not dead or 2 * len(dead) > len(known):  # most are gone: that is the end of the run, not its cause
        return None
    suspects = tuple(RankAt(state.rank, DEAD, state.pid, state.host, ended=state.ended) for state in dead)
    operation = judged.operation if judged else _most_waited_in(places, suspects)
    return Hang(
        operation=operation,
        sequence=judged.sequence if judged else None,
        suspects=suspects,
        others=tuple(at for at in (*judged.suspects, *judged.others) if at.rank not in {s.rank for s in suspects})
        if judged
        else (),
        seen_by=("their processes",),
    )


def _by_collectives(judged: Judged | None, places: Mapping[int, Place]) -> Hang | None:
    if judged is None or (not judged.suspects and len(places) > 1):
        return None
    alone = len(judged.others) == 1 and not judged.suspects
    why_nobody = judged.nobody or (
        "" if judged.suspects else "one rank alone is heard" if alone else "all ranks that are heard wait in it"
    )
    return Hang(
        operation=judged.operation,
        sequence=judged.sequence,
        group=judged.group,
        suspects=judged.suspects,
        others=judged.others,
        nobody=why_nobody,
        seen_by=(judged.witness,) if judged.witness else (),
    )


def _by_stacks(places: Mapping[int, Place]) -> Hang:
    """Who stands elsewhere than the others, by the stacks of all that gave one."""
    if len(places) < 2:
        own = tuple(_at(rank, place) for rank, place in places.items())
        return Hang(others=own, nobody="only one rank is heard" if own else "no rank said where it is")
    waiting = {rank for rank, place in places.items() if place.waits_in}
    operation = _most_waited_in(places, ())
    least = min(place.surely for place in places.values())
    most = max(place.surely for place in places.values())
    seen_by = ("the stacks of its ranks",)
    if least < most:
        late = [rank for rank, place in places.items() if place.surely == least]
        if 2 * len(late) <= len(places) or (least == NOT and most == SURE and len(late) < len(places) - 1):
            suspects = tuple(_at(rank, places[rank], ELSEWHERE) for rank in late)
            return Hang(operation=operation, suspects=suspects, seen_by=seen_by)
    classes = Counter((place.own, place.waits_in) for place in places.values())
    if len(classes) == 1:
        return Hang(operation=operation, nobody=_SAME, seen_by=seen_by)
    usual, count = classes.most_common(1)[0]
    if 2 * count > len(places):
        few = [rank for rank, place in places.items() if (place.own, place.waits_in) != usual]
        why = DIFFERENT if all(rank in waiting for rank in few) else ELSEWHERE
        suspects = tuple(_at(rank, places[rank], why) for rank in few)
        return Hang(operation=usual[1] or operation, suspects=suspects, seen_by=seen_by)
    return Hang(operation=operation, nobody="the ranks stand in different places, none with most", seen_by=seen_by)


def _most_waited_in(places: Mapping[int, Place], suspects: tuple[RankAt, ...]) -> str:
    named = {suspect.rank for suspect in suspects}
    waits = Counter(p.waits_in for rank, p in places.items() if p.waits_in and rank not in named)
    return waits.most_common(1)[0][0] if waits else ""


def _all_of(found: Hang, ranks: RankStates, places: Mapping[int, Place]) -> dict[int, RankAt]:
    """Each rank once, with where its stack says that it is."""
    all_of = {at.rank: at for at in (*found.others, *found.suspects)}
    for rank, place in places.items():
        at = all_of.get(rank) or RankAt(rank)
        all_of[rank] = replace(at, place=at.place or place.own, waits_in=at.waits_in or place.waits_in)
    for rank in ranks.states:
        all_of.setdefault(rank, RankAt(rank))
    return all_of


def _completed(at: RankAt, ranks: RankStates, newest: Mapping[int, int]) -> RankAt:
    state = ranks.states.get(at.rank)
    iteration = newest.get(at.rank)
    if state is None:
        return replace(at, iteration=iteration)
    return replace(at, pid=state.pid, host=state.host, iteration=iteration, ended=at.ended or state.ended)


def _at(rank: int, place: Place, why: str = "") -> RankAt:
    return RankAt(rank, why, place=place.own, waits_in=place.waits_in)
