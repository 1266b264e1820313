"""tqdm's progress bar: `Epoch 3:  25%|██▍   | 227/921 [08:12<25:05,  2.17s/it, loss=1.2]`, the one thing many logs have.

The rate is no step's time: tqdm smooths it (0.3 of the newest update, 0.7 of what was), and the elapsed time is cut to
whole seconds. But both sums that it smooths can be followed from frame to frame: the steps' is known, so the seconds'
is the printed rate times it, and what the newest update added to it is the time of the newest steps (`BarClock`).
It is checked against the elapsed seconds. All that happens between two frames is in it: data, evaluation, checkpoint.
"""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from . import phases
from .grammar import LONGEST, PREFIX, HandlerSpec, Line, LineKind
from .phases import Phase
from .values import Fields, number, scalars
from .vocabulary import TEXT, Word

if TYPE_CHECKING:
    from collections.abc import Container

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
_FASTEST_S = 0.001
"""A step forward and back, of a few layers on a GPU, takes longer: each kernel is launched in 5 to 10 us, and there are hundreds."""
_SMOOTHING = 0.3  # tqdm's default
_OUTER = lazy_pattern(r"(?i)\W*(?:train(?:ing)?\W+)?epochs?(?:\W+progress)?\W*")
_TRAINS = lazy_pattern(
    r"(?i)\b(?:ep(?:och)?s?\b\W{0,3}\d|(?:pre-?)?train(?:ing)?\b|fine-?tun(?:e|ing)\b|(?:sft|dpo|ppo|grpo)\b|step|iter)"
)
_LOSS = lazy_pattern(r"(?i)\b\w{0,30}loss\w{0,30} ?(?:[=:]|\d)")
_DRAWN = lazy_pattern(r"(?:(?<=: )|(?<=\|)|^) {0,3}\d{1,3}(?:\.\d{1,2})?%\|")
"""Where tqdm draws a bar behind its title, in which a stroke may stand: `Epoch=0 | Loss=4.125:  25%|██▍   |`."""
_NAMED = lazy_pattern(
    r"([A-Za-z_]\w{0,30})(?: ?[=:] ?| (?=-?\d{1,9}\.\d))([-+]?\d{1,12}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?|nan)(?![\w./])"
)
_COUNTERS = lazy_pattern(r"(?i)ep(?:och)?s?|(?:batch|step|iter)\w{0,12}|it")

COARSE = 20.0
"""Seconds of a bar's clock that say its time to 5 %."""

LOSSES = ("loss", "step_loss", "train_loss", "train_loss_step", "loss_step", "train/loss", "avg_loss", "Loss")
RATES = ("lr", "learning_rate", "LR")
NORMS = ("grad_norm", "gnorm", "grad")
UNDERSTOOD = frozenset((*LOSSES, *RATES, *NORMS))
"""Names in a postfix."""

_AT_MOST_S = 2.0  # within one second of a bar, with its rounding


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
        return bool(_OUTER.fullmatch(self.title)) and not _LOSS.search(self.postfix)

    @property
    def trains(self) -> bool:
        """Does it say that it is the training's: by its title, or by a loss behind it?"""
        return bool(_TRAINS.search(self.title) or _LOSS.search(self.postfix))

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
        """What it took so far. At its end tqdm prints the mean rate, which says the parts of a second that its clock cuts off."""
        by_rate_s = self.n * (self.seconds_each or 0.0)
        agrees = self.full and self.elapsed_s <= by_rate_s < self.elapsed_s + 1
        return by_rate_s if agrees and by_rate_s else self.elapsed_s or None

    @property
    def nearly_full(self) -> bool:
        """... or so close to it that the last frames may not have been drawn?"""
        return self.total is not None and self.n >= 0.98 * self.total


