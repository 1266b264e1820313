"""What counts on a line of an unknown script, and which values on it are a training's."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..counting.loaded import tells_of_best
from ..evidence import loses_else
from ..families.updates import steps_of_updates
from ..parsing.columns import guess
from ..parsing.grammar import PREFIX, shape_of
from ..parsing.phases import Phase, of_line, validates
from ..parsing.values import COUNTER, number
from .line_values import two_keys, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..parsing.values import LogLine

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
    r"(?i)(?<!best[ _-])(?<!max[ _-])\b(global[ _-]?step|time[ _]?step|step|iter(?:ation)?|update|batch|generation|gen|episode|epoch|ep(?=[ .:#]{0,3}\d)|count(?=: ?\d)|task(?= \[\d{1,9}/\d))s?(?!(?<=\bepochs) ?(?:=|: ?\d+\s*$))(?:\b|(?<=\bep)|(?<=\bepoch)(?=\d{1,6} ?\[\d{1,9}/\d))"
    rf"(?: ?(?:i|id|idx|no|num|number|completed|done|finished)\b)?\W{{0,24}}?(?<![-.\d])({COUNTER})(?:\.0(?!\d)|st|nd|rd|th)?(?!\w|\.\d|%|:\d)(?: ?(?:/|of) ?({COUNTER})(?!\w|\.\d))?"
)
"""`Episode 12/500`, `batch i:1`, `current step: 3th step`, `('Epoch: ', 5)`, `episode: 300.0`, `iter: 121,400`. Not `epochs=50`, nor `epochs: 50` and no more, which is how many there will be."""
COUNT_IN_EPOCH = r"\b\d{1,9}/\d{1,9} in \d{1,9} epoch\b"
_IN_EPOCH = lazy_pattern(
    rf"(?i)\bepoch(?:\b|(?=\d))\W{{0,12}}(?P<e>\d{{1,9}})(?!,\d{{1,3}}/ ?\d{{1,3}},\d{{3}}\b)(?:/\d{{1,9}})?\W{{1,12}}(?P<n>{COUNTER})/ {{0,9}}(?P<of>{COUNTER})\b"
    r"|\b(?P<n_>\d{1,9})/(?P<of_>\d{1,9}) in (?P<e_>\d{1,9}) epoch\b"
)
_BOTH_IN_FRONT = r"(?:\[ {0,5}\d{1,9} {0,2}: {1,9}\d{1,9} {0,2}\]|\[?\d{1,9}[][ ,|-]{1,12}\d{1,9}\]?)"
COUNT_IN_FRONT = (
    r"^ {0,8}(?:\[?(\d{1,9})\]?[,|)]? {1,8}(?=\[?(?:[A-Za-z]\w{0,20}[ _]){0,2}(?i:loss)\w{0,12} ?[:=])"
    r"|(?:[Tt]rain(?:ing)? )?(\d{1,9})[A-Z]? ?[:,|)] ?(?=(?i:acc|nmi|ari|f1|auc|loss)\w{0,12} ?[:=]? {0,3}-?\d{0,6}\.\d)|(\d{1,9})/(\d{1,9})[ :,|-]{1,4}(?=(?i:train(?:ing)?[_ ])?(?i:loss|reward) ?[:=]? {0,6}-?\d{0,6}\.\d)"
    r"|(\d{1,9})/(\d{1,9}) {1,3}(?=(?:mini-?)?(?:batch|step|iter(?:ation)?)\b[^\d]{0,40}\d{0,9}\.\d)"
    r"|(?:\[(\d{1,9}) ?/ ?(\d{1,9})\]|#(\d{1,9})[:,|)]?) {1,3}(?=(?:[A-Za-z]\w{0,20} ){0,2}[A-Za-z]\w{0,20} ?[:=] ?[-\d])"
    rf"|{_BOTH_IN_FRONT}[ |:,;-]{{1,4}}(?=(?:[A-Za-z]{{1,12}}[_ ])?(?i:loss(?: [a-z])?) {{0,3}}[:=]))"
)
"""`0 Image loss: 0.75 Fake loss: 9.25`, `[001/100] D: 0.64 | G: 0.83`, `#12: reward: 0.5`, `12Q :acc 0.5`, `12/50 - loss 0.5`, `50/1000 batch error is: 0.5`: no word says what counts, but values follow."""
_TWO_IN_FRONT = lazy_pattern(
    r" {0,8}\[? {0,5}(\d{1,9})(?:[][ ,|-]{1,12}| {0,2}: {1,9}(?=\d{1,9} {0,2}\]))(\d{1,9}) {0,2}\]?[ |:,;-]{1,4}(?=(?:[A-Za-z]{1,12}[_ ])?(?i:loss(?: [a-z])?) {0,3}[:=])"
)
"""`003  02112 |Loss: 0.5`, `[0 :    100] loss G : 2.5`: the epoch and the step; the first alone counts where the second stands."""
_LASTED = lazy_pattern(r"(?i)\b(?:steps|length) ?[:=]")
"""`[12/500] score=1.5, steps = 174`: so long an episode was, which the number in front counts."""
TRAINS = (
    r"(?i)(?<![a-z\d])((?:(?:train(?:ing)?|batch|epoch|iter|total|mean|avg|average)(?=loss))?loss(?: [a-z]{1,20}(?= ?[:=] {0,3}\d{1,6}\.\d))?|rew(?:ards?)?(?: (?:obtained|received|earned|collected))?|(?:episodic[ _])?return|scores?|fitness|acc(?:uracy)?|entropy|ppl|perplexity|epsilon|lr|learning[ _]rate|"
    r"mae|mse|rmse|squared? error(?: (?:on|of|for|at|with) [a-z]{1,20}(?: [\d.]{1,8})?(?= is \d))?|correct|(?:finished after|lasted)(?= \d{1,9} (?:time ?)?steps)|kl|dice|m?iou|psnr|ssim|auc|auroc|f1|bleu|ndcg|mrr|(?:iteration|epoch|episode)s completed|[dg]_\w{2,8}|(?:error|m?ap|nmi|ari|rank-?1|top-?1|precision|recall|wer|cer|elbo|nll|(?:avg|average|mean|train(?:ing)?)?[ _]?cost|(?:tr|trn|train(?:ing)?|vl|val|valid|validation|dev)(?:[ _]?(?:last|mean|avg|average|total|epoch))?)(?= {0,3}(?:is {0,2})?[:= ]\s{0,3}-?\d{1,6}\.\d{1,20}(?![\d%]| ?(?:s|secs?|m|mins?|ms|h)\b)))(?:_\w{1,12})?\b['\")\]]{0,2}(?: is| ?\([^()]{1,20}\))?(?:\W{0,8}|: {9,20})(?:array\()?[-+]?(?:\d|\.\d|nan\b|inf\b)"
)
"""Values of a training, by their words: `loss: 2.5`, `REWARD 0.1`, `d_real:0.125`, `train 2.5 | val 2.25`, whose unit is none of time."""
_ENDS = lazy_pattern(
    r"(?i)\b(?:early[ _-]?stop|stop(?:s|ped|ping)? (?:training|early|at|after)\b|(?:training|run) (?:is |has )?(?:stop|end|finish|complet|done)|no improvement)"
)
"""What tells of an end is no row: `Early stopping at epoch 52`."""
_CLOSES = lazy_pattern(r"(?i)\b(?:finish(?:ed|ing)?|complet(?:ed|e|ing)|done|ended|end of|is over|took|after)\b")
_TOLD_OF = lazy_pattern(
    r"(?i)\W{0,8}epoch\W{0,8}\d{1,9}(?: ?/ ?\d{1,9})?(?::| -) {1,3}(?!train|start|begin|run)[a-z_]\w{1,40}:? [a-z][\w-]{1,40}\b(?! ?[:=])"
)
"""`Epoch    30: reducing learning rate of group 0 to 1e-4.`: words of a scheduler or a callback, between an epoch's values."""
_STARTS = lazy_pattern(
    r"(?i)(?:^|[:|>\]*#=-] {0,4})(?:start|begin)(?:ing|ning|s)? (?:of )?(?:the )?(?:train(?:ing)? )?[a-z]"
)
_RATE = lazy_pattern(
    r"(?<![\w.])\d{1,9}\.\d{1,9} ?(?i:(?:img|image)s?|samples|examples|tokens)/s(?:ec)?(?: per |/)(?i:gpu|device|worker|rank)\b"
)
"""`Iter #7: 425.5 img/sec per GPU`: what a benchmark of a training on several prints, which has no loss. One of inference has none either: on one GPU nobody can say."""
_BEFORE = lazy_pattern(r"\b(?:DEBUG|INFO|WARN|WARNING|ERROR)\b|[|\]>]| - ")
"""What stands before it is a logger's, or names the part of the run: `lr=0.1 | Episode 1000 | Reward: 2.5`."""
_AGENT = lazy_pattern(r"(?i)\b(?:rew(?:ards?)?|returns?|scores?|eps(?:ilon)?|steps)\b")
_SCORE = lazy_pattern(
    r"(?i)(?:[a-z]{2,12}[ _])?(?:scores?|rew(?:ards?)?|returns?|fitness)(?: (?:obtained|received|earned|collected))?"
)
_NO_WORD = lazy_pattern(r"(?i)(?:\d ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b|[\d\W_])+")
"""A clock goes from minutes to hours: its unit is no word that stands on each line."""
_BEST = lazy_pattern(r"(?i)\bimproved\b.{0,120}?\bnew best score\b")
"""`Metric val improved by 0.5. New best score: 0.75`: it comes at the best epochs alone, so rows made of it end at the best."""
_COUNT, _TRAINS, _IN_FRONT = lazy_pattern(COUNT), lazy_pattern(TRAINS), lazy_pattern(COUNT_IN_FRONT)
_LONGEST, _MOST_HEADS = 1_000, 64
_SOON_S = 10.0  # behind a line that closes an epoch come its values
_ONE_IN_BRACKETS = lazy_pattern(r"(?<=[A-Za-z]) {1,2}\[ {1,4}(-?\d{1,9}\.\d{1,20}(?:e[-+]?\d{1,3})?) ?\]")
"""`Loss [ 0.5]`: an array of a single number, as it is printed."""
_SET = r"(?:[A-Z_](?!\w{0,20}[Tt]ime)\w{0,20})?(?: ?[:=] ?| )-?\d{1,12}\.\d{1,20}(?![\d%]| ?(?:s|secs?|m|mins?|ms|h)\b)"
_BOTH_SETS = lazy_pattern(
    rf"(?<![A-Za-z])[Tt]rain(?:ing)?{_SET}.{{1,200}}?(?<![A-Za-z])(?:[Vv]al(?:id(?:ation)?)?|[Tt]est|[Ee]val){_SET}"
)
"""`TrainProfit 6.875, ValProfit 0.25`: one value of what it trains on, and of what it is evaluated on."""
_SPACED = lazy_pattern(r"(?<![\w.])([A-Z][a-z]\w{1,30}) (?=-?\d{1,12}\.\d{1,20}(?:,|$))")
"""`Sharpe 0.25, AvgReward -0.5`: names in capitals, and a comma behind each value."""
_NUMBERED = lazy_pattern(r"(?<![\w.])([A-Z][a-z]{1,20}) (\d{1,2}) = (?=-?\d{1,9}\.\d{1,9}\()")
"""`Stage 0 = 1.25(2.5)	Stage 1 = 1.5(2.75)`."""
_PRINTED = lazy_pattern(r"', (?:\[?array\()?")
_TRAINING_IN_FRONT = lazy_pattern(
    r"(?i)\W{0,12}train(?:ing)?\b\W{1,12}(?:global[ _]?)?(?:step|iter(?:ation)?|update|epoch)\W{1,8}\d"
)
"""`train | step=12, p_move=0.5, energy=-1.25`: the part of the run that says it, and at once what counts."""
_SAYS_TRAINING = lazy_pattern(r"(?i)\btrain(?:ing)?\b(?! ?(?:set|data|samples|size|loader))")
OF_THE_RUN = ("epoch", "episode", "generation", "gen")
"""`Epoch 12/500` counts all of the run; of steps that are 12 of 500 there may be more in the next epoch."""
_SETTINGS, INSIDE = {"lr", "learning rate", "learning_rate"}, ("step", "iteration", "iter", "batch")
_PLACES = ("iteration", "epoch", "total")


