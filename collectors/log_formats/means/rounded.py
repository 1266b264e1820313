"""Steps that a logger rounds, `13K` and `7.84e+03`: got back by their distance, as long as that rounds to what is printed.

The steps before the first rounded one are exact, and each line is as far from the one before as those two are. Where none is exact,
many that were rounded less, each as far from the one before, say the same: `9.98e+03`, `9.99e+03`, and then `1e+04` for ten lines.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing.values import number

_SHORT = lazy_pattern(r"(\d{1,12})(?:\.(\d{1,6}))?(?:([kKM])|[eE]\+(\d{1,2}))")
_POWERS = {"k": 3, "K": 3, "M": 6}
_DIGITS = 2
"""Behind the point of `1e+03`, which is `%.3g` and shows no zeros."""

ROUNDED_ALIKE = "rows whose steps round to the same number are counted as one, with the newest values"


class RoundedSteps:
    """The steps of one log, as its lines come."""

    def __init__(self) -> None:
        self._exact = ("", "")  # the newest two that are not rounded, while no rounded one follows
        self._newest = 0.0
        self._apart: float | None = None
        self._even = _Even()

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
        self._apart = self._even.coarser(value, grain) or self._apart
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


class _Even:
    """Rounded steps that are all as far from the one before, until they are rounded more."""

    def __init__(self) -> None:
        self._value = self._grain = self._apart = 0.0
        self._times = 0

    def coarser(self, value: float, grain: float) -> float | None:
        """The distance that they had, at the first one that is rounded more; `None` if other distances would round to the same."""
        apart, times = self._apart, self._times
        more = 0 < self._grain < grain and times > 2 * self._grain
        self._times = times + 1 if grain == self._grain and value - self._value == apart > 0 else 0
        self._apart, self._value, self._grain = value - self._value, value, grain
        return apart if more else None
