"""Which rank the others wait for, by how far each has come in the collectives of its groups.

A collective ends when all ranks of its group have called it. So who has not called the one that most wait in
holds them up; who is past it has left it out; who called another one there does something else. The smaller
side stands elsewhere; of two equal ones it is that which has not called it. Where one half has passed what the
other waits in, nobody knows which of them is wrong.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...events import CollectiveWitness
from ..findings import RankAt
from .why import AHEAD, BEHIND, DIFFERENT, MISSING, UNHEARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...events import Collective

MOST_STATES = 20_000
"""What is kept of one hang: a thousand ranks in a few groups."""

FAR_APART = 16
"""Ranks that wait in one group cannot be further apart: the numbers are of two groups, and say nothing."""

SAME_SIZE = frozenset({"ALLREDUCE", "BROADCAST", "REDUCE", "ALLGATHER"})
"""Collectives to which each rank brings as much as the others."""

_SIZES_OF_THE_SAME = (CollectiveWitness.WRAPPER, CollectiveWitness.RECORDER)
"""Witnesses that tell sizes only where they have to be the same."""

FEWEST_HEARD = 3
"""Ranks that say they wait, before one that says nothing is told: and three times as many as those."""


_PASSED = "as many ranks have passed it as wait in it"
STUCK = "their watchdogs stood still, which says that they were blocked, and not for whom"
"""Where no watchdog could say what it waited in: CUDA, NCCL or the interpreter's lock held it too."""

DIFFER = "the ranks called different collectives, and neither side has the majority"


class Judged(NamedTuple):
    """What the collectives of a run say of its hang."""

    operation: str = ""
    sequence: int | None = None
    group: str = ""
    suspects: tuple[RankAt, ...] = ()
    others: tuple[RankAt, ...] = ()
    nobody: str = ""
    witness: str = ""


class Collectives:
    """Where ranks stood in their collectives since the newest iteration."""

    def __init__(self) -> None:
        self._states: list[Collective] = []
        self._looked_at_s: float | None = None

    def add(self, event: Collective, heard_at_s: float | None = None) -> None:
        """Take in where a rank stands; of the run something was heard last at `heard_at_s`.

        Of looks from outside the newest counts, and none that began before that: ranks go on meanwhile.
        """
        if event.witness == CollectiveWitness.RAS and event.at_s is not None:
            if heard_at_s is not None and event.at_s < heard_at_s:
                return
            if event.at_s != self._looked_at_s:
                self._looked_at_s = event.at_s
                self._states = [state for state in self._states if state.witness != CollectiveWitness.RAS]
        if len(self._states) < MOST_STATES:
            self._states.append(event)

    def go_on(self) -> None:
        """An iteration came: nobody waits any more."""
        if self._states:
            self._states = []

    def judged(self, ranks: int | None) -> Judged | None:
        """Who holds the others up, of so many `ranks`; `None` where nobody said that a rank waits."""
        states = self._states
        if missing := [state for state in states if state.missing]:
            return _missing(missing)
        if wrapped := [state for state in states if state.witness == CollectiveWitness.WRAPPER]:
            return _of_one_collective({state.rank: state for state in wrapped}, wrapped[0])
        stuck = [state for state in states if state.witness == CollectiveWitness.HEARTBEAT]
        groups = _by_group([state for state in states if state.witness != CollectiveWitness.HEARTBEAT])
        judged = [found for name, group in groups.items() if (found := _of_group(name, group)) is not None]
        if not judged:
            return _stuck(stuck) if stuck else None
        accused = [found for found in judged if found.suspects]
        if len({found.suspects[0].rank for found in accused}) > 1 and _contradict(accused):
            return judged[0]._replace(suspects=(), nobody="two groups of ranks point at different ones")
        best = max(accused or judged, key=lambda found: len(found.others))
        return best if accused or best.nobody else _unheard(best, groups[best.group], ranks)


def _contradict(accused: list[Judged]) -> bool:
    first = {rank.rank for rank in accused[0].suspects}
    return any({rank.rank for rank in found.suspects} != first for found in accused)


def _stuck(states: list[Collective]) -> Judged:
    """How many collectives each still had under way says nothing: a rank may be ahead in calling them."""
    by_rank = {state.rank: state for state in states}
    others = tuple(_at(state) for state in by_rank.values())
    return Judged("a call of CUDA or NCCL", others=others, nobody=STUCK, witness=states[0].witness)


def _missing(states: list[Collective]) -> Judged:
    by_rank = {state.rank: state for state in states}
    suspects = tuple(_at(state, MISSING) for state in by_rank.values())
    first = states[0]
    return Judged(first.operation, first.sequence, first.group, suspects, witness=first.witness)


def _by_group(states: Iterable[Collective]) -> dict[str, dict[int, Collective]]:
    """The newest state of each rank by group. A line without a group is of the one that waits at its number."""
    named = {(state.rank, state.sequence): state.group for state in states if state.group}
    waits: dict[int | None, set[str]] = {}
    for (_, sequence), group in named.items():
        waits.setdefault(sequence, set()).add(group)
    groups: dict[str, dict[int, Collective]] = {}
    for state in states:
        anywhere = waits.get(state.sequence, set()) if state.sequence is not None else set()
        group = (
            state.group or named.get((state.rank, state.sequence)) or (min(anywhere) if len(anywhere) == 1 else "")
        )
        ranks = groups.setdefault(group, {})
        ranks[state.rank] = _together(ranks.get(state.rank), state)
    return groups