class Count(NamedTuple):
    """A number that may count the rows."""

    word: str
    n: float
    of: float | None = None
    epoch: float | None = None  # in which it is counted
    key: tuple[str, str] = ("", "")  # the same on each of its lines: what stands in front, and the word
    of_run: bool = False  # is `of` that of the whole run?

    @property
    def rank(self) -> int:
        """How fine it counts: 0 the finest."""
        return _WORDS.index(self.word)


class Heads:
    """How the lines look that rows begin with."""

    def __init__(self) -> None:
        self._shapes: set[str] = set()
        self._words: set[str] = set()  # names of their values
        self._trained = False  # has one had values that are no evaluation's?

    def see(self, text: str, words: frozenset[str]) -> None:
        """The first line of a row, and all that it names."""
        self.name(words)
        if len(self._shapes) < _MOST_HEADS:
            self._shapes.add(_shape(text))

    def name(self, words: frozenset[str]) -> None:
        """Values that rows have."""
        if len(self._words) < _MOST_HEADS:
            self._words |= words

    def evaluate(self, row: Mapping[str, object]) -> bool:
        """Are all values of a row an evaluation's, by their names, among rows that have others?"""
        own = bool(row) and all(map(validates, row))
        self._trained = self._trained or not own
        return own and self._trained

    def have_none_of(self, words: frozenset[str]) -> bool:
        """`Steps: 2000000, lr: 0.1` among rows of a return: no value of it is one that rows have."""
        return bool(words) and self._words.isdisjoint(words)

    def tell_apart(self, text: str) -> bool:
        """Is it said of an epoch what is done to it, by a line without values? No row begins with that, once others have come.

        Nor with the best so far.
        """
        if tells_of_best(text):
            return True
        if not self._shapes or _TOLD_OF.match(PREFIX.sub("", text[:_LONGEST], count=1)) is None:
            return False
        return _shape(text) not in self._shapes and not words_of(text)


