"""tqdm's progress bar: `Epoch 3:  25%|██▍   | 227/921 [08:12<25:05,  2.17s/it, loss=1.2]`, the one thing many logs have."""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from . import phases
from .grammar import EPOCH_IN_FRONT, LONGEST, PREFIX, HandlerSpec, Line, LineKind
from .phases import Phase
from .values import Fields, number, scalars
from .vocabulary import TEXT, Word

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

_COUNT = r"\d{1,12}(?:\.\d{1,3})?[kKMG]?"
_CLOCK = r"(?:\d{1,4} days?, )?\d{1,5}:\d\d(?::\d\d)?"
# Not the end of a longer number, nor one below zero.
_PLACE = rf"(?<![\d.+-])(?P<bar_n>{_COUNT})/(?P<bar_total>{_COUNT}|\?) \[(?P<bar_elapsed>{_CLOCK})<(?P<bar_remaining>{_CLOCK}|\?), *"
# Bytes a second are of a download: their `M` is no part of the rate.
_UNIT = r"(?P<bar_unit>s/\w{1,20}|(?![kKMGT]?i?B/s)[^\W\d]\w{0,19}/s)(?:, (?P<bar_postfix>[^\]]*))?"
BAR = Line(" [", rf"{_PLACE}(?P<bar_rate>\d{{1,12}}(?:\.\d{{1,3}})?[kKMG]?){_UNIT}", "bar", distinctive=False)
"""A frame of a bar that has counted steps."""
ENDLESS_BAR = Line(
    " [", rf"(?<![\d./+-])(?P<bar_n>{_COUNT})(?:it|steps?|batch(?:es)?) \[(?P<bar_elapsed>{_CLOCK}), *"
    rf"(?P<bar_rate>\d{{1,12}}(?:\.\d{{1,3}})?[kKMG]?){_UNIT}", "bar", distinctive=False)  # fmt: skip
"""A frame of a bar whose length nobody knows."""
BAR_START = Line(" [", rf"{_PLACE}(?P<bar_rate>\?){_UNIT}", "bar_start", distinctive=False)
"""A frame before the first step, or of a bar without a rate."""
OTHER_BAR = BAR._replace(kind="other_bar")
"""`BAR` where such a bar alone is no iteration of the format: what it is, its title says."""
BAR_GROUPS = ("bar_n", "bar_total", "bar_elapsed", "bar_remaining", "bar_rate", "bar_unit", "bar_postfix")
_SCALE = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_DIGIT = 0.005
"""Half of the last digit of `12.34it/s` and of `12.34s/it`."""
_FINER_S = 0.5
"""A rate that leaves more seconds of a bar open than half of what its clock does says no more than that."""
_MOST_OF_IT, _REST_S = 0.8, 1.0
"""Of a bar that is closed, what it had come to by its newest frame, and the seconds that it still took: tqdm draws ten times a second."""
_HALF, _UNDRAWN_S = 0.5, 0.2
"""... or half of it, where the rest is done before tqdm would draw again."""
_FASTEST_S = 0.001
"""A step forward and back, of a few layers on a GPU, takes longer: each kernel is launched in 5 to 10 us, and there are hundreds."""
_OUTER = lazy_pattern(r"(?i)\W*(?:train(?:ing)?\W+)?epochs?(?:\W+progress)?\W*")
_TRAINS = lazy_pattern(
    r"(?i)\b(?:ep(?:och)?s?\b\W{0,3}\d|epochs?_?\d|(?:pre-?)?train(?:ing)?\b|fine-?tun(?:e|ing)\b|(?:sft|dpo|ppo|grpo)\b|step|iter)"
)
LOSS = lazy_pattern(r"(?i)\b\w{0,30}loss\w{0,30} ?(?:[=:]|\d)")
_DRAWN = lazy_pattern(r"(?:(?<=: )|(?<=\|)|^) {0,3}\d{1,3}(?:\.\d{1,2})?%\|")
"""Where tqdm draws a bar behind its title, in which a stroke may stand: `Epoch=0 | Loss=4.125:  25%|██▍   |`."""
_NAMED = lazy_pattern(
    r"([A-Za-z_]\w{0,30})(?: ?[=:] ?| (?=-?\d{1,9}\.\d))([-+]?\d{1,12}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?|nan)(?![\w/]|\.(?! ))"
)
_EVALUATED = lazy_pattern(r"(?i)(?:val(?:id(?:ation)?)?|eval(?:uation)?)[ _/.-]{1,2}([a-z][\w@ ./-]{0,30})")
_SAID = lazy_pattern(
    r"(?i)(?<!best )\b(?:val|eval|test)\w{0,10}[ _/-]{1,3}(?:\w{1,12}[ _/-])?loss\w?[^\d\n]{1,12}(\d{1,9}\.\d{1,12})"
)
_LONGEST_SAID = 300
_SAME = 0.005
"""Two losses that differ by no more than this part are one, rounded."""
_TOTAL = lazy_pattern(r"(?i)(?<![A-Za-z])tot(?:al)?[:=] ?(?=\d{1,9}\.\d)")
_PART = lazy_pattern(r"([A-Za-z]\w{0,15})[:=] ?\d{1,9}\.\d")
_OF_NO_LOSS = lazy_pattern(r"(?i)acc|rew|ret|score|mean|avg|time|iou|dice|f1|psnr|size|mem|[KMGT]i?B")
"""Beside a `Total: 12.5` it tells that it sums up something else than losses."""
_COUNTERS = lazy_pattern(r"(?i)ep(?:och)?s?|(?:batch|step|iter)\w{0,12}|it")

