"""That a run hangs, where each rank stands, and which of them the others wait for."""

from __future__ import annotations

from .finding import Finding


class RankAt(Finding, frozen=True):
    """Where one rank stands. `why` says what speaks against it; "" for the others.

    `place` is a line of its own code, `waits_in` the collective that it is in, by its stack or by its log.
    """

    rank: int
    why: str = ""  # a word of `analysis.ranks.why`
    pid: int | None = None
    host: str = ""
    iteration: int | None = None  # the newest that it ended
    place: str = ""
    waits_in: str = ""
    sequence: int | None = None  # of the collective that it waits in
    enqueued: int | None = None  # collectives of that group
    completed: int | None = None
    ended: str = ""  # how its process ended
    line: int | None = None  # of the log, where that is said


class Hang(Finding, frozen=True):
    """The ranks wait for each other, or nothing has come for far longer than usual.

    `suspects` are the ranks that stand elsewhere than the others; `nobody` says why none is named. `operation` is
    what the others wait in, in the source's own word. `seen_by` names the witnesses, the best first.
    """

    begin_at_s: float | None = None  # Unix time of the newest word before it
    last_iteration: int | None = None
    operation: str = ""
    sequence: int | None = None
    group: str = ""
    suspects: tuple[RankAt, ...] = ()
    others: tuple[RankAt, ...] = ()
    nobody: str = ""
    seen_by: tuple[str, ...] = ()
