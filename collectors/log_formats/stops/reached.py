"""How far an evaluation has come by its own count, and whether what its lines tell is of all of it.

Of `Test: [0/196]  Time 19.8 (19.8)` alone nobody knows what the other batches took.
"""

from __future__ import annotations

from typing import NamedTuple


class Reached(NamedTuple):
    """How far an evaluation has come, by its own count."""

    n: float | None = None
    apart: float = 1.0  # the most between two of its lines
    length: float | None = None

    def at(self, n: float | None, length: float | None) -> Reached:
        """After the next line of its middle."""
        if n is None or self.n is None or n <= self.n:
            return Reached(n, 1.0 if self.n is None else self.apart, length)
        return Reached(n, max(self.apart, n - self.n), length)

    @property
    def is_end(self) -> bool:
        """Would its next line lie beyond its end? Without a length nobody knows, and its newest line is its last."""
        return self.n is None or self.length is None or self.n + self.apart >= self.length

    @property
    def is_of_few(self) -> bool:
        """Do its lines tell of fewer than half of its batches? What those took says nothing of the others."""
        return not self.is_end and 2 * ((self.n or 0.0) + 1) <= (self.length or 0.0)