def _shape(text: str) -> str:
    return "".join(shape_of(text[:_LONGEST]).split())


def starts(text: str, count: Count, last: int | None) -> bool:
    """Does a heading announce the first row once more, `Starting iteration 1`? The training before came no further."""
    return (
        count.n <= 1 and last == count.n and _STARTS.search(PREFIX.sub("", text[:_LONGEST], count=1)) is not None
    )


def epoch_of(counts: Sequence[Count], inner: Count) -> float | None:
    """The epoch in which a finer number counts."""
    return None if inner.word == "epoch" else next((one.n for one in counts if one.word == "epoch"), None)


def is_timed(lines: Sequence[LogLine], counts: Sequence[Count], count: Count) -> bool:
    """Do the stamps say how long its iterations took? Not where nobody knows how many an epoch has, nor what the values are."""
    inside = count.word in INSIDE and epoch_of(counts, count) is not None
    return not inside or count.of is not None or any(words_of(one.text) for one in lines)


def of_its_own(lines: list[LogLine]) -> list[LogLine]:
    """The lines of a row, without those that came long behind one that closes it: they are of the next one."""
    head = lines[0]
    if head.at_s is None or not head.stamped or _CLOSES.search(head.text[:_LONGEST]) is None:
        return lines
    end_s = head.at_s + _SOON_S
    return [one for one in lines if one is head or (one.stamped and one.at_s is not None and one.at_s <= end_s)]


