"""The meters of CURL, pytorch_sac, DrQ, DrQ-v2, mbrl-lib and TD-MPC: short names, a row for each episode or so.

    | train | F: 2000 | S: 1000 | E: 2 | L: 500 | R: 7.25 | FPS: 36.75 | T: 0:01:02
    | train | E: 3 | S: 2000 | R: 5.5 | D: 9.5 s | BR: 0.125 | ALOSS: 0.5 | CLOSS: 0.25
    | model_train | I: 0 | E: 3 | MLOSS: 2.5        (mbrl-lib's model of the world: trained anew again and again)
     train          E: 2     I: 1,000     R: 7.5    T: 0:01:02
`S` (of TD-MPC2 `I`) counts the agent's steps, `T` is a clock in whole seconds, and `D` what the newest episode took: that of all steps
since the row before only where one episode lies between the two. Evaluations are in both. An agent has no loss that says how well it learns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import as_number, finite, scalars, seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_METER = lazy_pattern(
    r"(?<![\w:])([A-Z][\w@]{0,19}): {0,6}(-?\d{1,3}(?:,\d{3}){1,4}(?![\d,.])|-?\d[\w.:+-]{0,20}(?: s(?!\w))?|nan|inf)(?![\w.])"
)
_METERS = r"(?=.{0,80}?\b[ERLT]: {0,6}-?\d)"
_PLACES = ("S", "I", "F", "E", "T", "D")
_NAMES = {"R": "reward", "L": "episode length", "BR": "batch reward", "FPS": "frames/s"}
_EVALUATES = ("eval", "test", "val")


class AgentMeters(ElapsedParser):
    """Rows with the agent's step; what has none is of something inside."""

    name = "CURL, SAC, DrQ, TD-MPC"
    about = "S (or I): the agent's steps; times by T, or by D where one episode lies between two rows; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("S: ", r"^\| {0,2}(?P<kind>[a-z]\w{0,30}) {0,20}\| (?=.{0,60}?\bS: \d)(?P<meters>[A-Z].{1,1000})$", "row"),
        Line("E: ", r"^\| {0,2}(?P<kind>[a-z]\w{0,30}) {0,20}\| (?=(?:I: \d{1,9} \| )?E: \d)(?!.{0,60}?\bS: \d)(?P<meters>[A-Z].{1,1000})$", "inside"),
        Line("T: ", rf"^ {{0,4}}(?P<kind>train|eval|pretrain) {{1,20}}(?=E: {{0,6}}\d){_METERS}(?=.{{0,80}}?\b[SI]: {{0,6}}\d)(?P<meters>E.{{1,400}}?\bT: {{0,6}}\d[\d:]{{1,12}} {{0,20}})$", "row"),
    )  # fmt: skip
    examples = (
        Example(
            """
| train | F: 1000 | S: 500 | E: 1 | L: 500 | R: 5.25 | BS: 500 | FPS: 96.75 | T: 0:00:40
| train | F: 2000 | S: 1000 | E: 2 | L: 500 | R: 7.25 | BS: 1000 | FPS: 36.75 | T: 0:01:05
| eval  | F: 2000 | S: 1000 | E: 2 | L: 500 | R: 8.25 | T: 0:01:10
| train | F: 3000 | S: 1500 | E: 3 | L: 500 | R: 6.25 | BS: 1500 | FPS: 36.75 | T: 0:01:30
""",
            iterations=((500, None, 1, None), (1000, 0.05, 500, None), (1500, 0.05, 500, None)),
            evaluations=((1001, {"reward": 8.25, "episode length": 500}),),
        ),
        Example(
            """
| eval | E: 0 | S: 0 | R: 5.5
| train | E: 1 | S: 0 | R: 0.0000 | D: 2.5 s | BR: 0.0000 | ALOSS: 0.0000 | CLOSS: 0.0000
| train | E: 2 | S: 1000 | R: 4.5 | D: 5.0 s | BR: 0.1250 | ALOSS: 0.5000 | CLOSS: 0.2500
| train | E: 6 | S: 5000 | R: 5.5 | D: 5.0 s | BR: 0.1250 | ALOSS: 0.5000 | CLOSS: 0.2500
""",
            iterations=((0, None, 1, None), (1000, 0.005, 1000, None), (5000, None, 1, None)),
            evaluations=((None, {"reward": 5.5}),),
            variant="with what an episode took",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._kind = ""  # of the rows: that of the first
        self._inside: dict[str, float] = {}
        self._episode: float | None = None  # the newest row's

    @handler(iterations=True, texts=("kind", "meters"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """What the agent's steps came to, or what an evaluation found."""
        meters = dict(_METER.findall(fields["meters"]))
        step = as_number(meters.get("S", meters.get("I")))
        if whole(step) is None or step is None:
            return []
        values = _values(meters)
        if fields["kind"].startswith(_EVALUATES):
            return self.in_order(self.evaluation({name: float(value) for name, value in values.items()}, line))
        if not fields["kind"].startswith("pre"):  # `pretrain`, whose steps are others
            self._kind = self._kind or fields["kind"]
        if fields["kind"] != self._kind:
            self._inside |= values
            return []
        inside, self._inside = self._inside, {}
        row: Fields = {"iteration": step, "scalars": inside | values} | self._of_episode(meters, step)
        elapsed_s = None if "duration_s" in row else finite(as_number(meters.get("T")))
        return self.timed(row, line, elapsed_s, 1.0)

    @handler(texts=("kind", "meters"))
    def inside(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A model inside: its values are shown with the agent's next row."""
        self._inside |= _values(dict(_METER.findall(fields["meters"])))
        return []

    def _of_episode(self, meters: dict[str, str], step: float) -> Fields:
        """The time of the steps since the row before, if that was one episode."""
        before, self._episode = self._episode, as_number(meters.get("E"))
        took = meters.get("D", "")
        spent_s = seconds(as_number(took)) if took.endswith(" s") else None
        steps = step - self.last if self.last is not None else 0
        if spent_s is None or None in (before, self._episode) or steps <= 0:
            return {}
        if self._episode - before != 1:  # type: ignore[operator]
            return {}
        return {"duration_s": spent_s / steps, "averaged_over": steps}


def _values(meters: dict[str, str]) -> dict[str, float]:
    return scalars((_NAMES.get(name, name), value) for name, value in meters.items() if name not in _PLACES)