def bar_of(text: str, fields: Fields) -> Bar:
    """The frame that a match of `BAR` in `text` found."""
    rate = _count(fields["bar_rate"])
    if rate and fields["bar_unit"].endswith("/s"):
        rate = 1 / rate
    title = _title(text)
    return Bar(
        title=title,
        n=int(_count(fields["bar_n"]) or 0),
        total=None if (total := _count(fields.get("bar_total", "?"))) is None else int(total),
        elapsed_s=_clock(fields["bar_elapsed"]),
        seconds_each=rate or None,
        postfix=fields.get("bar_postfix", "") or _values(title),
        inner="][A" in text,
        remaining_s=None if fields.get("bar_remaining", "?") == "?" else _clock(fields["bar_remaining"]),
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


def postfix_names(postfix: str) -> tuple[str, ...]:
    """The scalars that a postfix holds."""
    read = postfix_fields(postfix)
    fields = (name for name in ("learning_rate", "gradient_norm") if read[name] is not None)
    return (*fields, *(read["scalars"] or ()))


class Redrawn:
    """Tells of a bar that is drawn anew at each step (`set_postfix`), its rate only ten times a second.

    The steps of frames that show one second and one rate cannot take longer than that second, at that rate.
    """

    def __init__(self) -> None:
        self._first: Bar | None = None  # of those that show the same

    def see(self, bar: Bar) -> bool:
        """Is the rate of `bar`, the next frame, an old one?"""
        first = self._first
        if (
            first is None
            or (bar.elapsed_s, bar.seconds_each) != (first.elapsed_s, first.seconds_each)
            or bar.n < first.n
        ):
            self._first = bar
            return False
        return (bar.n - first.n) * (bar.seconds_each or 0.0) > _AT_MOST_S


class BarClock:
    """The times of the steps between frames of one bar, got back from its smoothed rate."""

    def __init__(self) -> None:
        self._n: int | None = None
        self._elapsed_s = 0.0
        self._smooth_steps = 0.0
        self._smooth_s = 0.0

    def since_last_frame(self, bar: Bar) -> tuple[float | None, int]:
        """Seconds a step, and over how many steps, since the last frame that moved on; `(None, 1)` where unknown."""
        first = self._n is None
        steps = bar.n - (self._n or 0)
        whole_s = bar.elapsed_s - self._elapsed_s
        if steps <= 0 or (first and bar.seconds_each is None):
            self._begin(bar)
            return None, 1
        self._n, self._elapsed_s = bar.n, bar.elapsed_s
        if bar.seconds_each is None:
            return None, 1
        if first and steps > 1:
            return self._first_seen(bar)
        self._smooth_steps = _SMOOTHING * steps + (1 - _SMOOTHING) * self._smooth_steps
        smooth_s = self._smooth_steps * bar.seconds_each
        newest_s = (smooth_s - (1 - _SMOOTHING) * self._smooth_s) / _SMOOTHING
        self._smooth_s = smooth_s
        return self._checked(newest_s, whole_s, bar.seconds_each * steps) / steps, steps

    def _begin(self, bar: Bar) -> None:
        self._n, self._elapsed_s = bar.n, bar.elapsed_s
        self._smooth_steps = self._smooth_s = 0.0

    def _first_seen(self, bar: Bar) -> tuple[float | None, int]:
        """A bar that we see in its middle, or only at its end: its rate had always been like this, for all we know."""
        each_s = bar.seconds_each or 0.0
        self._smooth_steps, self._smooth_s = 1.0, each_s
        spent_s = bar.n * each_s
        if bar.elapsed_s < 1 or abs(bar.elapsed_s - spent_s) > 1 + 0.2 * bar.elapsed_s:  # it did not begin at 0
            return None, 1
        # The clock is cut to whole seconds: of few of them the rate says more, where it says the same.
        by_rate = bar.elapsed_s < COARSE and bar.elapsed_s <= spent_s < bar.elapsed_s + 1
        return (each_s if by_rate else bar.elapsed_s / bar.n), bar.n

    @staticmethod
    def _checked(newest_s: float, whole_s: float, smoothed_s: float) -> float:
        """Whole seconds are coarse but true; where the two disagree, frames are missing or the rate is no tqdm's."""
        slack_s = 1.05 + 0.05 * smoothed_s
        if newest_s > 0.05 * smoothed_s and abs(newest_s - whole_s) <= slack_s:
            return newest_s
        if whole_s >= 1:
            return whole_s
        return newest_s if 0.0 < newest_s < 1.0 else min(smoothed_s, 1.0)  # not a second has passed


_WINDOW_S = 10.0


class WindowClock(BarClock):
    """Elapsed seconds, over windows long enough for whole seconds: for bars whose rates say little."""

    def __init__(self) -> None:
        super().__init__()
        self._window: tuple[int, float] | None = None  # where it began

    def since_last_frame(self, bar: Bar) -> tuple[float | None, int]:
        """An epoch's bar starts at 0 s: the first window too, unless the run resumed in the middle of an epoch."""
        if self._window is None or bar.n < self._window[0]:
            whole = (
                bar.seconds_each is None or abs(bar.elapsed_s - bar.n * bar.seconds_each) <= 1 + bar.elapsed_s / 10
            )
            self._window = (0, 0.0) if whole else (bar.n, bar.elapsed_s)
        steps, seconds = bar.n - self._window[0], bar.elapsed_s - self._window[1]
        full = bar.n == bar.total
        if steps <= 0 or not (seconds >= _WINDOW_S or full):
            return None, 1
        self._window = (bar.n, bar.elapsed_s)
        # A bar that is full shows the mean of all its steps: more exact than the few whole seconds of a window's rest.
        mean_s = bar.seconds_each or 0.0
        rest = full and seconds < _WINDOW_S and abs(seconds - steps * mean_s) <= 1
        if not rest and not seconds:
            return None, 1
        return (mean_s if rest else seconds / steps), steps


def _title(text: str) -> str:
    own = PREFIX.sub("", text[:LONGEST], count=1)
    if drawn := _DRAWN.search(own):
        before = own[: drawn.start()]
    else:
        before, percent, _ = own.partition("%")
        before = before if percent and "|" not in before else before.partition("|")[0]
    return before.rstrip("0123456789 ").rstrip(": ")[-160:]


def _values(title: str) -> str:
    """What `set_description` named beside a loss, as a postfix: `Loss=4.125 Batch_id=3 Accuracy=12.5`."""
    if not _LOSS.search(title):
        return ""
    return ", ".join(f"{name}={value}" for name, value in _NAMED.findall(title) if not _COUNTERS.fullmatch(name))


def _count(text: str) -> float | None:
    value = number(text.rstrip("kKMG")) if text != "?" else None
    return value * _SCALE.get(text[-1], 1.0) if value is not None and isfinite(value) else None


def _clock(text: str) -> float:
    days, _, rest = text.rpartition(", ")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds + (86_400.0 * int(days.split()[0]) if days else 0.0)
