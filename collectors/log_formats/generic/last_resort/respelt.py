"""Rows that say in an uncommon way what others write as `epoch 3 step 20/90 loss: 0.5`: spelt so, and then read like them.

[0 200/75400] loss 4.03 lr 2.98e-05        Epoch is [1/600], mini-batch is [2/27], batch_loss is 12.98
runs/first| train: [2][500/1600]|Tot: 0:03:49 |loss 20.25 |hm_loss 0.476
[train full 3 0.010000] time elapsed: 27.5 train loss: 0.86 val loss: 0.83        EPOCH[1/50] loss0.245
|   200/ 75400 steps| 980.25 words/s| loss    4.03
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ....patterns import lazy_pattern
from ...base import Specificity
from ...parsing.grammar import Line, beginnings, handler
from ..key_value import KeyValue

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from .....events import Event
    from ...parsing.columns import Role
    from ...parsing.grammar import LineKind
    from ...parsing.values import Fields, LogLine

_NUMBER = r"-?\d{0,12}\.\d{1,20}(?:[eE][-+]?\d{1,3})?(?![\w%.]| ?(?i:k?w|db|kg|km|usd|eur|points?)\b)"
_LOSS = rf"(?=.{{0,200}}?(?i:loss)[ :=]{{1,9}}{_NUMBER})"
_TRAINS = r"(?!(?:(?!loss).){0,100}(?i:(?<![a-z])(?:val|valid|validation|test|eval|evaluation|dev)(?![a-z])))"
"""No word in front of the loss says that it is an evaluation's."""
_COUNTS = r"(?i:(?:mini[ _-]?)?batch|epoch|iter(?:ation)?|step)"
_TWO = rf"^[\[(] {{0,5}}(?P<outer>\d{{1,6}})[ ,:|-]{{1,3}}(?P<inner>\d{{1,9}}) ?/ ?(?P<of>\d{{1,9}}) {{0,2}}[\])][ :,|-]{{0,3}}{_TRAINS}{_LOSS}"
_SETS = r"(?i:train(?:ing)?|val|valid|validation|test|eval|evaluation)"
_LABELLED = (
    rf"^(?:[\w./-]{{1,160}}\| ?)?(?P<label>{_SETS}):? {{0,2}}\[ {{0,5}}(?P<outer>\d{{1,6}}) {{0,2}}\] ?"
    rf"\[ {{0,8}}(?P<inner>\d{{1,9}}) ?/ ?(?P<of>\d{{1,9}}) {{0,2}}\][ :,|-]{{1,3}}{_LOSS}"
)
"""Whose row it is stands in front of two brackets; those of an evaluation are spelt, too, and read as that."""
_OTHERS = r"(?i:folds?|split|seed|run|trial|rank|gpu|device|client|worker|node|model|experiment|task|layer|head|member|user|site)\b"
"""What is numbered beside the rows: a number behind such a word is no row's."""
_FRONTED = (
    rf"^\[(?![^]]{{0,60}}\b{_OTHERS})(?:[A-Za-z]\w{{0,20}} ){{1,3}}(?P<outer>\d{{1,6}})(?: \d{{1,3}}(?:\.\d{{1,20}})?(?:e-\d{{1,3}})?)? {{0,2}}\].{{0,120}}?"
    rf"(?=(?i:train(?:ing)?[ _]loss)[ :=]{{1,3}}{_NUMBER}.{{0,120}}?(?i:val(?:id(?:ation)?)?[ _]loss)[ :=]{{1,3}}{_NUMBER})"
)
"""A number that no word names, beside both losses; what stands between is left out: of what a time is, nobody knows."""
_IS = rf"^(?:[A-Za-z]{{1,12}} ){{0,2}}{_COUNTS} is:? \[?\d{{1,9}}(?=\W)(?=.{{0,200}}?(?i:loss) is:? {_NUMBER})"
_GLUED = rf"^(?:[A-Za-z]{{1,12}} ){{0,2}}{_COUNTS}[ :]{{0,2}}\[ {{0,5}}\d{{1,9}} ?/ ?\d{{1,9}} {{0,2}}\][ :,|-]{{1,3}}{_TRAINS}.{{0,60}}?(?i:loss){_NUMBER}"
"""`EPOCH[1/50] loss0.245`: no mark stands between the name and its value."""
_BEHIND = (
    rf"^[|(\[]? {{0,9}}(?P<n>\d{{1,9}}) {{0,2}}/ {{0,9}}(?P<of>\d{{1,9}}) {{0,2}}(?P<word>(?i:step|iter(?:ation)?|epoch|batch))(?:e?s)?"
    rf"(?:[\])][ :,|-]{{0,3}}|[ :,|-]{{1,3}}){_TRAINS}{_LOSS}"
)
"""The word stands behind what it counts; what follows it is no count, but the next value."""
_PLACED = [lazy_pattern(one.removeprefix("^")) for one in (_TWO, _LABELLED, _FRONTED)]
_SAYS_IS = lazy_pattern(_IS.removeprefix("^"))
_IS_GLUED = lazy_pattern(_GLUED.removeprefix("^"))
_IS_BEHIND = lazy_pattern(_BEHIND.removeprefix("^"))
_AT_ITS_VALUE = lazy_pattern(rf"(?<=[a-z]{{4}}|LOSS)(?={_NUMBER})")
_BETWEEN = lazy_pattern(r" is:? (?=\[?[-+]?\d)")
_MINI = lazy_pattern(r"(?i)\bmini[ _-]?(?=batch\b)")
_LONGEST, _MOST_HELD = 1_000, 100_000


