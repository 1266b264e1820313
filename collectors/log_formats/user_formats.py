"""A log format of a user's own: a TOML file in `$XDG_CONFIG_HOME/itermon/formats` (`~/.config/itermon/formats`).

    name = "my trainer"
    about = "dt: one step, evaluation in it"
    time_includes = ["evaluation"]           # what the printed time has in it: evaluation, checkpoint, data, gc, ...

    [[line]]
    kind = "iteration"                       # or evaluation, checkpoint, checkpoint_written, config, known
    contains = "dt="                         # a literal in each such line; optional, makes reading faster
    pattern = '^\\[(?P<iteration>\\d+)\\] loss=(?P<loss>N) dt=(?P<duration_ms>N)ms'

    [[example]]                              # optional: `itermon formats test` holds the format to it
    log = '[7] loss=2.5 dt=381ms'
    iterations = [{ index = 7, duration_s = 0.381, loss = 2.5 }]

`N` as the whole of a group stands for a number (nan, inf and 12,345 too). `itermon formats groups` lists the names that
groups may have. A unit stands behind the name, `duration_ms`, or apart: `units = { duration = "ms" }`. With `mean = true`,
the time is the mean over the iterations since the last line; with `from_stamps = true` it is the difference of the time
stamps that stand before the lines. It is the grammar of the built-in formats (`parsing/`), without code.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...events import SPAN_KINDS
from ...opening import read_bytes
from ...words import did_you_mean
from ..clean import clean
from .base import Example, Specificity
from .parsing.grammar import Line
from .parsing.lines import LineParser, log_format
from .parsing.vocabulary import GrammarError
from .timed_patterns import TimedPattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import LogFormat

_TOP: dict[str, type] = {
    "name": str, "about": str, "time_includes": list, "mean": bool, "from_stamps": bool, "first_epoch": int,
    "reads_instead_of": list, "line": list, "example": list,
}  # fmt: skip
_LINE: dict[str, type] = {"kind": str, "pattern": str, "contains": str, "distinctive": bool, "units": dict}
_EXAMPLE: dict[str, type] = {
    "log": str, "variant": str, "iterations": list, "evaluations": list, "checkpoints": list,
}  # fmt: skip
_ITERATION: dict[str, type] = {"index": int, "duration_s": float, "averaged_over": int, "loss": float}
_EVALUATION: dict[str, type] = {"iteration": int, "values": dict}
_MOST_BYTES = 1 << 20


class UserFormatError(ValueError):
    """A file that describes no format; the message says where, why and what would be right."""


class UserFormats(NamedTuple):
    """The formats that files describe, and what is wrong with the files that could not be read."""

    formats: tuple[LogFormat, ...]
    problems: tuple[str, ...]


def folder() -> Path | None:
    """Where a user's formats are looked for; `None` for a user without a home."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    if not configured.startswith("/"):
        configured = os.path.expanduser("~/.config")  # noqa: PTH111 - where Path.expanduser raises
    return Path(configured) / "itermon" / "formats" if configured.startswith("/") else None


def user_formats() -> UserFormats:
    """All formats in the user's folder."""
    path = folder()
    return formats_in_folder(path) if path else UserFormats((), ())


def formats_in_folder(path: Path, *, built_in: bool = False) -> UserFormats:
    """All formats that TOML files in a folder describe, in the order of the files' names; `built_in`: see `read_format`."""
    formats: list[LogFormat] = []
    problems: list[str] = []
    try:
        files = sorted(path.glob("*.toml"))
    except OSError as error:
        return UserFormats((), (f"{path}: {error.strerror or error}",))
    for file in files:
        try:
            formats.append(read_format(file, built_in=built_in))
        except UserFormatError as error:
            problems.append(clean(str(error)))
    return UserFormats(tuple(formats), tuple(problems))


