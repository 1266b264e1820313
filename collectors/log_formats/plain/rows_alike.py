"""Do lines that look like rows come again as rows do: in the same words, or with as many cells?"""

from __future__ import annotations

from ...patterns import lazy_pattern

_PLAIN_WORD = lazy_pattern(r"(?<![\w.])(?!(?i:nan|inf(?:inity)?)\b)[^\W\d_]{2,}(?!\w)")
"""Of a row the words come again, its numbers do not, nor the names of files and the like."""
_MOST_SHAPES = 1_000
_LONGEST = 4_000


class Shapes:
    """Has a row come again, with its own numbers? A sentence or a line of source code that looks like a row stands alone."""

    def __init__(self) -> None:
        self.repeated = False
        self._seen: set[tuple[str, ...]] = set()

    def see(self, text: str) -> None:
        """One more line that may be a row."""
        if not self.repeated:
            shape = tuple(_PLAIN_WORD.findall(text[:_LONGEST]))
            self.repeated = shape in self._seen
            if len(self._seen) < _MOST_SHAPES:
                self._seen.add(shape)


class Width:
    """How many marks part the cells below a table's heading: a row with more or fewer is none that it describes."""

    def __init__(self) -> None:
        self._mark, self._marks = "", 0

    def fits(self, text: str, *, is_row: bool) -> bool:
        """One more line of the table; a cell in quotes may hold marks of its own."""
        if not is_row:
            self._mark = max(";,", key=text.count)
            self._marks = text.count(self._mark)
            return True
        marks = text.count(self._mark) if self._marks else 0
        return marks in (0, self._marks) or '"' in text
