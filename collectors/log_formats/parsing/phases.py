"""Whose values a line holds: the training's, or those of something that validates, tests or prepares. One table for all.

`Valid | Epoch 1 | 2/3`, `Evaluation Epoch 5 - Average Loss: 3.75`, `Test: [10/100]`, `[eval] step 3`: what validates says so
in front. `Val Acc: 0.79` behind a training loss names one value, and the line stays the training's.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from .grammar import LONGEST, shape_of, without_logger
from .values import number

if TYPE_CHECKING:
    from collections.abc import Mapping


class Phase(Enum):
    """What a line is of."""

    TRAINING = "training"
    EVALUATION = "evaluation"
    PREPARATION = "preparation"


_EVALUATION = (
    r"vali?|valid|validat(?:e|es|ed|ing|ion)|eval|evaluat(?:e|es|ed|ing|ion|or)|tests?|tested|testing|dev"
)
_LABEL = lazy_pattern(
    rf"(?i)(?<![\w/\\.=-])(?:(?P<training>train|training)|(?P<evaluation>{_EVALUATION}))(?![\w/\\=-]|\.(?!\.))"
)
"""A word of its own, or `Evaluating...`; none is in `test.py` and `val=`."""
_OF_ITS_PLACE = lazy_pattern(
    rf"(?i)(?<![\w/\\.=-])(?:{_EVALUATION})[ _-]{{1,2}}(?:epoch|step|iter(?:ation)?|batch)\W{{1,5}}\d"
)
"""`Valid Epoch: 3`: whose place it is, whatever stands in front of it, `trainer >> `."""
_INFERS = lazy_pattern(
    r"(?<![\w/\\.=-])[Ii]nfer(?:ring|ence)?[\])]?(?: {1,2}(?:epoch|step|iter(?:ation)?|batch))?\W{1,5}\d{1,9} ?/ ?\d"
)
"""`infer [10/50]`, `Inference step 10/50`: a word that also names times stands in front of a counter."""
_VALUE = lazy_pattern(r"\d\.\d")
_COUNTED = r"(?:epoch|step|iter(?:ation)?|batch|update|set|phase|data(?:set)?|split|mode|in|on|of|at|for|with|begins?|starts?)\b"
_NAMES_A_VALUE = lazy_pattern(
    rf"(?i)(?:[ _-]{{1,3}}(?!{_COUNTED})[a-z@][\w@]{{0,30}}){{0,3}} {{0,2}}[:=]? {{0,6}}[-+]?(?:\d|\.\d|nan\b|inf\b)"
)
_TITLE_EVALUATES = lazy_pattern(
    rf"(?i)\b(?:{_EVALUATION}|eval\w*|validat\w*|test\w*|predict\w*|infer(?:ence|ring)?|sanity)\b"
)
_TITLE_PREPARES = lazy_pattern(
    r"(?i)load|calculat|comput|download|fetch|(?-i:\b[Mm]ap\b)|mapping|filter|tokeniz|shard|generat|sampl|preproc|scan|cach|convert|encod|"
    r"extract|upload|saving|writing|read|resolv|packing|grouping|flatten|build|import|concat|index|quantiz|compress"
)
_TITLE_PREPARES_DATA = lazy_pattern(
    r"(?i)\W{0,3}(?:construct|creat|fill|prepar|preprocess|initiali[sz]|collect|load|build|read|fetch|tokeniz|cach)\w{0,6}\b.{0,60}"
    r"\b(?:data|(?:data|sub)?sets?|queues?|splits?|(?:data)?loaders?|samples|examples|images|files|features|buffers?)\b"
)
"""Of data for a training or for an evaluation: `Constructing queue for validation data`."""
_TITLE_PREPARES_ANY = lazy_pattern(
    r"(?i)\W{0,3}(?:(?:.{0,40}\s)?(?:train(?:ing)?|val(?:id(?:ation)?)?|test|eval|dev)\W{1,4})?(?:(?:scann|cach|download|upload|tokeniz)ing\b"
    r"|running tokenizer\b|generating \w{1,20} split\b|(?:(?:apply|add|truncat|format|convert|extract|pack|filter|mapp|group|cast|sav)ing\b"
    r".{0,60}\b(?:data|split|(?:data|sub)?set)s?\b))"
)
"""... whoever's they are: `val: Scanning '/data/labels/val'`, `Applying chat template to eval dataset`."""
_TITLE_OF_RESULTS = lazy_pattern(
    r"(?i)(?:^|\s)(?:[a-z][\w@.:()/%-]{0,30}\s{2,}){2,12}(?:[a-z][\w@.:()/%-]{0,30} )?[a-z][\w@.:()/%-]{0,30}\W{0,3}$"
)
_RESULT = lazy_pattern(r"(?:\b|\()(?:P\s+R|m?AP|mIoU|[Pp]recision|[Rr]ecall|F1|top1_acc)(?![a-z])")
"""The head of a table of results, drawn in front of the bar of what finds them: `Class  Images  Labels  P  R  mAP@.5 mAP@.5:.95`."""
_ROW_PREPARES = lazy_pattern(
    r"(?i)\b(?:(?:down|up)load(?:ing|ed)|(?:pre)?process(?:ing|ed)(?! {1,2}\d[\d,]{0,12} .{0,100}loss)|tokeniz(?:ing|ed)|extract(?:ing|ed)|cach(?:ing|ed))\b"
    rf"|\bload(?:ing|ed) (?:the )?(?:{_EVALUATION}|train|training)\b|\binner[ _-]?(?:steps?|iter(?:ation)?s?|loop|updates?)\b"
)
"""An inner step of meta-learning is only a part of an iteration. `processed 1,024 loss 0.5` tells of a row how many samples it has seen."""
_BAR = lazy_pattern(r".{0,300}?\d/(?:\d+|\?) \[[^\]]{0,200}it/s[^\]]{0,200}\]")
"""A bar that another line was written behind: its title is its own."""
_OF_SOME_SET = lazy_pattern(r"\s{0,8}(?:[A-Za-z]\w{0,20} ){1,4}set: {1,3}(?i:average|avg\.?|mean) loss\b")
"""`Labelled target set: Average loss: 0.25`: of a set that is not said to be trained on, nor to be evaluated with."""
_WORD = lazy_pattern(r"[A-Za-z]+")
_SAVES = lazy_pattern(
    r"(?i)[\W_]{0,20}(?:(?:new|the|best|current|last|model|checkpoint|weights?|state|snapshot|results?)s?[ :!-]{1,3}){0,4}"
    r"(?:(?:is|was|were|has been) )?(?:sav(?:ed|ing)|written|stored|found)\b|[\W_]{0,20}(?:new )?best (?!loss|acc)[a-z]"
    r"|[\W_]{0,8}meta(?:data)?\W{1,3}\{"
)
_SHORT = 100
RULES = " -_=*#~"  # drawn around a heading
_OF_DATA = lazy_pattern(
    r"(?i)(?<![a-z])(?:loaded|(?:data)?sets?|data|splits?|(?:data)?loaders?|samples?|examples|rows|images|sentences|files?|labels?|shape)(?![a-z])"
)
_BEGINS = lazy_pattern(
    r"(?i)ing\b|(?:evaluation|validation|test) (?:on|of|results?)\b|results?\b|metrics|performance|starts|begins"
)
_FOUND = lazy_pattern(
    r"(?i)(?<![a-z])(?:loss|acc(?:uracy)?|f1|auc|ppl|perplexity|bleu|dice|m?iou|m?ap|precision|recall|psnr|ssim|wer|cer)['\")]{0,2}"
    r"(?: ?[:=] ?| )[-+]?\d{0,6}\.\d"
)
"""`Test {'loss': 0.5}`: what was found. Nothing begins there."""
_TOGETHER = lazy_pattern(
    rf"(?:(?P<training>tr_?|train(?:ing)?)|(?P<evaluation>{_EVALUATION}))(?=(?:loss|acc(?:uracy)?)(?![a-z]))"
)
_CLOSES = lazy_pattern(
    r"(?i)\bepoch\b\W{0,3}\d{1,9}(?: ?(?:/|(?:out )?of) ?\d{1,9})?\W{1,4}(?:is |was )?(?:completed?|finished|done|ended|over)\b"
)
_DIRECTLY_IN_FRONT = lazy_pattern(
    rf"(?i)(?<![\w/\\.=-])(?:{_EVALUATION}|infer(?:s|red|ring|ence|encing)?|predict(?:s|ed|ing|ions?)?)(?:[ _-]?(?:set|phase|mode|step))?"
    r"[\W_]{0,8}$"
)
"""`EVALUATING - `, `[Validate] `, `Inference: `, and then a place that is counted."""
_KEYS = frozenset(("mode", "split", "phase", "stage", "set", "subset", "type", "kind", "prefix", "tag"))
"""Names of columns that may say whose values a row holds."""

