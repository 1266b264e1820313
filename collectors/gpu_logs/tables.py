"""Tables of GPUs: CSV of any program with headings, `nvidia-smi dmon`, `dcgmi dmon`. Rows -> `GpuSample`.

A row is of one GPU, or all GPUs have columns of their own in it. Headings may come again (a program was started
anew, dmon repeats them every few rows) and may then be others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import GpuSample
from ..clean import clean
from ..gpus.bounds import plausible
from . import headings as of
from .cells import MOST_CELL, moment, number, reasons, scale_by_value, scale_of
from .layouts import MEASURED, all_words, is_units, layout, marked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .headings import Column
    from .layouts import Layout

MOST_GPUS = 1_024
MOST_NAME = 80
MOST_REMEMBERED = 1 << 13
SAME_PASS_S = 0.05
"""Rows that name no GPU are of one pass, one a GPU, where they come so close together."""

STEP_S = 1.0
"""Between two passes of a table without times: what `nvidia-smi dmon` and `dcgmi dmon` take if nobody asks."""


class TableReader:
    """Reads the lines of one table. `problem` says why there are no samples, once that is known."""

    def __init__(self) -> None:
        self.zoned: bool | None = None  # do its times say of which zone they are? `None`: there are no times
        self.problem = ""
        self._layout: Layout | None = None
        self._headings = ""  # of a table with a row of units: the row before it
        self._scales: dict[int, float] = {}  # of columns without a unit: found out by their values
        self._read: dict[tuple[int, str], Any] = {}  # what cells said: most of them come again and again
        self._numbers: dict[str, int] = {}  # of GPUs known by their ids alone
        self._pass: list[int] = []  # GPUs of the pass under way, where a table has no times or no numbers
        self._at_s = 0.0
        self._ticks = 0

    def read(self, lines: Iterable[str]) -> list[GpuSample]:
        """The samples in `lines`. What is no row of the table is passed over."""
        samples: list[GpuSample] = []
        for line in lines:
            found = self._row(line, self._layout) if self._layout else None
            if found is None:
                self._learn(line)
            else:
                samples += found
        return samples

    @property
    def fields(self) -> set[str]:
        """What the table has columns for; empty before its headings have come."""
        return self._layout.fields if self._layout else set()

    @property
    def is_all_of_gpus(self) -> bool:
        """Do the headings alone prove it? Most of them are known then; a list of words has a few among others."""
        return self._layout is not None and 2 * len(self._layout.columns) > self._layout.width

    def _learn(self, line: str) -> None:
        """The headings, of a line that is no row."""
        if not marked(line) and not all_words(line):
            return
        units = self._headings if is_units(line) else ""
        found = layout(units, line) if units else layout(line)
        if found is None:
            return
        if self._layout is None or self._layout.columns != found.columns:
            self._scales.clear()
        self._read.clear()
        self._layout, self._headings = found, line

    def _row(self, line: str, table: Layout) -> list[GpuSample] | None:
        """The samples in a line; `None` where it is no row of the table."""
        cells, stamped = table.cut(line), ""
        if not table.delimiter:
            stamped, cells = _of_blanks(cells, table)
        if len(cells) != table.width:
            return None
        named = self._named(cells, table)
        at_s = self._when(cells, stamped, named, table)
        if at_s is None:
            return None
        samples = []
        for gpu, columns in table.gpus:
            number_of = gpu if gpu is not None else named if named is not None else self._in_turn(at_s)
            if sample := self._sample(cells, columns, number_of, at_s):
                samples.append(sample)
        return samples

    def _when(self, cells: Sequence[str], stamped: str, named: int | None, table: Layout) -> float | None:
        text = " ".join([cells[place] for place in table.times]) or stamped
        if text:
            found = moment(text)
            if found is None:
                return None
            self.zoned = found.zoned
            return found.at_s
        return self._tick(named, table) if self.zoned is None else None

    def _tick(self, named: int | None, table: Layout) -> float | None:
        """Of a table without times: a pass ends where a GPU comes again."""
        if named is None and not table.wide:
            return None
        if table.wide or named in self._pass:
            self._ticks, self._pass = self._ticks + 1, []
        if named is not None:
            self._pass.append(named)
        return self._ticks * STEP_S

    def _in_turn(self, at_s: float) -> int:
        """The number of a GPU in a table that names none: they come in turn."""
        if self._pass and 0 <= at_s - self._at_s < SAME_PASS_S and len(self._pass) < MOST_GPUS:
            self._pass.append(len(self._pass))
        else:
            self._pass, self._at_s = [0], at_s
        return self._pass[-1]

    def _named(self, cells: Sequence[str], table: Layout) -> int | None:
        if table.number is not None:
            text = cells[table.number].strip().casefold().removeprefix("gpu").strip(" :_-")
            return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None
        if table.uuid is not None and len(self._numbers) < MOST_GPUS:
            return self._numbers.setdefault(cells[table.uuid].strip()[:MOST_CELL], len(self._numbers))
        return None

    def _sample(
        self, cells: Sequence[str], columns: Sequence[tuple[int, Column]], gpu: int, at_s: float
    ) -> GpuSample | None:
        known: dict[str, Any] = {}
        limits: list[str] | None = None
        for place, one in columns:
            cell = cells[place]
            if one.field == of.REASONS:
                limits = _more_reasons(limits, one, cell)
                continue
            value = self._read.get((place, cell), self)  # itself stands for what was not read yet
            if value is self:
                value = self._remembered(place, one, cell)
            if value is not None:
                known[one.field] = value
        share = known.pop(of.POWER_SHARE, None)
        if share and share > 0.02 and "power_w" in known:  # the limit, where only the share of it was written
            known.setdefault("power_limit_w", round(known["power_w"] / share, 1))
        if MEASURED.isdisjoint(known) or not 0 <= at_s <= 1e11:
            return None
        if limits is not None:
            known["limits"] = tuple(dict.fromkeys(limits))
        return GpuSample(at_s=at_s, gpu=gpu, **known)

    def _remembered(self, place: int, one: Column, cell: str) -> Any:
        """What a cell says, `None` for nothing; and for when it comes again."""
        value: Any = None
        if one.field in (of.NAME, of.UUID):
            value = clean(cell.strip(), MOST_NAME) or None
        elif one.of != of.TEXT or one.field == "ecc_errors":
            value = self._value(place, one, cell)
            if value is not None and not plausible(one.field, value):
                value = None
        if one.scale is not None or one.of == of.TEXT or place in self._scales:
            if len(self._read) >= MOST_REMEMBERED:
                self._read.clear()
            self._read[place, cell] = value
        return value

    def _value(self, place: int, one: Column, cell: str) -> float | int | None:
        found = number(cell)
        if found is None:
            return None
        value, unit = found
        if one.field == "ecc_errors":
            return int(value) if 0 <= value < 1 << 53 else None
        scale = scale_of(one.of, unit) if unit else one.scale or self._scales.get(place)
        if scale is None and not unit:
            scale = scale_by_value(one.of, value)
            if scale is None:
                return 0.0 if value == 0 and one.of == of.SHARE else None
            self._scales[place] = scale
        if scale is None:
            return None
        scaled = value * scale
        return int(scaled) if one.of == of.BYTES and 0 <= scaled < 1 << 53 else scaled


def _more_reasons(so_far: list[str] | None, one: Column, cell: str) -> list[str] | None:
    if not one.reason:
        found = reasons(cell)
        return so_far if found is None else [*(so_far or ()), *found]
    said = cell.strip().casefold()
    if said not in ("active", "not active"):
        return so_far
    return [*(so_far or ()), *([one.reason] if said == "active" else [])]


def _of_blanks(cells: list[str], table: Layout) -> tuple[str, list[str]]:
    """Of a row cut at blanks: the time in front of it, and its cells; `GPU 0` is one."""
    at = next((n for n, cell in enumerate(cells[:-1]) if cell == "GPU" and cells[n + 1].isdigit()), None)
    if at is not None and of.INDEX in table.fields:
        cells = [*cells[:at], cells[at + 1], *cells[at + 2 :]]
    more = len(cells) - table.width
    return " ".join(cells[:more]) if more > 0 else "", cells[more:] if more > 0 else cells
