"""A comparison as plain text: what follows from it first, then the numbers side by side. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from .lines import indented, wrap
from .table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.whatif.comparison import Comparison, Pair

WIDTH = 78
SETTING, VALUE = 26, 23
LONGEST = VALUE - 2
"""Of a setting's value: a path that is longer is cut in its middle, as both of its ends tell something."""


def compare_text(c: Comparison) -> str:
    """The comparison as text of at most 80 columns."""
    lines = wrap(c.headline, WIDTH)
    for sentence in c.sentences:
        lines += indented(sentence, WIDTH)
    for sentence in c.unknowable:
        lines += indented(f"Not known: {sentence}", WIDTH)
    head = _row("", c.names[0] or "a", c.names[1] or "b", "b / a" if any(_speed(c)) else "")
    headed = False
    for heading, rows in (
        ("Speed", _speed(c)),
        ("What differs in the settings", [_row(d.name, d.a or words.DASH, d.b or words.DASH) for d in c.config]),
        ("Seconds for each iteration, by cause", _causes(c)),
        (f"Validation loss at equal {'tokens' if any(r.tokens for r in c.losses) else 'iterations'}", _losses(c)),
    ):
        if rows:
            lines += ["", heading, *table(rows if headed else [head, *rows], (SETTING, VALUE, VALUE, 0))]
            headed = True
    return "\n".join(lines) + "\n"


Cells = tuple[str, str, str, str]


def _row(name: str, a: str, b: str, last: str = "") -> Cells:
    return f" {_cut(name, SETTING - 3)}", _cut(a, LONGEST), _cut(b, LONGEST), last


def _cut(value: str, most: int) -> str:
    half = (most - 1) // 2
    return value if len(value) <= most else f"{value[:half]}…{value[-half:]}"


def _speed(c: Comparison) -> list[Cells]:
    rows: Sequence[tuple[str, Pair | None, Callable[[float | None], str]]] = (
        ("normal iteration", c.iteration_s, words.duration),
        ("tokens/iteration", c.tokens_per_iteration, words.count),
        ("tokens/s, clean", c.tokens_per_s, words.count),
        ("tokens/s, wall", c.tokens_per_s_wall, words.count),
        ("micro-step", c.micro_step_s, words.duration),
        ("FLOPs/token", c.flops_per_token, words.si),
        ("FLOP/s achieved", c.achieved_flops, words.si),
        ("MFU", c.mfu, lambda share: words.percent(share, 1)),
    )
    return [
        _row(name, write(p.a), write(p.b), words.three_digits(p.ratio)) for name, p, write in rows if p is not None
    ]


def _causes(c: Comparison) -> list[Cells]:
    def cell(seconds: float, share: float) -> str:
        return f"{words.duration(seconds)} ({words.percent(share, 1)})" if seconds else words.DASH

    return [_row(r.cause, cell(r.a_s, r.a_share), cell(r.b_s, r.b_share)) for r in c.causes]


def _losses(c: Comparison) -> list[Cells]:
    rows = []
    for row in c.losses:
        where = f"{words.plural(row.tokens, 'token')}" if row.tokens else f"iteration {row.iteration:,}"
        rows.append(_row(where, words.loss(row.a), words.loss(row.b), _signed(row.b - row.a)))
    return rows


def _signed(difference: float) -> str:
    return f"{'+' if difference >= 0 else ''}{words.loss(difference)}"
