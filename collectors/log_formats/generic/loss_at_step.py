"""A loss of a step, an iteration or an epoch in one sentence, as tutorials print it.

    Average loss at step 100: 2.77333
    Cost after epoch 100: 0.6016        train loss after 2 epochs: 0.6016
    Training loss (for one batch) at step 200: 0.9846
    Validation loss at step 200: 1.25
What counts is the word of the first such line. Of several losses of one step the first is the row's.
Or alone on its line, where nothing counts: each is a row.

    INFO - Loss 21.57079        DQN INFO episodic returns: 29        loss
    INFO - Loss 20.81250        DQN INFO episodic returns: 24        21.57079
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ....events import CHECKPOINT, EVALUATION, Message
from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..counting.standing import NO_CONTEXT, RowContext
from ..parsing.grammar import PREFIX, Line, handler
from ..parsing.lines import LineParser
from ..parsing.phases import Phase, announced, validates
from ..parsing.validation import of_the_newest
from ..parsing.values import Fields, LogLine, ended, finite, scalars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ....events import Event

_SENTENCE = (
    r"^(?P<name>(?:[A-Za-z][\w-]{0,30} ){0,4}(?:[\w-]{0,30}[Ll]oss|[Cc]ost|[Ee]rror)(?: \([\w ]{1,40}\))?) "
    r"(?:at|after|for|in|of) (?:(?:global )?(?P<counts>[A-Za-z]{4,9}) [#(]?(?P<iteration>\d+)(?: ?/ ?(?P<total>\d+))?\)?"
    r"|(?<=after )(?:(?:training|training for) )?(?P<iteration_>\d{1,9}) (?P<counts_>[A-Za-z]{4,9}?)(?:e?s)?\b(?: of training)?)"
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

    @handler(iterations=True, texts=("name", "counts", "counts_"), numbers=("value", "iteration_"))
    def told(self, fields: Fields, line: LogLine) -> list[Event]:
        """A loss of the training, or of an evaluation of it."""
        fields = {name.rstrip("_"): value for name, value in fields.items()}
        name, counts, value = fields.pop("name"), fields.pop("counts").lower(), fields.pop("value")
        if counts not in _COUNTS or (self._counts and counts != self._counts):
            return []
        if validates(name):
            values = {} if finite(value) is None else {name.lower(): value}
            found = ended(EVALUATION, line.at_s, self.next_index, values=values)
            return [of_the_newest(found, self.last if fields.get("iteration") == self.last else None)]
        self._counts, self.unit = counts, "epoch" if counts == "epoch" else self.unit
        return self.iteration(fields | {"loss": value}, line)


_FEWEST, _MOST = 8, 256
"""Rows that show whether they are a training's: a loss falls. As many are held back at most."""
_ALONE = (
    r"^(?:[\w.-]{1,30} {1,3}(?:INFO|DEBUG)[ :-]{1,3})?(?P<name>(?:[A-Za-z][\w-]{0,20} ){0,2}%s)(?: ?[:=,] {0,8}| {1,8})"
    r"(?:tensor\()?(?P<value>N)(?:(?:, \w{1,20}=(?:'[^']{0,40}'|<\w{1,40}>|torch\.\w{1,20})){0,4}\))?$"
)
_WHOSE = r"(?i:(?:(?:train(?:ing)?|batch|epoch|step|mean|avg|average|total|running|mse|bce|ce|nll)[ _]?){0,2})"
_HEADING = r"^[\ufeff\ufffd]?\"?(?P<name>%s)\"?,?$"
_NUMBER = r"^\"?(?P<value>N)\"?,?$"
"""A table of one column."""
_SHARE = (
    r"^(?:[\w.-]{1,30} {1,3}(?:INFO|DEBUG)[ :-]{1,3})?(?:[Pp]rogress|[Ff]raction)[ :=]{1,4}(?P<share>\d{1,6}\.\d{1,9})%?[ ,;|-]{1,6}"
    r"(?P<name>(?:[A-Za-z][\w-]{0,20} ){0,2}[\w-]{0,20}[Ll]oss)(?: ?[:=] {0,8}| {1,8})(?P<value>N)(?: \([\d.]{1,20}\))?$"
)
"""`progress: 0.01  loss: 2.5 (3.25)`: a share of an epoch counts nothing; two rows may have one."""
_RETURN = r"[Ee]pisod(?:e|ic)[ _](?:[Rr]eturn|[Rr]eward)s?"
_DECIMALS, _MOSTLY = 3, 0.9
_MOST_BESIDE = 4
"""Lines with a loss for each row, at most: itself, another loss beside it, its evaluation's and its test's."""
_TELLS_LOSS = lazy_pattern(r"[Ll]oss(?:_\w{1,20})?['\"]?(?: is)? {0,3}[:= ] {0,8}\d{1,9}\.\d")
_LONGEST = 400
_BEGINS, _OF_SO_MANY = lazy_pattern(r"[^\d]{0,60}?(?i:loss)"), lazy_pattern(r"\d ?/ ?\d")
_IN_FRONT = lazy_pattern(r" {0,8}(\d{1,9}) {1,8}(?i:train(?:ing)?[ _])?[Ll]oss ?[=:]")
"""`12 Loss= 0.5 acc: 0.75`: no word says what counts, but it may count on."""
_LAST_LOSS = lazy_pattern(r"(?s)^.{0,400}?(?i:loss)\w{0,20}[ :=]{1,14}(-?\d{0,12}\.\d{1,20}).{0,400}$")
_COUNTED = "nothing that itermon can read counts the rows of this log: each line with {} is one"
_UNDER = "nothing that itermon can read counts the rows of this log: each number under {} is one"


