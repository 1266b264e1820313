"""A time on a line of its own: `Timer: 0.6685 sec.`, `Epoch 3/100 [133.2s]`, `Training complete in 3m 24s`.

It is of the row beside it: of the one before it, or of the one after it where the log's first such line stands before
the log's first row. One that names an epoch is of no other's row: something else counts epochs, too. What the whole training took is said once, and no row comes after it. A bare time after several rows
is of nobody knows how many of them.
"""

from __future__ import annotations

import re
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ....events import Event, Iteration, Total
from ...patterns import lazy_pattern
from ..parsing.values import as_number
from ..parsing.values import seconds as bounded
from .line_values import NO_DATE, VALUE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..parsing.values import Fields

_LONGEST = 160
_LONGEST_REST = 60
_WORDS = (
    r"(?i)\b(timer?|elapsed|took|takes|taken|spent|used|consumed|duration|runtime|cost|lasted|"
    r"(?:completed?|finish(?:ed)?|done|ended|trained) (?:in|after))\b"
)
_TIMES = lazy_pattern(_WORDS)
_SAID = lazy_pattern(
    rf"{_WORDS}"
    r"([^\d:=\[(]{0,40}?(?:epoch\W{0,3}\d{1,6}(?!\d|\.\d)(?: ?/ ?\d{1,6})?[^\d:=\[(]{0,12})?)[:=\[( ]{0,12}"
    rf"{NO_DATE}({VALUE})(.*)$"
)
_HINTS = (
    "ime",
    "IME",
    "ook",
    "aken",
    "laps",
    "pent",
    "sed",
    "ration",
    "ost",
    "asted",
    " in ",
    " after ",
    "--",
    "poch",
    "POCH",
)
"""What is faster to look for than the words, and stands in every such line."""
_BARE = lazy_pattern(rf"^-{{2,12}} ?({VALUE}) ?-{{2,12}}$")
_IN_SECONDS = lazy_pattern(r" ?\((?:s|secs?|seconds)\)(?=[\w ]{0,40}[:=])")
"""`time (s) spent in epoch: 220.87`"""
_ONE_EPOCH = lazy_pattern(r"(?i)\b(?:per|(?:for |of |in )?(?:1|one|an|each|every|this)) epoch\b")
"""`Time taken for 1 epoch: 60.1 secs`, as TensorFlow's tutorials print it."""
_SECONDS = ("time", "timer", "elapsed", "taken", "spent")
"""After these words a number without a unit is Python's `time.time()`: seconds."""
_EPOCH_BRACKET = lazy_pattern(
    rf"(?i)^\W{{0,12}}epoch\W{{0,3}}\d{{1,6}}(?: ?/ ?\d{{1,6}})?\W{{1,4}}({VALUE})\W{{0,4}}$"
)
_WITH_UNIT = lazy_pattern(r"(?i)\d ?\(?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\)?$|:")
_EPOCH = lazy_pattern(r"(?i)\bepoch\b")
_NUMBER = lazy_pattern(r"(?i)\bepoch\W{0,3}(\d{1,6})(?!\d|\.\d)")
_TOTAL = lazy_pattern(
    r"(?i)\btotal\b|\b(?:whole|entire|overall)\b|\btrain(?:ing)? (?:time|took|takes|lasted|duration|runtime|complete\w*|finish\w*|"
    r"done|ended)|\bend of (?:the )?training|^\W{0,12}finished in|\d epochs (?:completed|finished|done|took) ?(?:in)?|\btrained in\b"
)
_OTHER = lazy_pattern(
    r"(?i)\b(?:val\w*|eval\w*|test\w*|infer\w*|predict\w*|load\w*|data\w*|sav\w*|checkpoint\w*|preproc\w*|token\w*|download\w*|"
    r"import\w*|build\w*|compil\w*|init\w*|eta|remain\w*|left|estimat\w*|expect\w*|start\w*|begin\w*|forward|backward|optim\w*|"
    r"sampl\w*|generat\w*|current|now|real|timestamp|stamp|out|limit|cpu|per|loss)\b"
)
_PER_STEP = lazy_pattern(
    r"(?i)\b(?:per|of|for|each|a) (?:one |each |the )?(?:batch|iter(?:ation)?|step)\b|\b(?:batch|iter(?:ation)?|step)[ _]time"
)


_ALL = lazy_pattern(r"(?i)\b(?:total|whole|entire|overall)\b")
_PARTS = lazy_pattern(r"\([^()]{1,80}\)")
"""`Total (sampling + training) time of an epoch`: what a total contains."""
_OF_TRAINING = lazy_pattern(r"(?i)(?<![a-z])train")
"""`Training time/epoch` beside a time of the epoch is a part of it."""

_MANY = 4
"""So many times a row, and none is that of the row: a clock is printed at each step, and no step."""
_BARE_NAMES = ("time", "iter_time", "elapsed")
"""Times of which no word says what they are of."""


