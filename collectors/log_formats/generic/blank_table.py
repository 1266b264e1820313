"""A table of an unknown script with a heading of any words, parted by blanks or commas: what `csv_table.py` is not sure of.

     Epoch     Batch       box      conf     total      time        Gen Ph     Best      Avg     Time        Generation,Best Fitness
      0/29    40/165     0.162      1.99       149      1.62          0  0   0.4231   0.2490     1.5s        1,14.25
Nothing is read before the numbers of a column that counts have counted on (`counting/progression.py`), or, where no column counts, before ten
rows with a loss: then rows are counted. And no such log is read that another format finds an iteration in.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, ClassVar

from ....events import Message
from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..counting.progression import Progression
from ..counting.standing import NO_CONTEXT, RowContext
from ..evidence import ROUNDS, counts_at_most_rounds, of_a_training, plainest
from ..parsing.columns import guess
from ..parsing.grammar import PREFIX, Line, handler
from ..parsing.phases import of_column
from ..parsing.rows import RowParser
from ..parsing.values import number
from .csv_table import BLANKS, cells_of, counts_first, only_first, separator_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.values import Fields, LogLine

_COUNTERS = (
    "iteration",
    "iter",
    "step",
    "timestep",
    "update",
    "batch",
    "generation",
    "gen",
    "episode",
    "epoch",
    *ROUNDS,
)
"""What counts, the finest first; a federated training's rounds."""
_HEADING = (
    r"(?i:epoch|iter(?:ation)?s?|(?:time_)?steps?|timesteps?|gen(?:eration)?|episodes?|batch|[a-z_]{0,20} ?loss)"
)
_CELL = r"(?:[-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,3})?(?:/\d{1,9})?(?:ms|s|%| {1,8}m?s(?= |$))?|nan|[-+]?inf|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?|\d{1,3}(?::\d\d){2})"
_COUNTED = r"(?i:epoch|updates?|episodes?|generations?|gen|(?:(?:comm(?:unication)?|global|server|fl)[ _]?)?rounds?|(?:total[ _])?time_?steps?)"
"""What counts the rows of a table that has commas between its cells and no steps, epochs or losses."""
_SEPARATED = rf"^(?=(?:# ?)?,?\"?[A-Za-z][^=:|{{}}]{{4,400}}$)(?:# ?)?,?(?:[^,;]{{1,60}}[,;]){{0,12}} ?\"?{_COUNTED}\"?(?: ?[,;]|$)"
_ROW = r"^\"?[-+]?\d[^,;{}=|]{0,400}[,;][^{}=|]{0,2000}$"
_ARRAY = r"\[[^\[\]]{0,200}\]"
_WITH_ARRAYS = rf"^ *\d{{1,15}}(?: +(?:{_CELL}|{_ARRAY}|[A-Za-z_]{{1,24}})){{2,40}} *$"
"""`100  EXPLORE  0.5  [ 2.5  1.25]  NA`: a row with words, with arrays that have blanks of their own, or without some value."""
_ARRAYS = lazy_pattern(_ARRAY)
_RUN_TIME = lazy_pattern(r"(?i)run[ _]?time( ?[(\[]\w{1,8}[)\]])?")
_APART = lazy_pattern(r"(?<=\d) {1,8}(m?s)(?= |$)")
"""A unit in its place behind the number, `f"{time:.2f}{'s':>6}"`: no cell of its own."""
_ROWS = 10
"""So many rows of a table in which nothing counts."""
_MOST_HELD = 64
_LONGEST_CELL, _MOST_COUNTED = 32, 1e15
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
        Line(
            " ",
            rf"^ *(?:# *)?(?=[^\W\d][^=:|{{}},;]{{4,400}}$)(?=\S{{1,80}} {{1,40}}\S)(?:.{{0,300}}? )?{_HEADING}(?: |$)",
            "heading",
        ),
        Line(" ", rf"^ *{_CELL}(?: +{_CELL}){{1,60}} *$", "values", distinctive=False),
        Line("[", _WITH_ARRAYS, "values", distinctive=False),
        Line(" NA", _WITH_ARRAYS, "values", distinctive=False),
        Line(",", _SEPARATED, "heading"),
        Line(";", _SEPARATED, "heading"),
        Line(",", _ROW, "values", distinctive=False),
        Line(";", _ROW, "values", distinctive=False),
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
        Example(
            """
Generation,Top Fitness,Mean Fitness
1,14,1.25
2,22,1.5
3,24,1.75
4,24,1.625
""",
            iterations=((1, None, 1, None), (2, None, 1, None), (3, None, 1, None), (4, None, 1, None)),
            variant="of generations, with commas",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._heads: list[list[str]] = []  # the names, parted by many blanks or by each
        self._counters: dict[str, Progression] = {}
        self._held: deque[tuple[list[str], list[str], LogLine]] = deque(maxlen=_MOST_HELD)
        self._separator, self._prefixed = BLANKS, False
        self._short: int | None = None  # cells of rows that stop short of the heading
        self._fit = False  # has a row as many cells as the heading?
        self._counted_by: str | None = None  # proven
        self._proven = False
        self._places: list[str] = []  # what counts in the newest row
        self._several = False  # two rows of one place, in a table without a loss: nobody knows of what each is

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns."""
        text = PREFIX.sub("", line.text[:2000], count=1).strip("# ")
        separator = separator_of(text)
        if separator == BLANKS:
            heads = [re.split(r" {2,}", text), text.split()]
        else:
            heads = [[name.strip() for name in cells_of(text.lstrip("# "), separator)]]
        trains = self.named or any(of_a_training(one) and counts_at_most_rounds(one) for one in heads)
        if heads != self._heads and not self._proven and trains:
            self._heads, self._counters, self._separator = heads, {}, separator
            self._prefixed = not line.text.strip("# ").startswith(text)
            self._short, self._fit = None, False
            self._held.clear()
        return []

    @handler(iterations=True)
    def values(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row."""
        cells = _cells(line.text) if self._separator == BLANKS else self._separated(line.text)
        names = next((one for one in self._heads if len(one) == len(cells)), None)
        self._fit = self._fit or names is not None
        names = names or self._first_names(cells)
        if names is None:
            return []
        if self._proven:
            return self._read_row(names, cells, line)
        self._held.append((names, cells, line))
        self._proven = self._see(names, cells)
        if not self._proven:
            return []
        held = [*self._held]
        self._held.clear()
        events = [event for each in held for event in self._read_row(*each)]
        if len(names) > (named := len(self._heads[0])) and not names[-1]:
            events.append(Message(only_first(len(names), named, names[0]), at_s=line.at_s))
        return events

    def _first_names(self, cells: Sequence[str]) -> list[str] | None:
        """Rows that all stop short of the heading have its first columns; but for the count and the loss what those are is in doubt.

        Of rows that all go beyond it only the first is certain, if it counts.
        """
        if self._heads and self._separator != BLANKS and not self._fit and len(cells) > len(self._heads[0]):
            first = self._heads[0][0]
            counts = first.lower().rstrip("s") in _COUNTERS and counts_first(cells)
            return [first, *[""] * (len(cells) - 1)] if counts else None
        if self._fit or not self._heads or self._separator != BLANKS or not 1 < len(cells) < len(self._heads[0]):
            return None
        self._short = self._short or len(cells)
        if len(cells) != self._short:
            return None
        names = self._heads[0][: len(cells)]
        known = [plainest(name) in _COUNTERS or _is_loss(name) for name in names]
        return [name if sure else "" for name, sure in zip(names, known, strict=True)] if known[0] else None

    def _separated(self, text: str) -> list[str]:
        """The cells of a row with commas; what stands in front of it is a logger's where the heading had that too."""
        text = PREFIX.sub("", text[:4000], count=1) if self._prefixed else text[:4000]
        return [cell.strip() for cell in cells_of(text, self._separator)]

    def _see(self, names: Sequence[str], cells: Sequence[str]) -> bool:
        """Is it a training's table by now?"""
        counters = sorted(
            (_COUNTERS.index(plain), name, cell)
            for name, cell in zip(names, cells, strict=True)
            if (plain := plainest(name)) in _COUNTERS
        )
        places, before = [cell for *_, cell in counters], self._places
        evaluates = any(map(of_column, names, cells))
        self._places = before if evaluates else places
        losses = any(map(_is_loss, names))
        self._several = self._several or (places == before and not (evaluates or losses))
        if self._several:
            return False
        for _, name, cell in counters:
            if _whole(cell) is not None and self._counters.setdefault(name, Progression()).see(
                _whole(cell) or 0.0
            ):
                self._counted_by = name
                return True
        return not counters and losses and len(self._held) >= _ROWS

    def _read_row(self, names: Sequence[str], cells: Sequence[str], line: LogLine) -> list[Event]:
        row, said = {}, NO_CONTEXT
        for name, cell in zip(names, cells, strict=True):
            plain = name.lower()
            if name == self._counted_by:
                said = RowContext(length=_of(cell), within=plain == "batch" and _of(cell) is not None)
                ours = "epoch" if plain.startswith("epoch") and any(map(_is_loss, names)) else "step"
                row[ours], self.columns.called[ours] = cell.partition("/")[0], name
                self.unit = "epoch" if plain.startswith("epoch") else self.unit
            elif plain.startswith("epoch") and ((role := guess(name)) is None or role.field == "epoch"):
                row["epoch"] = cell.partition("/")[0]
            elif plain and plainest(name) not in _COUNTERS and not (line.stamped and _is_time(name)):
                row[ours := _renamed(name, names)] = cell
                if ours != name:
                    self.columns.called[ours] = name
        return self.row(row.items(), line, said)


def _cells(text: str) -> list[str]:
    """The cells behind what a logger wrote in front of them."""
    text = _APART.sub(r"\1", text[:4000])
    cells = _ARRAYS.sub("-", PREFIX.sub("", text, count=1)).split()
    return cells if len(cells) > 1 else text.split()


def _is_loss(name: str) -> bool:
    role = guess(name)
    return role is not None and role.field == "loss"


def _whole(cell: str) -> float | None:
    """`12`, `12/500`, `12.0`, and `1.2000e+01` of MATLAB and numpy."""
    first = cell.partition("/")[0].removesuffix(".0")
    if first.isdigit():
        return float(first) if len(first) <= 15 else None
    read = number(first) if "e+" in first and len(first) <= _LONGEST_CELL else None
    return read if read is not None and 0 <= read < _MOST_COUNTED and not read % 1 else None


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
    if (run := _RUN_TIME.fullmatch(name)) is not None:
        return f"time{run[1] or ''}"
    return name
