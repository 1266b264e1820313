"""The headings of a table of GPUs: what stands in which place of a row, and how a row is cut."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from . import headings as of
from .cells import MOST_CELL, moment, number
from .headings import Column, column

MOST_COLUMNS = 4_096

MEASURED = frozenset(
    {"power_w", "utilization", "sm_activity", "temperature_c", "sm_clock_hz", "memory_used_bytes"}
)
"""A table without any of these is none of GPUs."""

_TRAINING = frozenset(
    {"loss", "step", "epoch", "iter", "iteration", "lr", "train_loss", "learning_rate", "global_step"}
)


class Layout(NamedTuple):
    """What the columns of a table are, by their places; how its rows are cut."""

    columns: dict[int, Column]
    width: int
    delimiter: str  # "" is any number of blanks
    times: tuple[int, ...] = ()  # places that together name the time
    number: int | None = None  # the place that names the GPU by its number,
    uuid: int | None = None  # ... and by an id
    gpus: tuple[tuple[int | None, tuple[tuple[int, Column], ...]], ...] = ()
    """The columns with values: of each GPU where each has its own, else of the one that the row is of."""

    @property
    def wide(self) -> bool:
        """Does each GPU have columns of its own?"""
        return any(gpu is not None for gpu, _ in self.gpus)

    @property
    def fields(self) -> set[str]:
        """What is in it."""
        return {one.field for one in self.columns.values()}

    def cut(self, line: str) -> list[str]:
        """The cells of a row."""
        return cut(line, self.delimiter)


def layout(line: str, units: str = "") -> Layout | None:
    """The columns under the headings in `line`; `None` where they are not those of a recording of GPUs."""
    line = marked(line) or line
    delimiter = next((sign for sign in (",", ";", "\t") if sign in line), "")
    names = cut(line, delimiter)
    if not 1 < len(names) <= MOST_COLUMNS or any(name.strip().casefold() in _TRAINING for name in names):
        return None
    under = cut(marked(units) or units, delimiter) if units else []
    beside = under if len(under) == len(names) else [""] * len(names)
    found = {place: one for place, name in enumerate(names) if (one := column(name[:MOST_CELL], beside[place]))}
    wide = any(one.gpu is not None for one in found.values())
    if wide:
        found = {p: one for p, one in found.items() if one.gpu is not None or one.field in (of.TIME, of.DATE)}
    kept = _laid_out(_without_doubles(found), len(names), delimiter)
    return kept if _is_of_gpus(kept, line) else None


def _laid_out(columns: dict[int, Column], width: int, delimiter: str) -> Layout:
    def places(*fields: str) -> tuple[int, ...]:
        return tuple(place for field in fields for place, one in columns.items() if one.field == field)

    by_gpu: dict[int | None, list[tuple[int, Column]]] = {}
    for place, one in columns.items():
        if one.field not in (of.TIME, of.DATE, of.ELAPSED, of.INDEX):
            by_gpu.setdefault(one.gpu, []).append((place, one))
    return Layout(
        columns,
        width,
        delimiter,
        times=places(of.DATE, of.TIME),
        number=next(iter(places(of.INDEX)), None),
        uuid=next(iter(places(of.UUID)), None),
        gpus=tuple((gpu, tuple(mine)) for gpu, mine in by_gpu.items()),
    )


def _is_of_gpus(found: Layout, line: str) -> bool:
    measured = found.fields & MEASURED
    named = found.wide or bool(found.fields & {of.INDEX, of.UUID}) or "gpu" in line.casefold()
    return bool(measured) and named and (len(found.fields) > 1)


def _without_doubles(found: dict[int, Column]) -> dict[int, Column]:
    """One column for each field of a GPU: that whose unit is known, else the first. Reasons have many."""
    kept: dict[object, int] = {}
    for place, one in found.items():
        key: object = place if one.reason else (one.field, one.gpu)
        if key not in kept or (found[kept[key]].scale is None and one.scale is not None):
            kept[key] = place
    return {place: found[place] for place in sorted(kept.values())}


def cut(line: str, delimiter: str) -> list[str]:
    """The cells of a line."""
    if not delimiter:
        return line.split()
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:  # a cell beyond csv's own limit, a zero byte
        return []


def all_words(line: str) -> bool:
    """Has it no cell that is a number or a time? Then it may be the headings."""
    return not any(number(cell) or cell[:4].isdigit() for cell in line.replace(";", ",").split(",")[:3]) and (
        "," in line or "\t" in line or ";" in line or line.startswith("#")
    )


def marked(line: str) -> str:
    """What stands behind the `#` of a heading, perhaps behind the time at which `ts` saw it; "" of other lines."""
    before, mark, behind = line.partition("#")
    return behind if mark and (not before.strip() or moment(before)) else ""


def is_units(line: str) -> bool:
    """Is it dmon's second row, with the units?"""
    words = re.split(r"[\s,]+", marked(line).strip())
    return bool(words) and all(not number(word) for word in words) and any(w.casefold() in of.UNITS for w in words)
