"""A plan as plain text: the run as it is next to the run as it would be. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from .lines import indented
from .table import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..analysis.whatif.scenario import Plan, Range, Scenario

WIDTH = 78


def plan_text(plan: Plan) -> str:
    """The plan as text of at most 80 columns."""
    lines = plan_table(plan)
    for heading, sentences in (
        ("Target", (plan.target.sentence,) if plan.target else ()),
        ("Keep in mind", plan.notes),
        ("To measure", plan.measure),
    ):
        if sentences:
            lines += ["", heading]
            for sentence in sentences:
                lines += indented(sentence, WIDTH)
    return "\n".join(lines).lstrip("\n") + "\n"


def plan_table(plan: Plan) -> list[str]:
    """A row a number: what it is, as it is, as it would be with its range. Rows without a number are left out."""
    if plan.now is None:
        return []
    planned = plan.planned if plan.planned != plan.now else None
    rows = [("", "now", "planned" if planned else "")]
    for name, write in _ROWS:
        now = write(plan.now)
        then = write(planned) if planned else ""
        if {now, then} - {"", words.DASH}:
            rows.append((f" {name}", now, then))
    return table(rows, (24, 20, 0))


def _ranged(number: Range | None, write: Callable[[float | None], str]) -> str:
    """The best guess, and its range where it has one: `5.25 s (5.25 s to 5.36 s)`."""
    if number is None:
        return words.DASH
    best, low = write(number.best), write(number.low)
    high = "?" if number.high is None else write(number.high)
    return best if low == best == high else f"{best} ({low} to {high})"


def _rate(tokens_per_s: float | None) -> str:
    return words.DASH if tokens_per_s == 0 else words.count(tokens_per_s)


def _batch(s: Scenario) -> str:
    if s.micro_batch_size is None:
        return words.DASH
    accumulation = "" if s.gradient_accumulation is None else f" × {s.gradient_accumulation:,}"
    return f"{s.micro_batch_size:,}{accumulation} × {words.plural(s.gpus, 'GPU')}"


_ROWS: tuple[tuple[str, Callable[[Scenario], str]], ...] = (
    ("batch", _batch),
    ("tokens/iteration", lambda s: words.count(s.tokens_per_iteration)),
    ("time/iteration", lambda s: _ranged(s.iteration_s, words.duration)),
    ("tokens/s", lambda s: _ranged(s.tokens_per_s, _rate)),
    ("iterations", lambda s: words.count(s.iterations)),
    ("evaluate every", lambda s: words.count(s.evaluation_interval)),
    ("checkpoint every", lambda s: words.count(s.checkpoint_interval)),
    ("share of the stops", lambda s: words.percent(s.stop_share, 1)),
    ("training alone", lambda s: _ranged(s.training_s, words.rounded_duration)),
    ("the whole run", lambda s: _ranged(s.whole_s, words.rounded_duration)),
    ("from here to the end", lambda s: _ranged(s.to_go_s, words.rounded_duration)),
    ("cost of the whole run", lambda s: _ranged(s.cost, words.money)),
)
