"""Lines in which NCCL's watchdog and torch say what a rank waits in: the log itself often names the one behind.

A rank of torch begins its lines with `[rank3]`; older ones only name it in `[Rank 3]`, and inside a process group
that is the number in the group. The group's own name (`[PG ID 0 PG GUID 0(default_pg) Rank 3]`) stands in some of
the lines alone; the analysis joins the others to it. Copies are often wrapped: what is cut is not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...events import Collective, CollectiveWitness, RankState
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...events import Event

_MOST_CHARACTERS = 4_000
_MOST_EVENTS = 20_000  # of one log: a thousand ranks say ten lines each

_RANK = lazy_pattern(r"\[rank(\d{1,7})\]")
_RANK_IN_GROUP = lazy_pattern(r"\[(?:PG [^\]]{0,99} )?Rank (\d{1,7})\]")
_GROUP = lazy_pattern(r"\[PG (?:ID \S{1,20} PG GUID )?([^\]]{1,80}?) ?Rank \d{1,7}\]")
_WORK = lazy_pattern(
    r"WorkNCCL\(SeqNum=(\d{1,15})(?:, OpType=(\w{1,40}))?(?:, NumelIn=(\d{1,20}))?(?:, NumelOut=(\d{1,20}))?"
)
_TIMED_OUT = "Watchdog caught collective operation timeout"
_RAN = lazy_pattern(r"ran for (\d{1,12}) milliseconds")
_COUNTS = lazy_pattern(
    r"last enqueued (?:NCCL )?work: (-?\d{1,15})(?:, last started [^,]{0,60})?,"
    r" last completed(?: (?:NCCL )?work)?: (-?\d{1,15})",
    re.IGNORECASE,
)
_AT = lazy_pattern(r"(?:watchdog at work(?: sequence id)?|Timeout at (?:NCCL work|collective)): (\d{1,15})")
_NOT_PASSED = lazy_pattern(r"Ranks? (\d[\d, ]{0,4000}) failed to pass monitoredBarrier in (\d{1,15}) ms")
_PRINT = lazy_pattern(
    r"Rank (\d{1,7}) is running (?:inconsistent )?collective: CollectiveFingerPrint\("
    r"(?:SequenceNumber=(\d{1,15}),? ?)?OpType=(\w{1,40}?)(?:, TensorShape=\[([\d, ]{0,99})\])?(?:[,.)])"
)
_FAILED_RANK = lazy_pattern(r"^\W*rank +: (\d{1,7}) \(local_rank: \d{1,7}\)")
_FAILED_EXIT = lazy_pattern(r"^\W*exitcode +: (-?\d{1,3}) \(pid: (\d{1,10})\)")
_NO_HEARTBEAT = lazy_pattern(
    r"ProcessGroupNCCL's watchdog got stuck for (\d{1,9}) seconds|Heartbeat monitor timed out!"
)
"""torch 2.2 and later: the watchdog itself stands still, in a call of CUDA or NCCL, or waits for the lock."""
_NO_COUNT = (1 << 64) - 1  # what torch prints for "not known"
_BY_LAUNCHER = (-15, -6)
"""SIGTERM comes from the launcher, SIGABRT from the watchdog: both after the hang."""


class Collectives:
    """Finds them, line after line."""

    def __init__(self) -> None:
        self._found = 0
        self._wrapped: int | None = None  # the rank whose time-out goes on in the next line
        self._failed: int | None = None  # the rank of the launcher's table that is under way

    def may_be(self, text: str) -> bool:
        """May `text` say something of ranks?"""
        return hinted(text) and self._found < _MOST_EVENTS

    def line(self, text: str, number: int, at_s: float | None = None) -> list[Event]:
        """What line `number` says of ranks in collectives."""
        if not self.may_be(text):
            return []
        found = list(self._events(text[:_MOST_CHARACTERS], number, at_s))
        self._found += len(found)
        return found

    def _events(self, text: str, number: int, at_s: float | None) -> Iterator[Event]:
        if "NCCL" in text:
            yield from self._of_watchdog(text, number, at_s)
        elif "onitoredBarrier" in text:
            yield from _of_barrier(text, number, at_s)
        elif "CollectiveFingerPrint" in text:
            yield from _of_wrapper(text, number, at_s)
        else:
            yield from self._of_launcher(text, at_s)

    def _of_watchdog(self, text: str, number: int, at_s: float | None) -> Iterator[Collective]:
        rank, wrapped = _rank(text), self._wrapped
        self._wrapped = None
        if _TIMED_OUT in text and "SeqNum=" not in text:
            self._wrapped = rank
            return
        work, counts = _WORK.search(text), _COUNTS.search(text)
        rank = wrapped if rank is None else rank
        if rank is None:
            return
        if work is not None and (_TIMED_OUT in text or wrapped is not None or "timed out" in text):
            ran = _RAN.search(text)
            yield Collective(
                rank,
                sequence=int(work[1]),
                operation=work[2] or "",
                elements=tuple(int(n) for n in work.group(3, 4) if n and int(n) < _NO_COUNT),
                waited_s=int(ran[1]) / 1_000 if ran else None,
                at_s=at_s,
                line=number,
            )
        if stuck := _NO_HEARTBEAT.search(text):
            waited_s = int(stuck[1]) if stuck[1] else None
            yield Collective(rank, waited_s=waited_s, witness=CollectiveWitness.HEARTBEAT, at_s=at_s, line=number)
        if counts is not None:
            at, group = _AT.search(text), _GROUP.search(text)
            enqueued, completed = (max(0, int(n)) for n in counts.groups())
            yield Collective(
                rank,
                group=group[1].strip() if group else "",
                sequence=int(at[1]) if at else None,
                enqueued=enqueued,
                completed=completed,
                at_s=at_s,
                line=number,
            )

    def _of_launcher(self, text: str, at_s: float | None) -> Iterator[RankState]:
        """The table of `ChildFailedError`: a rank's number, and below it how its process ended."""
        if failed := _FAILED_RANK.match(text):
            self._failed = int(failed[1])
        elif self._failed is not None and (ended := _FAILED_EXIT.match(text)):
            rank, code, self._failed = self._failed, int(ended[1]), None
            if code < 0 and code not in _BY_LAUNCHER:
                yield RankState(rank, at_s, pid=int(ended[2]), ended=f"signal {-code}", exit_code=code)


