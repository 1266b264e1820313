"""The grammar of a line: a pattern whose groups say what they mean.

`N` as the whole of a group stands for a number (`nan`, `inf` and thousands commas included). The name of a group is a
field, with its unit behind it where it is not SI: `duration_ms`, `mfu_percent`, `tokens_per_s_k`.

Every pattern is searched in at most `LONGEST` characters, and only in lines that hold its literal. A `^` at its
beginning is where the trainer's own text begins: behind what a launcher or a container puts in front of each line.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .values import Fields, number

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 4096
"""Characters of a line that a pattern sees: no line of a log is longer, and hostile ones cost no more."""

NUMBER = r"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|NaN|[iI]nf(?:inity)?)"
"""A number as trainers print it. Each character can be read in one way only, so it is linear."""

_DIGITS = r"\d{1,15}"

LAUNCHER = (
    r"(?:(?:\[?20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?\]?"
    r"|\[(?:rank|default) ?\d{1,6}\]:|\[\d{1,9},\d{1,6}\]<std(?:out|err)>:|\(\w{1,40} pid=\d{1,9}[^)]{0,40}\)"
    r"|[\w.-]{0,60}\d:|[\w.-]{1,60} {1,20}\|) ?){0,3}"
)
"""In front of a line: torchrun's `[rank0]:` and `[default0]:`, Open MPI's `[1,0]<stdout>:`, Ray's `(Worker pid=7)`, the
`0:` of `srun -l`, pdsh's `node-3:`, the `worker-0  |` of docker compose, and the time stamp of a container's log."""
RANK = re.compile(r"\[(?:rank|default) ?(\d{1,6})\]:|^\[\d{1,9},(\d{1,6})\]<std|^ {0,5}(\d{1,5}): ")
"""The rank among them."""

_UNITS = {
    "ms": 1e-3, "us": 1e-6, "s": 1.0, "min": 60.0, "h": 3600.0, "percent": 0.01, "k": 1e3, "m": 1e6,
}  # fmt: skip
_PLAIN = frozenset(("tokens_per_s", "samples_per_s", "train_loss", "val_loss"))  # their last word is no unit
_TEXT = frozenset(
    (
        "detail",
        "dataset",
        "gpu_name",
        "precision",
        "name",
        "unit",
        "phase",
        "stamp",
        "rest",
        "key",
        "bar_n",
        "bar_total",
        "bar_elapsed",
        "bar_remaining",
        "bar_rate",
        "bar_unit",
        "bar_postfix",
    )
)


class Line(NamedTuple):
    """One kind of line. `has` is a literal that each such line holds: it is looked for before the pattern is.

    `shared` lines are read, but prove nothing: other formats have them too (a tqdm bar).
    """

    has: str
    pattern: str
    then: str = "iteration"
    shared: bool = False
    iteration: bool | None = None  # does it carry an iteration? By default: if `then` says so


class Group(NamedTuple):
    """Which group of a match is which field."""

    group: int
    field: str
    factor: float | None  # `None`: text


class Compiled:
    """A kind of line, ready to be matched. `group` says what a group means, by its name and number.

    The pattern is compiled when the first line holds the literal: all of all formats would take 80 ms at the start.
    """

    def __init__(self, line: Line, group: Callable[[str, int], Group] | None = None) -> None:
        self.has, self.then, self.shared = line.has, line.then, line.shared
        self.iteration = line.then == "iteration" if line.iteration is None else line.iteration
        self._written = line.pattern
        self._group = group or _group

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What such a line looks like."""
        return compile_pattern(self._written)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What it says."""
        return tuple(self._group(name, at) for name, at in self.pattern.groupindex.items())

    def read(self, found: re.Match[str]) -> Fields:
        """What a match says."""
        fields: Fields = {}
        for group, field, factor in self.groups:
            text = found[group]
            if text is None:
                continue
            if factor is None:
                fields[field] = text.strip()
            elif (value := number(text)) is not None:
                fields[field] = value * factor
        return fields


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of a format: `(?P<name>N)` is a number. No counter has more than fifteen digits: `\\d+` that might
    begin anywhere in a line of a million digits would be quadratic."""
    own = pattern.replace(r"\d+", _DIGITS).replace(">N)", f">{NUMBER})")
    return re.compile(f"^{LAUNCHER}{own[1:]}" if own.startswith("^") else own)


def as_written(pattern: re.Pattern[str]) -> str:
    """A pattern as its author wrote it, for messages."""
    return pattern.pattern.replace(LAUNCHER, "").replace(f">{NUMBER})", ">N)").replace(_DIGITS, r"\d+")


def _group(name: str, at: int) -> Group:
    field, _, unit = name.rpartition("_")
    if name in _TEXT:
        return Group(at, name, None)
    if name in _PLAIN or not field or unit not in _UNITS:
        return Group(at, name, 1.0)
    return Group(at, f"{field}_s" if field in ("duration", "data_wait") else field, _UNITS[unit])