class EpochClock:
    """Does a clock at each epoch's end run from the training's beginning? Its second reading is then about twice the first.

    What each epoch took is printed in the same words, and hardly grows.
    """

    def __init__(self) -> None:
        self.runs_on = False
        self._read: list[float] = []

    def see(self, seconds: float) -> None:
        """The next reading, behind rows."""
        if len(self._read) < _READINGS:
            self._read.append(seconds)
            gaps = [after - before for before, after in pairwise(self._read)]
            self.runs_on = len(self._read) == _READINGS and min(gaps) >= self._read[0] / 2
        elif seconds < self._read[-1]:
            self.runs_on = False
        else:
            self._read[-1] = seconds

    def learn(self, other: EpochClock) -> None:
        """Take over what another reader found out of more lines."""
        if other.runs_on and not self._read:
            self.runs_on, self._read = True, [0.0] * _READINGS


_READINGS = 3


class Wholes:
    """Times of whole epochs that stand beside times of their parts: does an epoch's contain its part's?

    One that grows by about the part from row to row is a clock.
    """

    def __init__(self) -> None:
        self.are = False
        self._newest_s: float | None = None
        self._pairs = self._rises = 0

    def contains(self, whole: Took, part: Took) -> bool:
        """Is `whole` the time of the row whose `part` was told before it?"""
        before_s, self._newest_s, self.are = self._newest_s, whole.seconds, True
        if before_s is None:
            return False
        self._pairs += 1
        self._rises += whole.seconds - before_s >= part.seconds / 2
        return whole.seconds > part.seconds and 2 * self._rises <= self._pairs

    def learn(self, other: Wholes) -> None:
        """Take over what another reader found out of more lines."""
        if not self.are:
            self.are, self._newest_s = other.are, other._newest_s
            self._pairs, self._rises = other._pairs, other._rises


class Of(Enum):
    """What a time is of."""

    ROW = "row"
    TRAINING = "training"


class Took(NamedTuple):
    """A time on a line of its own, with the name that a column with it would have."""

    seconds: float
    name: str
    of: Of
    words: str = ""
    epoch: float | None = None  # that it names
    whole: bool = False  # of the epoch, and of no part of it by its words

    @property
    def form(self) -> str:
        """Its words without numbers: the same on each line of the kind."""
        return "".join(one for one in self.words if not one.isdigit())


def lone_time(text: str) -> Took | None:
    """The time that a line tells beside its row, if it tells nothing else."""
    if len(text) > _LONGEST or not any(hint in text for hint in _HINTS):
        return None
    if found := _EPOCH_BRACKET.match(text):
        return _took(found[1], "epoch time", found[0][: found.start(1)], unit=True)
    if found := _BARE.match(text):
        return _took(found[1], "time", "", unit=True)
    said = _ONE_EPOCH.sub("epoch time", text) if "poch" in text else text
    found = _SAID.search(_IN_SECONDS.sub("", said, count=1) if "(s" in said else said)
    if found is None or len(found[4]) > _LONGEST_REST or _OTHER.search(found[4]):
        return None
    # Where no word of a time stands beside `per epoch`, only a unit says that it is one: a rate stands there, too.
    named = said == text or _TIMES.search(text) is not None
    return _named(found[1].lower() if named else "took", found.string[: found.end(2)], found[3])


def _named(name: str, subject: str, value: str) -> Took | None:
    """A time with words before it: they say what it is of."""
    of_all = _ALL.search(subject) is not None and _EPOCH.search(subject) is not None
    without_step, of_step = _PER_STEP.subn("", _PARTS.sub(" ", subject) if of_all else subject)
    if _OTHER.search(without_step):
        return None
    unit = name not in _SECONDS
    if of_step:
        return _took(value, "step_time", subject, unit=unit)
    if _EPOCH.search(subject):
        took = _took(value, "epoch time", subject, unit=unit)
        return took and took._replace(whole=of_all or not _OF_TRAINING.search(subject))
    # A timer on a line of its own stops with one step; one in a row may be of all steps since the row before.
    column = "iter_time" if name == "timer" else "elapsed" if "elapsed" in subject.lower() else "time"
    return _took(value, column, subject, unit=unit, of=Of.TRAINING if _TOTAL.search(subject) else Of.ROW)


def _took(value: str, column: str, words: str, *, unit: bool, of: Of = Of.ROW) -> Took | None:
    value = value.strip()
    said = _WITH_UNIT.search(value)
    if (unit and not said) or (not said and "." not in value) or value[-1:] in "kKM%":
        return None
    taken_s = bounded(as_number(value))
    if taken_s is None:
        return None
    named = _NUMBER.search(words)
    return Took(taken_s, column, of, re.sub(r"^\W+|\W+$", "", words)[-40:], float(named[1]) if named else None)


