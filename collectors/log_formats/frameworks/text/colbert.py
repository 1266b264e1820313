"""ColBERT: a line a step, with a running mean of the loss.

    [Mar 29, 16:29:39] 624 5.688099201616324
The stamps are whole seconds and name no year: a mean over 20 s or more is right to 5 %. All is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class ColBert(ElapsedParser):
    """Steps by their stamps."""

    name = "ColBERT"
    about = "difference of the lines' time stamps, a mean over 20 s or more; all in it"
    time_includes = (CHECKPOINT, DATA)
    lines = (
        Line(":", r"^\[[A-Z][a-z]{2} \d\d, \d\d:\d\d:\d\d\] (?P<iteration>\d+) (?P<loss>\d{1,6}\.\d{3,20}|nan)$", "step"),
        Line("#> ", r"#> Saving a checkpoint to (?P<detail>\S{1,400})", "checkpoint", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
[Mar 29, 16:21:59] 0 6.25
[Mar 29, 16:21:59] 1 6.2500
[Mar 29, 16:22:09] 2 6.125
[Mar 29, 16:22:19] 3 6.0625
#> Saving a checkpoint to /runs/checkpoints/colbert ..
""",
            iterations=((1, None, 1, 6.25), (2, None, 0, 6.125), (3, 10.0, 2, 6.0625)),
            checkpoints=(4,),
        ),
    )

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step of the first rank."""
        return self.timed(fields, line, line.at_s if line.stamped else None, 1.0)
