"""spaCy 3: a row each time the pipeline is evaluated.

    E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE
      0    1000      75263.20   7992.36    9.34    9.29    9.39    0.09
`#` counts updates. A loss is the sum over the updates since the last row, which is a single one for row 0: that is left out, for no
other row is like it. `TOK2VEC` and `TRANSFORMER` are no losses of a task; with several tasks none of them is the pipeline's. There is
no time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import number

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_GAP = r" {2,}"
_LAYERS = ("LOSS TOK2VEC", "LOSS TRANSF", "LOSS TRANSFORMER")


class SpaCy(LineParser):
    """Rows of evaluations."""

    name = "spaCy"
    about = "updates; no time is printed; loss: the only task's, the sum over the updates since the last row"
    lines = (
        Line("E    #", r"^E +# +(?:W +)?LOSS [\w .]{1,600}SCORE *$", "heading"),
        Line(".", r"^ {0,4}(?P<epoch>\d+) {1,8}(?P<iteration>\d+) {2,30}(?P<rest>(?:[-+\d.naif]{1,20} {1,30}){1,60}[-+\d.naif]{1,20}) *$", "row",
             distinctive=False),
        Line("Pipeline:", r"^(?:ℹ|i) Pipeline: \[", "known"),
        Line("Initial learn rate", r"^(?:ℹ|i) Initial learn rate: ", "known"),
        Line("Saved pipeline", r"Saved pipeline to output directory", "done"),
    )  # fmt: skip
    examples = (
        Example(
            """
ℹ Pipeline: ['tok2vec', 'ner']
E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE
---  ------  ------------  --------  ------  ------  ------  ------
  0       0          0.00     14.50    0.39    0.43    0.36    0.00
  0     200       4263.20   1600.00    9.34    9.29    9.39    0.09
""",
            iterations=((0, None, 1, None), (200, None, 1, 1600.0)),
            evaluations=(
                (0, {"ENTS_F": 0.39, "ENTS_P": 0.43, "ENTS_R": 0.36, "SCORE": 0.0}),
                (200, {"ENTS_F": 9.34, "ENTS_P": 9.29, "ENTS_R": 9.39, "SCORE": 0.09}),
            ),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns: a training begins."""
        self._names = re.split(_GAP, line.text[line.text.find("E ") :].strip())[2:]
        return []

    @handler(iterations=True, texts=("rest",))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation, and the losses since the last one."""
        cells = [number(cell) for cell in fields.pop("rest").split()]
        if len(cells) != len(self._names):
            return self.iteration(fields, line) if self._names else []
        read = dict(zip(self._names, cells, strict=True))
        losses = [value for name, value in read.items() if name.startswith("LOSS ") and name not in _LAYERS]
        if len(losses) == 1 and losses[0] is not None and fields["iteration"]:
            fields["loss"] = losses[0]
        events = self.iteration(fields, line)
        values = {
            name: value for name, value in read.items() if not name.startswith("LOSS ") and value is not None
        }
        return [*events, *self.evaluation({**values, "iteration": fields["iteration"]}, line)] if events else []