LOSSES = ("loss", "step_loss", "train_loss", "train_loss_step", "loss_step", "train/loss", "avg_loss", "Loss")
RATES = ("lr", "learning_rate", "LR")
NORMS = ("grad_norm", "gnorm", "grad")
UNDERSTOOD = frozenset((*LOSSES, *RATES, *NORMS))
"""Names in a postfix."""


class Bar(NamedTuple):
    """One frame of a bar. `seconds_each` is the smoothed time of a step."""

    title: str
    n: int
    total: int | None
    elapsed_s: float
    seconds_each: float | None
    postfix: str
    inner: bool = False  # drawn below another that is open
    remaining_s: float | None = None  # of its steps, as it says
    strides: tuple[int, int] = (0, 0)  # steps since the frame of it before, and what they were before that one
    unit: str = ""  # of its rate

    @property
    def phase(self) -> Phase | None:
        """What its title says that it counts."""
        return phases.of_title(self.title)

    @property
    def evaluates(self) -> bool:
        """Is it an evaluation's, by its title?"""
        return self.phase is Phase.EVALUATION

    @property
    def prepares(self) -> bool:
        """Is it of something before the training: loading, tokenizing?"""
        return self.phase is Phase.PREPARATION

    @property
    def outer(self) -> bool:
        """Does it count epochs, with a bar for the steps of each inside?"""
        return bool(_OUTER.fullmatch(self.title)) and not LOSS.search(self.postfix)

    @property
    def trains(self) -> bool:
        """Does it say that it is the training's: by its title, or by a loss behind it?"""
        return bool(_TRAINS.search(self.title) or LOSS.search(self.postfix))

    @property
    def too_fast(self) -> bool:
        """Does it say nothing of a training, and count faster than a step that learns can be: files, rows, words?"""
        return not self.trains and self.seconds_each is not None and self.seconds_each < _FASTEST_S

    @property
    def full(self) -> bool:
        """Has it come to its end?"""
        return self.total is not None and self.n >= self.total

    @property
    def spent_s(self) -> float | None:
        """What it took so far. The rate says the parts of a second that the clock cuts off, where the two agree."""
        by_rate_s = self.n * (self.seconds_each or 0.0)
        return by_rate_s if by_rate_s and self.says_more else self.elapsed_s or None

    @property
    def whole_s(self) -> float | None:
        """What it took in all, where no more than its last frames were not drawn."""
        rest_s = ((self.total or self.n) - self.n) * (self.seconds_each or 0.0)
        nearly = self.total is None or self.n >= _MOST_OF_IT * self.total
        return self.spent_s and self.spent_s + (rest_s if nearly and rest_s < _REST_S else 0.0)

    @property
    def says_more(self) -> bool:
        """The clock is cut to whole seconds: does the rate say the same, as far as its digits go, and so more?

        That of a full bar is the mean of all its steps.
        """
        each_s = self.seconds_each or 0.0
        wrong_s = self.n * unsure_s(each_s)
        wrong_s = wrong_s if wrong_s < _FINER_S else 0.0
        return self.elapsed_s - wrong_s <= self.n * each_s < self.elapsed_s + 1 + wrong_s

    @property
    def nearly_full(self) -> bool:
        """... or so close to it that the last frames may not have been drawn?"""
        return self.total is not None and (self.n >= 0.98 * self.total or self.ends_undrawn)

    @property
    def ends_undrawn(self) -> bool:
        """Is what is missing of it less than what comes between two frames? A bar that is erased as it is closed ends so.

        Of two before it, unless the rest is a moment's: of a bar that somebody thinned two frames alone say nothing.
        """
        rest = (self.total or 0) - self.n
        at_once = rest * (self.seconds_each or 1.0) < _UNDRAWN_S
        apart = self.strides[0] if at_once else min(self.strides)
        return 0 < rest < apart and self.n >= (_HALF if at_once else _MOST_OF_IT) * (self.n + rest)


