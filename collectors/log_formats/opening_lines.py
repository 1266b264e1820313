"""The first lines of a log, that come again: another process began to write to the same file.

    Logging arguments                  Logging arguments
    batch_size: 4                      batch_size: 4
    Start training                     Start training
    Epoch: 0 | loss: 1.04              Epoch: 0 | loss: 0.99

What stands before the first iteration is what a process says when it begins: its arguments, its device, its model.
One such line may come with each epoch; most of them come again with a process alone. They prove nothing of a run
whose numbers go on: some say all of it at each epoch. So the parser is told, and begins anew only where its rows
do not count on.

A line that says that a training starts, as one did before the first iteration, is `STARTS`; it opens what stands at its beginning again.

`Namespace(lr=0.1, ...)` does it alone, and `===== Fold 2/5 =====`, `Trial 3:`, `Starting run 2 of 10` open the next training of one process in the same way.
"""

from __future__ import annotations

from collections import Counter

from ..patterns import lazy_pattern
from .parsing.grammar import PREFIX
from .parsing.stamps import stamp
from .plain.dumps import ARGUMENTS, Dumps
from .process_ids import rank_of

MOST_LINES = 12
"""The first of a log: what comes later, warnings of libraries and the like, varies."""

LEAST_LINES = 3
"""So many have to come again, and half of those there are."""

APART_S = 30.0
"""Ranks of one launch begin together: what begins so long after another is none of them."""

AGREE = 0.6
"""So many of the first lines have to have come equally often: some come with each epoch, too."""

_ATTEMPTS = 2
_LONGEST = 300
_WORD = lazy_pattern(r"[^\W\d_]{4}|\b(?:[^\W\d_]{3} ){2}[^\W\d_]{3}\b")
_CLOCK = lazy_pattern(r"^[\[(]?[\d./T| -]{0,24}\d\d:\d\d:\d\d[\d.,]*[\])]? {0,8}")
"""A stamp of a script's own, `[24.03.25|16:36:35]`: it is no count, though the rest of the line may be."""
_LOGGER = lazy_pattern(r"^.{0,90}?\b(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b\W{1,6}")
"""`train.log - INFO - `, `config.py - show - INFO - `: a script whose logger is set up anew says the same lines."""
_DEVICE = lazy_pattern(r"\b(?:cuda|cpu|mps)(?::\d{1,3})?\b")
_RANK = lazy_pattern(r"(?i)\brank\W{0,3}\d|^\W{0,3}\d{1,4}[:\]] ")
"""Several processes of one launch say it, each with its own number."""
_NUMBER = lazy_pattern(r"\d[\d.,]*(?:[eE][-+]?\d+)?")
_DATE = lazy_pattern(
    r"(?i)\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"
    r"(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.? {1,2}\d{1,2}"
    r"|\d{1,2}[ -](?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6})\b"
)
"""`Fri Oct 24 19:45:03 2025`: the next launch is on another day of the week, and it may be in another month."""
_COUNTS = lazy_pattern(r"(?i)epoch|step|iter|batch|round|episode|update")
"""A line with one of these words may count: it has to come again with its numbers. Settings may have others."""

_LAYER = lazy_pattern(
    r"\s*\(\w{1,60}\): \w{1,60}\(|\s*Layer \(type|"
    r".{1,80}[\[(](?:None|-?\d{1,9})(?:, ?[\w-]{1,9}){0,5}[\])]{1,3} {1,40}[\d,]{1,15}(?: |$)"
)
"""`(0): Conv2d(1, 32, ...)`, `conv2d_1 (Conv2D)  (None, 26, 26, 32)  320`: one print of a model says such a line for each
layer, and whoever builds a model once more, as to test it, prints it once more: no process has to begin."""

_FEWEST_SETTINGS, _MOST_SETTINGS = 8, 2_000
"""A dictionary of so many settings at least opens one too, where it comes again to the last digit; its first 2,000
characters are compared."""

PARTS = "fold|trial|run|seed|split|repeat|repetition|experiment"
"""What a training is called that is one of several."""

_PART = lazy_pattern(
    r"(?i)(?:[\w.]{1,40}\]: )?\W{0,40}(?:(?:start(?:ing)?|begin(?:ning)?|running|training|train|current|now|on|for|the)\W{1,3}){0,3}"
    rf"(?:k-?)?({PARTS})\W{{0,3}}(?:no|number|idx|index|id)?\W{{0,5}}"
    r"\d{1,9}(?: ?(?:/|of|out of) ?\d{1,6})?\W{0,60}"
)
"""A line that says nothing but which of several trainings now begins."""
_LONGEST_PART = 120