def _together(before: Collective | None, state: Collective) -> Collective:
    """Both; of several that it waits in the first: the others wait behind it."""
    if before is None:
        return state
    from msgspec.structs import replace  # noqa: PLC0415 - lines of a hang alone need it

    waits = [s for s in (before, state) if s.sequence is not None]
    first = min(waits, key=lambda s: s.sequence or 0) if waits else before
    same = [s for s in (before, state) if s.sequence == first.sequence]
    return replace(
        first,
        operation=next((s.operation for s in same if s.operation), ""),
        elements=next((s.elements for s in same if s.elements), ()),
        waited_s=next((s.waited_s for s in same if s.waited_s), None),
        enqueued=state.enqueued if state.enqueued is not None else before.enqueued,
        completed=state.completed if state.completed is not None else before.completed,
        place=first.place or before.place or state.place,
    )


def _of_group(group: str, ranks: Mapping[int, Collective]) -> Judged | None:
    """Of one group: the two sides, those that wait in one collective and those that do not."""
    at = Counter(state.sequence for state in ranks.values() if state.sequence is not None)
    if not at:
        return None
    most = max(at.values())
    stuck = max(sequence for sequence, count in at.items() if count == most)
    if not group and max(at) - min(at) > FAR_APART:
        nobody = "the ranks wait at numbers too far apart to be of one group, and the log does not name groups"
        return Judged(suspects=(), others=tuple(map(_at, ranks.values())), nobody=nobody)
    waiting = {rank: state for rank, state in ranks.items() if state.sequence == stuck}
    behind = [_at(state, BEHIND) for state in ranks.values() if _has_not_reached(state, stuck)]
    ahead = [_at(state, AHEAD) for state in ranks.values() if _is_past(state, stuck)]
    known = next((state for state in waiting.values() if state.operation), next(iter(waiting.values())))
    found = Judged(known.operation, stuck, group, witness=known.witness)
    if not behind and not ahead:
        return _of_one_collective(waiting, known)._replace(group=group)
    few, nobody = _few(waiting, behind, ahead)
    others = tuple(map(_at, ranks.values())) if nobody else _others(ranks, few)
    return found._replace(suspects=few, others=others, nobody=nobody)


def _few(
    waiting: Mapping[int, Collective], behind: list[RankAt], ahead: list[RankAt]
) -> tuple[tuple[RankAt, ...], str]:
    """The smaller side, or why neither is accused. Who is behind all others is it, even where some are ahead."""
    if behind and (len(behind) <= len(waiting) or ahead):
        return tuple(behind), ""
    if behind:  # of what few wait in most know nothing: the few are elsewhere
        return tuple(_at(state, AHEAD) for state in waiting.values()), ""
    if len(ahead) == len(waiting):
        return (), _PASSED
    if len(ahead) < len(waiting):
        return tuple(ahead), ""
    return tuple(_at(state, BEHIND) for state in waiting.values()), ""


def _has_not_reached(state: Collective, stuck: int) -> bool:
    if state.sequence is not None:
        return state.sequence < stuck
    return state.enqueued is not None and state.enqueued < stuck


def _is_past(state: Collective, stuck: int) -> bool:
    if state.sequence is not None and state.sequence <= stuck:
        return False
    return state.sequence is not None or (state.completed is not None and state.completed >= stuck)


def _of_one_collective(ranks: Mapping[int, Collective], known: Collective) -> Judged:
    """All are at one number: do they call the same there?"""
    what = {rank: _called(state) for rank, state in ranks.items() if state.operation}
    usual, count = Counter(what.values()).most_common(1)[0] if what else (("", ()), 0)
    found = Judged(usual[0], known.sequence, known.group, witness=known.witness)
    different = [rank for rank, called in what.items() if called != usual]
    if not different:
        return found._replace(others=tuple(map(_at, ranks.values())))
    if 2 * count > len(what):
        suspects = tuple(_at(ranks[rank], DIFFERENT) for rank in different)
        return found._replace(suspects=suspects, others=_others(ranks, suspects))
    return found._replace(others=tuple(map(_at, ranks.values())), nobody=DIFFER)


def _called(state: Collective) -> tuple[str, tuple[int, ...]]:
    """What has to be the same on all ranks."""
    same_size = state.operation in SAME_SIZE or state.witness in _SIZES_OF_THE_SAME
    return state.operation, state.elements if same_size else ()


def _unheard(found: Judged, ranks: Mapping[int, Collective], total: int | None) -> Judged:
    """All that are heard wait in the same: who said nothing, where the log is whole and only few are missing."""
    counted = [state.enqueued is not None for state in ranks.values()]
    heard = len(ranks)
    everybody = max(max(ranks) + 1, total or 0)
    whole = all(counted) or not any(counted)
    if (
        not whole or heard < FEWEST_HEARD or everybody > 2 * heard
    ):  # a hostile number of ranks is never gone through
        return found
    silent = [rank for rank in range(everybody) if rank not in ranks]
    if not silent or 3 * len(silent) > heard:
        return found
    return found._replace(suspects=tuple(RankAt(rank, UNHEARD) for rank in silent))


def _others(ranks: Mapping[int, Collective], suspects: Iterable[RankAt]) -> tuple[RankAt, ...]:
    named = {suspect.rank for suspect in suspects}
    return tuple(_at(state) for rank, state in ranks.items() if rank not in named)


def _at(state: Collective, why: str = "") -> RankAt:
    waits_in = state.operation if why not in (MISSING, BEHIND) or state.sequence is not None else ""
    return RankAt(
        rank=state.rank,
        why=why,
        place=state.place,
        waits_in=waits_in,
        sequence=state.sequence,
        enqueued=state.enqueued,
        completed=state.completed,
        line=state.line,
    )