def unsure_s(seconds_each: float) -> float:
    """By how much the time of a step that a rate says may be wrong."""
    return _DIGIT * (1.0 if seconds_each >= 1 else seconds_each**2)


def bar_of(text: str, fields: Fields) -> Bar:
    """The frame that a match of `BAR` in `text` found."""
    rate, unit = _count(fields["bar_rate"]), fields.get("bar_unit", "")
    rate = 1 / rate if rate and unit.endswith("/s") else rate
    title = _title(text if "bar_total" in fields else _before_count(text, fields))
    return Bar(
        title=title,
        n=int(_count(fields["bar_n"]) or 0),
        total=None if (total := _count(fields.get("bar_total", "?"))) is None else int(total),
        elapsed_s=_clock(fields["bar_elapsed"]),
        seconds_each=rate or None,
        postfix=fields.get("bar_postfix", "") or _values(title),
        inner="][A" in text,
        remaining_s=None if fields.get("bar_remaining", "?") == "?" else _clock(fields["bar_remaining"]),
        unit=unit,
    )


def find_bar(text: str) -> Bar | None:
    """The frame with a rate in `text`, if there is one."""
    found = _bar_kind().pattern.search(text[:LONGEST])
    return bar_of(text, _bar_kind().read(found)) if found else None


@cache
def _bar_kind() -> LineKind:
    return LineKind(
        BAR, lambda *_: (), HandlerSpec(iterations=True, words={name: Word(name, TEXT, "") for name in BAR_GROUPS})
    )


def postfix_value(postfix: str, *names: str) -> float | None:
    """The first of `names` that a bar's postfix, `loss=1.110, lr=8e-7` or `loss 1.110`, holds with a number."""
    parts = (
        part.strip().rpartition("=" if "=" in part else ":" if ":" in part else " ") for part in postfix.split(",")
    )
    found = {name.strip(): value for name, mark, value in parts if mark}
    for name in names:
        if name in found and (value := number(found[name])) is not None:
            return value
    return None


def postfix_scalars(postfix: str, besides: Container[str]) -> dict[str, float] | None:
    """What else a bar's postfix holds in numbers, but for the names `besides`."""
    if "=" not in postfix:
        return None
    parts = (part.partition("=") for part in postfix.split(","))
    return scalars(((name.strip(), text.strip()) for name, _, text in parts), besides) or None


def postfix_fields(postfix: str) -> Fields:
    """The fields of an iteration that a bar's postfix tells."""
    return {
        "loss": postfix_value(postfix, *LOSSES),
        "learning_rate": postfix_value(postfix, *RATES),
        "gradient_norm": postfix_value(postfix, *NORMS),
        "scalars": postfix_scalars(postfix, UNDERSTOOD),
    }


