"""What NCCL's RAS says of the collectives of each rank: `ncclras -f json`, NCCL 2.28 and later.

    {"nccl_version": "2.28.7", "communicators": [{"hash": "0x1f", "size": 4,
      "ranks": [{"rank": 0, "host": "a", "pid": 71, "cuda_dev": 0, "collective_counts": {"AllReduce": 58}}],
      "missing_ranks": [{"rank": 3, "host": "a", "pid": 74, "status": {"unresponsive": true}}]}]}

Counts are of calls, not of what is done. So they differ for a moment in any run: only where they have stood still
between two looks does a rank wait. 2.28.9 leaves out a comma between two lines of `missing_ranks`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...events import Collective, CollectiveWitness
from ..clean import clean

if TYPE_CHECKING:
    from collections.abc import Collection

MOST_RANKS = 100_000
"""Of all communicators together: a thousand ranks in a few groups each."""

_NUMBERS = 1 << 53
_NO_COMMA = re.compile(rb'(["\d\]}el])(\s*\n\s*"[^"\n]{1,80}"\s*:)')


class Communicator(NamedTuple):
    """One group of ranks: how often each has called each collective, by its number in the whole run.

    `processes` are those of its ranks, as (host, PID): NCCL knows a host by its address.
    """

    name: str
    counts: dict[int, dict[str, int]]
    missing: tuple[int, ...]
    processes: frozenset[tuple[str, int]] = frozenset()


def communicators(text: bytes) -> list[Communicator]:
    """All of one answer.

    Raises:
        ValueError: it is no answer of RAS in JSON.
    """
    listed = _decoded(text).get("communicators")
    if not isinstance(listed, list):
        raise ValueError('no "communicators" in it')
    raw = [one for one in listed if isinstance(one, dict)]
    world = max(raw, key=lambda one: len(_rows(one, "ranks")) + len(_rows(one, "missing_ranks")), default={})
    of_run = {_process(row): rank for row in _all_rows(world) if (rank := _number(row.get("rank"))) is not None}
    found, ranks = [], 0
    for one in raw:
        ranks += len(_all_rows(one))
        if ranks > MOST_RANKS:
            break
        found.append(_communicator(one, of_run))
    return found


def holds_any_of(found: list[Communicator], hosts: Collection[str], pids: Collection[int]) -> bool:
    """Is one of the processes with these `pids` on this machine, which has the names `hosts`, in any of them?"""
    return any(host.lower() in hosts and pid in pids for one in found for host, pid in one.processes)


def states(before: list[Communicator], after: list[Communicator], at_s: float | None = None) -> list[Collective]:
    """Where each rank stands, by two looks, of which the first was `at_s`.

    Where no rank has called anything between them, who has called most waits for those who have called less. In
    a group that goes on calling nobody waits.
    """
    known = {one.name: one.counts for one in before}
    return [state for one in after for state in _states(one, known.get(one.name) == one.counts, at_s)]


def _states(one: Communicator, stands_still: bool, at_s: float | None) -> list[Collective]:  # noqa: FBT001
    totals = {rank: sum(counts.values()) for rank, counts in one.counts.items()}
    most = max(totals.values(), default=0)
    uneven = stands_still and len(set(totals.values())) > 1
    operation = _uneven_operation(one) if uneven else ""
    told = [
        Collective(
            rank,
            group=one.name,
            sequence=most if uneven and total == most else None,
            operation=operation if uneven and total == most else "",
            enqueued=total,
            witness=CollectiveWitness.RAS,
            at_s=at_s,
        )
        for rank, total in totals.items()
    ]
    gone = one.missing if stands_still else ()
    return told + [
        Collective(rank, group=one.name, missing=True, witness=CollectiveWitness.RAS, at_s=at_s) for rank in gone
    ]


def _uneven_operation(one: Communicator) -> str:
    """The collective that some have called more often than others, if it is one."""
    names = {name for counts in one.counts.values() for name in counts}
    uneven = [name for name in names if len({counts.get(name, 0) for counts in one.counts.values()}) > 1]
    return uneven[0].upper() if len(uneven) == 1 else ""


def _communicator(one: dict[str, Any], of_run: dict[tuple[str, ...], int]) -> Communicator:
    counts = {
        rank: {clean(str(name))[:40]: n for name, of in row["collective_counts"].items() if (n := _number(of))}
        for row in _rows(one, "ranks")
        if (rank := of_run.get(_process(row))) is not None and isinstance(row.get("collective_counts"), dict)
    }
    missing = [of_run.get(_process(row)) for row in _rows(one, "missing_ranks")]
    return Communicator(
        clean(str(one.get("hash", "")))[:40],
        counts,
        tuple(n for n in missing if n is not None),
        frozenset(
            (str(row.get("host")), pid) for row in _all_rows(one) if (pid := _number(row.get("pid"))) is not None
        ),
    )


def _all_rows(one: dict[str, Any]) -> list[dict[str, Any]]:
    return _rows(one, "ranks") + _rows(one, "missing_ranks")


def _rows(one: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = one.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _process(row: dict[str, Any]) -> tuple[str, ...]:
    """Which rank it is in every communicator, whose own numbers begin at 0 in each."""
    return tuple(str(row.get(name)) for name in ("host", "pid", "cuda_dev"))


def _decoded(text: bytes) -> dict[str, Any]:
    for written in (text, _NO_COMMA.sub(rb"\1,\2", text)):
        try:
            return msgspec.json.decode(written, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            continue
    raise ValueError("no JSON object")


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < _NUMBERS else None