def _is_a_training_s(values: Sequence[float | None], printed: Sequence[str]) -> bool:
    """Of insurers, traders and cables a loss has few decimals, and falls for no reason."""
    known = [value for value in values if finite(value) is not None]
    half = len(known) // 2
    falls = half > 1 and median(known[half:]) < median(known[:half])  # type: ignore[type-var, operator]
    fine = sum(len(said.partition(".")[2]) >= _DECIMALS for said in printed)
    return falls and fine >= _MOSTLY * len(printed)


def _tells_loss(text: str) -> bool:
    return "oss" in text and _TELLS_LOSS.search(text[:_LONGEST]) is not None


class Unnumbered:
    """Rows with a loss, and with nothing that counts, in a log that has no others."""

    def __init__(self) -> None:
        self._others = False  # rows that are numbered, or under a heading
        self._allowed = self._proven = False
        self._held: list[tuple[dict[str, object], LogLine, float | None, RowContext]] = []
        self._in_front: list[tuple[float, dict[str, object], LogLine]] = []
        self._counts = False  # ... what stands in front of them
        self._with_loss = 0  # lines of which nothing is read, or not yet

    def hear(self, text: str) -> None:
        """A line that is no row, or not yet. Where most lines with a loss are none, the others are hardly the training's."""
        self._with_loss += not self._proven and _tells_loss(text)

    def other(self, row: Iterable[str] = ()) -> None:
        """A row that something counts, or the heading of some; one of an evaluation says nothing of how others are counted."""
        if not any(name.startswith("eval_") and validates(name) for name in row):
            self._others, self._held = True, []

    def learn(self, other: Unnumbered) -> None:
        """Take over whether there are others among more lines of the log."""
        self._allowed = not (other._others or self._others)
        self._others = self._others or (other._others and not other._counts)

    def read(
        self,
        row: dict[str, object],
        line: LogLine,
        loss: float | None,
        as_row: Callable[..., list[Event]],
        begins: bool,  # noqa: FBT001 - of another process
    ) -> list[Event]:
        """The events of this row, and of those before it, once they are known to be such."""
        whose = RowContext(anew=begins)
        if self._proven:
            return as_row(row, line, whose)
        said = PREFIX.sub("", line.text[:_LONGEST], count=1)
        if (front := _IN_FRONT.match(said)) is not None and (self._counts or not self._others):
            return self._counted(float(front[1]), row, line, as_row)
        if _BEGINS.match(said) is None or _OF_SO_MANY.search(said):
            self.other()  # something counts, in words that nobody knows
        if self._others or not self._allowed or len(self._held) >= _MOST:
            return []
        self._held.append((row, line, loss, whose))
        printed = [_LAST_LOSS.sub(r"\1", of.text[:_LONGEST]) for _, of, *_ in self._held[:_FEWEST]]
        losses = [one for _, _, one, _ in self._held]
        rare = self._with_loss > _MOST_BESIDE * len(losses)
        self._proven = len(losses) >= _FEWEST and not rare and _is_a_training_s(losses, printed)
        if not self._proven:
            return []
        held, self._held = self._held, []
        events = [event for one, of, _, its in held for event in as_row(one, of, its)]
        return [*events, Message(_COUNTED.format("a loss"), at_s=line.at_s)]

    def _counted(
        self, n: float, row: dict[str, object], line: LogLine, as_row: Callable[..., list[Event]]
    ) -> list[Event]:
        """A row with a number in front: its step, once eight have counted on, each by as much as the one before."""
        rows = [(n, row, line)]
        if not self._counts:
            places = [*(one for one, *_ in self._in_front[-2:]), n]
            even = len({after - before for before, after in pairwise(places)}) <= 1
            on = len(places) == 1 or n > places[-2]
            rows = [*(self._in_front if even else self._in_front[-1:]), *rows] if on else rows
            self._in_front, self._counts = rows, len(rows) >= _FEWEST
        if not self._counts:
            return []
        self._in_front = []
        return [event for one, cells, of in rows for event in as_row(cells | {"step": one}, of, NO_CONTEXT)]


