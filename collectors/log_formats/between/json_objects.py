"""Objects of JSON that are written over several lines, in a list or one behind the other.

    [                        {
      {                        "history": [
        "epoch": 0,              {
        "loss": 0.5                "epoch": 0,
      },                           "loss": 0.5
Those that a list holds are rows; one that stands alone is one itself, if no list in it holds any.
"""

from __future__ import annotations

_MOST_LINES, _MOST_CHARACTERS, _DEEPEST = 400, 65_536, 32
_MARKS = frozenset("[]{}, ")
_OPENS, _CLOSES = "[{", "]}"


class JsonObjects:
    """Puts them together."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._begin: int | None = None  # of how many that are open the object is one
        self._lines: list[str] = []
        self._characters = 0

    def add(self, text: str) -> str:
        """The next line of the text; the whole object that ends with it, in one line."""
        line = text.strip()
        if not line or not (self._open or line[0] in _OPENS):
            return ""
        if len(line) < _DEEPEST and _MARKS.issuperset(line):
            return next(filter(None, map(self._mark, line.replace(" ", ""))), "")
        self._keep(line)
        if (last := line[-1]) in _OPENS:
            self._mark(last, kept=True)
        return ""

    def _mark(self, mark: str, *, kept: bool = False) -> str:
        if mark in _OPENS:
            self._opens(mark, named=kept)
        if not kept:
            self._keep(mark)
        return self._closes() if mark in _CLOSES else ""

    def _opens(self, mark: str, *, named: bool) -> None:
        inner = self._open[-1] if self._open else ""
        if inner == "{" and not named:  # nothing stands in an object without a name: some lines are missing
            self._open, self._begin = ["["], None
        rows = mark == "{" and not named and (self._begin is None or (self._begin == 0 and inner == "["))
        if rows:
            self._begin, self._lines, self._characters = len(self._open), [], 0
        if len(self._open) < _DEEPEST:
            self._open.append(mark)

    def _closes(self) -> str:
        if self._open:
            self._open.pop()
        if self._begin is None or len(self._open) != self._begin:
            return ""
        whole = "".join(self._lines).rstrip(",")
        fits = len(self._lines) < _MOST_LINES and self._characters < _MOST_CHARACTERS
        self._begin, self._lines = None, []
        return whole if fits and whole.startswith("{") else ""

    def _keep(self, line: str) -> None:
        if self._begin is not None and len(self._lines) < _MOST_LINES and self._characters < _MOST_CHARACTERS:
            self._lines.append(line)
            self._characters += len(line)
