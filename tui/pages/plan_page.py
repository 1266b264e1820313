"""What if: settings to change with the arrow keys, and what they would make of this run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...analysis import words
from ...analysis.whatif.plan import plan
from ...analysis.whatif.scenario import Change
from ...reports.plan_text import plan_table
from ..drawing.lines import box, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line

# Field of `Change`, its name, and the run's own value.
SETTINGS: tuple[tuple[str, str, Callable[[Findings], int | None]], ...] = (
    ("gradient_accumulation", "gradient accumulation", lambda f: f.throughput.gradient_accumulation),
    ("micro_batch_size", "micro-batch, in sequences", lambda f: f.throughput.micro_batch_size),
    ("gpus", "GPUs", lambda f: f.audit.gpus),
    ("evaluation_interval", "evaluate every", lambda f: f.config.evaluation_interval),
    ("checkpoint_interval", "checkpoint every", lambda f: f.config.checkpoint_interval),
)


class PlanPage:
    """Up and down choose a setting, left and right halve and double it, backspace takes it back."""

    def __init__(self, findings: Callable[[], Findings]) -> None:
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
        hint: Line = (("↑↓ choose  ←→ halve, double  backspace undo  esc back", "dim"),)
        return box((("plan: what if", "title"),), body, width, height, right=hint)

    def press(self, key: str, character: str | None) -> bool:  # noqa: ARG002 - a page's signature
        """Choose, change, or go back."""
        field, _, own = SETTINGS[self._row]
        match key:
            case "up" | "down":
                self._row = (self._row + (1 if key == "down" else -1)) % len(SETTINGS)
            case "left" | "right":
                value = getattr(self._change, field) or own(self._findings())
                if value is not None:
                    self._set(field, max(1, value // 2) if key == "left" else value * 2)
            case "backspace" | "delete":
                self._set(field, None)
            case _:
                return False
        return True

    def _set(self, field: str, value: int | None) -> None:
        if value == SETTINGS[self._row][2](self._findings()):
            value = None
        self._change = msgspec.structs.replace(self._change, **{field: value})

    def _setting(self, number: int, found: Findings) -> Line:
        field, name, own = SETTINGS[number]
        now, new = own(found), getattr(self._change, field)
        mark = "▶" if number == self._row else " "
        line: Line = ((f" {mark} ", "key"), (f"{name:<28}", "value" if number == self._row else "label"))
        if now is None:
            return (
                *line,
                (words.DASH, "dim"),
                ("  this source does not say: give it with --config or a flag", "dim"),
            )
        then: Line = () if new is None else ((" → ", "dim"), (words.count(new), "warn"))
        return (*line, (words.count(now), "value"), *then)
