"""NGCF and the recommenders made from it, as KGAT: a row of every epoch that is evaluated, and of some others.

    Epoch 9 [166.8s + 69.8s]: train==[6.5=3.25 + 3.25], recall=[0.07, 0.15], ndcg=[0.12, 0.20]
    Epoch 50 [163.0s]: train==[4.5=2.25 + 2.25]
    Best Iter=[95]@[166677.6]	recall=[0.08	0.17], ndcg=[0.13	0.22]
What this epoch took, and its evaluation; the whole loss before its parts; results of the test at the fewest and the most items.
At the end the best of them, and what all took.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import EVALUATION, End, EndReason, Total
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import ended, number, scalars, seconds

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_RESULT = lazy_pattern(r"([A-Za-z][\w@-]{0,30})=\[ ?([\d.]{1,20})[,\s]{1,4}([\d.]{1,20}) ?\]")


class Ngcf(LineParser):
    """Epochs."""

    name = "NGCF"
    about = "epochs, each with its own time and that of its evaluation; a row stands for one epoch"
    unit = "epoch"
    lines = (
        Line(
            "train==[",
            r"^Epoch {1,4}(?P<iteration>\d+) \[(?P<duration_s>N)s(?: \+ (?P<tested_s>N)s)?\]: "
            r"train==\[(?P<loss>N)(?P<rest>.*)$",
            "row",
        ),
        Line("Best Iter=[", r"^Best Iter=\[\d+\]@\[(?P<spent_s>N)\]", "over"),
    )
    examples = (
        Example(
            """
Epoch 0 [180.5s]: train==[6.50000=4.25000 + 2.25000]
Epoch 9 [160.5s + 60.5s]: train==[5.50000=4.25000 + 1.25000], recall=[0.12500, 0.25000]
Best Iter=[0]@[1800.5]	recall=[0.12500	0.25000]
""",
            iterations=((0, 180.5, 1, 6.5), (9, 160.5, 1, 5.5)),
            evaluations=((10, {"test recall, fewest": 0.125, "test recall, most": 0.25}),),
        ),
    )

    @handler(iterations=True, texts=("rest",), numbers=("tested_s",))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch, and its evaluation if it had one."""
        tested_s, found = fields.pop("tested_s", None), _RESULT.findall(fields.pop("rest"))
        events = self.iteration(fields, line)
        if tested_s is None or not events:
            return events
        values = scalars(
            (f"test {name.removeprefix('test-')}, {at}", number(text))
            for name, *texts in found
            for at, text in zip(("fewest", "most"), texts, strict=True)
        )
        over = ended(EVALUATION, line.at_s, self.next_index, seconds(tested_s), values=values)
        return [*events, of_the_newest(over, self.last)]

    @handler(numbers=("spent_s",))
    def over(self, fields: Fields, line: LogLine) -> list[Event]:
        """All is over: what it took, evaluations in it."""
        spent_s = seconds(fields.get("spent_s"))
        total = [Total(spent_s, "Best Iter", at_s=line.at_s)] if spent_s else []
        return [*total, End(EndReason.FINISHED, line.at_s)]
