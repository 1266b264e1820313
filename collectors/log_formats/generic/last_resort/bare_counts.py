"""Scripts that print a number that counts on a line of its own, and perhaps values below it, in words that no other format reads.

current episode: 12            Round 3/80                                  ==> Epoch 7/800        New tile 12 / 384 in epoch 0 / 10
                               clients avg. loss: 0.5, acc: 0.125          ==> Test               Round 3 - loss: 0.5, acc: 0.125
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import Witness
from ....patterns import lazy_pattern
from ...base import Specificity
from ...counting.progression import Progression
from ...parsing import phases
from ...parsing.columns import guess
from ...parsing.grammar import PREFIX, Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import Phase
from ...parsing.values import LogLine, number, scalars
from ..line_values import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields

_MOST_HELD, _FEWEST = 64, 4
_MARKS = r"[^\w+.%$]{0,20}"
_N, _OF = r"(?P<iteration>\d{1,9})", r" {0,3}(?:/|of) {0,3}(?P<total>\d{1,9})"
_GOES_ON = r"(?: ?(?:\.{2,3}|(?i:begins?|starts?|started|running|training|in progress)(?:\.{1,3})?))?"
_FRONT = r"(?i:(?:current|training|train|start(?:ing)?|begin(?:ning)?|running|processing|global|federated|communication) ){0,2}"
_OF_MANY = (
    rf"^{_MARKS}{_FRONT}(?P<word>(?i:epoch|episode|generation|round)){_MARKS}{_N}{_OF}{_MARKS}{_GOES_ON}{_MARKS}$"
)
_CURRENT = (
    rf"^{_MARKS}(?i:current|training) (?P<word>(?i:epoch|episode|iteration|generation))\W{{1,3}}{_N}{_MARKS}$"
)
_ROUND = rf"^{_MARKS}{_FRONT}(?P<word>(?i:round)){_MARKS}{_N}{_MARKS}$"
"""A round of nobody knows how many may be one of a game: each has to have a loss below it."""
_RATE = r"(?i:lr|learning[ _]rate)[ :=]{1,4}\d{1,3}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?"
_EPOCH = (
    rf"^{_MARKS}{_FRONT}(?i:(?:i|n|idx|cur|current)_)?(?P<word>(?i:epoch))(?: (?i:number|num|no))?{_MARKS}{_N}(?:[ ,|:;(-]{{1,4}}{_RATE})?"
    rf"{_MARKS}{_GOES_ON}{_MARKS}$"
)
"""With the learning rate that it begins with, or without: `epoch 12 lr 2.5e-02` counts as `epoch 12` does."""
_CLIENTS = (
    rf"^{_MARKS}{_FRONT}(?P<word>(?i:round)){_MARKS}{_N}(?:{_OF})?[ ,:;|-]{{1,5}}"
    r"(?i:active|selected|sampled|chosen|participating) {1,2}(?:\d{1,6} {1,2})?(?i:clients)\b"
)
"""With those who take part in it: of a training, where one is told of before."""
_ROUND_ROW = (
    rf"^{_MARKS}{_FRONT}(?P<word>(?i:round)){_MARKS}{_N}(?:{_OF})?(?=\W)"
    r"(?=.{0,200}?\b(?i:loss)['\"]?[ :=]{1,3}\d{1,12}\.\d{1,20}(?![\d%]| ?(?i:db|usd|eur|points?)\b))"
)
_AFTER_ROUND = (
    rf"^{_MARKS}(?i:after) (?:(?i:the )?{_N}(?:st|nd|rd|th)? (?P<word>(?i:round))s?)(?=\W)"
    r"(?=.{0,200}?\b(?i:loss)['\"]?[ :=]{1,3}\d{1,12}\.\d{1,20}(?![\d%]| ?(?i:db|usd|eur|points?)\b))"
)
"""`After 3 rounds: loss = 0.5, accuracy = 0.25`"""
_WITHIN = (
    rf"^{_MARKS}(?P<word>(?:[A-Za-z]\w{{0,20}} ){{1,3}})(?P<batch>\d{{1,9}}) {{0,2}}/ {{0,2}}(?P<batches>\d{{1,9}})"
    rf" in epoch {{1,2}}(?P<epoch>\d{{1,9}})(?: {{0,2}}/ {{0,2}}(?P<epochs>\d{{1,9}}))?{_MARKS}$"
)
_RICHER = lazy_pattern(
    rf"^{_MARKS}{_FRONT}(?i:epoch|round|episode|generation){_MARKS}(?P<n>\d{{1,9}})(?![\d.%:/]).{{0,20}}?[A-Za-z]"
)
"""`epoch 12 tau 0.5`: it counts as `epoch 12` does, and says more."""
_COUNTS = lazy_pattern(r"(?i:epoch|round|episode|generation)\W{1,20}\d")
_BELOW = r"^(?:(?:[A-Za-z_]{1,20}[.:]?[ _]){0,4}\[)?(?:[A-Za-z_]{1,20}\.?[ _]){0,4}(?i:loss|acc|accuracy|reward|return)(?: is| ?[:=]|\.{2,3}) {0,8}(?P<value>N)(?![\d%])"
_FINE = lazy_pattern(r"(?i)\.|nan|inf")
_NUMBERS = lazy_pattern(r"\d{1,20}(?:\.\d{1,20})?(?:e[-+]?\d{1,4})?")
_LONGEST = 400
_TRAINS = lazy_pattern(
    r"(?i)\b(?:train(?:ing|er|s|ed|_\w{1,30})?|learning|lr|optimi[sz]er|clients?|loss|rewards?)\b"
)
"""A word of a training, anywhere before: what counts alone may be rounds of a game, or pages of a test."""
_LEARNS = lazy_pattern(
    r"(?i)(?<![a-z])(?:train(?:ing)?|val(?:id(?:ation)?)?)[ _-]?(?:start|begin|set|data|load|loss|acc|sampl|step|epoch|model|net|size)"
    r"|(?:start|begin)\w{0,4} (?:the )?training(?![a-z])|^\W{0,20}training\W{0,20}$|learning[ _]rate|loss ?[:=(]|optimi[sz]er"
)
"""... and before epochs of nobody knows how many: a chain of blocks and a star chart have epochs, too, and the chain rewards."""
_OVER = lazy_pattern(
    r"(?i)\b(?:early[ _]stop|training (?:is |has |was )?(?:finish|complete|done|end|over)|(?:finished|completed|done|ended) (?:the )?training)"
)
"""Behind the last epoch: it is whole."""

_DONE = lazy_pattern(
    r"(?i)^\W{0,12}(?:(?:epoch|round|episode|generation)\b\W{0,3}\d{0,9}\W{1,3})?(?:(?:is|was|has) )?(?:finished|completed?|done|ended)"
    r" (?:in|after|within)\W{0,3}\d"
    r"|^\W{0,12}(?:epoch|round|episode|generation)\W{1,3}\d{1,9}\W{1,3}(?:(?:is|was|has) )?(?:finished|completed|done|ended)\b"
)
"""`Finished in 1h37m`, `Epoch 29 done`: the one at hand is whole, unless that is said more than once of one."""


class Ending:
    """What ends one that counts: a line of a form that came once below the one before it, and was the last there."""

    def __init__(self) -> None:
        self._done, self._several = 0, False  # how often the one at hand said that it is; did any say so twice?
        self._forms: dict[str, int] = {}
        """How often each line came below the one at hand, its numbers left out."""
        self._last = self._newest = self._before = ""  # of the one before; the newest lines

    def hear(self, text: str) -> None:
        """The next line."""
        if text.strip() and len(self._forms) < _MOST_HELD:
            self._before, self._newest = self._newest, _NUMBERS.sub("0", text[:_LONGEST].strip())
            self._forms[self._newest] = self._forms.get(self._newest, 0) + 1
        self._done += _DONE.match(text[:_LONGEST]) is not None
        self._several = self._several or self._done > 1

    def begin(self) -> None:
        """The newest line is that of the next one."""
        self._last = self._before if self._forms.get(self._before) == 1 else ""
        self._forms, self._done = {}, 0

    @property
    def came(self) -> bool:
        """Has the one at hand ended in the same way, or says a line so?"""
        said = self._done == 1 and not self._several
        return said or (self._newest == self._last != "" and self._newest in self._forms)


class BareCounts(LineParser):
    """Numbers, once they have counted on; what has a value below it, with the first of each name."""

    name = "bare counts"
    about = "lines with a number that counts and nothing else, in a log that says that it trains; a loss below it is of the same"
    specificity = Specificity.ALONE
    from_stamps = True
    lines: ClassVar[tuple[Line, ...]] = (
        Line("", _OF_MANY, "counts"),
        Line("", _CURRENT, "counts"),
        Line("in epoch", _WITHIN, "counts"),
        Line("ound", _ROUND, "round"),
        Line("OUND", _ROUND, "round"),
        Line("poch", _EPOCH, "epoch"),
        Line("POCH", _EPOCH, "epoch"),
        Line("", _ROUND_ROW, "whole_round"),
        Line("fter ", _AFTER_ROUND, "whole_round"),
        Line("ound", _CLIENTS, "of_clients"),
        Line("", _BELOW, "below", distinctive=False),
    )

    def __init__(self) -> None:
        super().__init__()
        self._counts = Progression()
        self._trains = self._learns = self._proven = False
        self._unbounded = False  # does nobody say how many there are to be?
        self._several = False  # has a round lines of several, its clients?
        self._richer = 0  # lines that have more than a number behind the same word,
        self._newest_richer = -1  # ... and the newest of their numbers
        self._bare = False  # are they epochs, of nobody knows how many?
        self._word = ""  # of what counts
        self._rows: list[tuple[Fields, LogLine | None]] = []  # whole ones, until it is known that they count on
        self._open: Fields | None = None  # the one that has begun
        self._head: LogLine | None = None  # ... and its line
        self._place, self._goes_on = -1, False  # of it; does another line follow?
        self._again = False  # did its own line come once more? It is at work, then, and no mere beginning
        self._ending = Ending()
        self._said: dict[str, object] = {}  # below it
        self._inside: set[str] = set()  # what comes more than once below one is of something finer

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Until a line says so, nobody knows that it trains."""
        self._trains = self._trains or _TRAINS.search(text[:2000]) is not None
        self._learns = self._learns or _LEARNS.search(text[:2000]) is not None
        self._goes_on = self._goes_on or bool(text.strip())
        self._hear_richer(text)
        self._ending.hear(text)
        is_over = self._bare and _OVER.search(text[:200]) is not None
        over = self._close(LogLine.of(text, at_s, self.calendar)) if is_over else []
        return [*over, *super().line(text, at_s)]

    def _hear_richer(self, text: str) -> None:
        """Where most of what counts says more than its number, those without are something else's: `epoch 3` of a search's end."""
        if self._proven or not self._learns or not _COUNTS.search(text[:100]):
            return
        if (found := _RICHER.match(PREFIX.sub("", text[:200], count=1))) is None:
            return
        number = int(found["n"])
        if number not in (self._place, self._place + 1, self._newest_richer):
            self._richer += 1
        self._newest_richer = number

    @handler(iterations=True, texts=("word",))
    def counts(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The next one begins: the one before is whole, if this one counts on."""
        word = str(fields.pop("word")).strip().lower()
        place = self.position(fields)
        if word == self._word and place == self._place:
            self._again = True
        if place is None or (self._word and word != self._word) or place == self._place:
            return []
        on = place > self._place
        events = self._close(line if on else None) if on or self._is_whole() else []
        if not self._proven and self._counts.see(place):
            few = len(self._rows) < max(_FEWEST - 1, self._richer)
            self._proven = self._trains and not self._several and not few
        self._begin(word, fields, place, line)
        return events

    def _begin(self, word: str, fields: Fields, place: int, line: LogLine) -> None:
        self._ending.begin()
        self._word, self._open, self._place, self._said, self._head = word, fields, place, {}, line
        self._goes_on = self._again = False
        self.unit = word if word == "epoch" else self.unit

    @handler(iterations=True, texts=("word",))
    def round(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The same, of nobody knows how many."""
        self._unbounded, self.unit = True, "round"
        return self.counts(fields, line)

    @handler(iterations=True, texts=("word",))
    def epoch(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The same, of a training that says more of itself; several processes may begin with one place, each for itself."""
        place = self.position(fields)
        if place is None or 1 < place < self._place:
            return []
        if not self._learns:  # the word of a training may come below the first one
            self._rows = []
            self._begin(str(fields.pop("word")).strip().lower(), fields, place, line)
            return []
        self._bare, self.unit = True, "epoch"
        return self.counts(fields, line)

    @handler(iterations=True, texts=("word",))
    def of_clients(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The same, of a training whose clients are named: its losses may stay with them."""
        if not self._learns:
            return []
        self.unit = "round"
        return self.counts(fields, line)

    @handler(iterations=True, texts=("word",))
    def whole_round(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A round, and its values on the same line."""
        self._several = self._several or self.position(fields) == self._place
        events = self.round(fields, line)
        return [*events, *self.below({}, line), *self._close(line)]

    @handler(numbers=("value",))
    def below(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """Values of the one at hand; those of an evaluation are left out."""
        if self._open is None or phases.of_line(line.text[:2000]) is Phase.EVALUATION:
            return []
        values = values_of(line.text)
        self._inside |= values.keys() & self._said.keys()
        self._said = values | self._said
        return []

    def release(self) -> list[Event]:
        """The newest is whole where something was said of it; else it has only begun."""
        return self._close(None) if self._is_whole() else self._hand_on()

    def _is_whole(self) -> bool:
        is_last = self._goes_on and self._open is not None and self._open.get("total") == self._place
        return is_last or self._ending.came or self._again or bool(self._said.keys() - self._inside)

    def _close(self, line: LogLine | None) -> list[Event]:
        if self._open is None:
            return []
        said = {
            name: value
            for name, value in self._said.items()
            if name not in self._inside and _FINE.search(str(value))
        }
        roles = {name: role.field for name in said if (role := guess(name)) is not None}
        loss = next((name for name, field in roles.items() if field == "loss"), None)
        others = scalars(
            (name, value) for name, value in said.items() if name != loss and not name.startswith("val")
        )
        row = self._open | {"scalars": others} | ({"loss": number(str(said[loss]))} if loss else {})
        row |= self._first_interval(line)
        if self._unbounded and not loss:
            self._open, self._said = None, {}
            return []
        self._rows, self._open, self._said = [*self._rows[-_MOST_HELD:], (row, line)], None, {}
        return self._hand_on()

    def _first_interval(self, line: LogLine | None) -> Fields:
        """How long the first row lasted, from its head to the next: no row before it tells."""
        head = self._head
        if self.last is not None or self._rows or line is None or head is None or line is head:
            return {}
        if not (line.stamped and head.stamped) or line.at_s is None or head.at_s is None:
            return {}
        return {"duration_s": line.at_s - head.at_s, "averaged_over": 1, "witness": Witness.BETWEEN}

    def _hand_on(self) -> list[Event]:
        if not self._proven:
            return []
        rows, self._rows = self._rows, []
        return [event for row, line in rows for event in self.iteration(row, line or LogLine("", None))]
