"""Losses that a line behind a bar says: `Train Loss: 0.5 | Val Loss: 0.625`, `train_loss=0.5  val_loss=0.625  val_f1=0.75`.

They are of what the bar has come to. Words around them that speak of another moment, as of the best epoch, make a line say nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX
from ..parsing.phases import Phase, of_line
from ..parsing.values import number

_LONGEST = 300
_MEAN = r"(?:(?:avg|average|mean|epoch)\.?[ _-]){0,2}"
_VALUE = r"(?:[ _]per[ _](?:batch|step|epoch|sample))?[\"']? ?(?:[:=]|is| )[ \t]{0,4}([-+]?\d{1,12}\.\d{1,12}(?:[eE][-+]?\d{1,3})?|nan|-?inf)(?!\w|\.\w)"
_NOT_BEST = r"(?<!best )(?<!best_)(?<!lowest )(?<!min )(?<!final )(?<![a-z_/.])"
_TRAIN = lazy_pattern(rf"(?i){_NOT_BEST}{_MEAN}(?:train(?:ing)?|tr)\.?[ _/-]{{1,6}}{_MEAN}loss{_VALUE}")
_VALIDATION = lazy_pattern(
    rf"(?i){_NOT_BEST}{_MEAN}(?:val(?:i|id(?:ation)?)?|dev|eval(?:uation)?|test)\.?[ _/-]{{1,6}}{_MEAN}loss{_VALUE}"
)
_BARE = lazy_pattern(
    rf"(?i)\W*(?:epoch\W{{0,3}}\d{{1,6}}(?: ?(?:/|(?:out )?of) ?\d{{1,6}})?\W{{1,4}})?{_MEAN}loss{_VALUE}"
)
_SET_IN_FRONT = lazy_pattern(
    r"(?i)\W{0,4}\[\W{0,3}(?:(train(?:ing)?)|val(?:id(?:ation)?)?|dev|eval(?:uation)?|test(?:ing)?)\b[^\]]{0,40}\]\W{0,4}"
)
"""`[ Valid | 003/100 ] loss = 0.5`: of which set the loss is, in brackets."""
_FOUND = lazy_pattern(
    r"(?i)(?<![\w/.])((?:val|valid|eval|dev|test)_(?!loss)[a-z]\w{0,30})[:=] ?(\d{1,12}\.\d{1,12})(?![\w.%])"
)
_OF_ANOTHER = lazy_pattern(
    r"(?i)\b(?:sav(?:ed|ing)|improv\w*|patience|early|load\w*|restor\w*|checkpoints?|decreased|increased|resum\w*|fold)\b|\.\d{1,12} {0,2}[(,]? ?(?:at|@|in|from) ?epoch\W{0,3}\d|^\W*(?:new )?(?:best|lowest)\b"
)

_BEST_BEHIND = lazy_pattern(r"(?i)(?<=\d)[.,;|( ]{1,6}(?:the )?best\b")


class Said(NamedTuple):
    """What a line says: losses of the training and of an evaluation, and whatever else that one found."""

    train: float | None = None
    validation: float | None = None
    found: dict[str, float] | None = None


def behind_bar(text: str) -> str:
    """What stands behind a bar, or another bracket, but for one that says of which set the loss is."""
    return text if _SET_IN_FRONT.match(text) else text.rpartition("]")[2]


def is_of_batch(text: str) -> bool:
    """Does an evaluation say a loss of one of its batches: `Val, [1/3], train_loss 2.5`? Its name may be the training's."""
    front = text.rpartition("]")[0]
    return "%|" not in front and of_line(front) is Phase.EVALUATION and not _SET_IN_FRONT.match(text)


def said_in(text: str, *, evaluated: bool) -> Said | None:
    """What `text`, a line or what stands behind a bar, says. `evaluated`: a loss without a name may be an evaluation's."""
    if "oss" not in text and "OSS" not in text:
        return None
    text = PREFIX.sub("", text[:_LONGEST], count=1)
    if _OF_ANOTHER.search(_now(text)):
        return None
    train, validation = _TRAIN.search(text), _VALIDATION.search(text)
    if train is None and validation is None and (of := _SET_IN_FRONT.match(text)):
        loss = _BARE.match(text, of.end())
        train, validation = (loss, None) if of[1] else (None, loss)
    elif train is None and validation is None and not evaluated:
        train = _BARE.match(text)
    if train is None and validation is None:
        return None
    found = {name: float(value) for name, value in _FOUND.findall(text)} if validation else {}
    return Said(number(train[1]) if train else None, number(validation[1]) if validation else None, found or None)


def _now(text: str) -> str:
    """Without a best one that follows: `Val loss: 0.5. Best val loss: 0.25 at epoch 3` says what is found now, too."""
    return _BEST_BEHIND.split(text, maxsplit=1)[0] if "est" in text else text
