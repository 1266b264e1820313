"""A loss of a step, an iteration or an epoch in one sentence, as tutorials print it.

    Average loss at step 100: 2.77333
    Cost after epoch 100: 0.6016
    Training loss (for one batch) at step 200: 0.9846
    Validation loss at step 200: 1.25
What counts is the word of the first such line. Of several losses of one step the first is the row's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import CHECKPOINT, EVALUATION
from ..base import Example, Specificity
from ..parsing.grammar import Line, handler
from ..parsing.lines import LineParser
from ..parsing.phases import validates
from ..parsing.validation import of_the_newest
from ..parsing.values import Fields, LogLine, ended, finite

if TYPE_CHECKING:
    from ....events import Event

_SENTENCE = (
    r"^(?P<name>(?:[A-Za-z][\w-]{0,30} ){0,4}(?:[\w-]{0,30}[Ll]oss|[Cc]ost|[Ee]rror)(?: \([\w ]{1,40}\))?) "
    r"(?:at|after|for|in|of) (?:global )?(?P<counts>[A-Za-z]{4,9}) #?(?P<iteration>\d+)(?: ?/ ?(?P<total>\d+))?"
    r"(?: ?[:=] ?| is | was )(?P<value>N)\W{0,3}$"
)
_COUNTS = frozenset(("step", "iteration", "iter", "epoch", "batch", "update"))


class LossAtStep(LineParser):
    """A sentence a row."""

    name = "loss of a step"
    about = "a sentence a row: `loss at step 100: 2.5`; times by the lines' stamps, with the evaluations in them"
    specificity = Specificity.COMMON
    time_includes = (EVALUATION, CHECKPOINT)
    from_stamps = True
    lines = (
        Line("oss", _SENTENCE, "told"),
        Line("ost", _SENTENCE, "told"),
        Line("rror", _SENTENCE, "told"),
    )
    examples = (
        Example(
            """
Average loss at step 100: 2.5
Average loss at step 200: 2.25
Validation loss at step 200: 2.75
Average loss at step 300: 2.0
""",
            iterations=((100, None, 1, 2.5), (200, None, 1, 2.25), (300, None, 1, 2.0)),
            evaluations=((201, {"validation loss": 2.75}),),
        ),
        Example(
            """
Cost after epoch 0: 0.75
Cost after epoch 100: 0.5
Cost after epoch 200: 0.25
""",
            iterations=((0, None, 1, 0.75), (100, None, 1, 0.5), (200, None, 1, 0.25)),
            variant="of epochs",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._counts = ""  # the word of what counts

    @handler(iterations=True, texts=("name", "counts"), numbers=("value",))
    def told(self, fields: Fields, line: LogLine) -> list[Event]:
        """A loss of the training, or of an evaluation of it."""
        name, counts, value = fields.pop("name"), fields.pop("counts").lower(), fields.pop("value")
        if counts not in _COUNTS or (self._counts and counts != self._counts):
            return []
        if validates(name):
            values = {} if finite(value) is None else {name.lower(): value}
            found = ended(EVALUATION, line.at_s, self.next_index, values=values)
            return [of_the_newest(found, self.last if fields.get("iteration") == self.last else None)]
        self._counts = counts
        return self.iteration(fields | {"loss": value}, line)
