"""The settings of the run, row by row: each with its value and where it was read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import asdict

if TYPE_CHECKING:
    from ...analysis.findings import Findings

MOST_SETTINGS = 80
"""More rows than any setting that explains a speed stands behind."""

HIDDEN = "hidden"
_SECRET = re.compile(r"passw|secret|credential|api_?key|access_?key|(?:^|[_-])token$", re.IGNORECASE)
"""Names whose values open something: what is made to be shown to others does not show these."""


class SettingRow(NamedTuple):
    """One setting; `origin` is "" where the source does not say."""

    name: str
    value: str
    origin: str


def settings_rows(found: Findings) -> list[SettingRow]:
    """Those that are known, in the order of `Config`; then the rest, as its source wrote it."""
    known = asdict(found.config)
    named = [
        (name, value)
        for name, value in known.items()
        if name not in ("origin", "extra", "deadline_at_s") and value is not None
    ]
    rows = [SettingRow(name, _written(value), found.config_origins.get(name, "")) for name, value in named]
    others = found.config.extra.items()
    rows += [SettingRow(name, HIDDEN if _SECRET.search(name) else value, "") for name, value in others]
    return rows[:MOST_SETTINGS]


def _written(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