def read_format(path: Path, *, built_in: bool = False) -> LogFormat:
    """The format that a TOML file describes.

    Args:
        path: the file.
        built_in: it came with itermon: the tests have looked at its patterns, so they are compiled when a line asks
            for them, and need no time limit.

    Raises:
        UserFormatError: the file cannot be read, or describes no format.
    """
    try:
        data = read_bytes(path, _MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise UserFormatError(f"{path}: more than {_MOST_BYTES:,} bytes are no description of a format")
        described = _toml().loads(data.decode())
    except OSError as error:
        raise UserFormatError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # of the class: a number of 5,000 digits is none for Python
        raise UserFormatError(f"{path}: no TOML: {error}") from None
    try:
        return log_format(_parser(described, path.stem, built_in=built_in))
    except GrammarError as error:  # of the class: its cause says the same without Python's name of it
        raise UserFormatError(f"{path}: {error.__cause__ or error}") from None
    except UserFormatError as error:
        raise UserFormatError(f"{path}: {error}") from None


def _toml() -> Any:
    """Loaded when the first file is there: 5 ms that others need not wait for."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415
    return tomllib


def _parser(described: dict[str, Any], stem: str, *, built_in: bool) -> type[LineParser]:
    _check(described, _TOP, "")
    read = tuple(_line(line, place) for place, line in enumerate(described.get("line", ()), 1))
    for span in described.get("time_includes", ()):
        if span not in SPAN_KINDS:
            near = did_you_mean(str(span), SPAN_KINDS)
            raise UserFormatError(f"time_includes: {span!r} is none of {', '.join(SPAN_KINDS)}{near}")

    class UserFormat(LineParser):
        name = clean(described.get("name", stem))
        about = clean(described.get("about", "a format of one's own"))
        time_includes = tuple(described.get("time_includes", ()))
        mean = described.get("mean", False)
        from_stamps = described.get("from_stamps", False)
        first_epoch = described.get("first_epoch", 0)
        specificity = Specificity.FRAMEWORK
        reads_instead_of = tuple(map(str, described.get("reads_instead_of", ())))
        examples = tuple(_example(one, place) for place, one in enumerate(described.get("example", ()), 1))
        lines = read
        compiled = None if built_in else partial(TimedPattern, described.get("name", stem))

    if not any(line.kind == "iteration" for line in read):
        raise UserFormatError('no [[line]] of kind = "iteration": without one there is nothing to show')
    if not built_in:
        _compile_all(UserFormat)
    return UserFormat


def _line(described: object, place: int) -> Line:
    where = f"line {place}: "
    if not isinstance(described, dict):
        raise UserFormatError(f"{where}write [[line]] with kind and pattern below it")
    _check(described, _LINE, where)
    if not described.get("pattern"):
        raise UserFormatError(f"{where}it has no pattern")
    return Line(
        contains=described.get("contains", ""),
        pattern=described["pattern"],
        kind=described.get("kind", "iteration"),
        distinctive=described.get("distinctive", True),
        units={name: str(unit) for name, unit in described.get("units", {}).items()},
    )


def _compile_all(parser: type[LineParser]) -> None:
    for place, kind in enumerate(parser.kinds(), 1):
        try:
            kind.pattern  # noqa: B018 - compiled here, so that the error comes with the file
        except (re.error, RecursionError, OverflowError) as error:
            raise UserFormatError(f"line {place}: the pattern is no regular expression: {error}") from None


def _example(described: object, place: int) -> Example:
    where = f"example {place}: "
    if not isinstance(described, dict) or not described.get("log"):
        raise UserFormatError(f"{where}write [[example]] with log and iterations below it")
    _check(described, _EXAMPLE, where)
    iterations = [_checked(one, _ITERATION, f"{where}iterations: ") for one in described.get("iterations", ())]
    evaluations = [_checked(one, _EVALUATION, f"{where}evaluations: ") for one in described.get("evaluations", ())]
    return Example(
        log=described["log"],
        iterations=tuple(
            (one.get("index", 0), one.get("duration_s"), one.get("averaged_over", 1), one.get("loss"))
            for one in iterations
        ),
        evaluations=tuple((one.get("iteration"), one.get("values", {})) for one in evaluations),
        checkpoints=tuple(described.get("checkpoints", ())),
        variant=described.get("variant", ""),
    )


def _checked(described: object, known: Mapping[str, type], where: str) -> dict[str, Any]:
    if not isinstance(described, dict):
        raise UserFormatError(f"{where}{described!r:.40} is no table: known are {', '.join(known)}")
    _check(described, known, where)
    return described


def _check(described: dict[str, Any], known: Mapping[str, type], where: str) -> None:
    for key, value in described.items():
        if key not in known:
            raise UserFormatError(
                f"{where}{key!r} means nothing here{did_you_mean(key, known)}: known are {', '.join(known)}"
            )
        kind = known[key]
        if not isinstance(value, (int, float) if kind is float else kind):
            raise UserFormatError(f"{where}{key} must be {_WORDS[kind]}, not {value!r:.40}")


_WORDS: dict[type, str] = {
    str: "text", list: "a list", bool: "true or false", int: "a whole number", float: "a number", dict: "a table",
}  # fmt: skip
