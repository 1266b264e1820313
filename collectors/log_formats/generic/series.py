"""Tags of counters that run side by side: of workers, each with its tag in front, `[035420][Epoch 3/50] Loss: 0.5`.

Or models, each with its name: `Baseline - Batch 100/563, Loss: 1.4` and `Normalized - Batch 0/563, Loss: 1.2`.
"""

from __future__ import annotations

from functools import lru_cache

from ...patterns import lazy_pattern
from ..families.side_by_side import SideBySide
from ..parsing import phases
from ..parsing.grammar import PREFIX, shape_of

_TAG = lazy_pattern(
    r"^(?:[\d:.,/T -]{8,32})?\[(?P<tag>[\w.:#-]{1,40})\] ?(?P<counts>\[?(?i:epoch|ep|episode|step|iter)\w*[\W_]{1,4}\d)?"
)
_NO_TAG = lazy_pattern(
    r"(?i)(?:debug|info|warn(?:ing)?|error|(?:rank|gpu|default|cuda)[ :_-]?\d{0,6}|[\d:.,-]{0,2})"
)
_NAME = lazy_pattern(
    r"(?P<tag>[A-Z]\w{0,30}(?:[ -]\w{1,20})?)(?P<mark> ?(?:[-|:>]|->)? )(?:\[?(?:Epoch|Batch|Step|Iter(?:ation)?)\W{1,3}\d)(?P<rest>.{0,300})"
)
"""A name in front of a count. Words like `End of` may stand there too: a name's lines have losses, each time after a mark."""
_TAGGED = lazy_pattern(
    r"[^\[]{0,40}\[(?P<tag>[A-Za-z][\w.-]{0,20}(?: [\w.-]{1,20}){1,2})\] ?(?i:epoch|ep|episode|step|iter\w*)\W{0,12}\d(?P<rest>.{0,300})"
)
"""A tag of several words, `INFO [DQN s0] step=5000 | loss=0.005`."""
_CALLED = lazy_pattern(
    r"(?i:run|experiment|exp|model|config|variant)(?i:[ _](?:name|id))? ?[:=] ?(?P<tag>[^|,;:=]{1,80}?) ?[|,;] ?(?i:epoch|ep|episode|step|iter\w*)\W{1,3}\d(?P<rest>.{0,300})"
)
"""A name that is said to be one, `Run: XOR_small_fold_1 | Epoch: 1 | Loss: 0.5`."""
_COUNTS = lazy_pattern(r"(?i)(?:epoch|ep|episode|step|iter\w*|batch|round|fold|trial|run|seed)\b")
_LONGEST = 400


class Series(SideBySide):
    """The tags of a log's lines."""

    def of_another(self, text: str) -> bool:
        """Is it a line of another worker than the one whose rows are read? Nobody knows whose one without a tag is."""
        tag, counts = _tagged(text)
        if not tag:
            return self._mixed and self.own is not None
        if counts:
            self.see(tag)
        return self.is_others(tag)


def _tagged(text: str) -> tuple[str, bool]:
    """A line's tag, "" without one; and whether it counts something that is a row's."""
    found = _TAG.match(text) if "[" in text[:34] else None
    if found is None:
        name, counts = _named(shape_of(text[:_LONGEST]))
        return text[name], counts
    tag = found["tag"]
    if _NO_TAG.fullmatch(tag) or phases.of_line(tag) is not None:
        return "", False
    return tag, found["counts"] is not None


@lru_cache(maxsize=256)
def _named(shape: str) -> tuple[slice, bool]:
    """Where a line of this shape has its model's name, and whether it is a row."""
    if found := _TAGGED.match(shape):
        tag = found["tag"]
        if _NO_TAG.fullmatch(tag) or _COUNTS.match(tag) or phases.of_line(tag) is not None:
            return slice(0), False
        return slice(*found.span("tag")), "oss" in found["rest"]
    bare = PREFIX.sub("", shape, count=1)
    begin = len(shape) - len(bare)
    if found := _CALLED.match(bare):
        return slice(begin + found.start("tag"), begin + found.end("tag")), "oss" in found["rest"]
    found = _NAME.match(bare)
    if found is None or phases.of_line(found["tag"]) is not None:
        return slice(0), False
    return slice(begin, begin + found.end("tag")), "oss" in found["rest"] and bool(found["mark"].strip())
