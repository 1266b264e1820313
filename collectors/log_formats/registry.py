"""All log formats, found where they lie: a new one is one new file, and no list knows of it.

Built-in formats are the modules below `frameworks/` and `generic/`, and the TOML files in `examples/`, which are also
examples of how users describe formats of their own. The order matters only between formats that read a log equally well:
a user's own come first, then the more specific ones, and a format stands before those that it `reads_instead_of`.
"""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import msgspec

from ...words import did_you_mean
from . import frameworks, generic, index
from .base import Candidate, LogFormat, Specificity
from .generic.csv_table import Csv
from .parsing.columns import FIELDS, SPOKEN, Role, spoken
from .parsing.lines import LineParser, log_format
from .parsing.rows import RowParser
from .parsing.values import UNIT_FACTORS
from .user_formats import read_format, user_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

EXAMPLES = Path(__file__).with_name("examples")


@cache
def all_formats() -> tuple[LogFormat, ...]:
    """Every format: a user's own first, then the built-in ones, the guesses last."""
    return (*user_formats().formats, *_ordered(built_in_formats()))


@cache
def candidates() -> tuple[Candidate, ...]:
    """The same, each loaded when it is needed, if what is known of them before could be kept (`index.py`)."""
    entries = index.kept(_entries)
    if entries is None:
        return tuple(one.candidate for one in all_formats())
    own = (one.candidate for one in user_formats().formats)
    return (
        *own,
        *(
            Candidate(one.needs, one.telling, one.specificity, partial(_load, one.place, one.name))
            for one in entries
        ),
    )


def built_in_formats() -> list[LogFormat]:
    """The formats of every module below `frameworks/` and `generic/`, and of every file in `examples/`."""
    return [one for place in _places() for one in _formats_at(place)]


def _entries() -> Iterator[index.Entry]:
    places = {one.name: place for place in _places() for one in _formats_at(place)}
    return (index.entry(places[one.name], one) for one in _ordered(built_in_formats()))


def _load(place: str, name: str) -> LogFormat:
    return next(one for one in _formats_at(place) if one.name == name)


@cache
def _formats_at(place: str) -> tuple[LogFormat, ...]:
    """The formats of a module or a file, by its place below this folder."""
    if place.endswith(".toml"):
        return (read_format(index.ROOM / place, built_in=True),)
    return tuple(formats_of(import_module(f".{place}", __package__)))


def _places() -> Iterator[str]:
    for package in (frameworks, generic):
        yield from _modules(package.__path__, package.__name__.rpartition(".")[2])
    yield from (file.relative_to(index.ROOM).as_posix() for file in sorted(EXAMPLES.glob("*.toml")))


def formats_of(module: ModuleType) -> Iterator[LogFormat]:
    """The formats that a module defines: its parsers that have a name, and the `LogFormat`s that it makes itself."""
    for value in vars(module).values():
        if isinstance(value, LogFormat):
            yield value
        elif _is_named_parser(value) and value.__module__ == module.__name__:
            yield log_format(value)


def _is_named_parser(value: object) -> TypeGuard[type[LineParser]]:
    return isinstance(value, type) and issubclass(value, LineParser) and "name" in vars(value)


def formats_with_columns(chosen: Sequence[str]) -> tuple[LogFormat, ...]:
    """Every format, where those that guess take `chosen` columns for what a person says they are.

    Args:
        chosen: as in `--column`: FIELD=NAME or FIELD=NAME:UNIT, `duration=dt:ms`.

    Raises:
        ValueError: a field or a unit does not exist; the message says what would be right.
    """
    roles = dict(map(choose, chosen))
    return tuple(_with_roles(parser, roles) if (parser := _guessing_parser(one)) else one for one in all_formats())


def choose(text: str) -> tuple[str, Role]:
    """`duration=dt:ms` or `iteration=step`, as a person says it: the column's name and its role.

    Raises `ValueError`, with what would be right, for a field or a unit that there is not.
    """
    said, equals, rest = text.partition("=")
    name, _, unit = rest.rpartition(":") if ":" in rest else (rest, "", "")
    field = SPOKEN.get(said, said)
    if not equals or field not in FIELDS or not name:
        fields = [*map(spoken, FIELDS)]
        near = did_you_mean(said, fields) if equals and field not in FIELDS else ""
        raise ValueError(
            f"{text!r}{near}: say FIELD=COLUMN or FIELD=COLUMN:UNIT, where FIELD is one of {', '.join(fields)}"
        )
    if unit and unit not in UNIT_FACTORS:
        raise ValueError(
            f"{text!r}: the unit {unit!r} is not known{did_you_mean(unit, UNIT_FACTORS)}; known are {', '.join(UNIT_FACTORS)}"
        )
    return name, Role(field, -1, UNIT_FACTORS.get(unit, 1.0), f" ({unit})" if unit else "")


def _with_roles(parser: type[RowParser], roles: Mapping[str, Role]) -> LogFormat:
    if issubclass(parser, Csv):
        parser = parser.with_names(roles)
    named: type[RowParser] = type(parser.__name__, (parser,), {"named": True})
    return msgspec.structs.replace(log_format(named), parser=partial(named, roles))


def _guessing_parser(one: LogFormat) -> type[RowParser] | None:
    parser = one.parser
    return parser if isinstance(parser, type) and issubclass(parser, RowParser) and parser.guesses else None


def _modules(paths: Iterable[str], above: str) -> Iterator[str]:
    import pkgutil  # noqa: PLC0415 - for those who load all formats

    for info in pkgutil.iter_modules(paths, f"{above}."):
        if info.ispkg:
            yield from _modules(import_module(f".{info.name}", __package__).__path__, info.name)
        else:
            yield info.name


def _ordered(formats: Sequence[LogFormat]) -> list[LogFormat]:
    places = {one: place for place, one in enumerate(Specificity)}
    ordered = sorted(formats, key=lambda one: (places[one.specificity], one.name))
    for one in [one for one in ordered if one.reads_instead_of]:
        at = ordered.index(one)
        first = min((at for at, other in enumerate(ordered) if other.name in one.reads_instead_of), default=at)
        ordered.insert(min(first, at), ordered.pop(at))
    return ordered