class Respelt(KeyValue):
    """Rows, spelt as others print them."""

    name = "other spellings"
    about = (
        "rows with a loss whose place or names are written in an uncommon way; columns guessed by name, and shown"
    )
    specificity = Specificity.ALONE
    examples = ()  # type: ignore[assignment]
    lines: ClassVar[tuple[Line, ...]] = (
        Line("oss", _TWO, "spelt"),
        Line("oss", _LABELLED, "spelt"),
        Line("oss", _FRONTED, "spelt"),
        Line(" is", _IS, "spelt"),
        Line("", _GLUED, "spelt"),
        Line("oss", _BEHIND, "spelt"),
        *KeyValue.lines,
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._outer: int | None = None  # the newest number in front of a place that no word names
        self._rises = False  # has it, by one: the epoch
        self._held: list[tuple[str, float | None]] = []  # until it has

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """What is spelt in another way counts once it is spelt as others do."""
        if kind.name != "spelt":
            return False
        return super().carries_iteration(
            spelt(text), next(one for one in cls._kinds if one.name == "pairs"), found
        )

    @handler(iterations=True, texts=("label", "word"), numbers=("outer", "inner", "of", "n"))
    def spelt(self, _fields: Fields, _line: LogLine) -> Sequence[Event]:
        """What is left as it was."""
        return []

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """The line, as others would print it; where no word says that a number is an epoch, once it has risen by one."""
        found = _placed(text)
        if found is None or self._rises:
            return super().line(spelt(text), at_s)
        outer = int(found["outer"])
        self._rises = self._outer is not None and outer == self._outer + 1
        self._outer = outer
        self._held = [*self._held, (text, at_s)] if len(self._held) < _MOST_HELD else self._held
        if not self._rises:
            return []
        held, self._held = self._held, []
        alone = "inner" not in found.re.groupindex
        self.columns.called |= (
            {"step": "the number in brackets"}
            if alone
            else {"epoch": "the first number in brackets", "step": "the second number in brackets"}
        )
        return [event for one, at in held for event in super(Respelt, self).line(spelt(one), at)]


def spelt(text: str) -> str:
    """`[0 200/75400] loss 4.03` as `epoch 0, step 200/75400, loss 4.03`, and so on; any other line as it is."""
    if (found := _placed(text)) is not None:
        if "inner" not in found.re.groupindex:
            return f"{found['outer']} {text[found.end() :]}"
        front = found.groupdict().get("label") or ""
        return f"{text[: found.start()]}{front}{': ' * bool(front)}epoch {found['outer']}, step {found['inner']}/{found['of']}, {text[found.end() :]}"
    if (found := _first(_IS_BEHIND, text)) is not None:
        return f"{text[: found.start()]}{found['word']} {found['n']}/{found['of']}, {text[found.end() :]}"
    if (found := _first(_SAYS_IS, text)) is not None:
        return text[: found.start()] + _MINI.sub("", _BETWEEN.sub(": ", text[found.start() :]))
    if (found := _first(_IS_GLUED, text)) is not None:
        return text[: found.start()] + _AT_ITS_VALUE.sub(": ", text[found.start() :])
    return text


def _placed(text: str) -> re.Match[str] | None:
    """A row's place in brackets."""
    return next((found for one in _PLACED if (found := _first(one, text)) is not None), None)


def _first(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Where the trainer's own text is such a line."""
    if "oss" not in text and "OSS" not in text:
        return None
    places = beginnings(text[:_LONGEST])
    return next((found for place in places if (found := pattern.match(text[:_LONGEST], place))), None)
