"""What a line says of a checkpoint that a run goes on from: `=> loaded checkpoint 'last.pth' (epoch 12)`.

Were 12 done, or 11?
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX, shape_of, without_logger
from ..parsing.phases import saves
from .lengths import BEGINNING

_LOADED = lazy_pattern(
    r"(?i)\b(?:re)?(?:load|stor|sum)(?:ed|ing)\b.{0,200}\bcheckpoint\b.{0,200}\bepoch\W{1,4}(\d{1,6})\b(?!\.\d)"
)

_LOADS = lazy_pattern(
    r"(?i)(?:\b(?:re)?(?:load|stor|sum)(?:ed|ing)\b|加载|恢复)[^:=]{0,60}(?:\b(?:checkpoint|ckpt|model|weights|state)s?\b|检查点|模型|权重)(?! not\b)"
    r"|(?<!no )\b(?:checkpoint|ckpt|model|weights)\W{1,6}(?:was )?(?:re)?(?:load|stor)ed\b"
)
_NUMBER = lazy_pattern(r"(?<![\d.:])\d{1,9}(?![\d:]|\.\d)")
_TESTED = lazy_pattern(r"(?i)\b(?:test|evaluat)|测试|评估")


_RESUMED = lazy_pattern(
    r"(?i)\bresum(?:ed|ing)\b.{0,200}?\b(?:at|from|after) (?:global )?(?:step|iter(?:ation)?)\W{1,3}(\d{1,12})\b(?!\.\d)"
)

_GOES_ON = lazy_pattern(r"(?i).{0,60}?\bresum(?:ed|ing)\b.{0,60}?\b(?:at|from|after)\b")
"""`Resumed at step 5000 (best_loss=0.5)`: what the checkpoint held."""

_STOPPED = lazy_pattern(
    r"(?i)[\W_]{0,20}(?:epoch\W{0,3}\d{1,9}(?:/\d{1,9})?\W{1,4})?early[ _-]?stop(?:ping|ped)?\b(?!\W{1,3}(?:count|patience|wait|step)|\W{0,3}\d)"
)
_OVER = lazy_pattern(
    r"(?i)[\W_]{0,20}(?:(?:training|fit|run) (?:is |was |has )?(?:complete|finished|done|over|ended|stopped)|(?:finished|completed|stopp(?:ed|ing)) )"
)
_BEST = lazy_pattern(r"(?i)\b(?:best|lowest|highest|minimum)\b")
_LOSS = lazy_pattern(r"(?i)loss")
_NAMED_AS = lazy_pattern(
    r"(?i)(?!.*(?:[|;,]|\d\.\d)).{0,80}(?:\b(?:with|at|had|having|reached|of|by)|\() ?(?:(?:an?|the|its) )?(?:[a-z]{1,12}[ _/-]){0,2}"
)
"""`Best epoch was 5 with val_loss=0.5`: of that epoch. In `best 5 | loss 0.5` the loss is the row's."""
_BEGINS_WITH_BEST = lazy_pattern(
    r"(?i)[\W_]{0,20}(?:(?:the|a|new|current(?:ly)?|overall|found|got)[ :!-]{1,3}){0,3}(?:best|lowest|highest)\b"
)
_SO_FAR = lazy_pattern(r"(?i)\b(?:so far|until now|till now|up to now|to date|ever)\b")
_PLACE = lazy_pattern(r"(?i)\b(?:epoch|ep|step|iter(?:ation)?|batch|round|episode|update)s?\b\W{0,4}\d")
_DECIMALS = lazy_pattern(r"\d\.\d")
_LONGEST, _SHORT = 600, 100


def tells_of_best(text: str) -> bool:
    """Is a line of the best that there was, and of the place where that was: `Best so far: loss 0.5 (epoch 2)`?

    Behind `Best acc: 0.5 | epoch 3 | loss 0.75` the place has values of its own, and is that of a row.
    """
    return ("est" in text or "EST" in text) and _tells_of_best(shape_of(text[:_LONGEST]))


@lru_cache(maxsize=256)
def _tells_of_best(shape: str) -> bool:
    said = without_logger(PREFIX.sub("", shape, count=1))
    if _BEGINS_WITH_BEST.match(said) is None:
        return False
    place = _PLACE.search(said)
    if place is None or _SO_FAR.search(said):
        return _SO_FAR.search(said) is not None
    return not (_DECIMALS.search(said, 0, place.start()) and _DECIMALS.search(said, place.end()))


