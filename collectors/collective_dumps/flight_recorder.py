"""Dumps of torch's flight recorder, one a rank, to where each rank stands in its groups.

A dump holds the newest collectives of one rank: `entries` with their group, number, name, sizes, state and the
frames of the call; `pg_status` with the counts. The first collective of a group that ranks called differently is
what they wait in; else the first that has not completed. Point-to-point calls have numbers of their own: left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...events import Collective, CollectiveWitness
from ..clean import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ENTRIES = 50_000
"""Of one dump: torchtitan asks for 20,000."""

_NUMBERS = 1 << 53
_LIBRARIES = ("site-packages", "dist-packages", "/torch/", "<frozen", "/lib/python")
_ANY_SIZE = ("all_to_all", "alltoall", "send", "recv", "coalesced", "scatter", "gather")


class _Entry(NamedTuple):
    """One collective of one rank."""

    group: str
    number: int
    name: str
    sizes: tuple[int, ...]
    is_done: bool
    place: str


class _Counts(NamedTuple):
    enqueued: int | None = None
    completed: int | None = None


def states(dumps: Mapping[int, object]) -> list[Collective]:
    """Where each rank stands, by its dump; in each group, where its ranks first differ."""
    entries = {rank: _entries(dump) for rank, dump in dumps.items()}
    counts = {rank: _counts(dump) for rank, dump in dumps.items()}
    groups = sorted({entry.group for of_rank in entries.values() for entry in of_rank})
    found: list[Collective] = []
    for group in groups:
        ranks = {rank: {e.number: e for e in of if e.group == group} for rank, of in entries.items()}
        ranks = {rank: of for rank, of in ranks.items() if of}
        differ_at = _first_difference(ranks)
        for rank, of in ranks.items():
            counted = counts[rank].get(group.partition(" ")[0], _Counts())
            found.append(_state(rank, of, counted, differ_at))
    return found


def _first_difference(ranks: Mapping[int, Mapping[int, _Entry]]) -> int | None:
    """The number of the first collective that two ranks called differently, among those that all still hold."""
    if len(ranks) < 2:
        return None
    first, last = max(map(min, ranks.values())), min(map(max, ranks.values()))
    for number in range(first, min(last, first + MOST_ENTRIES) + 1):
        called = {_called(of[number]) for of in ranks.values() if number in of}
        if len(called) > 1:
            return number
    return None


def _called(entry: _Entry) -> tuple[str, tuple[int, ...]]:
    return entry.name, () if any(word in entry.name for word in _ANY_SIZE) else entry.sizes


def _state(rank: int, of: Mapping[int, _Entry], counted: _Counts, differ_at: int | None) -> Collective:
    waits = of.get(differ_at) if differ_at is not None else None
    if waits is None:
        waits = next((of[number] for number in sorted(of) if not of[number].is_done), None)
    last = of[max(of)]
    done = [number for number, entry in of.items() if entry.is_done]
    shown = waits or last
    return Collective(
        rank,
        group=shown.group,
        sequence=waits.number if waits else None,
        operation=waits.name if waits else "",
        elements=() if any(word in shown.name for word in _ANY_SIZE) else shown.sizes,
        enqueued=last.number if counted.enqueued is None else counted.enqueued,
        completed=max(done, default=0) if counted.completed is None else counted.completed,
        witness=CollectiveWitness.RECORDER,
        place=waits.place if waits else "",  # where the others are since their last one, it does not say
    )


def _entries(dump: object) -> list[_Entry]:
    listed = dump.get("entries") if isinstance(dump, dict) else None
    if not isinstance(listed, list):
        return []
    return [entry for raw in listed[-MOST_ENTRIES:] if (entry := _entry(raw)) is not None]


def _entry(raw: Any) -> _Entry | None:
    if not isinstance(raw, dict) or raw.get("is_p2p") is True:
        return None
    number = _number(raw.get("collective_seq_id"))
    if not number:
        return None
    group, sizes = raw.get("process_group"), raw.get("input_sizes")
    name = clean(str(raw.get("profiling_name", "")))[:60].rpartition(":")[2]
    return _Entry(
        group=clean(" ".join(str(part) for part in group[:2]))[:80] if isinstance(group, list | tuple) else "",
        number=number,
        name=name,
        sizes=_flat(sizes),
        is_done=raw.get("state") == "completed" or raw.get("retired") is True,
        place=_place(raw.get("frames")),
    )


def _flat(sizes: Any) -> tuple[int, ...]:
    """The sizes of all tensors in one row."""
    if not isinstance(sizes, list | tuple):
        return ()
    parts = (
        part for tensor in sizes[:16] for part in (tensor[:8] if isinstance(tensor, list | tuple) else [tensor])
    )
    return tuple(number for part in parts if (number := _number(part)) is not None)


def _place(frames: Any) -> str:
    """The innermost frame that is no library's, as "file.py:line function"."""
    for frame in frames[:64] if isinstance(frames, list | tuple) else ():
        if not isinstance(frame, dict):
            continue
        file = str(frame.get("filename", ""))
        if file.endswith(".py") and not any(word in file for word in _LIBRARIES):
            line = _number(frame.get("line")) or 0
            return clean(f"{file.rpartition('/')[2]}:{line} {frame.get('name', '')}")[:120]
    return ""


def _counts(dump: object) -> dict[str, _Counts]:
    """What a rank has enqueued and completed, by its group."""
    status = dump.get("pg_status") if isinstance(dump, dict) else None
    if not isinstance(status, dict):
        return {}
    return {
        str(group): _Counts(
            _number(of.get("last_enqueued_collective")), _number(of.get("last_completed_collective"))
        )
        for group, of in list(status.items())[:1_000]
        if isinstance(of, dict)
    }


def _number(value: Any) -> int | None:
    """A count; torch writes -1 for none so far, and some versions write numbers as texts."""
    if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 20:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return max(0, value) if value < _NUMBERS else None
