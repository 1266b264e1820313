"""Logs that are tables of some kind: JSON Lines, CSV, `key=value` and `key: value` lines.

Nobody said which column is what: it is guessed (`columns.py`), the guess is shown as a message of the run, and
`--column duration=dt:ms` corrects it. Which evaluation or checkpoint is in a time, such a log does not say.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ....events import CHECKPOINT, DATA, EVALUATION
from ..parsing.grammar import Line
from ..parsing.lines import log_format
from ..parsing.rows import RowParser
from ..parsing.values import number
from .json_lines import JsonLines
from .key_value import KeyValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Event
    from ..base import LogFormat
    from ..parsing.columns import Role
    from ..parsing.values import Fields


class Csv(RowParser):
    """A heading with names, then rows, parted by commas, semicolons or tabs."""

    name = "CSV"
    about = "a heading and rows; columns guessed by name, and shown"
    generic = 2
    lines: ClassVar[tuple[Line, ...]] = (
        Line(
            "",
            r"^(?=[^{}]{1,4000}$)(?=.{0,4000}?(?i:step|iter|epoch|loss|batch))\"?[A-Za-z_][\w /.()%-]{0,40}\"?(?:[,;\t] ?\"?[A-Za-z_][\w /.()%-]{0,40}\"?)+$",
            "heading",
        ),
        Line("", r"^(?=[^,;\t ]{0,40}[,;\t] ?[^ ])[-+\d.eEnaNifo,;\t ]+$", "values", shared=True, iteration=True),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._names: list[str] = []
        self._separator = ","

    def heading(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """The names of the columns."""
        counts = {mark: self.text.count(mark) for mark in ",;\t"}
        self._separator = max(counts, key=counts.__getitem__)
        self._names = [name.strip().strip('"') for name in self.text.split(self._separator)]
        return []

    def values(self, _fields: Fields, at_s: float | None) -> Sequence[Event]:
        """A row under the heading."""
        values = self.text.split(self._separator)
        if len(values) != len(self._names):
            return []
        return self.row(zip(self._names, values, strict=True), at_s)


class LightningCsv(Csv):
    """`metrics.csv` of Lightning's CSVLogger: training and validation in rows of their own, and no time."""

    name = "Lightning metrics.csv"
    about = "loss by step; the file holds no time unless the module logs one"
    generic = 0
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line("step", r"^(?=.{0,4000}\bepoch,)(?=.{0,4000}\bstep\b)[\w/.,()-]+$", "heading"),
        Csv.lines[1],
    )


class UltralyticsCsv(Csv):
    """`results.csv` of YOLOv5 and of Ultralytics: an epoch a row, with blanks around its cells until 2024."""

    name = "Ultralytics results.csv"
    about = "time (since 2024): difference of two epochs, with validation and checkpoint; losses are sums of their parts"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    generic = 0
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line("train/", r"^ *epoch,(?: *time,)? *train/\w*loss,", "heading"),
        Line(",", r"^ *\d+,[-+\d.eEnaif, ]+$", "values", shared=True, iteration=True),
    )

    def values(self, _fields: Fields, at_s: float | None) -> Sequence[Event]:
        """An epoch: the losses of its parts are added up, as the trainer itself does."""
        cells = self.text.split(",")
        if len(cells) != len(self._names):
            return []
        read = {
            name: value
            for name, cell in zip(self._names, cells, strict=True)
            if (value := number(cell)) is not None
        }
        row = {
            "epoch": read.get("epoch"),
            "elapsed": read.get("time"),
            "lr": read.get("lr/pg0", read.get("x/lr0")),
        }
        for field, part in (("loss", "train/"), ("val_loss", "val/")):
            losses = [value for name, value in read.items() if name.startswith(part) and name.endswith("loss")]
            row[field] = sum(losses) if losses else None
        return self.row(row.items(), at_s)


class TensorBoardRows(RowParser):
    """The rows of TensorBoard's event files, which are no text: no line is one, see `collectors/trackers/tensorboard.py`."""

    name = "TensorBoard"
    about = (
        "event files: difference of the times of writing, over the steps between; columns guessed by their tags"
    )
    generic = 2


def guessing_formats(chosen: Mapping[str, Role] | None = None) -> tuple[LogFormat, ...]:
    """The formats that guess, with what the user decided of the columns."""
    parsers = (JsonLines, Csv, KeyValue, TensorBoardRows)
    formats = tuple(map(log_format, parsers))
    if not chosen:
        return formats
    return tuple(
        msgspec.structs.replace(one, parser=partial(parser, chosen))
        for one, parser in zip(formats, parsers, strict=True)
    )


FORMATS = (log_format(LightningCsv), log_format(UltralyticsCsv), *guessing_formats())