def is_of_before(text: str) -> bool:
    """Does a line tell of a moment that was: of what was saved or loaded, of the best, or why it ended? Its values are none of now."""
    closing = "arly" in text or "ARLY" in text or "est" in text or "EST" in text or "inimum" in text
    goes_on = "esum" in text and _GOES_ON.match(text[:_LONGEST]) is not None
    return saves(text) or loads(text) or goes_on or (closing and _closes(shape_of(text[:_LONGEST])))


@lru_cache(maxsize=256)
def _closes(shape: str) -> bool:
    said = without_logger(PREFIX.sub("", shape, count=1))
    if _STOPPED.match(said):
        return True
    best, loss = _BEST.search(said), _LOSS.search(said)
    if best is None or loss is None or best.end() > loss.start():
        return False
    between = said[best.end() : loss.start()]
    return _OVER.match(said) is not None or (len(between) < _SHORT and _NAMED_AS.fullmatch(between) is not None)


def loads(text: str) -> bool:
    """Does a line tell of a model that was loaded? The losses it names were found when that was saved.

    Unless a test is named: `Loaded the best model: test loss 0.5` was found just now.
    """
    words = "oad" in text or "estor" in text or "esum" in text or "加载" in text or "恢复" in text
    return words and _LOADS.search(text[:600]) is not None and _TESTED.search(text[:600]) is None


def loaded_epoch(text: str) -> float | None:
    """The epoch that a line which tells of a loaded checkpoint names; `None` for any other line."""
    found = _LOADED.search(text[:600])
    return float(found[1]) if found else None


FROM_UNKNOWN = (
    "the log begins in the midst of an epoch, and does not say whether epochs count from 0 or from 1: there were at "
    "least as many iterations"
)


class Begun(NamedTuple):
    """The place of a log's first row: its epoch, its step of so many in that, and whether it says of how many epochs."""

    epoch: float
    step: float
    length: float
    of_all: bool


class Loaded:
    """The checkpoints that a log tells of."""

    def __init__(self) -> None:
        self.epoch: float | None = None
        """The newest's, where it is named as such."""

        self.from_unknown = False
        """Does the log begin in the midst of an epoch that is not the first, and may that be one more than its number says?"""

        self._told = False
        self._step: float | None = None  # with which a process says that it goes on
        self._places: frozenset[float] = frozenset()

    def hear(self, text: str) -> None:
        """A line that is no row."""
        if "heckpoint" in text and (epoch := loaded_epoch(text)) is not None:
            self.epoch = epoch
        if "esum" in text and (found := _RESUMED.search(text[:600])) is not None:
            self._step = float(found[1])
        if loads(text):
            numbers = map(float, _NUMBER.findall(text[:600]))
            self._places = frozenset(one for one in numbers if one > 1)  # `model_v1.pth` is a version

    def since(self, step: float | None) -> dict[str, float]:
        """How many steps lie between the next row and the one that its process said it goes on from, if it said so."""
        resumed, self._step = self._step, None
        return {} if resumed is None or step is None or step <= resumed else {"since_resumed": step - resumed}

    def at(self, place: float | None) -> bool:
        """Does the next row stand where a checkpoint is from that was loaded since the newest one, `model_epoch1010.pth`?"""
        places, self._places = self._places, frozenset()
        return place in places

    def from_zero(self, row: Begun) -> bool:
        """Do epochs count from 0? So many were done before the first row, or its steps count from there, too.

        `Epoch 8/300, step 0/85` is for people, who count from 1. Of a first row in the midst of an epoch nobody knows.
        """
        early = row.step <= max(1.0, BEGINNING * row.length)
        self.from_unknown = self.epoch is None and row.epoch > 1 and not (early or row.of_all)
        if self.epoch is not None:
            return row.epoch == self.epoch and early
        return row.epoch > 1 and not row.step and not row.of_all

    def words(self) -> list[str]:
        """What a person should know, once: that nobody knows from where epochs count."""
        words = [FROM_UNKNOWN] if self.from_unknown and not self._told else []
        self._told = self._told or bool(words)
        return words
