"""A log format of one's own: a TOML file in `$XDG_CONFIG_HOME/itermon/formats` (`~/.config/itermon/formats`).

    name = "my trainer"
    about = "dt: one step, evaluation in it"
    time_includes = ["evaluation"]           # what the printed time has in it: evaluation, checkpoint, data, gc, ...

    [[line]]
    kind = "iteration"                       # or evaluation, checkpoint, checkpoint_written, config, known
    contains = "dt="                         # a literal in each such line; optional, makes reading faster
    pattern = '^\\[(?P<iteration>\\d+)\\] loss=(?P<loss>N) dt=(?P<duration>N)ms'
    units = { duration = "ms" }              # default: seconds, and shares of 1

`N` as the whole of a group stands for a number (nan, inf and 12,345 too). With `mean = true`, the time is the mean over the
iterations since the last line; with `from_stamps = true` it is the difference of the time stamps that stand before the lines.
`itermon formats test my.toml train.log` shows what matches, what does not, and why.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...events import SPAN_KINDS, Config
from .parsing.grammar import Compiled, Group, Line
from .parsing.lines import LineParser, log_format

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import LogFormat

_KINDS = ("iteration", "evaluation", "checkpoint", "checkpoint_written", "config", "known")
_ITERATION = (
    "iteration", "total", "epoch", "epochs", "batch", "batches", "loss", "duration", "mfu", "tokens_per_s", "tokens",
    "data_wait", "gradient_norm", "learning_rate", "rank",
)  # fmt: skip
_UNITS = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0, "%": 0.01, "k": 1e3, "M": 1e6, "G": 1e9,
    "T": 1e12,
}  # fmt: skip
_TEXT = {"checkpoint": ("detail",), "checkpoint_written": ("detail",),
         "config": ("gpu_name", "precision", "dataset")}  # fmt: skip
_SECONDS = {"duration": "duration_s", "data_wait": "data_wait_s"}
_TOP: dict[str, type] = {"name": str, "about": str, "time_includes": list, "mean": bool, "from_stamps": bool, "first_epoch": int,
        "line": list}  # fmt: skip
_LINE: dict[str, type] = {"kind": str, "pattern": str, "contains": str, "units": dict}
_MOST_BYTES = 1 << 20


class OwnFormatError(ValueError):
    """A file that describes no format; the message says where, why and what would be right."""


class OwnFormats(NamedTuple):
    """The formats that a person has described, and what is wrong with the files that could not be read."""

    formats: tuple[LogFormat, ...]
    problems: tuple[str, ...]


def folder() -> Path:
    """Where they are looked for."""
    told = os.environ.get("XDG_CONFIG_HOME", "")
    home = Path(told) if told.startswith("/") else Path("~/.config").expanduser()
    return home / "itermon" / "formats"


def own_formats() -> OwnFormats:
    """All formats in the folder, in the order of their files' names."""
    formats: list[LogFormat] = []
    problems: list[str] = []
    try:
        paths = sorted(folder().glob("*.toml"))
    except OSError as error:
        return OwnFormats((), (f"{folder()}: {error.strerror or error}",))
    for path in paths:
        try:
            formats.append(read_format(path))
        except OwnFormatError as error:
            problems.append(str(error))
    return OwnFormats(tuple(formats), tuple(problems))


def read_format(path: Path) -> LogFormat:
    """The format that a TOML file describes. Raises `OwnFormatError`."""
    return log_format(parser_of(path))


def parser_of(path: Path) -> type[LineParser]:
    """The parser that a TOML file describes. Raises `OwnFormatError`."""
    try:
        data = path.read_bytes()
        if len(data) > _MOST_BYTES:
            raise OwnFormatError(f"{path}: {len(data):,} bytes are no description of a format")
        said = tomllib.loads(data.decode())
    except OSError as error:
        raise OwnFormatError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OwnFormatError(f"{path}: no TOML: {error}") from None
    try:
        return _parser(said, path.stem)
    except OwnFormatError as error:
        raise OwnFormatError(f"{path}: {error}") from None


def _parser(said: dict[str, Any], stem: str) -> type[LineParser]:
    _check(said, _TOP, "")
    compiled = tuple(_line(line, number) for number, line in enumerate(said.get("line", ()), 1))
    if not any(line.iteration for line in compiled):
        raise OwnFormatError('no [[line]] of kind = "iteration": without one there is nothing to show')
    for span in said.get("time_includes", ()):
        if span not in SPAN_KINDS:
            raise OwnFormatError(f"time_includes: {span!r} is none of {', '.join(SPAN_KINDS)}")

    class Own(LineParser):
        name = said.get("name", stem)
        about = said.get("about", "a format of one's own")
        time_includes = tuple(said.get("time_includes", ()))
        mean = said.get("mean", False)
        from_stamps = said.get("from_stamps", False)
        first_epoch = said.get("first_epoch", 0)

    Own._compiled = compiled
    return Own


def _line(said: object, number: int) -> Compiled:
    where = f"line {number}: "
    if not isinstance(said, dict):
        raise OwnFormatError(f"{where}write [[line]] with kind and pattern below it")
    _check(said, _LINE, where)
    kind, text = said.get("kind", "iteration"), said.get("pattern")
    if kind not in _KINDS:
        raise OwnFormatError(f"{where}kind {kind!r} is none of {', '.join(_KINDS)}")
    if not text:
        raise OwnFormatError(f"{where}it has no pattern")
    units = said.get("units", {})
    line = Compiled(
        Line(said.get("contains", ""), text, kind), lambda name, at: _group(kind, name, at, units, where)
    )
    try:
        names, _ = line.pattern.groupindex.keys(), line.groups  # here it is told which one means nothing
    except (re.error, RecursionError, OverflowError) as error:
        raise OwnFormatError(f"{where}the pattern is no regular expression: {error}") from None
    if kind == "iteration" and not {"iteration", "batch"} & names:
        raise OwnFormatError(f"{where}an iteration needs its number: a group (?P<iteration>N), or (?P<batch>N)")
    for name in units:
        if name not in names:
            raise OwnFormatError(f"{where}units: there is no group {name!r} in the pattern")
    return line


def _group(kind: str, name: str, at: int, units: dict[str, Any], where: str) -> Group:
    known = {"iteration": _ITERATION, "config": Config.__struct_fields__}.get(kind)
    if known and name not in known:
        raise OwnFormatError(
            f"{where}a group {name!r} means nothing in a line of kind {kind}: known are {', '.join(known)}"
        )
    unit = units.get(name)
    if unit is not None and unit not in _UNITS:
        raise OwnFormatError(f"{where}units: {unit!r} is none of {', '.join(_UNITS)}")
    if name in _TEXT.get(kind, ()):
        return Group(at, name, None)
    return Group(at, _SECONDS.get(name, name), 1.0 if unit is None else _UNITS[unit])


def _check(said: dict[str, Any], known: Mapping[str, type], where: str) -> None:
    for key, value in said.items():
        if key not in known:
            raise OwnFormatError(f"{where}{key!r} means nothing here: known are {', '.join(known)}")
        if not isinstance(value, known[key]):
            raise OwnFormatError(f"{where}{key} must be {_WORDS[known[key]]}, not {value!r:.40}")


_WORDS: dict[type, str] = {str: "text", list: "a list", bool: "true or false", int: "a number", dict: "a table"}