class LoneTimes:
    """Times on lines of their own, and the rows that wait for theirs."""

    def __init__(self) -> None:
        self.trailing: bool | None = None  # they stand after their rows
        self._leading: dict[str, Took] = {}
        self._before_all: set[str] = set()  # words of those before the first row
        self._epoch: float | None = None  # of the newest row
        self._held: list[Event] = []
        self._rows = 0  # since the newest such line
        self._total: Total | None = None
        self._repeated = False  # what seemed to be said of the training is said of each row
        self._clock, self._wholes = EpochClock(), Wholes()
        self._told: Took | None = None  # the newest row's
        self._leads_many = False  # behind a time without words came many rows before the next: it was of none
        self._of_rows = self._without = 0  # times that followed a row, and those that followed no new one

    @property
    def holds(self) -> bool:
        """Does a row wait?"""
        return bool(self._held)

    def learn(self, other: LoneTimes) -> None:
        """Take over what another reader found out of more lines."""
        if self.trailing is None:
            self.trailing = other.trailing
        self._repeated = self._repeated or other._repeated
        self._of_rows, self._without = other._of_rows, other._without
        self._leads_many = self._leads_many or other._leads_many
        self._clock.learn(other._clock)
        self._wholes.learn(other._wholes)

    def of_next_row(self, epoch: float | None) -> dict[str, object]:
        """What stood before the row that comes now, of that epoch. What names another one proves nothing of the others."""
        leading, self._leading, self._epoch = self._leading, {}, None if epoch is None or epoch % 1 else epoch
        own = {name: took.seconds for name, took in leading.items() if self._may_be_of_it(took)}
        self.trailing = self.trailing if len(own) == len(leading) else None
        return dict(own)

    def _may_be_of_it(self, took: Took) -> bool:
        """May a time be of the newest row, by the epoch that it names?"""
        return None in (took.epoch, self._epoch) or took.epoch == self._epoch

    def tell(
        self, took: Took, newest: int | None, at_s: float | None, timed: Callable[[str, float], Fields]
    ) -> list[Event]:
        """Such a line came. `newest` is the newest row's iteration; `timed` says what a value is of that row."""
        if took.of is Of.TRAINING and newest is None:
            return []
        if took.of is Of.TRAINING and not self._repeated:
            self._total = Total(took.seconds, origin=took.words, at_s=at_s)
            return []
        if self.trailing is not False and not self._may_be_of_it(took):
            return []
        if newest is None:
            self._before_all.add(took.form)
        elif self._before_all:
            # The first behind a row: in other words than before, those were of no row.
            self.trailing = self.trailing if took.form in self._before_all else True
            self._before_all = set()
        if self.trailing is None:
            self.trailing = newest is not None
        if not self.trailing:
            self._lead(took)
            return []
        return self._behind_its_row(took, timed)

    def _lead(self, took: Took) -> None:
        """The time of the next row came, if it is of one row."""
        rows, self._rows, bare = self._rows, 0, took.name in _BARE_NAMES
        self._leads_many = self._leads_many or (bare and rows > _MANY)
        before = self._leading.get(took.name, took)
        is_part = before.whole and not took.whole and before.seconds > took.seconds
        if not (is_part or (bare and self._leads_many)):
            self._leading[took.name] = took if before.epoch == took.epoch else took._replace(epoch=-1.0)

    def _behind_its_row(self, took: Took, timed: Callable[[str, float], Fields]) -> list[Event]:
        """The newest row's time came; that row waits on where a time of the whole epoch may come behind a part's."""
        held, rows, self._rows = self._held, self._rows, 0
        self._of_rows += rows > 0
        self._without += rows == 0
        if rows > 1 and took.name == "elapsed":
            self._clock.see(took.seconds)
        known = rows <= 1 or took.name not in _BARE_NAMES or (took.name == "elapsed" and self._clock.runs_on)
        of_one = self._without <= _MANY * self._of_rows and known
        part, self._told = None if rows else self._told, self._told if self._told and not rows else took
        contains = part is not None and took.whole and not part.whole and self._wholes.contains(took, part)
        place = next((n for n in range(len(held) - 1, -1, -1) if isinstance(held[n], Iteration)), None)
        row = None if place is None else held[place]
        if place is not None and isinstance(row, Iteration) and of_one and (row.duration_s is None or contains):
            held[place] = msgspec.structs.replace(row, **timed(took.name, took.seconds))
        if self._wholes.are:
            return []
        self._held = []
        return held

    def pass_on(self, events: Sequence[Event], *, live: bool, again: bool) -> list[Event]:
        """What may be reported now: the newest row of an old log waits until its time, or the next row, has come."""
        rows = any(isinstance(event, Iteration) for event in events)
        total, ready = self._total, [*self._held]
        self._rows += rows
        if rows and total is not None:
            ready += [total] if again else []
            self._total, self._repeated = None, self._repeated or not again
        few = self._rows <= _MANY or self._clock.runs_on  # of more a time behind them is none of one
        if rows and self.trailing and not live and few:
            self._held = [*events]
            return ready
        if self._held and not live and not rows:
            self._held += events
            return []
        self._held = []
        return [*ready, *events]

    def end(self) -> list[Event]:
        """What still waits at the end of the log."""
        held, self._held = self._held, []
        total, self._total = self._total, None
        return [*held, *([total] if total else [])]
