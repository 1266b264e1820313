"""Rows that name who writes them, in front, where several write into one log side by side.

    (train pid=101) epoch 3 loss 0.5
    (train pid=102) epoch 1 loss 0.9
    (train pid=101) epoch 4 loss 0.4
No row follows the one before it: nothing that is counted from row to row is anybody's.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_WRITER = lazy_pattern(
    r"\((?P<tag>[A-Za-z][\w.]{0,60} pid=\d{1,9})(?:, ip=[\d.]{7,15})?\)"
    r"|(?:^|[\s\[(])(?P<called>(?i:worker|agent|client|actor|process)[ _:#-]{0,2}\d{1,6})[\])]?[:|,\s-]"
)
_FRONT = 120

RETURNS = 8
"""So often a writer's row has come again behind another's: they do not come one after another."""

_MOST = 1_000


class NamedWriters:
    """Is told of each row."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._newest = ""
        self._returns = 0

    def row(self, text: str) -> None:
        """One was read of this line."""
        found = _WRITER.search(text, 0, _FRONT) if "pid=" in text[:_FRONT] or _may_name(text[:_FRONT]) else None
        if found is None:
            return
        writer = found["tag"] or found["called"]
        self._returns += writer != self._newest and writer in self._seen
        if len(self._seen) < _MOST:
            self._seen.add(writer)
        self._newest = writer

    @property
    def in_turns(self) -> int:
        """So many take turns; 0: none, or they come one after another."""
        return len(self._seen) if self._returns >= max(RETURNS, len(self._seen)) else 0

    @property
    def why(self) -> str:
        """Why nothing that the rows count is anybody's; "": it may be."""
        if not self.in_turns:
            return ""
        return (
            f"rows of {self.in_turns:,} writers, each named in front, stand in this log at the same time, in turns"
        )


def _may_name(front: str) -> bool:
    """Is one of their words there? They are looked for without their first letter, which may be a capital."""
    return any(word in front for word in ("orker", "gent", "lient", "ctor", "rocess"))
