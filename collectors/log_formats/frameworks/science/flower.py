"""Flower: a round of federated learning, and what the server's own evaluation found of it.

    INFO :      Starting Flower ServerApp, config: num_rounds=100, no round_timeout
    INFO :      fit progress: (1, 2.25, {'accuracy': 0.125}, 16.5)
    INFO :      Run finished 100 round(s) in 2036.5s
The loss is that of the evaluation; the clock counts from the first round's beginning, and all is in it. Where the
server evaluates nothing a round is told of by what its clients sent: `aggregate_fit: received 30 results and 0 failures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, Config
from ....patterns import lazy_pattern
from ...base import Example
from ...families.elapsed import ElapsedParser, resolution
from ...parsing.grammar import Line, handler
from ...parsing.values import number, scalars, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_METRIC = lazy_pattern(r"'([^']{1,60})': ([^,}]{1,40})")


class Flower(ElapsedParser):
    """Rounds."""

    name = "Flower"
    about = "difference of the clock between two rounds: a mean over 20 s or more; the server's evaluation in it"
    time_includes = (EVALUATION, DATA)
    lines = (
        Line("fit progress: (", r"\bfit progress: \((?P<iteration>\d+), (?P<val_loss>N), (?P<found>\{[^{}]{0,2000}\}), (?P<clock>[\d.e+-]{1,40})\)", "round"),
        Line("[ROUND ", r"\[ROUND (?P<number>\d+)\]", "opens", distinctive=False),
        Line("aggregate_fit", r"\baggregate_fit: received [1-9]\d{0,8} results and \d+ failures", "fitted"),
        Line("num_rounds=", r"\bStarting Flower \w{1,30}, config: num_rounds=(?P<planned>\d+)", "begins"),
        Line("Run finished", r"\bRun finished \d+ (?:round\(s\)|rounds?) in [\d.]{1,20}s", "done"),
    )  # fmt: skip
    examples = (
        Example(
            """
INFO :      Starting Flower ServerApp, config: num_rounds=3, no round_timeout
INFO :      [ROUND 1]
INFO :      fit progress: (1, 2.25, {'accuracy': 0.125}, 25.5)
INFO :      [ROUND 2]
INFO :      fit progress: (2, 2.0, {'accuracy': 0.25}, 50.5)
INFO :      [ROUND 3]
INFO :      fit progress: (3, 1.5, {'accuracy': 0.5}, 76.0)
INFO :      Run finished 3 round(s) in 80.5s
""",
            iterations=((1, None, 1, None), (2, 25.0, 1, None), (3, 25.5, 1, None)),
            evaluations=(
                (1, {"val_loss": 2.25, "accuracy": 0.125}),
                (2, {"val_loss": 2.0, "accuracy": 0.25}),
                (3, {"val_loss": 1.5, "accuracy": 0.5}),
            ),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._planned: int | None = None  # of a training whose first round is still to come
        self._number: float | None = None  # of the round at hand
        self._fitted: tuple[float, LogLine] | None = None  # the clients have learned, and no evaluation told of it

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The next round, or the end, shows that no evaluation tells of the one before."""
        over = "[ROUND " in text or "Run finished" in text
        return [*(self._unevaluated() if over else ()), *super().line(text, at_s)]

    def release(self) -> list[Event]:
        """The same at the end of the log."""
        return [*super().release(), *self._unevaluated()]

    def _unevaluated(self) -> list[Event]:
        fitted, self._fitted = self._fitted, None
        return [] if fitted is None else [*self.iteration({"iteration": fitted[0]}, fitted[1]), *self._total()]

    def _total(self) -> list[Event]:
        planned, self._planned = self._planned, None
        return [Config(origin="log", max_iterations=planned)] if planned else []

    @handler(numbers=("number",))
    def opens(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A round begins."""
        self._number = fields["number"]
        return []

    @handler(iterations=True)
    def fitted(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Its clients have learned."""
        self._fitted = None if self._number is None else (self._number, line)
        return []

    @handler(numbers=("planned",))
    def begins(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Another training, of so many rounds."""
        self._planned = whole(fields["planned"])
        return []

    @handler(iterations=True, texts=("found", "clock"))
    def round(self, fields: Fields, line: LogLine) -> list[Event]:
        """A round is done, and evaluated."""
        found = scalars((name, value) for name, value in _METRIC.findall(fields["found"])) or {}
        values = {"iteration": fields["iteration"], "val_loss": fields["val_loss"], **found}
        clock, self._fitted, told = fields["clock"], None, self._total()
        row: Fields = {"iteration": fields["iteration"]}
        return [*self.timed(row, line, number(clock), resolution(clock), self.evaluation(values, line)), *told]
