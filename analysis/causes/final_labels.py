"""Labels that no longer change: where each cause is, and their sums, which any stretch can be asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

from ...events import CAUSES
from .tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .causes import Explanation

EVERY = 64
"""Labels from one kept tally to the next: 13 bytes a label; those at the ends of a stretch are explained anew."""

NEWEST = 4_096
"""Labels whose explanations are kept, for lists of the newest: about a kilobyte each."""

_NAMES = tuple(CAUSES)
_NUMBER = {name: number for number, name in enumerate(_NAMES)}


class FinalLabels:
    """Nine bytes a label with one cause, a tally for every 64 of them, and the newest as they were explained."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.tally = Tally()  # of all
        self._main = array("B")  # causes, as numbers
        self._mains: dict[str, array[int]] = {}  # the places at which each is the main cause, ascending
        self._places: dict[str, array[int]] = {}  # ... and those at which it is any
        self._kept = [Tally()]  # of the first 0, 64, 128, ...
        self._newest: deque[Explanation] = deque(maxlen=NEWEST)

    def __len__(self) -> int:
        return len(self._main)

    def add(self, explanation: Explanation) -> None:
        """Append the next one."""
        place, main = len(self._main), explanation.main_cause
        self._main.append(_NUMBER[main])
        self._mains.setdefault(main, array("I")).append(place)
        for kind in explanation.kinds:
            self._places.setdefault(kind, array("I")).append(place)
        self.tally.add(explanation)
        self._newest.append(explanation)
        if len(self._main) % EVERY == 0:
            self._kept.append(self.tally.copy())

    def main_cause(self, place: int) -> str:
        """The costliest cause at `place`."""
        return _NAMES[self._main[place]]

    def explanation(self, place: int) -> Explanation | None:
        """As it was when it became final, and is in all sums; `None`: of an older one, or of one that is open."""
        behind = len(self._main) - place
        return self._newest[-behind] if 0 < behind <= len(self._newest) else None

    def along(self, edges: Sequence[int]) -> Iterator[tuple[int, int, list[str], dict[str, int]]]:
        """From each of these places to the next, ascending: both, the main causes as they come, and counts of all.

        A chart asks for hundreds: of each cause the number of labels before each edge is looked up once.
        """
        mains = [(kind, places, [bisect_left(places, e) for e in edges]) for kind, places in self._mains.items()]
        kinds = [(kind, [bisect_left(places, edge) for edge in edges]) for kind, places in self._places.items()]
        for i, (low, high) in enumerate(pairwise(edges)):
            first = sorted((places[at[i]], kind) for kind, places, at in mains if at[i] < at[i + 1])
            counts = {kind: at[i + 1] - at[i] for kind, at in kinds if at[i] < at[i + 1]}
            yield low, high, [kind for _, kind in first], counts

    def whole_blocks(self, low: int, high: int) -> tuple[Tally, range]:
        """The tally of the kept blocks that lie within places `low` to before `high`, and the places in them."""
        first, last = -(-low // EVERY), min(high, len(self._main)) // EVERY
        if first >= last:
            return Tally(), range(low, low)
        tally = self._kept[last].copy()
        tally.subtract(self._kept[first])
        return tally, range(first * EVERY, last * EVERY)
