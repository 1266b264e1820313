"""Which round of an outer loop a log is in: `Iteration 2/12` of self-play, `Round 3/20` of federated learning, `Fold 1 of 5`.

What trains in a round counts to its own end again and again; the run is over when the last round is.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

_WHAT = (
    r"(?:(?:global|federated|communication|comm|outer|training|active[- ]learning|al)[ _-])?(?:iteration|round|cycle)"
    r"|(?:(?:cv|k)[ -]?)?fold|split|trial|run|seed|member|model|generation|experiment|repetition|repeat|task|stage|phase"
)
_OUTER = lazy_pattern(
    rf"(?i)\W{{0,80}}(?:(?:starting|running|beginning|begin|training|start|processing|now)[ :]{{1,2}}){{0,2}}({_WHAT})"
    r"[ #:=-]{0,3}(\d{1,6}) ?(?:/|of|out of) ?(\d{1,6})\b(?![.%]\d|/)"
)
_MOST_NAMES = 8
_MOST_CHARACTERS = 160


class OuterLoops:
    """Hears lines in their order."""

    def __init__(self) -> None:
        self._rounds: dict[str, tuple[int, int, str]] = {}
        self._from_0: set[str] = set()

    def hear(self, text: str) -> None:
        """A line, which may say in which round the run is."""
        if "/" not in text and " of " not in text:
            return
        found = _OUTER.match(PREFIX.sub("", text[:_MOST_CHARACTERS], count=1))
        if found is None:
            return
        name, number, last = found[1].casefold(), int(found[2]), int(found[3])
        if number > last or (name not in self._rounds and len(self._rounds) >= _MOST_NAMES):
            return
        if number == 0:
            self._from_0.add(name)
        self._rounds[name] = number, last, f"{found[1]} {number}/{last}"

    def forget(self) -> None:
        """Another process begins."""
        self._rounds.clear()

    @property
    def open(self) -> str:
        """The newest that is not the last of its loop, in few words; "": none is known."""
        left = [
            said for name, (number, last, said) in self._rounds.items() if number + (name in self._from_0) < last
        ]
        return left[0] if left else ""
