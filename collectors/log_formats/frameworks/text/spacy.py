"""spaCy 3: a row each time the pipeline is evaluated. And loops over `nlp.update`, as its documentation shows them.

    E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE
      0    1000      75263.20   7992.36    9.34    9.29    9.39    0.09
`#` counts updates. A loss is the sum over the updates since the last row, which is a single one for row 0: that is left out, for no
other row is like it. `TOK2VEC` and `TRANSFORMER` are no losses of a task; with several tasks none of them is the pipeline's. There is
no time.

    Starting iteration 3
    Losses {'ner': 7.125}
Such a loop prints a dictionary of losses, an iteration of it or a batch at a time, under a heading or none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.rows import RowParser
from ...parsing.values import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .....events import Event
    from ...parsing.columns import Role
    from ...parsing.values import Fields, LogLine

_GAP = r" {2,}"
_PIPES = r"(?:ner|textcat(?:_multilabel)?|tagger|parser|spancat|morphologizer|senter|entity_linker|relation_extractor|tok2vec|transformer|trainable_lemmatizer)"
_NUMBER = lazy_pattern(r"'(\w{1,40})': (?:np\.float\d\d\()?(-?\d[\d.e+-]{0,30}|nan|inf)")
_COUNT = lazy_pattern(r"(?i)(?:^|\b(?:iteration|iter|itn|epoch)\b\W{0,4})(\d{1,6})(?![\w.]|[:-]\d)")
_HEADING = r"^(?:(?i:start(?:ing)?|begin(?:ning)?|training) )?(?i:iteration|epoch)\W{0,4}(?P<n>\d{1,6})(?: ?(?:/|of) ?\d{1,6})?\W{0,5}$"
_INNER = ("tok2vec", "transformer")
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


class SpaCyLoop(RowParser):
    """A dictionary of losses a row."""

    name = "spaCy loop"
    about = "losses of nlp.update, summed as the loop sums them; rows are counted where no heading counts them"
    guesses = False
    lines = (
        Line("{'", rf"^(?P<front>[^{{}}]{{0,80}}?)(?:(?i:loss(?:es)?)\W{{0,4}})?\{{(?P<losses>'{_PIPES}': [^{{}}]{{1,600}})\}}", "losses"),
        Line("teration", _HEADING, "heading", distinctive=False),
        Line("poch", _HEADING, "heading", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
Starting iteration 0
Losses {'ner': 12.5}
Starting iteration 1
Losses {'ner': 7.125}
""",
            iterations=((0, None, 1, 12.5), (1, None, 1, 7.125)),
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._n: float | None = None
        self._rows = 0

    @handler(numbers=("n",))
    def heading(self, fields: Fields, line: LogLine) -> list[Event]:
        """An iteration of the loop begins, or its first one again."""
        before, self._n = self._n, fields["n"]
        again = before is not None and self._n < before and self.last is not None
        return self.part_begins(line) if again else []

    @handler(iterations=True, texts=("front", "losses"))
    def losses(self, fields: Fields, line: LogLine) -> list[Event]:
        """Losses by the pipes; one alone is the training's."""
        found = {name: text for name, text in _NUMBER.findall(fields["losses"]) if name not in _INNER}
        if not found:
            return []
        count = _COUNT.search(fields["front"])
        n = count[1] if count else self._n
        self._rows += 1
        if len(found) != 1:  # none of several is the pipeline's
            return self.row([("step", self._rows if n is None else n), *found.items()], line)
        place = [] if n is None else [("epoch", n)]
        return self.row([*place, *(("loss", text) for text in found.values())], line)
