"""The rows of the chart: a name at the left, the plot, figures at the right. The causes' rows are the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import CAUSES
from ..evidence import no_time_is_sure
from ..rows.ledger import by_size, how_often, name_of, share, time_of, went
from ..sentences import level_figures
from .element import Html, element, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...analysis.findings import Findings, LedgerRow

_HINT = "drag to zoom, double-click for all; n and p go through the slow iterations"


def chart_section(found: Findings, data: Mapping[str, Any]) -> Html:
    """The whole chart. Without JavaScript names and figures are there, and a line says what is missing."""
    acts = (
        ("in", "+", "zoom in"),
        ("out", "−", "zoom out"),
        ("all", "all", "all iterations"),
        ("next", "next slow", "next slow iteration"),
    )
    buttons = (element("button", text, type="button", data_act=act, title=title) for act, text, title in acts)
    bar = element(
        "div", element("h2", "Iteration time"), element("span", _HINT, class_="hint"), *buttons, class_="bar"
    )
    missing = element(
        "noscript",
        element("p", "The chart is drawn by JavaScript, which is off here. All figures are below.", class_="dim"),
    )
    lanes = element("div", *_lanes(found, data), class_="lanes")
    unsure = element("p", no_time_is_sure(found), class_="dim") if found.contradicted else Html()
    return element(
        "section", bar, missing, unsure, lanes, element("div", class_="tip"), class_="chart", tabindex=0
    )


def _lanes(found: Findings, data: Mapping[str, Any]) -> Iterator[Html]:
    if data["band"]:
        level = level_figures(found)
        figures = (element("div", name, Html(" "), element("b", value)) for name, value in level)
        yield _lane("", joined(figures), lane="times")
    rows = by_size(found.ledger)
    if rows:
        yield element("div", went(found), class_="head")
    yield from (_cause(row, name_of(row.cause, found)) for row in rows)
    for number, curve in enumerate(data["curves"]):
        newest = " ".join(filter(None, ("" if not curve["newest"] else "newest", curve["newest"])))
        yield _lane(curve["name"], element("span", newest), lane="curve", curve=number)
    yield _lane("iteration", "", lane="axis")


def _lane(name: str, figures: str, **data: object) -> Html:
    canvas = element(
        "canvas", role="img", aria_label=name or "iteration times", **{f"data_{k}": v for k, v in data.items()}
    )
    return joined(
        (
            element("div", name, class_="name"),
            element("div", figures, class_="figures"),
            element("div", canvas, class_="plot"),
        )
    )


def _cause(row: LedgerRow, called: str) -> Html:
    kind = CAUSES.get(row.cause)
    hue, letter = (kind.colour, kind.letter) if kind else ("grey", "")
    name = joined(
        (
            element("span", letter, class_=f"letter {hue}"),
            element("span", called, title=kind.words if kind else None),
        )
    )
    times = how_often(row, called) or time_of(row)
    figures = joined((element("span", times), Html(" "), element("b", share(row))))
    return _lane(name, figures, lane="cause", cause=row.cause, hue=hue)
