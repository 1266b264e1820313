"""Rows that name who writes them, in front, where several write into one log side by side.

    (train pid=101) epoch 3 loss 0.5
    (train pid=102) epoch 1 loss 0.9
    (train pid=101) epoch 4 loss 0.4
No row follows the one before it: nothing that is counted from row to row is anybody's.

    Round: 3 client: 1 loss 0.5
    Round: 3 client: 2 loss 0.75
    Round: 4 client: 1 loss 0.25
Where all have one counter, and each speaks in one piece before that counts on, they are parts of one program: trainings
side by side drift apart. So it is where the counter stands still, `local epoch: 0`, and none speaks again before all have.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_WRITER = lazy_pattern(
    r"\((?P<tag>[A-Za-z][\w.]{0,60} pid=\d{1,9})(?:, ip=[\d.]{7,15})?\)"
    r"|(?:^|[\s\[(])(?P<called>(?i:worker|agent|client|actor|process)[ _:#-]{0,2}\d{1,6})[\])]?[:|,\s-]"
)
_FRONT = 120

_COUNTER = lazy_pattern(
    r"(?i)(?<![a-z])(?:communication[ _])?(?:round|epoch|iteration|iter|step|episode)s?\W{0,3}(\d{1,9})"
)
_LONGEST = 300

RETURNS = 8
"""So often a writer's row has come again behind another's: they do not come one after another."""

_MOST = 1_000


class NamedWriters:
    """Is told of each row."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._newest = ""
        self._returns = 0
        self._processes = False  # does a row name a process that wrote it?
        self._round, self._first = -1, ""
        self._spoken: set[str] = set()  # in this round, up to the newest row
        self._drifts = False  # have they no counter in common?
        self._counted: set[int] = set()  # the numbers of that counter: one, where it stands still
        self._once: set[str] = set()  # who has spoken since all had
        self._rounds, self._is_uneven = 0, False  # so often all have; did one speak again before that?

    def row(self, text: str) -> None:
        """One was read of this line."""
        found = _WRITER.search(text, 0, _FRONT) if "pid=" in text[:_FRONT] or _may_name(text[:_FRONT]) else None
        if found is None:
            return
        writer = found["tag"] or found["called"]
        self._processes = self._processes or found["tag"] is not None
        self._count(text, writer)
        self._take_turn(writer)
        self._returns += writer != self._newest and writer in self._seen
        if len(self._seen) < _MOST:
            self._seen.add(writer)
        self._newest = writer

    def _count(self, text: str, writer: str) -> None:
        """Does the counter of a row go on with that of the others?"""
        found = _COUNTER.search(text[:_LONGEST])
        if found is None:
            self._drifts = True
            return
        counted = int(found[1])
        self._counted = self._counted if len(self._counted) > 1 else self._counted | {counted}
        again = counted <= 1 and writer != self._newest and writer == self._first
        self._first = self._first or writer
        if counted != self._round or again:
            self._drifts = self._drifts or 1 < counted < self._round  # at its first, the program began again
            self._round, self._spoken = counted, {writer}
        else:
            self._drifts = self._drifts or (writer != self._newest and writer in self._spoken)
            self._spoken.add(writer)

    def _take_turn(self, writer: str) -> None:
        if writer in self._seen and self._once == self._seen:
            self._once, self._rounds = set(), self._rounds + 1
        self._is_uneven = (
            self._is_uneven or writer in self._once or (self._rounds > 0 and writer not in self._seen)
        )
        self._once.add(writer)

    @property
    def in_turns(self) -> int:
        """So many trainings write at the same time; 0: none, they come one after another, or are parts of one."""
        return 0 if self._are_parts else self._taking_turns

    @property
    def _are_parts(self) -> bool:
        stands_still = len(self._counted) == 1
        return not (self._processes or (self._is_uneven if stands_still else self._drifts))

    @property
    def _taking_turns(self) -> int:
        return len(self._seen) if self._returns >= max(RETURNS, len(self._seen)) else 0

    @property
    def why(self) -> str:
        """Why nothing that the rows count is anybody's; "": it may be."""
        if not self._taking_turns:
            return ""
        if self._are_parts:
            return f"rows of {self._taking_turns:,} parts of the training take turns in each round of this log"
        return (
            f"rows of {self.in_turns:,} writers, each named in front, stand in this log at the same time, in turns"
        )


def _may_name(front: str) -> bool:
    """Is one of their words there? They are looked for without their first letter, which may be a capital."""
    return any(word in front for word in ("orker", "gent", "lient", "ctor", "rocess"))
