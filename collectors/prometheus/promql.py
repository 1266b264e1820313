"""Questions, written safely: what is a label's value can hold quotes, newlines and backslashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\x00"}


def quoted(value: str) -> str:
    """`value` as a string of PromQL."""
    return '"' + "".join(_ESCAPED.get(character, character) for character in value) + '"'


def selector(metric: str, **labels: str) -> str:
    """`metric{label="value"}`"""
    return f"{metric}{{{','.join(f'{name}={quoted(value)}' for name, value in labels.items())}}}"


def one_of(values: Iterable[str]) -> str:
    """A quoted pattern (RE2) that matches each of the values, and nothing else."""
    return quoted("|".join(_literal(value) for value in values))


def _literal(value: str) -> str:
    return re.sub(r"[\\.+*?()|\[\]{}^$]", lambda found: "\\" + found[0], value)


def is_label(name: str) -> bool:
    """Is it a label's name, that can stand in a question as it is?"""
    return _NAME.fullmatch(name) is not None
