"""A table of an unknown script, parted by blanks, with a heading of any words: what `csv_table.py` is not sure of.

     Epoch     Batch       box      conf     total      time        Gen Ph     Best      Avg     Time
      0/29    40/165     0.162      1.99       149      1.62          0  0   0.4231   0.2490     1.5s
Nothing is read before the numbers of a column that counts have counted on (`counting/progression.py`), or, where no column counts, before ten
rows with a loss: then rows are counted. And no such log is read that another format finds an iteration in.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, ClassVar

from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..counting.progression import Progression
from ..counting.standing import NO_CONTEXT, RowContext
from ..evidence import of_a_training
from ..parsing.columns import guess
from ..parsing.grammar import PREFIX, Line, handler
from ..parsing.rows import RowParser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.values import Fields, LogLine

_COUNTERS = ("iteration", "iter", "step", "timestep", "batch", "generation", "gen", "episode", "epoch")
"""What counts, the finest first."""
_HEADING = r"(?i:epoch|iter(?:ation)?s?|steps?|timesteps?|gen(?:eration)?|episodes?|batch|[a-z_]{0,20} ?loss)"
_CELL = r"(?:[-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,3})?(?:/\d{1,9})?(?:ms|s|%| {1,8}m?s(?= |$))?|nan|[-+]?inf)"
_APART = lazy_pattern(r"(?<=\d) {1,8}(m?s)(?= |$)")
"""A unit in its place behind the number, `f"{time:.2f}{'s':>6}"`: no cell of its own."""
_ROWS = 10
"""So many rows of a table in which nothing counts."""
_MOST_HELD = 64
_PARTS = frozenset(("box", "conf", "cls", "obj", "giou", "iou"))
"""Beside these YOLO's children call the loss that they add up to `total`."""


class BlankTable(RowParser):
    """A heading and rows with as many cells, once the rows have counted on."""

    name = "table"
    about = "a heading and rows, parted by blanks; columns guessed by name, and shown"
    specificity = Specificity.UNPROVEN
    headed = True
    lines: ClassVar[tuple[Line, ...]] = (
        # First what fails at the first sign: to look for the words in all of a line takes ten times as long.
        Line(" ", rf"^ *(?=[^\W\d][^=:|{{}},;]{{4,400}}$)(?:.{{0,300}}? )?{_HEADING}(?: |$)", "heading"),
        Line(" ", rf"^ *{_CELL}(?: +{_CELL}){{1,60}} *$", "values", distinctive=False),
    )
    examples = (
        Example(
            """
   Epoch     Batch       box      conf     total      time
     0/2       0/9      0.25       2.0     2.25       25.5
     0/2       4/9      0.125      1.0     1.125      1.5
     0/2       8/9      0.125      0.5     0.625      1.5
   Epoch     Batch       box      conf     total      time
     1/2       0/9      0.125      0.25    0.375      9.5
""",
            iterations=((0, None, 1, 2.25), (4, None, 1, 1.125), (8, None, 1, 0.625), (9, 9.5, 1, 0.375)),
            variant="fractions",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._heads: list[list[str]] = []  # the names, parted by many blanks or by each
        self._counters: dict[str, Progression] = {}
        self._held: deque[tuple[list[str], LogLine]] = deque(maxlen=_MOST_HELD)
        self._counted_by: str | None = None  # proven
        self._proven = False

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns."""
        text = PREFIX.sub("", line.text[:2000], count=1).strip()
        heads = [re.split(r" {2,}", text), text.split()]
        if heads != self._heads and not self._proven and (self.named or any(map(of_a_training, heads))):
            self._heads, self._counters = heads, {}
            self._held.clear()
        return []

    @handler(iterations=True)
    def values(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row."""
        cells = _cells(line.text)
        names = next((one for one in self._heads if len(one) == len(cells)), None)
        if names is None:
            return []
        if self._proven:
            return self._read_row(names, cells, line)
        self._held.append((cells, line))
        self._proven = self._see(names, cells)
        if not self._proven:
            return []
        held = [*self._held]
        self._held.clear()
        return [event for each, its_line in held for event in self._read_row(names, each, its_line)]

    def _see(self, names: Sequence[str], cells: Sequence[str]) -> bool:
        """Is it a training's table by now?"""
        counters = sorted(
            (_COUNTERS.index(plain), name, cell)
            for name, cell in zip(names, cells, strict=True)
            if (plain := name.lower().rstrip("s")) in _COUNTERS
        )
        for _, name, cell in counters:
            if _whole(cell) is not None and self._counters.setdefault(name, Progression()).see(
                _whole(cell) or 0.0
            ):
                self._counted_by = name
                return True
        losses = any((role := guess(name)) and role.field == "loss" for name in names)
        return not counters and losses and len(self._held) >= _ROWS

    def _read_row(self, names: Sequence[str], cells: Sequence[str], line: LogLine) -> list[Event]:
        row, said = {}, NO_CONTEXT
        for name, cell in zip(names, cells, strict=True):
            plain = name.lower()
            if name == self._counted_by:
                said = RowContext(length=_of(cell), within=plain == "batch" and _of(cell) is not None)
                row["epoch" if plain.startswith("epoch") else "step"] = cell.partition("/")[0]
            elif plain.startswith("epoch"):
                row["epoch"] = cell.partition("/")[0]
            elif plain.rstrip("s") not in _COUNTERS and not (line.stamped and _is_time(name)):
                row[_renamed(name, names)] = cell
        return self.row(row.items(), line, said)


def _cells(text: str) -> list[str]:
    """The cells behind what a logger wrote in front of them."""
    text = _APART.sub(r"\1", text[:4000])
    cells = PREFIX.sub("", text, count=1).split()
    return cells if len(cells) > 1 else text.split()


def _whole(cell: str) -> float | None:
    first = cell.partition("/")[0]
    return float(first) if first.isdigit() and len(first) <= 15 else None


def _of(cell: str) -> float | None:
    last = cell.partition("/")[2]
    return float(last) if last.isdigit() else None


def _is_time(name: str) -> bool:
    """Of which rows nobody knows: the newest batch's, or their mean. The stamps of the lines know all."""
    role = guess(name)
    return role is not None and role.field == "time_s"


def _renamed(name: str, names: Sequence[str]) -> str:
    """What a column is called by those who print it beside these others."""
    if name.lower() == "total" and not _PARTS.isdisjoint(one.lower() for one in names):
        return "total_loss"
    if name == "Wall_Time" and "Samples" in names:
        return "elapsed_time (h)"  # of the tables of AWR, DeepMimic and their children: hours
    return name