_START = lazy_pattern(
    r"(?i)\b(?:start|begin|launch)(?:s|ed|ing|ning)?\b(?:\W{1,3}[\w.]{1,30}){0,3}\W{1,3}(?:pre-?)?train(?:ing)?\b"
    r"|\btrain(?:ing)? (?:has |is )?(?:start(?:s|ed|ing)?|begins?|begun)\b"
)
"""`Start SimCLR training for 100 epochs`, `Training started`: each launch says it, and no epoch."""

COUNTED = lazy_pattern(r"(?i)(?:epoch|step|iter\w{0,8}|batch|round|episode|update)\W{0,3}\d")


_TRACKED = lazy_pattern(
    r"\bwandb: Tracking run with\b|\bClearML Task: created new task\b|\bExperiment is live on comet"
)
"""What a tracker says once of each run that begins."""


class Tracked:
    """Whether a tracker's word of a new run, said before the first iteration, comes again behind one."""

    def __init__(self) -> None:
        self._said = False

    def again(self, text: str, *, begun: bool) -> bool:
        """Does `text` say it again? `begun`: there has been an iteration."""
        if "new task" not in text and "Tracking run" not in text and "is live" not in text:
            return False
        found = _TRACKED.search(text[:_LONGEST_PART]) is not None
        self._said = self._said or (found and not begun)
        return found and begun and self._said