def tells_of_else(text: str) -> bool:
    """Are a line's values what a network lost, or those of the best so far?"""
    return loses_else(text) or tells_of_best(text)


def ends(text: str) -> bool:
    """Does a line announce that the training ends, or tell of the best so far? It counts nothing."""
    return _ENDS.search(text[:_LONGEST]) is not None or tells_of_best(text)


def counts_of(text: str) -> list[Count]:
    """All that may count on a line, the finest first."""
    if ends(text):
        return []
    text = two_keys(
        PREFIX.sub("", text[:_LONGEST], count=1)
    )  # the prefix may hold other words at each line: AM, PM
    found: dict[str, Count] = {}
    if inside := _IN_EPOCH.search(text):
        n, of, epoch = (number(inside[name] or inside[f"{name}_"]) for name in ("n", "of", "e"))
        found["batch"] = Count("batch", n or 0.0, of, epoch, ("in epoch", "batch"))
    for each in _COUNT.finditer(text):
        if text.startswith(".0", each.end(2)) and each[1].lower() == "epoch":
            continue  # among others that are fractions
        word = re.sub(r"[ _-]", "", each[1].lower()).replace("globalstep", "global step")
        if word == "ep":
            word = "episode" if _AGENT.search(text) else "epoch"
        in_front = _NO_WORD.sub(" ", _BEFORE.split(text[: each.start()])[-1]).strip()[-30:]
        found.setdefault(word, Count(word, number(each[2]) or 0.0, number(each[3] or ""), None, (in_front, word)))
    lasted = found.keys() <= {"step"} and _LASTED.search(text) is not None
    if not found and (two := _TWO_IN_FRONT.match(text)):
        epoch, step = float(two[1]), float(two[2])
        return [
            Count("step", step, key=("in front", "step")),
            Count("epoch", epoch, key=("in front", "epoch")),
        ]
    if (not found or lasted) and (front := _IN_FRONT.match(text)) and any(front.groups()):
        first, length = next(filter(None, front.groups())), front[4] or front[6] or front[8]
        return [Count("step", float(first), float(length) if length else None, key=("in front", "step"))]
    if steps := steps_of_updates({word: one[1:3] for word, one in found.items()}):
        found = {word: one._replace(of_run=word == "update") for word, one in found.items() if word not in steps}
    return sorted(found.values(), key=lambda one: one.rank)


