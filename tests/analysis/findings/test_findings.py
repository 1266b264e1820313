"""What is found before anything is known: nothing at all."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import msgspec
import pytest

from itermon.analysis import findings

ONE = {
    "Now.iterations",
    "Level.averaged_over",
    "Spike.averaged_over",
    "RunMessage.count",
    "Schedule.share",
    "Schedule.at_once",
}
"""What stands for itself alone, unless something says otherwise."""

NAMES = [module.name for module in pkgutil.iter_modules(findings.__path__)]
MODULES = [import_module(f"{findings.__name__}.{name}") for name in NAMES]
STRUCTS = [
    made
    for module in MODULES
    for made in vars(module).values()
    if isinstance(made, type) and issubclass(made, msgspec.Struct) and made.__module__ == module.__name__
]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_what_nobody_counted_is_zero_and_what_nobody_measured_is_none(struct: type[msgspec.Struct]) -> None:
    numbers = {
        f"{struct.__name__}.{field.name}": field.default
        for field in msgspec.structs.fields(struct)
        if type(field.default) in (int, float) and field.name != "schema_version"
    }
    assert numbers == {name: int(name in ONE) for name in numbers}
    assert not any(isinstance(default, float) and name not in ONE for name, default in numbers.items())


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_nothing_is_so_unless_something_says_so(struct: type[msgspec.Struct]) -> None:
    """But for what the trainer does now, which is inferred from silence."""
    said = {f.name for f in msgspec.structs.fields(struct) if f.default is True}
    assert said == ({"estimated"} if struct.__name__ == "Now" else set())
