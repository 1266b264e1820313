"""The report of a run as Markdown: the verdict and where the time went at once, the rest behind a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import CAUSES, LETTERS
from .. import evidence, sentences
from ..rows.batch import batch_rows
from ..rows.incidents import incident_sentences
from ..rows.ledger import by_size, how_often, kinds_of, name_of, share, time_of, went
from ..rows.settings import settings_rows
from .marks import CELLS, lane, sparkline
from .markup import code, folded, plain, points, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Findings, Spike
    from ...analysis.run import Run

MOST_CHARACTERS = 65_536
"""What GitHub takes as one comment."""

_SLOW_SHOWN = 10
_CUT = "*More than fits in a comment: `itermon report` prints the rest.*"


def report_markdown(run: Run, found: Findings, *, title: str = "") -> str:
    """What is found of `run`, as one comment; `title` names the source."""
    columns = run.chart(0, len(run.columns) - 1, CELLS)
    blocks = (
        f"### {plain(sentences.who(found, title))}",
        _verdict(found),
        _fold("Incidents", points(incident_sentences(found))),
        _chart(found, columns),
        _ledger(found, columns),
        _fold("Batch and speed", _batch(found)),
        _fold("When it is done", points(sentences.eta(found))),
        _slow(found),
        _fold("GPU", points(sentences.gpus(found))),
        _fold("Messages", points(sentences.messages(found))),
        _fold("Settings", _settings(found)),
        _fold("Not known", points(sentences.unknown(found))),
    )
    return fitting(blocks)


def fitting(blocks: Sequence[str]) -> str:
    """As many whole blocks as a comment holds, and a line that says so where some are left out."""
    kept, room = [], MOST_CHARACTERS - len(_CUT) - 4
    for block in filter(None, blocks):
        if len(block) + 2 <= room:
            kept.append(block)
            room -= len(block) + 2
    return "\n\n".join(kept if len(kept) == len([*filter(None, blocks)]) else [*kept, _CUT]) + "\n"


def _fold(summary: str, body: str) -> str:
    return folded(summary, body) if body else ""


def _verdict(found: Findings) -> str:
    """The first sentence loud, how far it is, then the evidence."""
    first, *others = sentences.verdict(found)
    return f"**{plain(first)}**\n\n{plain(sentences.how_far(found))}\n\n{points(others)}".rstrip()


def _chart(found: Findings, columns: Sequence[ChartColumn]) -> str:
    """Times and losses, a row each, with the figures that belong to them."""
    level = found.level
    slowest = max((spike.duration_s for spike in found.spikes), default=None)
    one = level.clean_s is not None and level.between is None
    usual = f"usual {words.duration(level.clean_s)}" if one else ""
    most = f"slowest {words.duration(slowest)}" if slowest is not None else ""
    rows = (
        ("time", sparkline([c.median_s or c.slowest_s for c in columns]), " · ".join(filter(None, (usual, most)))),
        ("loss", sparkline([c.loss for c in columns]), "".join(sentences.loss(found))),
    )
    drawn = [f"{name}  {marks}  {said}".rstrip() for name, marks, said in rows if marks]
    return "```text\n" + "\n".join(drawn) + "\n```" if drawn else ""


def _ledger(found: Findings, columns: Sequence[ChartColumn]) -> str:
    rows = []
    for row in by_size(found.ledger):
        marks = lane(columns, row.cause, kinds_of(row.cause, found.ledger))
        letter = CAUSES[row.cause].letter if row.cause in CAUSES else ""
        name = name_of(row.cause, found)
        cause = f"{letter} {name}".strip()
        rows.append((plain(cause), code(marks), how_often(row, name), time_of(row), share(row)))
    return table((went(found), "when", "each", "time", "share"), rows, "llrrr") if rows else ""


def _batch(found: Findings) -> str:
    rows = batch_rows(found)
    known = [(plain(row.name), plain(row.value)) for row in rows if row.name and row.value != words.DASH]
    said = points([*sentences.level(found), *(row.value for row in rows if not row.name)])
    return "\n\n".join(filter(None, (table(("", ""), known, "lr") if known else "", said)))


def _slow(found: Findings) -> str:
    """Those that lost the most time, each with all that is known of why."""
    slow = sentences.slowest(found, _SLOW_SHOWN)
    if not slow and not found.slow_unnamed:
        return ""
    rows = [_spike(spike) for spike in slow]
    of = f": the slowest {len(slow)} of {len(found.spikes):,}" if slow else ""
    notes = [plain(sentence) for sentence in (*sentences.means(found, slow), *evidence.untold(found))]
    listed = [table(("iteration", "time", "why"), rows, "rrl")] if rows else []
    return folded(f"Slow {found.progress.timed_called}s{of}", "\n\n".join([*notes, *listed]))


def _spike(spike: Spike) -> tuple[str, str, str]:
    letters = "".join(LETTERS.get(cause.kind, "") for cause in spike.causes)[:3]
    why = "<br>".join(plain(sentence, 200) for sentence in sentences.of_spike(spike)[:6])
    index = sentences.index_of(spike)
    return (
        f"{index} **{letters}**" if letters else index,
        words.duration(spike.duration_s),
        why,
    )


def _settings(found: Findings) -> str:
    rows = [(code(row.name, 80), code(row.value, 200), plain(row.origin, 80)) for row in settings_rows(found)]
    return table(("setting", "value", "read in"), rows, "lll") if rows else ""
