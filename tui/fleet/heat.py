"""The heat map: a row an exporter, a column a stretch of time, darker the later; lanes of causes below."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ...collectors.clean import clean
from ...words import plural, short_duration
from ..drawing.lines import fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events.fleet import FleetCourse
    from ..drawing.lines import Block, Line

BY_LATENESS, BY_NAME, BY_STAGE = "lateness", "name", "stage"

_LEVELS = ((0.05, "·", "dim"), (0.1, "▃", "chart"), (0.2, "▅", "warn"), (0.5, "▆", "bad"))
"""Below so much of an iteration beyond the median rank: how that is drawn. Never by colour alone."""

_MOST = ("█", "bad")
_LOST = ((0.005, " "), (0.05, "▂"), (0.2, "▅"))
_NEWEST = 3  # columns by which the rows are ordered first
_LABEL = 16  # cells


def heat_map(course: FleetCourse, usual_s: float, size: tuple[int, int], order: str) -> Block:
    """So many lines of so many cells: the rows that fit; with the others, as their latest, in the last."""
    width, height = size
    cells = max(1, width - _LABEL - 1)
    rows = _by_stage(course) if order == BY_STAGE else course.rows
    late = {name: shares(row, course, usual_s, cells) for name, row in rows.items()}
    named = (
        by_lateness(late, height) if order == BY_LATENESS else by_name(late, height, as_they_are=order == BY_STAGE)
    )
    return [(*fit(((label, "label"),), _LABEL), (" ", ""), *_drawn(row)) for label, row in named]


def shares(row: Sequence[float | None], course: FleetCourse, usual_s: float, cells: int) -> list[float | None]:
    """Of an iteration, beyond the median rank: the largest of each cell's columns; the newest cell is the last."""
    late: list[float | None] = [
        None if own is None or middle is None else (own - middle) / usual_s
        for own, middle in zip(row, course.median_s, strict=False)
    ]
    return in_cells(late, course, cells)


def in_cells(values: list[float | None], course: FleetCourse, cells: int) -> list[float | None]:
    """Columns put together where there are more than cells: always the same ones, so that nothing flickers."""
    columns = course.columns
    factor = -(-max(1, columns) // cells)
    if factor == 1:
        found = [*values[:columns], *[None] * (columns - len(values))]
    else:
        first = -(round(course.begin_s / course.step_s) % factor)
        found = [_most(values[max(0, at) : min(at + factor, columns)]) for at in range(first, columns, factor)]
    return [None] * (cells - len(found)) + found[-cells:]


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


Named = tuple[str, "list[float | None]"]


def by_lateness(late: dict[str, list[float | None]], rows: int) -> list[Named]:
    """The latest first; in steps of 5 %, so that rows stand still while nothing happens."""

    def first(name: str) -> tuple[int, int, str]:
        row = late[name]
        return -_steps(row[-_NEWEST:]), -_steps(row), name

    names = sorted(late, key=first)
    if len(names) <= rows:
        return [(_label(name), late[name]) for name in names]
    shown, others = names[: max(0, rows - 1)], names[max(0, rows - 1) :]
    merged = (f"{plural(len(others), 'other')}", _latest([late[name] for name in others]))
    return [*((_label(name), late[name]) for name in shown), merged]


def _by_stage(course: FleetCourse) -> dict[str, list[float | None]]:
    """The first stage on top; last those that say none."""

    def first(name: str) -> tuple[bool, int, str]:
        return not name, int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 1 << 31, name

    return {
        f"stage {name}" if name else "no stage": course.stages[name] for name in sorted(course.stages, key=first)
    }


def by_name(late: dict[str, list[float | None]], rows: int, *, as_they_are: bool = False) -> list[Named]:
    """In the order of their names, or as they are; neighbours together where there are more than rows."""
    names = list(late) if as_they_are else sorted(late)
    size = max(1, -(-len(names) // max(1, rows)))
    groups = [names[at : at + size] for at in range(0, len(names), size)]
    return [
        (
            _label(group[0]) + (f" +{len(group) - 1}" if len(group) > 1 else ""),
            _latest([late[one] for one in group]),
        )
        for group in groups
    ]


def lanes(course: FleetCourse, lost_s: dict[str, float], ranks: int, size: tuple[int, int]) -> Block:
    """The causes that cost most, over the same cells; the seconds are a rank's, of the last hour."""
    width, height = size
    cells = max(1, width - _LABEL - 1)
    causes = sorted(lost_s, key=lambda cause: (-lost_s[cause], cause))[:height]
    lines: Block = []
    for cause in causes:
        row = in_cells(course.lost.get(cause, []), course, cells)
        name = clean(cause, _LABEL)
        label = f"{name} {short_duration(lost_s[cause] / max(1, ranks))}"
        marks = "".join(_mark(share) for share in row)
        lines.append((*fit(((label, "label"),), _LABEL), (" ", ""), (marks, name)))
    return lines


def _mark(share: float | None) -> str:
    if share is None:
        return " "
    return next((mark for below, mark in _LOST if share < below), "█")


def _latest(rows: Sequence[Sequence[float | None]]) -> list[float | None]:
    """The latest of several rows in each cell."""
    return [_most(column) for column in zip(*rows, strict=True)]


def _steps(row: Sequence[float | None]) -> int:
    """The most of it, in twentieths of an iteration."""
    return int(20 * max((share for share in row if share is not None), default=0.0))


def _label(name: str) -> str:
    host, _, port = name.rpartition(":")
    return clean(host if host and port.isdigit() else name, 200)


def _drawn(row: Sequence[float | None]) -> Line:
    drawn = [_cell(share) for share in row]
    return tuple(("".join(mark for mark, _ in run), style) for style, run in groupby(drawn, lambda cell: cell[1]))


def _cell(share: float | None) -> tuple[str, str]:
    if share is None:
        return " ", "dim"
    return next(((mark, style) for below, mark, style in _LEVELS if share < below), _MOST)