class Starts:
    """Lines that say that a training starts, and have said so before the first iteration."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._open = False  # one has come since the newest iteration
        self._on = self._anew = 0  # times that the next row counted on, and that it began again

    def again(self, text: str, *, begun: bool) -> bool:
        """Does `text` say it again? `begun`: there has been an iteration."""
        if ("tart" not in text and "egin" not in text and "aunch" not in text) or len(text) > _LONGEST:
            return False
        rank, said = rank_of(text), _DATE.sub("0", PREFIX.sub("", text, count=1))
        if rank is not None and rank.number:
            return False
        if COUNTED.search(said) or not _START.search(said):
            return False
        said = _NUMBER.sub("0", said)
        if not begun:
            if len(self._said) < MOST_LINES:
                self._said.add(said)
            return False
        self._open = self._open or said in self._said
        return (
            said in self._said and self._on <= self._anew + 1
        )  # rows of a process that goes on may lie behind one

    @property
    def is_sure(self) -> bool:
        """Has the newest such line come since the newest row, and have such begun others rather than parts of one?"""
        return self._open and self._on <= self._anew

    def row(self, *, anew: bool) -> None:
        """A row: did it begin again behind such a line? Where rows count on, as a rule, a process says it at each epoch."""
        self._anew += self._open and anew
        self._on += self._open and not anew
        self._open = False


class OpeningLines:
    """Tells when most of the first lines have come again since the newest iteration, or another part is announced."""

    def __init__(self) -> None:
        self.place: int | None = None
        """Which of the first lines, from 0, the newest line repeats."""

        self.parts = 0
        """How often a line has said which of several trainings begins."""

        self._lines: dict[str, int] = {}
        self._came: list[int] = []  # how often each of them
        self._tails: set[str] = set()
        self._again: set[str] = set()
        self._round: list[int] = []  # places of those that came again in their order
        self._twice: set[str] = set()  # one process says them more than once
        self._settings: set[str] = set()
        self._begun = self._told = False
        self.arguments_again = False
        """Have a process's arguments come again since the newest iteration? No process prints them twice."""

        self.surely_again = False
        """Has a process surely begun with the newest line, whether rows count on or not?

        It is what each prints once; or the very first line, which several in succession said before there was an iteration.
        """

        self.starts, self.dumps, self.tracked = Starts(), Dumps(), Tracked()
        self._attempts = 0  # such before the first iteration
        self._at_s: float | None = None  # when the newest of them said its first line

    @property
    def times(self) -> int | None:
        """How often most of them have come; `None`: they do not agree, or are too few."""
        (most, alike), *_ = Counter(self._came).most_common(1) or [(0, 0)]
        return most if alike >= LEAST_LINES and alike >= AGREE * len(self._came) else None

    @property
    def begins_with_a_count(self) -> bool:
        """Is the very first of them `Epoch 1/10`, with which any training begins, and no process alone?"""
        return any(COUNTED.search(said) for said in [*self._lines][:1])

    @property
    def short_again(self) -> bool:
        """Are there so few that they prove little, and has each come again since the newest iteration?"""
        return 0 < len(self._lines) < LEAST_LINES and len(self._again) == len(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def iteration(self) -> None:
        """An iteration was read: what comes now is another opening, if it is one."""
        self._begun = True
        if self._again:
            self._again.clear()
            self._round.clear()
        self._told = self.arguments_again = False

    def starts_again(self, text: str) -> bool:
        """Does `text` say, as a line did before the first iteration, that a training starts?"""
        return self.starts.again(text, begun=self._begun)

    def again(self, text: str) -> bool:
        """Is `text`, which is no iteration, the line by which the opening has come again?"""
        self.place, self.surely_again = None, False
        self.arguments_again = self.arguments_again or (self._begun and ARGUMENTS in text)
        is_part = _is_part(text)
        self.parts += is_part
        if self._begun and not self._told and (ARGUMENTS in text or is_part or self._are_settings(text)):
            self._told = self.surely_again = True
            if (said := said_of(text)) in self._lines:
                self._came[self._lines[said]] += 1
            return True
        if not self._begun and text.startswith("{") and len(self._settings) < MOST_LINES:
            self._note_settings(text[:_MOST_SETTINGS])
        if tail_of(text) not in self._tails and (self._begun or len(self._lines) >= MOST_LINES):
            return False
        said = said_of(text)
        if said is None:
            return False
        if said not in self._lines:
            if not self._begun and len(self._lines) < MOST_LINES:
                self._at_s = stamp(text) if not self._lines else self._at_s
                self._lines[said] = len(self._lines)
                self._came.append(1)
                self._tails.add(tail_of(text))
            return False
        self.place = self._lines[said]
        self._come_again(said, self.place)
        self.surely_again = self.place == 0 and self._each_says_it(text, said)
        if not self.surely_again and (self._told or len(self._again) < self._least):
            return False
        self._told = self._begun or not self.surely_again
        return True

    def _come_again(self, said: str, place: int) -> None:
        """A process says them in their order; a library's warnings come in any."""
        if not self._begun:
            self._twice.add(said)
        elif said not in self._twice:
            if self._round and place <= self._round[-1]:
                self._begin_round()
            self._round.append(place)
        self._came[place] += self._begun or self._attempts > 0  # before a row ranks of one launch say it, too
        self._again.add(said)

    def _begin_round(self) -> None:
        """A line before the newest comes: those between were warnings, unless they were most of the first ones."""
        if len(self._round) < self._least:
            for place in self._round:
                self._came[place] -= 1
        self._again.clear()
        self._round.clear()

    @property
    def _least(self) -> int:
        return max(LEAST_LINES, (len(self._lines) + 1) // 2)

    @property
    def are_processes(self) -> bool:
        """Have several processes in succession said the very first line, and come to no iteration?"""
        return self._attempts >= _ATTEMPTS

    def _each_says_it(self, text: str, said: str) -> bool:
        """The very first line comes again: does each process say it, and none twice? With a number it may tell of progress."""
        if not self._begun and not any(map(str.isdigit, said)):
            before_s, self._at_s = self._at_s, stamp(text)
            apart_s = self._at_s - before_s if before_s is not None and self._at_s is not None else 0.0
            self._attempts += apart_s >= APART_S
        return self.are_processes and not self._told

    def _note_settings(self, text: str) -> None:
        if text.count(":") >= _FEWEST_SETTINGS:
            self._settings.add(text)

    def _are_settings(self, text: str) -> bool:
        return text.startswith("{") and text[:_MOST_SETTINGS] in self._settings


def _is_part(text: str) -> bool:
    """Does it say which of several trainings begins, and nothing else?"""
    return len(text) <= _LONGEST_PART and _PART.fullmatch(PREFIX.sub("", text, count=1)) is not None


def tail_of(text: str) -> str:
    """By this nearly all other lines are known to be none of the first; all numbers are one."""
    last = text[-3:]
    return "0" if last[-1:].isdigit() or last[-2:-1].isdigit() else last


def said_of(text: str) -> str | None:
    """What a line says, without what its logger puts in front; `None` if it has no words."""
    if len(text) > _LONGEST or _LAYER.match(text):
        return None
    said = _LOGGER.sub("", _CLOCK.sub("", PREFIX.sub("", text, count=1).strip(), count=1), count=1)
    if not _WORD.search(said) or _RANK.search(said):
        return None
    said = _DATE.sub("0", " ".join(said.split()))
    said = _DEVICE.sub("cpu", said)  # a tab is as wide as what stands in front makes it
    return said if _COUNTS.search(said) else _NUMBER.sub("0", said)
