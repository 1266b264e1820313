"""The page: one file with its style, its script and its data. It loads nothing, and nothing else in it runs."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from .. import sentences
from . import cards
from .chart_data import chart_data, column_of
from .element import Html, element
from .lanes import chart_section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...analysis.findings import Findings
    from ...analysis.run import Run

MOST_BYTES = 300_000
"""Of a page: small enough for any mail, issue or chat."""

_COLUMNS = (2_000, 1_000, 700, 500, 350, 250, 125, 60)
"""Columns of the chart: as many as fit."""


def page(run: Run, found: Findings, *, title: str = "") -> str:
    """What is found of `run` as one HTML file of at most `MOST_BYTES`; `title` names the source."""
    for most in _COLUMNS:
        made = _page(run, found, title, most)
        if len(made.encode()) <= MOST_BYTES:
            break
    return made


def _page(run: Run, found: Findings, title: str, most_columns: int) -> str:
    columns = run.chart(0, len(run.columns) - 1, most_columns)
    data = chart_data(run, found, columns)
    who = sentences.who(found, title)
    body = (
        _head(found, who),
        cards.verdict(found),
        cards.tiles(found),
        chart_section(found, data),
        cards.slow(found, lambda spike: column_of(columns, spike.position)),
        cards.cards(found),
        cards.settings(found),
        element("footer", "Made by itermon report. This page is one file and loads nothing."),
    )
    return document(f"{who} · itermon", body, data)


def document(title: str, body: Iterable[Html], data: Mapping[str, Any]) -> str:
    """A whole file: what stands in it, and what its chart is drawn from."""
    head = (
        element("meta", charset="utf-8"),
        element("meta", name="generator", content="itermon report"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="referrer", content="no-referrer"),
        element("link", rel="icon", href="data:,"),  # else a browser asks the server that it came from for one
        element("title", title),
        Html(f"<style>{_own('page.css')}</style>"),
    )
    scripts = (_block(data), Html(f"<script>{_own('page.js')}</script>"))
    whole = element("html", element("head", *head), element("body", *body, *scripts), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _head(found: Findings, who: str) -> Html:
    name, _, rest = who.partition(" · ")
    far = found.progress.fraction
    bar = (
        element("progress", max=1, value=f"{min(1.0, far):.4f}", aria_label="how far")
        if far is not None
        else Html()
    )
    said = " · ".join(filter(None, (rest, sentences.how_far(found))))
    return element("header", element("h1", name), element("p", said, class_="of"), bar)


def _block(data: Mapping[str, Any]) -> Html:
    """The data as JSON that no parser of HTML takes for markup: it has no `<`, and is never run."""
    text = msgspec.json.encode(data).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Html(f'<script type="application/json" id="chart-data">{text}</script>')


def _policy() -> str:
    """A second wall behind the escaping: this style and this script, by their hashes, and nothing else at all."""
    style, script = (
        f"'sha256-{b64encode(sha256(_own(name).encode()).digest()).decode()}'" for name in ("page.css", "page.js")
    )
    own = f"style-src {style}; script-src {script}; img-src data:"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


@cache
def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
