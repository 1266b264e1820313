"""Lines that number their epoch twice: `Epoch 7 (7/251):`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..generic.counted_lines import Count


class Echoes:
    """`Epoch 7 (7/251)`: a number behind the epoch is the epoch's own, and no batch, where the two go on together."""

    def __init__(self) -> None:
        self._newest: Count | None = None
        self._apart = False  # has one gone on without the other?

    def left_out(self, counts: list[Count]) -> list[Count]:
        """The counts of the next line: of how many the epoch is, in place of a batch that says the same."""
        inner, before = next((one for one in counts if one.epoch is not None), None), self._newest
        if inner is None or inner.epoch is None or self._apart:
            return counts
        self._newest = inner
        self._apart = inner.n - inner.epoch not in (0.0, 1.0)
        if before is None or before.epoch is None or before == inner:
            return counts
        self._apart |= inner.n - inner.epoch != before.n - before.epoch or inner.of != before.of
        own = [one._replace(of=inner.of) if one.word == "epoch" else one for one in counts if one is not inner]
        return counts if self._apart else own
