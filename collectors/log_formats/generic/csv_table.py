"""A table of an unknown script: a heading with names, then rows, parted by commas, semicolons or tabs.

    step,loss,note                    step;loss;Zeit [s]                    # made by train.py
    1,2.5,warmup                      1;2,5;0,381                           step    loss      | step | loss |
    2,2.4,"now, full speed"           2;2,4;0,380                           1       2.5       |    1 |  2.5 |
Cells may be quoted, empty, text or dates. In a table with semicolons a comma is a decimal point. Tabs arrive here as
blanks. Columns are taken by their names, and the guess is shown; what is not a number does not disturb. Rows of one step
whose empty cells the others fill are one row.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from ....events import Message
from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..between.split_rows import SplitRows
from ..between.table_counts import TableCounts
from ..counting.left_out import Misfits
from ..evidence import counts_epochs_alone, of_a_training, shared_prefix
from ..parsing.grammar import LONGEST, PREFIX, Line, LineKind, beginnings, handler
from ..parsing.values import as_number
from .line_values import unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ....events import Event
    from ..parsing.columns import Role
    from ..parsing.rows import RowParser
    from ..parsing.values import Fields, LogLine

BLANKS = "  "
"""What parts the cells of a table whose tabs became blanks."""
NUMBERS = Line(",", r"^(?=[^, ]{0,40}, ?[^ ])[-+\d.eEnaNifo, ]+$", "values", distinctive=False)
"""A row of numbers alone, for tables whose columns are known."""
_LONGEST_ROW = 65_536
_PLACES = ("iteration", "epoch")
_NAME = r"\"?[A-Za-z_][\w /.()%@+*&\[\]-]{0,160}\"?"
_OF_AN_AGENT = r"^updates?[,;](?=.{0,400}?(?:mean|avg|average|episode|ep)\w{0,12}_(?:return|reward))"
_KNOWN_NAME = rf"(?i:step|iter|epoch|loss|batch|_per_sec|{_OF_AN_AGENT})"
_BEGINS_WITH_A_NUMBER = lazy_pattern(r" {0,20}[-+\d.]{1,20} [-+\d.]")
"""A tab may have become one blank."""
_NUMBER_ALONE = lazy_pattern(r" {0,20}\d{1,15}(?:(?: ?,){2,200}|(?: ?;){2,200}) ?$")
"""`57,,,`: what counts the rows, and nothing else."""
_NAMED = lazy_pattern(r"[A-Za-z] {1,3}[-+]?\d")
"""`step 100 | loss 2.5` names its values."""
_MARKED = lazy_pattern(
    r"([-+]?\d[\d.]{0,20}(?:[eE][-+]?\d{1,3})?(?:ms|s|%)?) {1,4}(?:[*+!✓✔★☆←↑↓<(].{0,30}|(?i:best|new best|saved))"
)
"""`19.5s  <- best`: a mark behind a row's last value is none of it."""
_WIDE = lazy_pattern(r" {2,}")
_TRAINING_LOSS = lazy_pattern(r"(?i)train(?:ing)?[ _/]loss")
_DECIMAL_COMMA = lazy_pattern(r" *[-+]?\d+,\d+(?:[eE][-+]?\d+)? *")


class Csv(SplitRows):
    """A heading, and rows with as many cells."""

    name = "CSV"
    about = "a heading and rows; columns guessed by name, and shown"
    specificity = Specificity.GUESS
    headed = True
    finds_fewer = True
    lines: ClassVar[tuple[Line, ...]] = (
        # First what fails at the first sign: to look for the names in all of a line takes ten times as long.
        Line(
            "",
            rf"^(?=[^{{}}]{{1,4000}}$)(?=[\ufeff\ufffd]?(?:# ?)?(?:{_NAME})?(?:[,;] ?(?:{_NAME})?)+$).{{0,4000}}?{_KNOWN_NAME}",
            "heading",
        ),
        Line(
            "  ",
            rf"^(?=(?:# ?)?[A-Za-z_][\w/.()%@-]{{0,60}}(?: +[A-Za-z_][\w/.()%@-]{{0,60}})+$).{{0,400}}?{_KNOWN_NAME}",
            "heading",
        ),
        Line("", r"^[^{}:=]*[,;][^{}=]*$", "values", distinctive=False),
        Line(" ", r"^ *[-+\d.eEnaif]+(?: +[-+\d.eEnaif]+)+$", "values", distinctive=False),
    )

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
step,loss,note
1,2.5,warmup
2,2.25,"now, full speed"
3,2.0,
4,1.75,
5,1.5,"a checkpoint"
6,1.25,
""",
            iterations=(
                (1, None, 1, 2.5), (2, None, 1, 2.25), (3, None, 1, 2.0), (4, None, 1, 1.75), (5, None, 1, 1.5),
                (6, None, 1, 1.25),
            ),
            variant="with a column of text",
        ),
        Example(
            """
