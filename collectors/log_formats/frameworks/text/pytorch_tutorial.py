"""The translation tutorial of PyTorch, of which many scripts were made: a line each so many sentence pairs.

    1m 5s (- 14m 10s) (5000 7%) 2.8538
The time since the beginning, the rest as it was reckoned then, the pairs so far, their share, and the mean loss since the line before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import finite

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class PyTorchTutorial(ElapsedParser):
    """Pairs of sentences, each an iteration."""

    name = "PyTorch translation tutorial"
    about = (
        "difference of the elapsed time over the pairs since the line before: a mean over 20 s or more; all in it"
    )
    time_includes = (DATA,)
    lines = (
        Line(
            " (- ",
            r"(?P<minutes>\d{1,6})m (?P<seconds>\d{1,2})s \(- (?P<left_minutes>-?\d{1,9})m (?P<left_seconds>\d{1,2})s\) "
            r"\((?P<iteration>\d+) (?P<percent>\d{1,3})%\) (?P<loss>N)\s*$",
            "pairs",
        ),
    )
    examples = (
        Example(
            """
1m 40s (- 15m 0s) (1000 10%) 2.5000
3m 20s (- 13m 20s) (2000 20%) 2.2500
5m 20s (- 12m 26s) (3000 30%) 2.0000
""",
            iterations=((1000, None, 1, 2.5), (2000, 0.1, 1000, 2.25), (3000, 0.12, 1000, 2.0)),
        ),
    )

    @handler(iterations=True, numbers=("minutes", "seconds", "left_minutes", "left_seconds", "percent"))
    def pairs(self, fields: Fields, line: LogLine) -> list[Event]:
        """So many pairs, and how long the training has taken."""
        read = {
            name: finite(fields.pop(name)) or 0.0
            for name in ("minutes", "seconds", "left_minutes", "left_seconds")
        }
        fields.pop("percent")
        elapsed_s = 60 * read["minutes"] + read["seconds"]
        left_s = 60 * read["left_minutes"] + read["left_seconds"]
        return self.timed(fields | {"elapsed_s": elapsed_s, "remaining_s": max(0.0, left_s)}, line, elapsed_s, 1.0)
