"""What ranks of one run wait in, and how each of them is: what a hang is judged by."""

from __future__ import annotations

from .event import Event, ExitCode, Index, Rank, Seconds, UnixTime, Word


class CollectiveWitness(Word):
    """Who says what a rank does in a collective. A word of a newer version counts as a line of a log."""

    WATCHDOG = "NCCL's watchdog"
    BARRIER = "the monitored barrier"
    WRAPPER = "torch's check of collectives"
    RECORDER = "the flight recorder"
    RAS = "NCCL RAS"
    HEARTBEAT = "the monitor of NCCL's watchdog"

    @classmethod
    def _missing_(cls, value: object) -> CollectiveWitness:  # noqa: ARG003 - the enumeration asks so
        return cls.WATCHDOG


class Collective(Event, frozen=True, tag="collective"):
    """Where one rank stands in the collectives of one group of ranks. What is `None` nobody said.

    Collectives of a group are counted from 1; 0 is none so far. Counts of two groups say nothing of each other.
    `rank` is the number in the whole run. `missing`: the others waited for it, and it did not come.
    """

    rank: Rank
    group: str = ""  # "": not said
    sequence: Index | None = None  # the one that it waits in
    operation: str = ""  # "ALLREDUCE"
    elements: tuple[Index, ...] = ()  # what goes in and what comes out, or the shape
    enqueued: Index | None = None
    completed: Index | None = None
    waited_s: Seconds | None = None
    missing: bool = False
    witness: CollectiveWitness = CollectiveWitness.WATCHDOG
    place: str = ""  # "train.py:48 step": the innermost frame of its own code that is known
    at_s: UnixTime | None = None
    line: Index | None = None  # of the log


class RankState(Event, frozen=True, tag="rank"):
    """What is known of one rank of several: its process, the stop that it is in, how it ended.

    `doing` is the kind of the stop (an evaluation, a checkpoint), "" for none. `ended` says how, in words; ""
    while it lives.
    """

    rank: Rank
    at_s: UnixTime | None = None
    pid: Index | None = None
    host: str = ""
    doing: str = ""
    ended: str = ""
    exit_code: ExitCode | None = None
