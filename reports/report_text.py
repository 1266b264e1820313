"""The report: the findings as plain text, for pipes, simple terminals and `itermon report`. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from ..events import LETTERS
from . import evidence, scalar_words, sentences
from .lines import gap, indented
from .rows.batch import batch_rows
from .rows.incidents import incident_sentences
from .rows.ledger import ledger_rows, went

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..analysis.findings import Findings, Spike

WIDTH = 78
SLOW_SHOWN = 20
_BATCH_WIDTH = 60
_INDEX_CELLS = 9


def report(found: Findings, *, title: str = "") -> str:
    """The findings as text of at most 80 columns; `title` names the source."""
    each = found.progress.called
    sections = (
        ("", _head(found, title)),
        ("Verdict", _filled(sentences.verdict(found))),
        ("Incidents", _filled(incident_sentences(found))),
        (f"{each.capitalize()} time", _filled(sentences.level(found))),
        (went(found).capitalize(), _where(found)),
        ("Batch", _batch(found)),
        ("Newest row", _filled(evidence.newest_row(found))),
        ("Loss", _filled(sentences.loss(found))),
        ("Metrics", _filled(scalar_words.spoken(found.scalars, found.progress.iteration))),
        ("When it is done", _filled(sentences.eta(found))),
        ("GPU", _filled(sentences.gpus(found))),
        (f"Slow {found.progress.timed_called}s", _slow(found)),
        ("Messages", _filled(sentences.messages(found))),
        ("Not known", _filled(sentences.unknown(found))),
    )
    parts: list[str] = []
    for heading, body in sections:
        lines = [line.rstrip() for line in body]
        if lines:
            parts.append("\n".join([heading, *lines] if heading else lines))
    return "\n\n".join(parts) + "\n"


def _filled(said: Iterable[str], indent: str = " ") -> list[str]:
    return [line for sentence in said for line in indented(sentence, WIDTH, indent)]


def _head(found: Findings, title: str) -> list[str]:
    return [sentences.who(found, title), *_filled([found.recognised], ""), sentences.how_far(found)]


def _where(found: Findings) -> list[str]:
    return [*(str(row) for row in ledger_rows(found, WIDTH)), *_filled(sentences.stops(found))]


def _batch(found: Findings) -> list[str]:
    """What is known of it, and why the rest is not."""
    lines: list[str] = []
    for name, value, _ in batch_rows(found):
        if not name:
            lines += indented(value, _BATCH_WIDTH)
        elif value != words.DASH:
            lines.append(f" {name}{gap(name, value, _BATCH_WIDTH)}{value}")
    return lines


def _slow(found: Findings) -> list[str]:
    slow = found.spikes[-SLOW_SHOWN:]
    cut = len(found.spikes) - len(slow)
    lines = [f" the newest {SLOW_SHOWN} of {len(found.spikes):,}; --json lists them all"] if cut else []
    lines += [
        line for said in (*sentences.means(found, slow), *evidence.untold(found)) for line in _filled([said])
    ]
    cells = max((len(sentences.index_of(spike)) for spike in slow), default=0)
    return lines + [line for spike in slow for line in _spike(spike, max(cells, _INDEX_CELLS))]


def _spike(spike: Spike, cells: int) -> list[str]:
    letters = "".join(LETTERS.get(c.kind, "") for c in spike.causes)[:3]
    head = f" {sentences.index_of(spike):>{cells}} {letters:<3} {words.duration(spike.took_s):>9}  "
    lines = _filled(sentences.of_spike(spike), " " * len(head))
    return [head + lines[0].lstrip(), *lines[1:]] if lines else [head]