def hinted(text: str) -> bool:
    """May `text` say something? Hardly a line does: written out, this takes a quarter of the time of a loop."""
    barrier = "onitoredBarrier" in text or "CollectiveFingerPrint" in text
    return barrier or "NCCL" in text or "rank  " in text or "exitcode " in text


def _rank(text: str) -> int | None:
    found = _RANK.search(text) or _RANK_IN_GROUP.search(text)
    return int(found[1]) if found else None


def _of_barrier(text: str, number: int, at_s: float | None) -> Iterator[Collective]:
    if found := _NOT_PASSED.search(text):
        for rank in found[1].split(","):
            if rank.strip().isdigit():
                yield Collective(
                    int(rank[:8]),
                    operation="monitored barrier",
                    waited_s=min(int(found[2]) / 1_000, 1e10),
                    missing=True,
                    witness=CollectiveWitness.BARRIER,
                    at_s=at_s,
                    line=number,
                )


def _of_wrapper(text: str, number: int, at_s: float | None) -> Iterator[Collective]:
    """Of two ranks, that they called different collectives: they met, so that it was one to them."""
    both = [*_PRINT.finditer(text)][:2]
    if len(both) < 2:
        return
    for found in both:
        yield Collective(
            int(found[1]),
            sequence=int(both[0][2] or 0),
            operation=found[3],
            elements=tuple(int(n) for n in (found[4] or "").split(",") if n.strip()),
            witness=CollectiveWitness.WRAPPER,
            at_s=at_s,
            line=number,
        )