_BEST = lazy_pattern(r"(?:^|_)(?:best|lowest|min)(?:_|$)")


def of_line(text: str) -> Phase | None:
    """Whose the values of a line are, by the first word that says so; `None`: their names say it, or nothing does."""
    return _of_shape(shape_of(text[:LONGEST]))


def announced(text: str) -> Phase | None:
    """What a short line without values says that begins: `Evaluating ...`; `Validation set: 581 images` tells of data, and so does
    `Initializing val dataset`.
    """
    if len(text) >= _SHORT or _FOUND.search(text):
        return None
    phase = of_line(text.strip(RULES))
    if phase is Phase.EVALUATION and _TITLE_PREPARES_DATA.match(without_logger(text)):
        return Phase.PREPARATION
    return None if phase is Phase.EVALUATION and _OF_DATA.search(text) and not _BEGINS.search(text) else phase


@lru_cache(maxsize=256)
def evaluates_behind(front: str) -> bool:
    """Is the place that is counted behind `front`, with which its line begins, one of an evaluation?"""
    return _DIRECTLY_IN_FRONT.search(without_logger(front)) is not None


def saves(text: str) -> bool:
    """Does a line tell of what was saved, or was the best, or is kept: `Checkpoint saved to best.pt (epoch 7, loss 2.5)`?"""
    return _saves(shape_of(text[:LONGEST]))


