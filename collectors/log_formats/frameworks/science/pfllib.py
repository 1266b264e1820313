"""PFLlib (and the PFL-Non-IID before it): a round of federated learning from its heading to its cost.

    Global rounds: 2000
    -------------Round number: 0-------------
    Averaged Train Loss: 2.3025
    Averaged Test Accuracy: 0.0975
    ------------------------- time cost ------------------------- 16.5
Rounds count from 0 to `Global rounds`. The model is evaluated before its round, which is in the time. Where the heading stands only on
evaluated rounds, the costs count on. A round that tells of several sets of data has no one loss: its values are left aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, Config
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_RESULTS = {"accuracy": "Averaged Test Accuracy", "auc": "Averaged Test AUC"}


class PflLib(LineParser):
    """Rounds."""

    name = "PFLlib"
    about = "time cost: one round, with its evaluation; the loss is that of the model before the round"
    time_includes = (EVALUATION, DATA)
    unit = "round"
    lines = (
        Line("Round number:", r"^-{5,40}Round number: (?P<iteration>\d+)-{5,40} *$", "opens"),
        Line("ime cost --", r"^-{5,40} [tT]ime cost -{5,40} (?P<duration_s>N) *$", "cost"),
        Line("Global rounds:", r"^Global rounds: (?P<planned>\d+) *$", "planned", distinctive=False),
        Line("Averaged Train Loss:", r"^Averaged Train Loss: (?P<loss>N)", "found", distinctive=False),
        Line("Averaged Test Accura", r"^Averaged Test Accuran?cy: (?P<accuracy>N)", "found", distinctive=False),
        Line("Averaged Test AUC:", r"^Averaged Test AUC: (?P<auc>N)", "found", distinctive=False),
        Line("All done!", r"^All done! *$", "done", distinctive=False),
    )
    examples = (
        Example(
            """
Global rounds: 2

-------------Round number: 0-------------

Evaluate global model
Averaged Train Loss: 2.5
Averaged Test Accuracy: 0.125
Averaged Test AUC: 0.5
------------------------- time cost ------------------------- 16.5

-------------Round number: 1-------------

Evaluate global model
Averaged Train Loss: 2.25
Averaged Test Accuracy: 0.25
Averaged Test AUC: 0.75
------------------------- time cost ------------------------- 15.5
All done!
""",
            iterations=((0, 16.5, 1, 2.5), (1, 15.5, 1, 2.25)),
            evaluations=(
                (0, {"Averaged Test Accuracy": 0.125, "Averaged Test AUC": 0.5}),
                (1, {"Averaged Test Accuracy": 0.25, "Averaged Test AUC": 0.75}),
            ),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._round: int | None = None  # at hand, or the next one
        self._found: list[Fields] = []  # of the model before it

    @handler(numbers=("planned",))
    def planned(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Another training, of so many rounds behind that of 0."""
        rounds = whole(fields["planned"])
        return [Config(origin="log", max_iterations=rounds)] if rounds else []

    @handler()
    def opens(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A round begins."""
        self._round, self._found = whole(fields["iteration"]), []
        return []

    @handler(numbers=("accuracy", "auc"))
    def found(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A line of the evaluation before the round."""
        self._found.append(fields)
        return []

    @handler(iterations=True)
    def cost(self, fields: Fields, line: LogLine) -> list[Event]:
        """The round is over."""
        index, found, self._found = self._round, self._found, []
        if index is None:
            return []
        self._round = index + 1
        losses = [one["loss"] for one in found if "loss" in one]
        results = {_RESULTS[name]: value for one in found for name, value in one.items() if name in _RESULTS}
        values = results if len(losses) <= 1 else None
        over = [ended(EVALUATION, line.at_s, index, values=values)] if found else []
        row: Fields = {
            "iteration": index,
            "duration_s": fields["duration_s"],
            "loss": losses[0] if len(losses) == 1 else None,
        }
        return [*over, *self.iteration(row, line)]
