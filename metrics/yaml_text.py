"""YAML, as much of it as a configuration of Prometheus needs: every text in quotes, as JSON has it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def yaml_text(value: Any, indent: int = 0) -> str:
    """Mappings and lists as blocks, whatever is in them."""
    space = " " * indent
    if isinstance(value, Mapping):
        return "".join(f"{space}{key}:{_after(each, indent)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "".join(f"{space}- {yaml_text(each, indent + 2)[indent + 2 :]}" for each in value)
    return f"{space}{json.dumps(value)}\n"


def _after(value: Any, indent: int) -> str:
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        return f"\n{yaml_text(value, indent + 2)}" if value else f" {json.dumps(value)}\n"
    return f" {json.dumps(value)}\n"
