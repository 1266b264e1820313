"""Several counters in one log that do not wait for each other: folds or models that are trained at once, workers, each with its tag.

Their rows stand between each other, so that no row follows the one before it: an index that falls back in another's row is no
restart. One's rows are read, those of the first. Tags that come one after another are one series.
"""

from __future__ import annotations

_MOST = 1_000  # tags


class SideBySide:
    """The tags of a log's rows."""

    def __init__(self) -> None:
        self.own: str | None = None  # the tag whose rows are read
        self._newest: str | None = None
        self._seen: set[str] = set()
        self._mixed = False
        self._told = False

    def learn(self, other: SideBySide) -> None:
        """Take over what another reader found out: tags that come again after others."""
        if other._mixed:
            self._mixed, self._seen = True, self._seen | other._seen

    def see(self, tag: str) -> None:
        """The tag of the next row."""
        self.own = self.own or tag
        if tag != self._newest:
            self._mixed = self._mixed or tag in self._seen
            if len(self._seen) < _MOST:
                self._seen.add(tag)
            self._newest = tag

    def is_others(self, tag: str) -> bool:
        """Is a line with this tag of another counter than the one whose rows are read?"""
        return self._mixed and tag != self.own and tag in self._seen

    def word(self) -> str:
        """What a person should know, once; "" else."""
        if not self._mixed or self._told:
            return ""
        self._told = True
        return f"several counters run side by side, each with its tag: only the lines of [{self.own}] are read"