update,frames,mean_return,entropy
20,640,2.5,0.5
40,640,2.75,0.25
60,640,3.0,0.125
80,640,3.25,0.0625
100,640,3.5,0.03125
""",
            iterations=((20, None, 1, None), (40, None, 1, None), (60, None, 1, None), (80, None, 1, None), (100, None, 1, None)),
            variant="of an agent that is updated",
        ),
        Example(
            """
Schritt;step;train loss;dt [ms];val loss
erster;1;2,5;381,5;
zweiter;2;2,25;250;2,125
dritter;3;2,0;250;
vierter;4;1,75;250;
""",
            iterations=((1, 0.3815, 1, 2.5), (2, 0.25, 1, 2.25), (3, 0.25, 1, 2.0), (4, 0.25, 1, 1.75)),
            evaluations=((2, {"val_loss": 2.125}),),
            variant="with semicolons, decimal commas and units",
        ),
    )  # fmt: skip

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._names: list[str] = []
        self._wide: list[str] = []  # the names, where more than one blank parts them
        self._separator = ","
        self._misfits = Misfits()
        self._fits = self._said_longer = (
            False  # has a row as many cells as the heading? Was said that they have more?
        )
        self._prefixed = False  # a launcher's or a logger's prefix stands in front of the rows
        self._table = TableCounts(self.columns)

    @classmethod
    def match(cls, text: str) -> tuple[LineKind, re.Match[str]] | None:
        """Only what holds a separator is looked at; and a row has two numbers at least."""
        text = unbarred(unwrapped(text))
        if "," not in text and ";" not in text and BLANKS not in text and not _begins_with_a_number(text):
            return None
        matched = super().match(text)
        if matched and not (
            _looks_like_a_row(text[:LONGEST]) if matched[0].name == "values" else cls._names_a_training(text)
        ):
            return None
        return matched

    @classmethod
    def _names_a_training(cls, text: str) -> bool:
        """Is a heading that of a training's table?"""
        text = PREFIX.sub("", text[:_LONGEST_ROW], count=1).lstrip("\ufeff\ufffd# ")
        separator = separator_of(text)
        names = [name.strip() for name in cells_of(text, separator)]
        trains = len(names) > 1 and any(map(_TRAINING_LOSS.fullmatch, names))  # whether another one counts or not
        wide = _WIDE.split(text.strip()) if separator == BLANKS else names
        if not (cls.named or trains) and (counts_epochs_alone(names) or counts_epochs_alone(wide)):
            return False  # `blank_table.py` waits until they have counted on
        return cls.named or trains or of_a_training(names) or of_a_training(wide)

    @classmethod
    def with_names(cls, names: Iterable[str]) -> type[Csv]:
        """The same, where a line with these names is a heading, whatever they are."""
        named = rf"(?<![\w])(?:{'|'.join(map(re.escape, names))})(?![\w])"
        headings = tuple(
            line._replace(pattern=line.pattern.replace(_KNOWN_NAME, named)) if line.kind == "heading" else line
            for line in cls.lines
        )
        return type(cls.__name__, (cls,), {"lines": headings})

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A table of Markdown stands in a text on trainings."""
        if text.startswith("|") and not text.strip("|-: "):
            self._names = []
        return super().line(unwrapped(text), at_s)

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns."""
        whole = unbarred(line.text[:_LONGEST_ROW])
        text = PREFIX.sub("", whole, count=1) if line.text.startswith(whole) else whole
        self._prefixed = not whole.startswith(text)
        self._misfits.heading()
        self._one_each.one_writer = not self._prefixed
        text = text.lstrip("\ufeff\ufffd# ")
        self._separator = separator_of(text)
        self._wide = _WIDE.split(text.strip()) if self._separator == BLANKS else []
        names = [name.strip() for name in cells_of(text, self._separator)]
        begin = 0 if self._chosen else len(shared_prefix((*names,)))
        self.columns.called |= {name[begin:]: name for name in names} if begin else {}
        self._names = self._table.renamed([name[begin:] for name in names])
        if self._empty is not None and any(map(self._is_training_loss, self._names)):
            self._empty.heading(self._names)
        return []

    def _is_training_loss(self, name: str) -> bool:
        return self._field(name) == "loss"

    def unprefixed(self, text: str) -> str:
        """A row without what stands in front of it, where the heading had that too."""
        return PREFIX.sub("", text, count=1) if self._prefixed else text

    @handler(iterations=True)
    def values(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row under the heading."""
        cells = cells_of(unbarred(self.unprefixed(line.text)), self._separator)
        if len(cells) == 1 < len(self._names) and self._separator != BLANKS:
            cells = cells_of(line.text, BLANKS)  # commas in the heading, tabs in the rows
        names = self._wide if len(cells) == len(self._wide) else self._names
        if len(cells) != len(names):
            if (
                len(cells) > len(names) > 0
                and not self._fits
                and self._field(names[0]) in _PLACES
                and counts_first(cells)
            ):
                return self._first_alone(names[0], cells, line)
            if names and 2 * _numbers_in(cells) > len(cells):
                self._misfits.other(cells)
            return []
        if not self._misfits.fits(cells):
            return []
        self._fits = True
        if self.columns.counters is not None:
            self._table.see(names, cells)
        if "%" in line.text:
            cells = [self._without_percent(*cell) for cell in zip(names, cells, strict=True)]
        if not self.may_split or ("" not in cells and not self.holds):
            return self.row(zip(names, cells, strict=True), line)
        return self.part({name: cell for name, cell in zip(names, cells, strict=True) if cell}, line)

    def _first_alone(self, name: str, cells: Sequence[str], line: LogLine) -> list[Event]:
        """Of a row with more cells than names what it counts is read, and nothing else."""
        events = self.row([(name, cells[0])], line)
        if not events or self._said_longer:
            return events
        self._said_longer = True
        word = only_first(len(cells), len(self._names), self.columns.called.get(name, name))
        return [*events, Message(word, at_s=line.at_s)]

    def _without_percent(self, name: str, cell: str) -> str:
        """`50.80%` of a metric is 50.8, as its column shows it."""
        return cell[:-1].rstrip() if cell.endswith("%") and self.columns.role(name) is None else cell

    def taught(self, pupil: RowParser) -> None:
        """Also which column counts, as long as no row was read."""
        super().taught(pupil)
        if isinstance(pupil, Csv) and not self._fits:
            self._table.learn(pupil._table)
            self._names = self._table.renamed(self._names)

    def end(self) -> list[Event]:
        """What was left out is said once."""
        return [*super().end(), *map(Message, self._misfits.words())]


def counts_first(cells: Sequence[str]) -> bool:
    """Does the first cell count, in a row with more cells than the heading has names? Nobody knows which name is missing.

    A row's number that no name is for would stand before a count.
    """
    first, second = (as_number(cell) for cell in cells[:2])
    return first is not None and first >= 0 and not first % 1 and second is not None and bool(second % 1)


def only_first(cells: int, names: int, first: str) -> str:
    """What is said of such rows."""
    return f"rows have {cells} columns, and the heading names {names}: only the first, {first}, is read"


def unbarred(text: str) -> str:
    """A heading or a row of numbers between bars as one with semicolons; any other line as it is."""
    if "|" not in text or len(text) > LONGEST or any(mark in text for mark in ",;:=") or _NAMED.search(text):
        return text
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if (marked := _MARKED.fullmatch(cells[-1])) is not None:
        cells[-1] = marked[1]
    return "; ".join(cells)


def separator_of(text: str) -> str:
    """What parts the cells of a row: the most frequent of the separators; blanks, where there is none."""
    counts = {mark: text.count(mark) for mark in ";,"}  # of equally many it is the rarer one
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else BLANKS


def cells_of(text: str, separator: str) -> list[str]:
    """The cells of a row as text, without their quotes; with semicolons a decimal comma becomes a point."""
    if separator == BLANKS:
        return text[:_LONGEST_ROW].split()
    import csv  # noqa: PLC0415 - loaded when the first row is read: a start of every other log need not wait for it

    try:
        cells = next(csv.reader([text[:_LONGEST_ROW]], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return []
    if separator == ";":
        return [cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in cells]
    return cells


def _begins_with_a_number(text: str) -> bool:
    return " " in text and any(_BEGINS_WITH_A_NUMBER.match(text, start) for start in beginnings(text))


def _looks_like_a_row(text: str) -> bool:
    """Two numbers or dates at least, and no cell like `loss 2.5`, which names its value; or one, and empty cells."""
    if text.startswith("#"):
        return False
    if _NUMBER_ALONE.match(text):
        return True
    marks = [mark for mark in ",;" if mark in text] or [BLANKS]
    return any(_has_two_numbers(cells_of(text, mark)) for mark in marks)


def _has_two_numbers(cells: Iterable[str]) -> bool:
    numbers = (cell for cell in cells if as_number(cell.strip()) is not None)
    return next(numbers, None) is not None and next(numbers, None) is not None


def _numbers_in(cells: Iterable[str]) -> int:
    return sum(as_number(cell.strip()) is not None for cell in cells)