def closes(text: str) -> bool:
    """Is a line the last of an epoch of the training: `Epoch 3 completed in 40.5s | Avg Loss: 0.5`? Its mean is the training's."""
    return "poch" in text and _CLOSES.search(text[:_SHORT]) is not None and of_line(text) is not Phase.EVALUATION


@lru_cache(maxsize=256)
def _saves(text: str) -> bool:
    return _SAVES.match(without_logger(text)) is not None


@lru_cache(maxsize=256)
def _of_shape(text: str) -> Phase | None:
    if "it/s" in text and (bar := _BAR.match(text)):
        text = text[bar.end() :]
    if _ROW_PREPARES.search(text[:200]):
        return Phase.PREPARATION
    found = _LABEL.search(text)
    if found is not None and found["training"]:  # a logger's name, `train`, and its place in the code say nothing
        found = _LABEL.search(text := without_logger(text))
        placed = _OF_ITS_PLACE.search(text)
        if placed is not None and not _VALUE.search(text, 0, placed.start()):
            return Phase.EVALUATION
    if found is None and "nfer" in text and _INFERS.search(text):
        return Phase.EVALUATION
    if found is None and "set: " in text and _OF_SOME_SET.match(without_logger(text)):
        return Phase.PREPARATION
    if found is None or _NAMES_A_VALUE.match(found.string, found.end()):
        return None
    return Phase.TRAINING if found["training"] else Phase.EVALUATION


@lru_cache(maxsize=256)
def of_title(title: str) -> Phase | None:
    """What a bar counts, by its title, which most of its frames share."""
    if _TITLE_PREPARES_DATA.match(title) or _TITLE_PREPARES_ANY.match(title):
        return Phase.PREPARATION
    if _TITLE_EVALUATES.search(title) or (_RESULT.search(title) and _TITLE_OF_RESULTS.search(title)):
        return Phase.EVALUATION
    return Phase.PREPARATION if _TITLE_PREPARES.search(title) else None


def of_column(name: str, value: object) -> Phase | None:
    """Whose values a row holds, where one of its columns says it: `"mode": "val"`."""
    if not _may_say(name) or not isinstance(value, str) or len(value) > 40:
        return None
    found = _LABEL.fullmatch(value.strip())
    return None if found is None else Phase.TRAINING if found["training"] else Phase.EVALUATION


