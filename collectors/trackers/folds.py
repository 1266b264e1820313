"""Trainings that a script tells apart by names: `fold_0/epoch`, `fold_1/epoch`, `val_loss_fold2`.

One fold after another is one training after another: their names are the same once the fold's own is taken out.
Folds that take turns, or stand in one row, are trained side by side: none of their losses is the run's, and each
stays a metric by its own name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..log_formats.opening_lines import PARTS
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    _Cells = list[tuple[str, float]]

_FOLD = lazy_pattern(
    rf"(?i)(?P<before>(?:.{{0,200}}[\W_])??)(?P<fold>(?:k-?)?(?:{PARTS})[_\- ]?\d{{1,4}})"
    r"(?P<after>(?:[\W_].{0,200})?)"
)
_MOST_NAMES = 10_000
_SEPARATORS = "_-/.: |"


class Of(NamedTuple):
    """What a row is of, as its names say it."""

    cells: _Cells
    begins: bool = False  # the next training
    apart: tuple[str, ...] = ()  # names of folds that are trained side by side, or told of in the end


class Folds:
    """Says of each row, in their order, which training it is of."""

    def __init__(self) -> None:
        self.side_by_side = False
        self._newest = ""
        self._seen: set[str] = set()  # folds
        self._logged: set[tuple[str, str]] = set()  # folds, and what was logged of each
        self._known: dict[str, tuple[str, str]] = {}  # of each name: its fold, and the rest of it

    def look(self, rows: Iterable[Iterable[str]]) -> None:
        """The names of the first rows: do they show folds side by side?"""
        first = Folds()
        for names in rows:
            first.of([(name, 0.0) for name in names])
        self.side_by_side = first.side_by_side

    def of(self, cells: _Cells) -> Of:
        """The next row, by the names that it has without its fold's."""
        parts = [self._parts(name) for name, _ in cells]
        folds = {fold for fold, _ in parts if fold}
        if not folds:
            return Of(cells)
        newest, *others = folds
        again = newest != self._newest and newest in self._seen
        if others:
            self.side_by_side = self.side_by_side or not folds <= self._seen
        elif again:
            self.side_by_side = self.side_by_side or not self._logged.isdisjoint(parts)
        self._logged.update(part for part in parts if part[0])
        self._seen |= folds
        if self.side_by_side or others or again:
            return Of(cells, apart=tuple(name for (name, _), (fold, _) in zip(cells, parts, strict=True) if fold))
        begins, self._newest = bool(self._newest) and newest != self._newest, newest
        return Of([(rest, value) for (_, rest), (_, value) in zip(parts, cells, strict=True)], begins=begins)

    def _parts(self, name: str) -> tuple[str, str]:
        """The fold that a name is of, and the rest of it; "": of none."""
        if (known := self._known.get(name)) is not None:
            return known
        if len(self._known) >= _MOST_NAMES:
            return "", name
        found, parts = _FOLD.fullmatch(name), ("", name)
        if found is not None:
            before, after = found["before"].rstrip(_SEPARATORS), found["after"].lstrip(_SEPARATORS)
            if before or after:  # `fold_0` alone says nothing of what is its value
                parts = found["fold"].lower(), f"{before}/{after}" if before and after else before or after
        self._known[name] = parts
        return parts
