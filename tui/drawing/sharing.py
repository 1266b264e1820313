"""Divides cells among those that need them. Pure numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Need(NamedTuple):
    """In one direction: what a part needs at least, what it makes use of (`None`: all there is), its worth."""

    smallest: int
    wanted: int | None
    worth: int


def share_out(space: int, needs: Sequence[Need]) -> list[int]:
    """How many cells of `space` each gets; 0 for those that must go, the least worthy first.

    Each of the others gets its smallest, then what it makes use of; those that want all share the rest evenly.
    """
    kept = list(range(len(needs)))
    while len(kept) > 1 and _least([needs[i] for i in kept]) > space:
        kept.remove(min(kept, key=lambda i: needs[i].worth))
    given = [0] * len(needs)
    greedy = [i for i in kept if needs[i].wanted is None]
    modest = [i for i in kept if needs[i].wanted is not None]
    spare = space - _least([needs[i] for i in kept])
    for i in modest:
        more = max(0, min((needs[i].wanted or 0) - needs[i].smallest, spare))
        given[i] = needs[i].smallest + more
        spare -= more
    rest = space - sum(given)
    for place, i in enumerate(greedy):
        given[i] = rest // len(greedy) + (1 if place < rest % len(greedy) else 0)
    if not greedy:
        given[kept[-1]] += rest
    return given


def _least(needs: Sequence[Need]) -> int:
    """What they take at least: those that share evenly, each as much as the largest of them."""
    greedy = [need.smallest for need in needs if need.wanted is None]
    return sum(need.smallest for need in needs if need.wanted is not None) + len(greedy) * max(greedy, default=0)
