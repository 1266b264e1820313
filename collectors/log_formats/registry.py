"""All log formats, found where they lie: a new one is one new file, and no list knows of it.

Built-in formats are the modules below `frameworks/` and `generic/`, and the TOML files in `examples/`, which are also
examples of how users describe formats of their own. The order matters only between formats that read a log equally well:
a user's own come first, then the more specific ones, and a format stands before those that it `reads_instead_of`.
"""

from __future__ import annotations

import pkgutil
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import msgspec

from . import frameworks, generic
from .base import LogFormat, Specificity
from .generic.csv_table import Csv
from .parsing.columns import choose
from .parsing.lines import LineParser, log_format
from .parsing.rows import RowParser
from .user_formats import formats_in_folder, user_formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from .parsing.columns import Role

EXAMPLES = Path(__file__).with_name("examples")


@cache
def all_formats() -> tuple[LogFormat, ...]:
    """Every format: a user's own first, then the built-in ones, the guesses last."""
    return (*user_formats().formats, *_ordered(built_in_formats()))


def built_in_formats() -> list[LogFormat]:
    """The formats of every module below `frameworks/` and `generic/`, and of every file in `examples/`."""
    modules = (module for package in (frameworks, generic) for module in _modules(package))
    return [
        *(found for module in modules for found in formats_of(module)),
        *formats_in_folder(EXAMPLES, built_in=True).formats,
    ]


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


def _with_roles(parser: type[RowParser], roles: Mapping[str, Role]) -> LogFormat:
    if issubclass(parser, Csv):
        parser = parser.with_names(roles)
    named: type[RowParser] = type(parser.__name__, (parser,), {"named": True})
    return msgspec.structs.replace(log_format(named), parser=partial(named, roles))


def _guessing_parser(one: LogFormat) -> type[RowParser] | None:
    parser = one.parser
    return parser if isinstance(parser, type) and issubclass(parser, RowParser) and parser.guesses else None


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = import_module(info.name)
        if info.ispkg:
            yield from _modules(module)
        else:
            yield module


def _ordered(formats: Sequence[LogFormat]) -> list[LogFormat]:
    places = {one: place for place, one in enumerate(Specificity)}
    ordered = sorted(formats, key=lambda one: (places[one.specificity], one.name))
    for one in [one for one in ordered if one.reads_instead_of]:
        at = ordered.index(one)
        first = min((at for at, other in enumerate(ordered) if other.name in one.reads_instead_of), default=at)
        ordered.insert(min(first, at), ordered.pop(at))
    return ordered
