"""What counts on a line of an unknown script, and which values on it are a training's."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

_WORDS = (
    "global step",
    "timestep",
    "step",
    "iteration",
    "iter",
    "update",
    "batch",
    "generation",
    "gen",
    "episode",
    "epoch",
    "count",
    "task",
)
"""What counts, the finest first: of several on a line that all count on, the first is the iteration."""
COUNT = (
    r"(?i)(?<!best[ _-])(?<!max[ _-])\b(global[ _-]?step|time[ _]?step|step|iter(?:ation)?|update|batch|generation|gen|episode|epoch|count(?=: ?\d)|task(?= \[\d{1,9}/\d))s?\b"
    r"(?: ?(?:i|id|idx|no|num|number|completed|done|finished)\b)?\W{0,24}?(?<![-.\d])(\d{1,15})(?:\.0(?!\d)|st|nd|rd|th)?(?!\w|\.\d|%|:\d)(?: ?(?:/|of) ?(\d{1,15})(?!\w|\.\d))?"
)
"""`Episode 12/500`, `batch i:1`, `current step: 3th step`, `('Epoch: ', 5)`, `episode: 300.0`."""
COUNT_IN_EPOCH = r"\b\d{1,9}/\d{1,9} in \d{1,9} epoch\b"
_IN_EPOCH = lazy_pattern(
    r"(?i)\bepoch\b\W{0,12}(?P<e>\d{1,9})(?:/\d{1,9})?\W{1,12}(?P<n>\d{1,9})/ {0,9}(?P<of>\d{1,9})\b"
    r"|\b(?P<n_>\d{1,9})/(?P<of_>\d{1,9}) in (?P<e_>\d{1,9}) epoch\b"
)
COUNT_IN_FRONT = (
    r"^ {0,8}(?:\[?(\d{1,9})\]?[,|)]? {1,8}(?=(?:[A-Za-z]\w{0,20}[ _]){0,2}(?i:loss)\w{0,12} ?[:=])"
    r"|(?:\[(\d{1,9}) ?/ ?(\d{1,9})\]|#(\d{1,9})[:,|)]?) {1,3}(?=[A-Za-z]\w{0,20} ?[:=] ?[-\d]))"
)
"""`0 Image loss: 0.75 Fake loss: 9.25`, `[001/100] D: 0.64 | G: 0.83`, `#12: reward: 0.5`: no word says what counts, but values follow."""
TRAINS = (
    r"(?i)(?<![a-z\d])(loss|rewards?|(?:episodic[ _])?return|scores?|fitness|acc(?:uracy)?|entropy|ppl|perplexity|epsilon|lr|learning[ _]rate|"
    r"mae|mse|rmse|correct|kl|dice|m?iou|psnr|ssim|auc|auroc|f1|bleu|ndcg|mrr|(?:iteration|epoch|episode)s completed|[dg]_\w{2,8}|(?:error|(?:tr|trn|train(?:ing)?|vl|val|valid|validation|dev)(?:[ _]?(?:last|mean|avg|average|total|epoch))?)(?= {0,3}[:= ]\s{0,3}-?\d{1,6}\.\d{1,20}(?![\d%]| ?(?:s|secs?|m|mins?|ms|h)\b)))(?:_\w{1,12})?\b['\")\]]{0,2}(?: is| ?\([^()]{1,20}\))?\W{0,8}(?:array\()?[-+]?(?:\d|\.\d|nan\b|inf\b)"
)
"""Values of a training, by their words: `loss: 2.5`, `REWARD 0.1`, `d_real:0.125`, `train 2.5 | val 2.25`, whose unit is none of time."""
_ENDS = lazy_pattern(
    r"(?i)\b(?:early[ _-]?stop|stop(?:s|ped|ping)? (?:training|early|at|after)\b|(?:training|run) (?:is |has )?(?:stop|end|finish|complet|done)|no improvement)"
)
"""What tells of an end is no row: `Early stopping at epoch 52`."""
_RATE = lazy_pattern(
    r"(?<![\w.])\d{1,9}\.\d{1,9} ?(?i:(?:img|image)s?|samples|examples|tokens)/s(?:ec)?(?: per |/)(?i:gpu|device|worker|rank)\b"
)
"""`Iter #7: 425.5 img/sec per GPU`: what a benchmark of a training on several prints, which has no loss. One of inference has none either: on one GPU nobody can say."""
_BEFORE = lazy_pattern(r"\b(?:DEBUG|INFO|WARN|WARNING|ERROR)\b|[|\]>]| - ")
"""What stands before it is a logger's, or names the part of the run: `lr=0.1 | Episode 1000 | Reward: 2.5`."""
_NO_WORD = lazy_pattern(r"(?i)(?:\d ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b|[\d\W_])+")
"""A clock goes from minutes to hours: its unit is no word that stands on each line."""
_COUNT, _TRAINS, _IN_FRONT = lazy_pattern(COUNT), lazy_pattern(TRAINS), lazy_pattern(COUNT_IN_FRONT)
_LONGEST = 1_000


class Count(NamedTuple):
    """A number that may count the rows."""

    word: str
    n: float
    of: float | None = None
    epoch: float | None = None  # in which it is counted
    key: tuple[str, str] = ("", "")  # the same on each of its lines: what stands in front, and the word

    @property
    def rank(self) -> int:
        """How fine it counts: 0 the finest."""
        return _WORDS.index(self.word)


def ends(text: str) -> bool:
    """Does a line announce that the training ends?"""
    return _ENDS.search(text[:_LONGEST]) is not None


def counts_of(text: str) -> list[Count]:
    """All that may count on a line, the finest first."""
    if ends(text):
        return []
    text = PREFIX.sub("", text[:_LONGEST], count=1)  # which may hold other words at each line: AM, PM
    found: dict[str, Count] = {}
    if inside := _IN_EPOCH.search(text):
        n, of, epoch = (float(inside[name] or inside[f"{name}_"]) for name in ("n", "of", "e"))
        found["batch"] = Count("batch", n, of, epoch, ("in epoch", "batch"))
    for each in _COUNT.finditer(text):
        if text.startswith(".0", each.end(2)) and each[1].lower() == "epoch":
            continue  # among others that are fractions
        word = re.sub(r"[ _-]", "", each[1].lower()).replace("globalstep", "global step")
        in_front = _NO_WORD.sub(" ", _BEFORE.split(text[: each.start()])[-1]).strip()[-30:]
        found.setdefault(
            word, Count(word, float(each[2]), float(each[3]) if each[3] else None, None, (in_front, word))
        )
    if not found and (front := _IN_FRONT.match(text)):
        whole = float(front[3]) if front[3] else None
        return [Count("step", float(front[1] or front[2] or front[4]), whole, key=("in front", "step"))]
    return sorted(found.values(), key=lambda one: one.rank)


def training_words(text: str) -> frozenset[str]:
    """The names of a training's values on a line."""
    words = frozenset(each.lower() for each in _TRAINS.findall(text[:_LONGEST]))
    return words or (frozenset(("rate",)) if _RATE.search(text[:_LONGEST]) else words)
