"""Samples are no iterations: `Train Epoch: 1 [640/60000 (1%)]` counts batches of samples.

How many samples a batch has, the settings in the log's head may say. Where they do not, nobody knows how many iterations
lie between two lines: then a line is one step, and a word says so. Without a share in percent they are known by their distances:
`[16/5011]`, `[1616/5011]`, `[3216/5011]` are the first batch of 16 and each hundredth after it.
"""

from __future__ import annotations

from math import ceil

from ..parsing.which_bar_trains import BATCH_SIZE

_LEAST = 16
_SEEN = 3
_POWERS = 8
_FIRST_OF = 10
"""So many times the first number lie between two lines, where that number is a batch: no counter begins so by chance."""


class Samples:
    """Steps from samples, as far as the log says what a batch is."""

    def __init__(self) -> None:
        self._batch: int | None = None  # as the settings say
        self._unit: int | None = None  # samples from one line to the next
        self._numbers: list[int] = []  # of the first lines of an epoch
        self.unknown: int | None = None  # the unit, where it is all that is known, until somebody asks
        self.are_lines = False  # is a step a line, for nobody knows what a batch is?

    def head(self, text: str) -> None:
        """A line that is no row may hold the settings."""
        if self._batch is None and (found := BATCH_SIZE.search(text[:4000])):
            self._batch = int(found[1]) or None

    def learn(self, other: Samples) -> None:
        """Take over what another reader found out of the distances."""
        self._unit = self._unit or other._by_distance()

    def _by_distance(self) -> int | None:
        if len(self._numbers) < _SEEN:
            return None
        first, second, third = self._numbers
        apart = second - first
        is_batch = first >= _POWERS and apart >= _FIRST_OF * first and apart % first == 0
        return first if is_batch and third - second == apart else None

    def steps(self, n: int, of: int, *, percent: bool) -> tuple[float, float]:
        """Step and length of `n` of `of`, which are samples if they look so: with their share in percent behind them."""
        if len(self._numbers) < _SEEN:
            self._numbers = [*self._numbers, n] if not self._numbers or n > self._numbers[-1] else [n]
        unit = self._unit_of(n) if percent else self._unit or 1
        return n // unit, ceil(of / unit)

    def word(self) -> str | None:
        """What a person should know, once, where a line is all that can be counted."""
        unit, self.unknown = self.unknown, None
        if unit is None:
            return None
        lines = f"the log counts samples, {unit:,} from line to line, and no batch size"
        return f"{lines}: an iteration is a line here"

    def _unit_of(self, n: int) -> int:
        if self._unit is None and n:
            batch = self._batch
            if batch and n % batch == 0:
                self._unit = batch
            elif n >= _LEAST and n % _POWERS == 0:
                self._unit = self.unknown = n
                self.are_lines = True
            else:
                self._unit = 1
        return self._unit or self._batch or 1  # at 0 nothing speaks against a batch that the settings name
