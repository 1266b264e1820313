"""A comparison, row by row: speed, settings, causes, losses; for every form in which it is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..analysis.whatif.comparison import Comparison, Pair


class Row(NamedTuple):
    """What it is, of the first run, of the second, and what follows: a ratio, a difference."""

    name: str
    a: str
    b: str
    last: str = ""


class Table(NamedTuple):
    """Rows under a heading, and what stands above their columns."""

    heading: str
    heads: Row
    rows: list[Row]


def compare_said(c: Comparison) -> list[str]:
    """The conclusion first, then what it rests on, then what cannot be known."""
    return [c.headline, *c.sentences, *(f"Not known: {sentence}" for sentence in c.unknowable)]


def compare_tables(c: Comparison) -> list[Table]:
    """Each table that has rows."""
    first, second = c.names[0] or "a", c.names[1] or "b"
    equal = "tokens" if any(row.tokens for row in c.losses) else "iterations"
    settings = [Row(d.name, d.a or words.DASH, d.b or words.DASH) for d in c.config]
    tables = (
        Table("Speed", Row("", first, second, "b / a"), _speed(c)),
        Table("GPUs, over all samples", Row("", first, second, "b / a"), _gpus(c)),
        Table("What differs in the settings", Row("", first, second), settings),
        Table("Seconds for each iteration, by cause", Row("", first, second), _causes(c)),
        Table(f"Validation loss at equal {equal}", Row("", first, second, "b - a"), _losses(c)),
    )
    return [table for table in tables if table.rows]


def _speed(c: Comparison) -> list[Row]:
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
        Row(name, write(p.a), write(p.b), words.three_digits(p.ratio)) for name, p, write in rows if p is not None
    ]


def _gpus(c: Comparison) -> list[Row]:
    if (gpus := c.gpus) is None:
        return []
    names = Row("GPUs", *(_named(n, name) for n, name in zip(gpus.counts, gpus.names, strict=True)))
    rows: Sequence[tuple[str, Pair | None, Callable[[float | None], str]]] = (
        ("utilization", gpus.utilization, words.percent),
        ("power, each", gpus.power_w, lambda w: words.in_unit(w, "W")),
        ("clock while busy", gpus.clock_hz, lambda hz: words.in_unit(hz and hz / 1e6, "MHz")),
        ("temperature while busy", gpus.temperature_c, lambda c: words.in_unit(c, "°C")),
        ("energy/iteration", gpus.iteration_joules, lambda joules: words.si(joules, "J")),
    )
    known = [Row(name, write(p.a), write(p.b), words.three_digits(p.ratio)) for name, p, write in rows if p]
    return [names, *known]


def _named(count: int, name: str) -> str:
    name = name.removeprefix("NVIDIA ")
    return f"{count} × {name}" if name and count > 1 else name or f"{count}"


def _causes(c: Comparison) -> list[Row]:
    def cell(seconds: float, share: float) -> str:
        return f"{words.duration(seconds)} ({words.percent(share, 1)})" if seconds else words.DASH

    return [Row(r.cause, cell(r.a_s, r.a_share), cell(r.b_s, r.b_share)) for r in c.causes]


def _losses(c: Comparison) -> list[Row]:
    rows = []
    for row in c.losses:
        where = f"{words.plural(row.tokens, 'token')}" if row.tokens else f"iteration {row.iteration:,}"
        rows.append(Row(where, words.loss(row.a), words.loss(row.b), _signed(row.b - row.a)))
    return rows


def _signed(difference: float) -> str:
    return f"{'+' if difference >= 0 else ''}{words.loss(difference)}"
