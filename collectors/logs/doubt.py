"""A format that has to prove itself: how long it is tried in vain, and how it may come back.

Lines of prose or of a table of goods look like rows that count something. To read all of them, and to find at the
end that nothing did, takes longer than to read a real log: after some thousand lines such a format is given up. Of
what comes later the beginning of each piece is still shown to it; so a training that begins late is found.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...events import Iteration, Iterations
from ...words import plural
from ..clean import clean_lines
from ..log_formats.parsing.values import as_number
from ..patterns import lazy_pattern
from .samples import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...events import Event
    from ..log_formats.base import LogFormat, Parser

PROOF_LINES = 5_000
"""Read in vain before it is given up: a model printed layer by layer and the head of a large job have fewer."""

NO_FORMAT = "no line of a known log format"

DESCRIBE_IT = "; itermon formats new NAME describes another one"
"""What a person can do where no format fits."""

_KEPT_BYTES, _LOOKED_AT, _FEWEST = 1 << 16, 400, 8
"""Of the beginning of a log that nothing reads: what is looked at to say what it seems to be."""
_MOSTLY, _MOST_NAMED, _LONGEST_NAME = 0.9, 4, 30
_OFTEN, _LONGEST_LINE, _MOST_SHAPES, _MOST_ALIKE = 4, 60, 16, 16
_DIGITS, _VALUE = lazy_pattern(r"\d+(?:\.\d*)?"), lazy_pattern(r"[A-Za-z_\])][ :=]{1,3}-?\d{1,9}\.\d")
_MODEL = lazy_pattern(
    r"(?i)(?:model|classifier|estimator|regressor|algorithm|method|architecture|network)s?(?:[ _]name)?"
)
_EPOCHS_OF_A_MODEL = lazy_pattern(r"['\"]epochs['\"]: ?\d{1,6}[,}]")
_LISTS = lazy_pattern(r"\{ ?\"[^\"]{1,60}\": ?\[ ?-?\d{1,9}\.?\d{0,20}(?:e-?\d{1,3})?,")

PROBED_LINES = 100
"""Of each piece that comes later: more than the format looks back on."""


class Seen(NamedTuple):
    """What a log seems to be that nothing reads, and what helps."""

    what: str = ""
    step: str = ""


def seen_in(lines: Sequence[str]) -> Seen:
    """What the first lines with text of a log show."""
    if lines and _LISTS.match(lines[0]):
        return Seen(
            "lists of numbers in JSON, and no word says what counts them",
            '; itermon reads an iteration a line: {"step": 1, "loss": 2.5}',
        )
    models = sum(_EPOCHS_OF_A_MODEL.search(line[:2000]) is not None for line in lines)
    if models >= _FEWEST // 2:
        return Seen("results of models that were trained: how many epochs each had, and no row of one")
    found = _numbers_in(lines) or _table_in(lines) if len(lines) >= _FEWEST else None
    return found or Seen(step=_shape_in(lines))


def _numbers_in(lines: Sequence[str]) -> Seen | None:
    """Nothing but numbers: their names would have to be guessed."""
    rows = [[as_number(cell.strip()) for cell in _cells(line, blanks=True)] for line in lines]
    widths = [sum(number is not None for number in row) for row in rows]
    whole = [width == len(row) for width, row in zip(widths, rows, strict=True)]
    width = widths[len(widths) // 2]
    alike = sum(is_whole and one == width for is_whole, one in zip(whole, widths, strict=True))
    if not width or not widths[0] or alike < _MOSTLY * len(lines):  # a heading has no number
        return None
    rows_alone = "cat" if all(whole) else 'grep "^ *[-0-9]"'  # a heading of an epoch between them would hide them
    step = f"; where you know it, write it above them, as in (echo {{}}; {rows_alone} FILE) | itermon report -"
    if width == 1:
        return Seen("one number a line, and no name says of what", step.format("loss"))
    counts = ("epoch", "step") if _counts_within(rows) else ("step",)
    mark = next((one for one in ";," if one in lines[0]), "  ")
    names = mark.join((*counts, "loss", *(f"metric{n}" for n in range(1, width)))[:width])
    what = f"rows of {width} numbers, and no heading says of what"
    said = names if mark == "," else f'"{names}"'  # for a shell
    return Seen(what, step.format(said) if width <= _MOST_NAMED else "; a heading above them helps")


def _counts_within(rows: Sequence[Sequence[float | None]]) -> bool:
    """Does the second number count on while the first one stands, as a step in its epoch?"""
    places = [(row[0], row[1]) for row in rows if len(row) > 2 and None not in row[:2]]
    pairs = [*pairwise(places)]
    on = sum(one[0] == next_one[0] and one[1] + 1 == next_one[1] for one, next_one in pairs)  # type: ignore[operator]
    return on > _MOSTLY * len(pairs)


def _table_in(lines: Sequence[str]) -> Seen | None:
    """A heading, and rows with as many cells: but no column counts iterations."""
    names = [name.strip().strip('"') for name in _cells(lines[0])]
    rows = [_cells(line) for line in lines[1:]]
    fits = sum(len(cells) == len(names) and any(as_number(one) is not None for one in cells) for cells in rows)
    if len(names) < 2 or fits < _MOSTLY * len(rows) or any(as_number(name) is not None for name in names):
        return None
    said = ", ".join(name[:_LONGEST_NAME] for name in names[:_MOST_NAMED]) + (
        ", ..." if names[_MOST_NAMED:] else ""
    )
    step = "; if a column counts them: --column iteration=NAME"
    if any(map(_MODEL.fullmatch, names)):
        return Seen(f"a table of models ({said}): each row is of one that was trained, none of an iteration", step)
    return Seen(f"a table ({said}), and no column was seen to count its rows as iterations", step)


def _shape_in(lines: Sequence[str]) -> str:
    """What can be described: a line that comes again and again with other numbers."""
    shapes = Counter(_DIGITS.sub("0", line[:200]) for line in lines if _VALUE.search(line[:200]))
    ((shape, times),) = shapes.most_common(1) or [("", 0)]
    if times < _OFTEN:
        return ""
    like = next(line for line in lines if _DIGITS.sub("0", line[:200]) == shape).split()
    return f'; again and again comes "{" ".join(like)[:_LONGEST_LINE]}" with other numbers{DESCRIBE_IT}'


def recurring_in(lines: Iterable[str]) -> list[str]:
    """Some lines of each shape that comes again and again with other numbers, however far apart."""
    shapes: dict[str, list[str]] = {}
    for line in lines:
        if _VALUE.search(line[:200]):
            shapes.setdefault(_DIGITS.sub("0", line[:200]), []).append(line)
    often = sorted((like for like in shapes.values() if len(like) >= _OFTEN), key=len)[-_MOST_SHAPES:]
    return [line for like in often for line in like[:: len(like) // _MOST_ALIKE + 1]]


def _cells(line: str, *, blanks: bool = False) -> list[str]:
    """The cells of a row; `blanks` part them, too, where nothing else does."""
    if blanks and "," not in line and ";" not in line:
        return line[:4000].split()
    return line[:4000].rstrip(",;").split(";" if line.count(";") > line.count(",") else ",")


MOST_ROWS = 3
"""More rows are a training, though the log may tell of others."""

FEWEST, TIMES = 10, 10
"""Lines that count on, and so many for each row; as many times as far as that."""

_COUNTS = lazy_pattern(
    r"(?i)\b(epoch|(?:global[ _-]?)?step|iteration|iter|round)\W{0,3}(\d{1,9})(?![\w,]|\.\d)(?! ?/| of )"
    r"|\b(epoch|round)\W{0,3}(\d{1,9})(?= ?/| of )"
)
"""What is one of so many begins anew with each epoch, unless it is the epoch."""

_LONGEST_COUNT = 300


def counted_elsewhere(data: bytes, is_row: Callable[[str], bool], rows: int, newest: int | None) -> str:
    """Why no more is said of so many `rows`, the `newest` of this number: a bar that was left over is no training.

    Empty where nothing speaks against them.
    """
    if not 0 < rows <= MOST_ROWS or newest is None:
        return ""
    for word, (first, last, times) in _tracks(clean_lines(data), is_row).items():
        coarse = word in ("epoch", "round")
        farther = last >= TIMES * max(newest, 1) or (coarse and newest > last)
        if times >= max(FEWEST, TIMES * rows) and last > first and farther:
            return f"lines count on to {word} {last:,}, and no more than {plural(rows, 'row')} could be read"
    return ""


def counts_nothing(data: bytes, is_row: Callable[[str], bool]) -> str:
    """Why no more is said of a single row of a guessed format: many look like it, all of one place."""
    like = sum(map(is_row, clean_lines(data)))
    return (
        f"{plural(like, 'line')} look like rows, and itermon cannot tell what counts them" if like >= TIMES else ""
    )


def _tracks(lines: Iterable[str], is_row: Callable[[str], bool]) -> dict[str, tuple[int, int, int]]:
    """What words count, if they never go back: the first number, the newest, and how many there were."""
    tracks: dict[str, tuple[int, int, int]] = {}
    back: set[str] = set()
    for text in lines:
        found = _COUNTS.search(text[:_LONGEST_COUNT])
        if found is None or is_row(text):
            continue
        word, number = (found[1] or found[3]).lower(), int(found[2] or found[4])
        first, last, times = tracks.get(word, (number, number - 1, 0))
        if number < last:
            back.add(word)
        tracks[word] = first, number, times + (number > last)
    return {word: track for word, track in tracks.items() if word not in back}


class Doubt:
    """How far the formats that are not proven have been read."""

    def __init__(self) -> None:
        self._left = PROOF_LINES
        self._proven = False
        self._given_up: list[tuple[LogFormat, Parser]] = []
        self._beginning = b""
        self._looked_at = 0, Seen()  # so many bytes of it, and what they show
        self._elsewhere = ""  # what counts on, where hardly a row is read
        self._often = ""  # what comes again and again in all of it
        self.samples: list[str] = []  # of its ends, and of what does

    def looks_at(self, lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
        """All lines of a log that nothing reads, numbered: its rows may begin long behind what it begins with."""
        numbered = [*lines]
        self._often = _shape_in([*dict.fromkeys(text for _, text in numbered)])
        return numbered

    @property
    def reason(self) -> str:
        """Why the newest of those that were given up was, or what the log seems to be; empty if nobody knows."""
        if self._elsewhere or not self._given_up:
            return self._elsewhere or self._seen.what
        return f"{PROOF_LINES:,} lines were tried as {self._given_up[-1][0].name}, and no rows came of them"

    @property
    def next_step(self) -> str:
        """What a person can do then."""
        if self._elsewhere:
            return DESCRIBE_IT
        if self._given_up:
            return self._often
        return self._seen.step or self._often or DESCRIBE_IT

    @property
    def _seen(self) -> Seen:
        if self._looked_at[0] != len(self._beginning):
            lines = [line for line in clean_lines(self._beginning) if line.strip()][:_LOOKED_AT]
            self._looked_at = len(self._beginning), seen_in(lines)
        return self._looked_at[1]

    def counts_elsewhere(self, data: bytes, found: LogFormat | None, rows: int, newest: int | None) -> bool:
        """Do lines count on while hardly a row could be read? See `counted_elsewhere`.

        None is `found` where later lines spoke against the format: what was read as it is void, too.
        """
        if found is None:
            return True
        self._elsewhere = counted_elsewhere(data, found.is_iteration, rows, newest)
        if not self._elsewhere and rows == 1 and found.specificity.guesses:
            self._elsewhere = counts_nothing(data, found.is_iteration)
        return bool(self._elsewhere)

    def remains(self, found: LogFormat | None) -> bool:
        """Has `found` still to prove itself?"""
        return not self._proven and found is not None and found.specificity.is_unproven

    def part(self, found: LogFormat | None, data: bytes) -> tuple[bytes, bytes]:
        """What `found` may read of `data`, and what only if that proves it."""
        if not self.remains(found):
            return data, b""
        end = end_of_line(data, self._left)
        self._left -= data.count(b"\n", 0, end)
        return data[:end], data[end:]

    def proves(self, events: Iterable[Event]) -> bool:
        """Is the format proven by what it told?"""
        self._proven = self._proven or any(isinstance(event, Iteration | Iterations) for event in events)
        return self._proven

    def give_up(self, found: LogFormat) -> LogFormat:
        """`found` was tried for long enough."""
        self._given_up.append((found, found.parser()))
        self._left = PROOF_LINES
        return found

    def others(self, found: LogFormat | None, data: bytes) -> list[LogFormat]:
        """What may read what `found` and those given up have no row of: a trainer's format, and the strictest."""
        from ..log_formats.base import Specificity  # noqa: PLC0415 - the same
        from ..log_formats.recognition import recognise  # noqa: PLC0415 - the same
        from ..log_formats.registry import all_formats  # noqa: PLC0415 - for the few logs that nothing else reads

        known, tried = self._known_by_what_recurs(data), [found, *(one for one, _ in self._given_up)]
        known = [one for one in known if one.specificity is Specificity.FRAMEWORK and one not in tried]
        if found is None and not self._given_up:
            return known
        left = [one for one in all_formats() if one not in tried]
        if found is not None and found.specificity is Specificity.COMMON:  # its bars were of data
            other = recognise(self.samples, left).format
            known += [other] if other is not None and other not in known else []
        return [*known, *(one for one in left if one.specificity is Specificity.ALONE)]

    def _known_by_what_recurs(self, data: bytes) -> list[LogFormat]:
        """The format of the lines that come again and again: samples may have none of them."""
        from ..log_formats.recognition import recognise  # noqa: PLC0415 - the same

        self.samples = [*sample(data), *recurring_in(clean_lines(data))]
        found = recognise(self.samples)
        return [found.format] if found.format is not None and found.iterations >= _OFTEN else []

    def comes_back(self, data: bytes) -> LogFormat | None:
        """The format that was given up, and tells something of the beginning of `data`."""
        self._beginning += data[: max(0, _KEPT_BYTES - len(self._beginning))]
        if self._proven or not self._given_up:
            return None
        lines = [*clean_lines(data[: end_of_line(data, PROBED_LINES)])]
        for found, parser in self._given_up:
            if any(self.proves(parser.line(line, None)) for line in lines):
                return found
        return None


def end_of_line(data: bytes, number: int) -> int:
    """Where line `number` of `data` ends."""
    if data.count(b"\n") < number:
        return len(data)
    end = 0
    for _ in range(number):
        end = data.find(b"\n", end) + 1
    return end