class ValueAlone(LineParser):
    """Nothing but the value stands on a line, and no other line counts."""

    name = "value alone"
    about = "a loss, or what an episode of an agent returned, alone on its line; rows are counted, times by the lines' stamps"
    specificity = Specificity.ALONE
    time_includes = (EVALUATION, CHECKPOINT)
    from_stamps = True
    lines = (
        Line("oss", _ALONE % r"[\w-]{0,20}[Ll]oss", "told"),
        Line("pisod", _ALONE % _RETURN, "told"),
        Line("oss", _SHARE, "told"),
        Line("oss", _HEADING % rf"{_WHOSE}[Ll]oss(?:es)?", "heading"),
        Line("pisod", _HEADING % _RETURN, "heading"),
        Line("", _NUMBER, "under", distinctive=False),
    )
    examples = (
        Example(
            "\n".join(
                f"INFO - Loss {value}" for value in (9.125, 8.625, 8.875, 8.125, 7.625, 7.125, 7.375, 6.875)
            ),
            iterations=tuple(
                (n, None, 1, value)
                for n, value in enumerate((9.125, 8.625, 8.875, 8.125, 7.625, 7.125, 7.375, 6.875), 1)
            ),
        ),
        Example(
            "\n".join(f"loss tensor({9.125 - n / 8}, device='cuda:0', grad_fn=<DivBackward0>)" for n in range(8)),
            iterations=tuple((n + 1, None, 1, 9.125 - n / 8) for n in range(8)),
            variant="a tensor, as PyTorch prints it",
        ),
        Example(
            "\n".join(f"Classify INFO: progress: 0.0{n // 2}  loss: {9.125 - n / 8} (9.25)" for n in range(8)),
            iterations=tuple((n + 1, None, 1, 9.125 - n / 8) for n in range(8)),
            variant="beside a share of the epoch",
        ),
        Example(
            "\n".join(f"DQN INFO episodic returns: {value}" for value in (29, 24, 24, 18, 14, 23, 13, 31)),
            iterations=tuple((n, None, 1, None) for n in range(1, 9)),
            variant="what episodes returned",
        ),
        Example(
            "\n".join(("train_loss", *(f"{9.125 - n / 4}" for n in range(8)))),
            iterations=tuple((n + 1, None, 1, 9.125 - n / 4) for n in range(8)),
            variant="a table of one column",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._name = ""  # of the rows' value
        self._rows = 0
        self._held: list[tuple[Fields, LogLine, str]] = []
        self._is_proven = False
        self._heads = ""  # the name above the numbers, if nothing else stood between
        self._goes_on = False  # this line is one of them
        self._others = 0  # other lines with a loss
        self._evaluated = False  # is what follows an evaluation's, by the newest line that is no row?

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Numbers stand directly below their name."""
        self._goes_on = False
        events = super().line(text, at_s)
        if text.strip() and self.match(text) is None:
            self._evaluated = announced(text) is Phase.EVALUATION
            self._others += not self._is_proven and _tells_loss(text)
        if self._heads and not self._goes_on and text.strip():
            self._heads = ""
        return events

    @handler(texts=("name",))
    def heading(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The name of the numbers below it."""
        name, self._goes_on = fields["name"], True
        self._heads = name if not validates(name) and self._name in ("", name) else ""
        return []

    @handler(iterations=True, numbers=("value",))
    def under(self, fields: Fields, line: LogLine) -> list[Event]:
        """A number below a name."""
        self._goes_on = True
        return self.told({"name": self._heads, **fields}, line) if self._heads else []

    @handler(iterations=True, texts=("name",), numbers=("value", "share"))
    def told(self, fields: Fields, line: LogLine) -> list[Event]:
        """A value: of a row, as long as its name is that of the first one."""
        name = fields.pop("name").strip()
        if validates(name) or self._evaluated:
            return []
        self._name = self._name or name
        if name != self._name:
            return []
        if self._is_proven:
            return self._row(fields["value"], line)
        if len(self._held) < _MOST:
            self._held.append((fields, line, line.text[max(line.text.rfind(name), 0) :]))
            self._is_proven = self._proves()
        if not self._is_proven:
            return []
        held, self._held = self._held, []
        rows = [event for one, of, _ in held for event in self._row(one["value"], of)]
        word = (_UNDER if self._heads else _COUNTED).format(f"`{name}`")
        return [*rows, Message(word, at_s=line.at_s)]

    def _proves(self) -> bool:
        """What an episode returned needs no proof."""
        if len(self._held) < _FEWEST:
            return False
        if not self._is_loss:
            return True
        if self._others + len(self._held) > _MOST_BESIDE * len(self._held):
            return False
        return _is_a_training_s([one["value"] for one, _, _ in self._held], [said for *_, said in self._held])

    @property
    def _is_loss(self) -> bool:
        return self._name.lower().endswith(("loss", "losses"))

    def process_begins(self, *, short: bool = False, sure: bool = False) -> None:
        """Its rows are counted from the beginning."""
        super().process_begins(short=short, sure=sure)
        self._rows = self._rows if short and not sure else 0

    def _row(self, value: float, line: LogLine) -> list[Event]:
        self._rows += 1
        said = {"loss": value} if self._is_loss else {"scalars": scalars([(self._name, value)])}
        return self.iteration({"iteration": float(self._rows), **said}, line)
