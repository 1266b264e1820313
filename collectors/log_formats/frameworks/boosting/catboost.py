"""CatBoost: a line a tree, or every `verbose` trees, and the last one.

0:      learn: 0.6835    test: 0.6840    best: 0.6840 (0)    total: 50.1ms    remaining: 50s
`total` is the time since the training began, in whole seconds from a minute on. What `learn` is, only the script knows (a loss, or
an accuracy with `eval_metric`): it is taken for a loss once it has fallen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import EVALUATION, End
from ...base import Example
from ...families.elapsed import ElapsedParser, spoken_resolution, spoken_seconds
from ...parsing.grammar import Line, handler
from ...parsing.values import unix_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine


class CatBoost(ElapsedParser):
    """Trees."""

    name = "CatBoost"
    unit = "round"
    about = (
        "difference of `total`, a mean since the last line, with its evaluation; loss: `learn`, once it has fallen"
    )
    time_includes = (EVALUATION,)
    tells_the_rest = True
    lines = (
        Line("total: ", r"^[\s\"]*(?P<iteration>\d+):\s+(?:learn: (?P<learn>N)\s+)?(?:test: (?P<test>N)\s+)?(?:test\d+: \S{1,40}\s+){0,20}(?:best(?:Test)?: \S{1,40} \(\d+\)\s+)?"
             r"total: (?P<total_time>[\w. ]{1,40}?)\s+remaining: (?P<left>0us)?", "tree"),
        Line('"passed_time"', r'^\{"learn":\[(?P<learn>N)[^\]]{0,400}\],"iteration":(?P<iteration>N),"passed_time":(?P<passed>N)'
             r'(?:,"remaining_time":[^,}]{1,30})?(?:,"test":\[(?P<test>N)[^\]]{0,400}\])?', "entry"),
        Line('"iteration_count"', r'^"meta":\{.{0,4000}?"iteration_count":(?P<max_iterations>\d+)', "config"),
        Line("best", r"^[\s\"]*best(?:Test|Iteration) = ", "closes"),
        Line("Shrink model", r"^[\s\"]*Shrink model to first \d+ iterations", "closes"),
        Line("overfitting detector", r"^[\s\"]*Stopped by overfitting detector", "closes"),
    )  # fmt: skip
    examples = (
        Example(
            """
0:\tlearn: 0.75\ttest: 0.875\tbest: 0.875 (0)\ttotal: 50.5ms\tremaining: 50s
100:\tlearn: 0.5\ttest: 0.625\tbest: 0.625 (100)\ttotal: 5.05s\tremaining: 45s
200:\tlearn: 0.25\ttest: 0.75\tbest: 0.625 (100)\ttotal: 15.05s\tremaining: 40s

bestTest = 0.625
bestIteration = 100
""",
            iterations=((0, None, 1, None), (100, 0.05, 100, 0.5), (200, 0.1, 100, 0.25)),
            evaluations=((0, {"test": 0.875}), (100, {"test": 0.625}), (200, {"test": 0.75})),
        ),
        Example(
            """
0:      learn: 0.75     total: 1m 2s    remaining: 50m
30:     learn: 0.875    total: 1m 32s   remaining: 49m
""",
            iterations=((0, None, 1, None), (30, 1.0, 30, None)),
            variant="CatBoost with a metric that rises",
        ),
    )

    @handler(iterations=True, numbers=("learn", "test", "passed"))
    def entry(self, fields: Fields, line: LogLine) -> list[Event]:
        """A tree in `catboost_training.json`, whose clock has nanoseconds."""
        return self._tree(fields, line, fields.pop("passed"), 1e-9)

    def __init__(self) -> None:
        super().__init__()
        self._first: float | None = None
        self._over = True  # has the newest training said its end, or has none begun?

    @handler(iterations=True, numbers=("learn", "test"), texts=("total_time", "left"))
    def tree(self, fields: Fields, line: LogLine) -> list[Event]:
        """A tree. Behind the last one nothing is left, to the microsecond."""
        total, over = fields.pop("total_time"), fields.pop("left", None) is not None
        ends = [End(at_s=unix_time(line.at_s), detail="remaining: 0us")] if over else []
        events = self._tree(fields, line, spoken_seconds(total), spoken_resolution(total), ends)
        self._over = over
        return events

    @handler()
    def closes(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What is said of the best tree comes behind the last one, also where a training stops early."""
        if self._over:
            return []
        self._over = True
        return self.in_order([End(at_s=unix_time(line.at_s), detail=line.text.strip())])

    def _tree(
        self,
        fields: Fields,
        line: LogLine,
        elapsed_s: float | None,
        resolution_s: float,
        ends: Sequence[Event] = (),
    ) -> list[Event]:
        learn, test = fields.pop("learn", None), fields.pop("test", None)
        self._over = False
        if self._first is None or (self.last is not None and fields["iteration"] < self.last):
            self._first = learn
        elif learn is not None and learn < self._first:
            fields["loss"] = learn
        elif learn is not None and learn > self._first:
            fields["scalars"] = {"learn": learn}
        fields["rank"] = 0.0  # the number before the colon is none
        if elapsed_s is not None:
            fields["elapsed_s"] = elapsed_s
        tested = [] if test is None else self.evaluation({"test": test, "iteration": fields["iteration"]}, line)
        return self.timed(fields, line, elapsed_s, resolution_s, [*tested, *ends])
