"""Steps that a logger rounds, `13K` and `7.84e+03`: got back by their distance, as long as that rounds to what is printed.

The steps before the first rounded one are exact, and each line is as far from the one before as those two are.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing.values import number

_SHORT = lazy_pattern(r"(\d{1,12})(?:\.(\d{1,6}))?(?:([kKM])|[eE]\+(\d{1,2}))")
_POWERS = {"k": 3, "K": 3, "M": 6}
_DIGITS = 2
"""Behind the point of `1e+03`, which is `%.3g` and shows no zeros."""


class RoundedSteps:
    """The steps of one log, as its lines come."""

    def __init__(self) -> None:
        self._exact = ("", "")  # the newest two that are not rounded, while no rounded one follows
        self._newest = 0.0
        self._apart: float | None = None

    def exact(self, printed: str) -> None:
        """One that is not rounded. It is only kept: most logs have no other."""
        self._exact = (self._exact[1], printed)

    def step(self, printed: str) -> float | None:
        """What `printed` stands for; `None` if it is no number."""
        found = _SHORT.fullmatch(printed)
        if found is None:
            self.exact(printed)
            return number(printed)
        self._measure()
        whole, fraction, unit, exponent = found.groups()
        power = _POWERS[unit] if unit else int(exponent)
        value = float(f"{whole}.{fraction or 0}e{power}")
        grain = 10.0 ** (power - (_DIGITS if exponent else len(fraction or "")))
        following = self._newest + (self._apart or 0.0)
        fits = self._apart is not None and abs(following - value) <= 0.51 * grain
        self._newest = following if fits else value
        return self._newest

    def _measure(self) -> None:
        """How far are the exact ones apart?"""
        (before, newest), self._exact = map(number, self._exact), ("", "")
        if newest is not None:
            self._newest, self._apart = newest, None
            if before is not None and before < newest:
                self._apart = newest - before
