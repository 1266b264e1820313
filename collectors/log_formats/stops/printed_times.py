"""A line between two rows that prints what an evaluation took, and is none of the format's.

    loss: 0.5, train time: 3.25                         Epoch 3 training [time: 0.50s, train loss: 2.5]
    eval time: 18.5                                     Epoch 3 evaluating [time: 0.25s, valid_score: 0.75]
It counts where no row's time can have it in it: where that says that it is the training's, or is shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ....events import EVALUATION, Iteration, SpanEnd
from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event


_LONGEST = 200
_EVALUATES = r"(?:eval(?:uat(?:ion|ing|ed?))?|valid(?:at(?:ion|ing|ed?))?|val|test(?:ing)?)"
_TOOK = lazy_pattern(
    rf"(?i)(?<![a-z]){_EVALUATES}[ _]{{0,2}}[\[(]?(?:time|took|duration)(?:[ _](?:taken|used|cost|elapsed))?(?: ?[\[(](?:s|sec|seconds)[\])])?"
    r"[ :=]{1,4}(?P<seconds>\d{1,7}\.\d{1,17}(?: ?(?:s|secs?|seconds))?|\d{1,7} ?(?:s|secs?|seconds))(?![\w.:%/]| ?[A-Za-z(/])"
)
_TRAINS = lazy_pattern(r"(?i)(?<![a-z])train(?:ing)?[ _]{0,2}[\[(]?(?:time|took|duration)(?![a-z])")


_SETS = ("train", "eval", "val", "test")


class Taken(NamedTuple):
    """Seconds, if they are known; `apart`: it is proven that no row's time has them in it."""

    seconds: float | None
    apart: bool


class PrintedTimes:
    """What evaluations took since the newest row, by their own words."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}  # by words, without their numbers
        self._doubled = False  # the same words with another number: parts of one, and nobody knows of how many
        self._apart = False
        self._early: list[float] = []  # before any row was handed on

    def early(self, text: str) -> None:
        """A line while the first rows are held back."""
        self.row_says(text)
        self.hear(text)
        found, _ = self.taken() or (None, False)
        self._early += [] if found is None else [found]

    def of_first(self, found: Sequence[Event]) -> list[Event]:
        """What stood behind each of the first rows, where one did behind each."""
        rows = [one.index for one in found if isinstance(one, Iteration)]
        early, self._early = self._early, []
        if not self._apart or len(early) not in (len(rows), len(rows) - 1):
            return []
        pairs = zip(rows, early, strict=False)
        return [SpanEnd(EVALUATION, None, at + 1, took_s, after=at, told=True, apart=True) for at, took_s in pairs]

    def row_says(self, text: str) -> None:
        """A row names its time."""
        self._apart = self._apart or (_names_a_time(text) and _TRAINS.search(text[:_LONGEST]) is not None)

    def row(self, printed_s: float) -> None:
        """The next row comes, and prints so much for all its iterations."""
        self._apart = self._apart or 0 < printed_s < sum(self._seconds.values())

    def hear(self, text: str) -> None:
        """A line that its format does not read."""
        found = _TOOK.search(text) if len(text) <= _LONGEST and _names_a_time(text) else None
        if found is None:
            return
        words = "".join(one for one in found[0] if not one.isdigit())
        seconds = float(found["seconds"].rstrip("secondS "))
        if not seconds:
            return  # `eval time 0.0s`: this epoch had none, and another line says so if it had
        self._doubled = self._doubled or self._seconds.get(words, seconds) != seconds
        self._seconds[words] = seconds

    def taken(self) -> Taken | None:
        """Of all lines since the newest row."""
        found, doubled = self._seconds, self._doubled
        self._seconds, self._doubled = {}, False
        return Taken(None if doubled else sum(found.values()), self._apart) if found else None


def _names_a_time(text: str) -> bool:
    """Faster to ask than the patterns: does a line name a time of a training or an evaluation?"""
    lower = text.lower()
    return ("time" in lower or "took" in lower or "duration" in lower) and any(map(lower.__contains__, _SETS))