@lru_cache(maxsize=2048)
def _may_say(name: str) -> bool:
    return name.rpartition("/")[2].lower() in _KEYS


def is_of_best(name: str) -> bool:
    """Is it the best so far, `best_val_loss`? That was found long before, perhaps: no evaluation of now tells it."""
    return _BEST.search(name) is not None


def validates(name: str) -> bool:
    """Does a name of a value say that it is of a validation: `val_loss`, `Test Loss`, `loss/dev`?"""
    return any(_LABEL.fullmatch(word) and not word.lower().startswith("train") for word in _words(name))


def apart(name: str) -> str:
    """A name in lower case whose first two words are written together, with them apart: `valloss`, `trloss`, `testacc_1`."""
    found = _TOGETHER.match(name)
    if found is None:
        return name
    return f"{'train' if found['training'] else found['evaluation']}_{name[found.end() :].lstrip('_')}"


def _words(name: str) -> list[str]:
    return _WORD.findall(apart(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[:80]).lower()))


_OVER = lazy_pattern(
    r"(?i)\b(?:finished|completed|done with|end of) (?:the )?training\b|\btraining (?:(?:is|has|was) )?(?:finished|completed?|done|over|ended)\b"
)


class Heading(NamedTuple):
    """The line of an epoch that began."""

    epoch: float
    epochs: float | None
    phase: Phase | None
    anew: bool  # it begins again with an epoch that there was
    rows: bool = False  # something stood under it

    def behind(self, text: str) -> Heading:
        """... of a line that may say that the training is over: rows without a place are not its own from there on."""
        over = self.rows and self.phase is not Phase.EVALUATION and len(text) < _SHORT and _OVER.search(text)
        return self._replace(phase=Phase.PREPARATION) if over else self

    def evaluates_before(self, row: Mapping[str, object]) -> bool:
        """Is it an evaluation's, and the row of a later epoch? `Test on Epoch 1`, and then `Epoch 2[16/500] loss: 0.5`."""
        epoch = number(str(row["epoch"])) if self.phase is Phase.EVALUATION and "epoch" in row else None
        return epoch is not None and epoch > self.epoch


_FRONT = lazy_pattern(
    rf"(?i)([^=%]{{0,80}}?)(?<![\w/\\.=-])(?:(train|training)|{_EVALUATION})[ _-]{{1,3}}(?=[a-z][\w ]{{0,30}}[:=])"
)
_FIGURE = lazy_pattern(r"0+(?:\.0+)?(?:[eE][-+]?0+)?")
_MOST_SHAPES, _LEAST_FIGURES = 32, 2


class WordsInFront:
    """`Train acc: 0.75 | loss: 2.5`, and `Valid acc: 0.5 | loss: 3.5`: a word in front of two rows that are one but for it is of all
    their values, also of those behind the first.
    """

    def __init__(self) -> None:
        self._trained: set[tuple[str, str]] = (
            set()
        )  # what stands before and behind the word, in rows of the training

    def learn(self, other: WordsInFront) -> None:
        """Take over what was seen in more rows."""
        self._trained |= other._trained

    def phase_of(self, text: str) -> Phase | None:
        """Whose the values of the next row are: see `of_line`."""
        phase = of_line(text)
        if phase is not None or (found := _front(shape_of(text[:LONGEST]))) is None:
            return phase
        trains, row = found
        if not trains:
            return Phase.EVALUATION if row in self._trained else None
        if len(self._trained) < _MOST_SHAPES:
            self._trained.add(row)
        return None


@lru_cache(maxsize=256)
def _front(shape: str) -> tuple[bool, tuple[str, str]] | None:
    """Does the word in front say that the training's values follow, and what is around it? `None`: there is none, or one value."""
    found = _FRONT.match(shape)
    behind = "" if found is None else shape[found.end() :]
    if found is None or len(_FIGURE.findall(behind)) < _LEAST_FIGURES or _LABEL.search(behind):
        return None
    return found[2] is not None, (_FIGURE.sub("0", found[1]), _FIGURE.sub("0", behind))
