"""Labels that no longer change: the main cause of each, and their sums, which any stretch can be asked for."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ...events import CAUSES
from .tally import Tally

if TYPE_CHECKING:
    from .causes import Explanation

EVERY = 256
"""Labels from one kept tally to the next."""

_NAMES = tuple(CAUSES)
_NUMBER = {name: number for number, name in enumerate(_NAMES)}
_BIT = {name: 1 << number for number, name in enumerate(_NAMES)}


class FinalLabels:
    """Three bytes a label, and a tally for every 256 of them."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.tally = Tally()  # of all
        self._main = array("B")  # causes, as numbers
        self._all = array("H")  # a bit for each cause of the label
        self._kept = [Tally()]  # of the first 0, 256, 512, ...

    def __len__(self) -> int:
        return len(self._main)

    def add(self, explanation: Explanation) -> None:
        """Append the next one."""
        self._main.append(_NUMBER[explanation.main_cause])
        self._all.append(sum({_BIT[cause.kind] for causes in explanation for cause in causes}))
        self.tally.add(explanation)
        if len(self._main) % EVERY == 0:
            self._kept.append(self.tally.copy())

    def main_cause(self, place: int) -> str:
        """The costliest cause at `place`."""
        return _NAMES[self._main[place]]

    def main_causes(self, low: int, high: int) -> list[str]:
        """Those of places `low` to before `high`, each once."""
        return [_NAMES[number] for number in dict.fromkeys(self._main[low:high])]

    def counts(self, low: int, high: int) -> dict[str, int]:
        """How many of the places `low` to before `high` have each cause, in the order of the ledger's rows."""
        part = self._all[low:high]
        masks = [(mask, part.count(mask)) for mask in set(part)]
        counts = {name: sum(count for mask, count in masks if mask & bit) for name, bit in _BIT.items()}
        return {name: count for name, count in counts.items() if count}

    def whole_blocks(self, low: int, high: int) -> tuple[Tally, range]:
        """The tally of the kept blocks that lie within places `low` to before `high`, and the places in them."""
        first, last = -(-low // EVERY), min(high, len(self._main)) // EVERY
        if first >= last:
            return Tally(), range(low, low)
        tally = self._kept[last].copy()
        tally.subtract(self._kept[first])
        return tally, range(first * EVERY, last * EVERY)
