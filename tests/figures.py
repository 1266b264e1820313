"""Every figure of a report that is laid out for people has to be one of `--json`: here it is seen whether it is.

A figure is a number with its unit, as a person reads it. Those that may stand in a report are what the words make
of each number of the JSON, and the figures in its sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from math import isfinite
from typing import TYPE_CHECKING, Any

from itermon import words
from itermon.events import as_json

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings

_FIGURE = re.compile(
    r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:\s?(µs|ms|[KMGT]iB|TFLOP/s|MHz|[kMGTP]?B|°C|[smhd%WkMGTP])(?!\w))?"
)

_OURS = "90 % p95 95 % below 95 % 0 s 0 20 slow 10 slow 40 of 5,000 IOPS"
"""In our own words, whatever the run is."""

_WRITTEN = (
    words.duration,
    words.rounded_duration,
    words.floored_duration,
    words.short_duration,
    words.percent,
    lambda v: words.percent(v, 0),
    lambda v: words.percent(v, 1),
    words.times,
    words.si,
    lambda v: words.si(v, "B"),
    lambda v: words.si(v, "B/s"),
    words.three_digits,
    words.loss,
    words.memory,
    words.money,
    words.count,
    lambda v: words.in_unit(v / 1e6, "MHz"),
    lambda v: words.in_unit(v, "W"),
    lambda v: f"{v:,.6g}",
    lambda v: f"{v:,.4g}",
    str,
)


def figures_of(text: str) -> set[tuple[str, str]]:
    """The figures in a text: (number, unit)."""
    return {(number.rstrip(","), unit) for number, unit in _FIGURE.findall(text)}


def figures_that_may_be(found: Findings) -> set[tuple[str, str]]:
    """Those that the findings give, as JSON, and what follows from two of them that stand beside each other."""
    allowed = figures_of(_OURS)
    for leaf in _leaves(json.loads(as_json(found))):
        if isinstance(leaf, str):
            allowed |= figures_of(leaf)
        else:
            allowed |= _written(leaf)
    for row in found.ledger:
        allowed |= _written(row.seconds / row.count) if row.count else set()
    for shift in found.level.shifts:
        factor = shift.after_s / shift.before_s
        allowed |= _written(factor) | _written(abs(factor - 1))
    return allowed | {("1", "")}


def strange_figures(texts: Iterable[str], found: Findings) -> set[tuple[str, str]]:
    """The figures of texts that the findings do not give."""
    allowed = figures_that_may_be(found)
    figures = set().union(*map(figures_of, texts))
    bare = {number for number, _ in allowed}
    return {(number, unit) for number, unit in figures - allowed if unit or number not in bare}


@lru_cache(maxsize=1 << 16)
def _written(number: float) -> set[tuple[str, str]]:
    return figures_of(" ; ".join(write(number) for write in _WRITTEN)) if isfinite(number) else set()


def _leaves(value: Any) -> Iterator[Any]:
    """Numbers and texts of a JSON value; how long a list is counts as one."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield name
            yield from _leaves(inside)
    elif isinstance(value, list):
        yield len(value)
        for inside in value:
            yield from _leaves(inside)
    elif value is not None and not isinstance(value, bool):
        yield value


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag if tag in ("script", "style") else self._hidden
        self.parts.append(" " if tag in ("b", "span") else " | ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = "" if tag == self._hidden else self._hidden

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def shown(page: str) -> tuple[str, list[tuple[str, dict[str, str | None]]]]:
    """What a person reads of a page, and its tags with their attributes, in their order."""
    parser = _Shown()
    parser.feed(page)
    parser.close()
    return "".join(parser.parts), parser.tags
