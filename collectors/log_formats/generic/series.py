"""Several counters in one log: workers that run side by side, each with its tag in front, `[035420][Epoch 3/50] Loss: 0.5`.

Their rows stand between each other, so that no row follows the one before it. One worker's are read, those of the first row's tag.
Tags that come one after another (folds) are one series.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing import phases

_TAG = lazy_pattern(
    r"^(?:[\d:.,/T -]{8,32})?\[(?P<tag>[\w.:#-]{1,40})\] ?(?P<counts>\[?(?i:epoch|ep|episode|step|iter)\w*[\W_]{1,4}\d)?"
)
_NO_TAG = lazy_pattern(
    r"(?i)(?:debug|info|warn(?:ing)?|error|(?:rank|gpu|default|cuda)[ :_-]?\d{0,6}|[\d:.,-]{0,2})"
)
_MOST = 1_000  # tags


class Series:
    """The tags of a log's rows."""

    def __init__(self) -> None:
        self._own: str | None = None  # the tag whose rows are read
        self._newest: str | None = None
        self._seen: set[str] = set()
        self._mixed = False
        self._told = False

    def learn(self, other: Series) -> None:
        """Take over what another reader found out: tags that come again after others."""
        if other._mixed:
            self._mixed, self._seen = True, self._seen | other._seen

    def of_another(self, text: str) -> bool:
        """Is it a line of another worker than the one whose rows are read?"""
        found = _TAG.match(text) if "[" in text[:34] else None
        if found is None or _NO_TAG.fullmatch(tag := found["tag"]) or phases.of_line(tag) is not None:
            return False
        if found["counts"]:
            self._see(tag)
        return self._mixed and tag != self._own and tag in self._seen

    def word(self) -> str:
        """What a person should know, once; "" else."""
        if not self._mixed or self._told:
            return ""
        self._told = True
        return f"several counters run side by side, each with its tag: only the lines of [{self._own}] are read"

    def _see(self, tag: str) -> None:
        self._own = self._own or tag
        if tag != self._newest:
            self._mixed = self._mixed or tag in self._seen
            if len(self._seen) < _MOST:
                self._seen.add(tag)
            self._newest = tag