class Results:
    """What bars of evaluations say that these found: `Val Loss=0.125, val_dice=0.5` in the last frame.

    It may be of the last batch alone, as a bare `loss=0.125` for all that is known, or a sum so far. So it counts once an
    evaluation has passed behind whose bar no line said otherwise.
    """

    def __init__(self) -> None:
        self._newest: float | None = None  # the loss in the newest bar that was full
        self._title = ""
        self._passed = self._refuted = False

    def learn(self, bars: Sequence[Bar], said: Iterable[tuple[int, str]]) -> None:
        """`said`: lines that came right after full bars, each with the bar's number."""
        behind: dict[int, list[str]] = {}
        for place, text in said:
            behind.setdefault(place, []).append(text)
        for place, bar in enumerate(bars, 1):
            if bar.full and bar.evaluates:
                self.of(bar)
                for text in behind.get(place, ()):
                    self.hear(text)
        self._passed = self._passed or self._newest is not None

    def hear(self, text: str) -> None:
        """A line behind it."""
        if self._newest is None or "oss" not in text:
            return
        if bar := find_bar(text):
            self._passed = self._passed or bar.title != self._title
            self._newest = self._newest if bar.title == self._title else None
            return
        found = _SAID.search(text[:_LONGEST_SAID])
        if found is None:
            return
        said, wrong = float(found[1]), 0.51 * 10.0 ** -len(found[1].partition(".")[2])
        self._refuted = self._refuted or abs(said - self._newest) > max(wrong, _SAME * abs(said))

    def of(self, bar: Bar) -> dict[str, float]:
        """What the evaluation found whose bar this is, as far as that is believed."""
        self._passed = self._passed or self._newest is not None
        return self.closed(bar)

    def closed(self, bar: Bar) -> dict[str, float]:
        """... of the same one, whose bar is drawn once more."""
        values = _evaluated(bar.postfix) if bar.full else {}
        self._newest, self._title = values.get("val_loss"), bar.title
        return values if self._passed and not self._refuted else {}


def _evaluated(postfix: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for part in postfix.split(",") if "al" in postfix else ():
        name, mark, text = part.rpartition("=" if "=" in part else ":")
        found = _EVALUATED.fullmatch(name.strip(" {'\"")) if mark else None
        value = number(text.strip(" }'\"")) if found else None
        if found and value is not None:
            named = found[1]
            values["val_loss" if named.lower() == "loss" else f"val_{named}"] = value
    return values


def postfix_names(postfix: str) -> tuple[str, ...]:
    """The scalars that a postfix holds."""
    read = postfix_fields(postfix)
    fields = (name for name in ("learning_rate", "gradient_norm") if read[name] is not None)
    return (*fields, *(read["scalars"] or ()))


def _title(text: str) -> str:
    own = PREFIX.sub(lambda front: (EPOCH_IN_FRONT.search(front[0]) or [""])[0], text[:LONGEST], count=1)
    if drawn := _DRAWN.search(own):
        before = own[: drawn.start()]
    else:
        before, percent, _ = own.partition("%")
        before = before if percent and "|" not in before else before.partition("|")[0]
    return before.rstrip("0123456789 ").rstrip(": ").lstrip(' \t\r"')[-160:]  # a notebook's lines have quotes


def _before_count(text: str, fields: Fields) -> str:
    """In front of `20001it [1:10:40, ...`: without a total there is no picture behind the title."""
    before = text.partition(f" [{fields['bar_elapsed']},")[0]
    return before[: before.rfind(fields["bar_n"])]


def _values(title: str) -> str:
    """What `set_description` named, as a postfix: `Loss=4.125 Batch_id=3 Accuracy=12.5`, or, without a loss, `G: 0.5, D: 1.25`."""
    if ":" not in title and "=" not in title and not LOSS.search(title):
        return ""
    named = [(name, value) for name, value in _NAMED.findall(title) if not _COUNTERS.fullmatch(name)]
    if not LOSS.search(title):
        if _TOTAL.search(title) and _sums_up_losses(title):
            named = [("loss" if name.lower() in ("tot", "total") else name, value) for name, value in named]
            return ", ".join(f"{name}={value}" for name, value in named)
        if len(named) <= 1 or not all("." in value or value == "nan" for _, value in named):
            return ""
        parts = any(name.startswith("L_") for name, _ in named)  # of the sum `L`
        named = [("loss" if name == "L" and parts else name, value) for name, value in named]
    return ", ".join(f"{name}={value}" for name, value in named)


def _sums_up_losses(title: str) -> bool:
    """`Tot:3.2e-02 PDE:1.5e-03/1.0e-03 BC:3.4e-03`: is the total that of parts, and of no score, time or size?"""
    parts = [name for name in _PART.findall(title) if name.lower() not in ("tot", "total")]
    return bool(parts) and not any(_OF_NO_LOSS.search(name) for name in parts)


def _count(text: str) -> float | None:
    value = number(text.rstrip("kKMG")) if text != "?" else None
    return value * _SCALE.get(text[-1], 1.0) if value is not None and isfinite(value) else None


def _clock(text: str) -> float:
    days, _, rest = text.rpartition(", ")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds + (86_400.0 * int(days.split()[0]) if days else 0.0)
