"""The parts of the page around the chart: verdict, figures, slow iterations, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import CAUSES, LETTERS
from .. import evidence, sentences
from ..rows.batch import batch_rows
from ..rows.incidents import incident_sentences
from ..rows.settings import settings_rows
from .element import Html, element, joined, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...analysis.findings import Findings, Spike

SLOW_SHOWN = 20
_MOST_SENTENCES = 40
"""Of one card; of the verdict's evidence twelve."""

_MOST_BYTES = 15_000
"""Of a card, a table has twice as many: all together with the chart are less than a page may have."""


def verdict(found: Findings) -> Html:
    """What it is, loud; the evidence; what to do; what cannot be known."""
    v = found.verdict
    first, *others = v.opening or ("too little known for a verdict",)
    parts = [element("p", first, class_="first")]
    parts += [element("p", said) for said in (*others, *v.evidence[:12])]
    if v.next_step:
        parts.append(element("p", element("b", "Next:"), Html(" "), v.next_step, class_="next"))
    parts += [element("p", f"Not known: {said}", class_="dim") for said in v.unknowable[:12]]
    tone = {True: "verdict good", False: "verdict bad", None: "verdict"}[v.healthy]
    return element("section", *parts, class_=tone)


def tiles(found: Findings) -> Html:
    """The figures that people ask for first; those that are not known have no tile."""
    level, t, losses = found.level, found.throughput, found.losses
    mfu = next((row.value for row in batch_rows(found) if row.name == "MFU"), words.DASH)
    share, _, of = mfu.partition(" of ")
    known = (
        (
            "usual iteration",
            words.duration(level.clean_s if level.between is None else None),
            _unless_dash("jitter {}", words.percent(found.jitter, 1)),
        ),
        (
            "tokens/s, clean",
            words.count(t.tokens_per_s_clean),
            _unless_dash("wall {}", words.count(t.tokens_per_s_wall)),
        ),
        ("MFU", share, f"of {of}" if of else ""),
        ("training loss" if losses.called == "train" else "loss", words.loss(losses.train), _validation(found)),
        (
            "wall time",
            words.rounded_duration(found.progress.wall_s),
            words.plural(found.progress.iterations_seen, "iteration"),
        ),
        ("to go", words.rounded_duration(None if found.ended else found.eta.remaining_s), _to_go(found)),
    )
    made = [_tile(*one) for one in known if one[1] != words.DASH]
    return element("div", *made, class_="tiles") if made else Html()


def _tile(name: str, value: str, more: str) -> Html:
    parts = (("name", name), ("value", value), ("more", more))
    return element("div", *(element("div", text, class_=class_) for class_, text in parts if text), class_="tile")


def _unless_dash(said: str, value: str) -> str:
    return "" if value == words.DASH else said.format(value)


def _validation(found: Findings) -> str:
    return _unless_dash(f"{found.losses.validation_called} {{}}", words.loss(found.losses.validation))


def _to_go(found: Findings) -> str:
    low, high = (words.rounded_duration(bound) for bound in (found.eta.low_s, found.eta.high_s))
    return _unless_dash("{}" + f" to {high}", low)


def slow(found: Findings, column_of: Callable[[Spike], int | None]) -> Html:
    """Those that lost the most time, each with all that is known of why; a click shows it in the chart."""
    shown = sentences.slowest(found, SLOW_SHOWN)
    if not shown and not found.slow_unnamed:
        return Html()
    of = f" of {len(found.spikes):,}: those that lost the most" if len(found.spikes) > len(shown) else ""
    notes = [
        element("p", said, class_="dim") for said in (*sentences.means(found, shown), *evidence.untold(found))
    ]
    made = table(("iteration", "time", "why"), [_spike(spike, column_of(spike)) for spike in shown], "slow")
    head = f"{len(shown)} slow iterations{of}" if shown else "Slow iterations"
    return element("section", element("h2", head), *notes, *([_bounded(made, 2)] if shown else []))


def _spike(spike: Spike, column: int | None) -> tuple[Html, str, Html]:
    chips = [
        element("span", LETTERS[cause.kind], class_=f"letter {CAUSES[cause.kind].colour}")
        for cause in spike.causes
        if cause.kind in LETTERS
    ]
    index = sentences.index_of(spike)
    button = element("button", index, type="button", data_column=column, title="show it in the chart")
    why = joined(element("div", said) for said in sentences.of_spike(spike)[:8])
    return joined((button, Html(" "), *chips[:3])), words.duration(spike.took_s), why


def cards(found: Findings) -> Html:
    """The rest, side by side where there is room."""
    rows = batch_rows(found)
    batch = table((), [(row.name, row.value) for row in rows if row.name and row.value != words.DASH], "pairs")
    said = [*(row.value for row in rows if not row.name), *sentences.level(found)]
    made = (
        _card("Incidents", _list(incident_sentences(found))),
        _card("Batch and speed", joined((batch, _list(said)))),
        _card("When it is done", _list(sentences.eta(found))),
        _card("Newest row", _list(evidence.newest_row(found), "mono")),
        _card("Loss", _list(sentences.loss(found))),
        _card("GPU", _list(sentences.gpus(found))),
        _card("Messages", _list(sentences.messages(found), "mono")),
        _card("Not known", _list(sentences.unknown(found))),
    )
    return element("div", *made, class_="columns")


def _card(heading: str, body: Html) -> Html:
    return element("section", element("h2", heading), _bounded(body)) if body else Html()


def _bounded(body: Html, times: int = 1) -> Html:
    """No log can make a page larger than it may be."""
    fits = len(body.encode()) <= times * _MOST_BYTES
    return body if fits else element("p", "More than fits on this page: itermon report prints it.", class_="dim")


def _list(said: Iterable[str], class_: str | None = None) -> Html:
    shown = list(said)
    items = [element("li", sentence) for sentence in shown[-_MOST_SENTENCES:]]
    if len(shown) > _MOST_SENTENCES:
        items.insert(0, element("li", f"the newest {_MOST_SENTENCES} of {len(shown):,}"))
    return element("ul", *items, class_=class_) if items else Html()


def settings(found: Findings) -> Html:
    """All that is known of them, behind a click."""
    rows = settings_rows(found)
    if not rows:
        return Html()
    body = table(("setting", "value", "read in"), rows, "settings")
    return element("section", element("details", element("summary", "Settings"), _bounded(body, 2)))