def training_words(text: str) -> frozenset[str]:
    """The names of a training's values on a line."""
    if "mproved" in text and _BEST.search(text[:_LONGEST]) is not None:
        return frozenset()
    words = frozenset(each.lower() for each in _TRAINS.findall(text[:_LONGEST]))
    return words or (frozenset(("rate",)) if _RATE.search(text[:_LONGEST]) else words)


def words_of(text: str) -> frozenset[str]:
    """A training's values on a line; a learning rate alone is a setting, as an epoch begins with, or the next attempt."""
    words = training_words(text)
    return words if words - _SETTINGS or named_at(text) else frozenset()


def _of_both_sets(text: str) -> bool:
    return "rain" in text and _BOTH_SETS.search(text[:_LONGEST]) is not None


def _trains_in_front(text: str) -> bool:
    return "rain" in text and _TRAINING_IN_FRONT.match(PREFIX.sub("", text[:_LONGEST], count=1)) is not None


def of_a_training(counts: Sequence[Count], text: str) -> bool:
    """Of a script whose training prints nothing: does an evaluation's line count its epochs, or its steps, with values of both sets?

    One that says of how many is inside an evaluation: `[Eval] step 5/100`.
    """
    if all(one.word == "epoch" for one in counts):
        return True
    return all(one.of is None for one in counts) and _of_both_sets(text)


def words_at(counts: Sequence[Count], text: str) -> frozenset[str]:
    """Names of values behind a whole place: `[epoch: 77/200, iter: 175/640] total: 1.14`, `Epoch 1 [20/90] total=1.14` is a training's.

    So are two or more where neither number is one of so many: `[Epoch 0][Batch 50], CrossEntropy=0.92, SmoothL1=0.02`;
    or where the line begins with the word of a training: `train | step=12, p_move=0.5, energy=-1.25`.
    And a clock is, where the line says that it trains: `GAN training: time elapsed = 16.5 [s] | epoch=1 | batch= [51/640]`.
    """
    inside = any(one.word in INSIDE for one in counts) and any(one.word == "epoch" for one in counts)
    least = (
        1 if sum(one.of is not None for one in counts) > 1 or any(one.epoch is not None for one in counts) else 2
    )
    both = bool(counts) and all(one.word != "epoch" for one in counts) and _of_both_sets(text)
    named = named_at(text) if least == 1 or inside or both or _trains_in_front(text) else frozenset()
    if len(named) >= least:
        return named
    of_many = inside and any(one.of is not None and one.word in INSIDE for one in counts)
    if not of_many or named or _SAYS_TRAINING.search(text[:_LONGEST]) is None:
        return frozenset()
    return frozenset(name for name in values_in(text) if _field(name) == "elapsed_s")


def named_at(text: str) -> frozenset[str]:
    """Values with decimals whose names nobody knows."""
    return frozenset(name for name, value in values_in(text).items() if "." in str(value) and guess(name) is None)


def named_in(lines: Sequence[LogLine]) -> set[str]:
    """The same on several lines."""
    return {name for line in lines for name in named_at(line.text)}


def values_in(text: str) -> dict[str, object]:
    """The values of a line; Python 2 prints `('loss: ', [array(2.5, dtype=float32)])`."""
    text = _ONE_IN_BRACKETS.sub(r": \1", text[:2000]) if " [ " in text else text
    text = _SPACED.sub(r"\1: ", text) if _of_both_sets(text) else text
    text = _NUMBERED.sub(r"\1_\2 = ", text) if ") " in text or ")\t" in text else text
    return values_of(_PRINTED.sub(" ", text[:2000]) if text.startswith("('") else text)


def is_value(name: str, value: object) -> bool:
    """Not a place, which is found otherwise; and no clock like `120128.346`, which may be 12:01:28 or seconds.

    What nobody knows is a metric where it has decimals: whole numbers may count, but for a score or a reward.
    """
    field = _field(name)
    if field in _PLACES:
        return False
    if not field:
        return "." in str(value) or _SCORE.fullmatch(name[:60]) is not None
    whole = str(value).partition(".")[0]
    return not (field in ("time_s", "elapsed_s") and len(whole) == 6 and whole.isdigit())


@lru_cache(maxsize=512)
def _field(name: str) -> str:
    role = guess(name)
    return "" if role is None else role.field


def phase_of(line: LogLine) -> Phase | None:
    return of_line(line.text[:2000])


def is_trained(phase: Phase | None) -> bool:
    return phase not in (Phase.EVALUATION, Phase.PREPARATION)
