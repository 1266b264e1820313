"""What if: settings to change with the arrow keys, and what they would make of this run."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from ... import words
from ...analysis.whatif.plan import plan
from ...analysis.whatif.scenario import Change
from ...reports.plan_text import plan_table
from .. import keys
from ..drawing.lines import box, wrap
from .page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line
    from ..drawing.theme import Theme

# Field of `Change`, its name, and the run's own value.
SETTINGS: tuple[tuple[str, str, Callable[[Findings], int | None]], ...] = (
    ("gradient_accumulation", "gradient accumulation", lambda f: f.throughput.gradient_accumulation),
    ("micro_batch_size", "micro-batch, in sequences", lambda f: f.throughput.micro_batch_size),
    ("gpus", "GPUs", lambda f: f.audit.gpus),
    ("evaluation_interval", "evaluate every", lambda f: f.config.evaluation_interval),
    ("checkpoint_interval", "checkpoint every", lambda f: f.config.checkpoint_interval),
)


class PlanPage(Page, inherit_bindings=False):
    """Up and down choose a setting, left and right halve and double it, backspace takes it back."""

    group = keys.PLAN_PAGE
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.PLAN_PAGE, keys.PAGES)

    def __init__(self, theme: Theme, findings: Callable[[], Findings]) -> None:
        super().__init__(theme)
        self._findings = findings
        self._row = 0
        self._change = Change()

    def lines(self, size: tuple[int, int]) -> Block:
        """The settings above, the run as it is and as it would be below."""
        width, height = size
        found = self._findings()
        body: Block = [self._setting(number, found) for number in range(len(SETTINGS))]
        body.append(())
        made = plan(found, self._change)
        body += [((f" {row}", "label" if number == 0 else ""),) for number, row in enumerate(plan_table(made))]
        for heading, sentences in (("Keep in mind", made.notes), ("To measure", made.measure)):
            if sentences:
                body += [(), ((f" {heading}", "title"),)]
            for sentence in sentences:
                body += [((" ", ""), *line) for line in wrap(sentence, width - 4)]
        return box((("plan: what if", "title"),), body, width, height)

    def action_choose(self, direction: int) -> None:
        """The setting above (-1) or below (1), round and round."""
        self._row = (self._row + direction) % len(SETTINGS)
        self.draw()

    def action_halve(self) -> None:
        """Half of the setting, one at least."""
        if (value := self._value()) is not None:
            self._set(max(1, value // 2))

    def action_double(self) -> None:
        """Twice the setting."""
        if (value := self._value()) is not None:
            self._set(value * 2)

    def action_undo(self) -> None:
        """The run's own value."""
        self._set(None)

    def _value(self) -> int | None:
        field, _, own = SETTINGS[self._row]
        changed: int | None = getattr(self._change, field)
        return changed or own(self._findings())

    def _set(self, value: int | None) -> None:
        field, _, own = SETTINGS[self._row]
        self._change = msgspec.structs.replace(
            self._change, **{field: None if value == own(self._findings()) else value}
        )
        self.draw()

    def _setting(self, number: int, found: Findings) -> Line:
        field, name, own = SETTINGS[number]
        now, new = own(found), getattr(self._change, field)
        mark = "▶" if number == self._row else " "
        line: Line = ((f" {mark} ", "key"), (f"{name:<28}", "value" if number == self._row else "label"))
        if now is None:
            return (
                *line,
                (words.DASH, "dim"),
                ("  not found: give it with --config or a flag", "dim"),
            )
        then: Line = () if new is None else ((" → ", "dim"), (words.count(new), "warn"))
        return (*line, (words.count(now), "value"), *then)
