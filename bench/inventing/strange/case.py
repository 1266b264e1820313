"""One log of a stranger's script, its report, and its truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .views import View

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings

    from .plans import Plan
    from .tape import Tape
    from .wording import Script


class Fault(NamedTuple):
    """A sentence or a figure that is not what happened."""

    kind: str
    said: str
    true: str

    def __str__(self) -> str:
        return f"[{self.kind}] {self.said} - {self.true}"


@dataclass
class Case:
    """One log, its report, and its truth by one way to count."""

    seed: int
    tape: Tape
    plan: Plan
    script: Script
    found: Findings
    text: str  # of the report, on one line
    row_losses: list[float]
    last_line: str
    settings: dict[str, object]

    def view(self, unit: str) -> View:
        return View(unit, self.tape, self.plan, self.script)
