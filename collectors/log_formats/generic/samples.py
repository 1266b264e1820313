"""Samples are no iterations: `Train Epoch: 1 [640/60000 (1%)]` counts batches of samples.

How many samples a batch has, the settings in the log's head may say. Where they do not, nobody knows how many iterations
lie between two lines: then a line is one step, and a word says so. Without a share in percent they are known by their distances:
`[16/5011]`, `[1616/5011]`, `[3216/5011]` are the first batch of 16 and each hundredth after it.

Also other places that no word names: of two numbers in front.

Where several processes train, the settings' batch may be that of one, and the samples those of all: the row's own rates, of all and
of one GPU, say how many there are. Without them nobody knows.
"""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..epoch_bars.batches_of_bars import BATCH_SIZE
from ..parsing.values import COUNTER, digits_of

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

_LEAST = 16
MANY = 10_000
"""Samples: hardly a loader has as many batches."""

_SEEN = 3
_POWERS = 8
_PROCESSES = lazy_pattern(
    r"(?i)(?:(?<![a-z])(?:world[_ ]?size|num_processes|nproc_per_node|n_?gpus|n_gpu|num_gpus)['\"]?\s{0,4}[:=]\s{0,12}(?:[2-9]|\d{2,5})\b"
    r"|(?<![a-z])rank[ _:=\[]{0,3}[1-9]\d{0,4}\b)"
)
"""More than one trains."""
_RATES = lazy_pattern(r"(?i)(\d[\d.]{0,20}) ?/ ?s,? {1,3}(\d[\d.]{0,20}) ?/ ?s ?/ ?(?:gpu|device|rank)\b")
_NEAR = 0.02
_AT_THE_END = 99.0
"""Percent: of an epoch's last batch."""

_FIRST_OF = 10
"""So many times the first number lie between two lines, where that number is a batch: no counter begins so by chance."""

IN_EPOCH = lazy_pattern(
    rf"(?i)\bepoch\b\W{{0,12}}(\d{{1,9}})(?!,\d{{1,3}}/ ?\d{{1,3}},\d{{3}}\b)(?:/(\d{{1,9}}))?\W{{1,12}}(?:(?:samples?|images?|files?|chunks?|shards?)\W{{1,3}})?({COUNTER})(?:/ {{0,9}}|:(?=\d{{3,9}}\]))({COUNTER})\b( ?\( ?\d{{1,3}}(?:\.\d{{1,3}})?%\))?"
)
_OF_SAMPLES = lazy_pattern(r"(?i)(?<![a-z])(?:samples?|images?)\W{1,3}\d")
"""`Epoch: 3, Samples: 2560/7520`: a word says what is counted, as a share in percent would."""
_IN_FRONT = lazy_pattern(
    rf"\W{{0,3}}\[ {{0,9}}({COUNTER}) {{0,2}}/ {{0,2}}({COUNTER}) {{0,2}}\] | {{0,8}}(\d{{1,9}})/(\d{{1,9}}) \(epoch \d{{1,6}}\.\d"
)
_TWO_PLACES = lazy_pattern(
    r"\[ {0,5}(\d{1,6}) {0,2}/ {0,2}(\d{1,6}) {0,2}\] ?\[ {0,7}(\d{1,9}) {0,2}/ {0,2}(\d{1,9}) {0,2}\]"
)
_NUMBERED_BEHIND = lazy_pattern(
    rf"\[ {{0,5}}(\d{{1,6}}) {{0,2}}/ {{0,2}}(\d{{1,6}}) {{0,2}}\] {{0,2}}(?:# ?({COUNTER})(?: {{0,2}}/ {{0,2}}({COUNTER}))?|({COUNTER}) {{0,2}}/ {{0,2}}({COUNTER}))(?![\w./%])"
)
_ONE_IN_FRONT = lazy_pattern(
    rf"\[ {{0,5}}(\d{{1,6}}) {{0,2}}\] ?\[ {{0,7}}({COUNTER}) {{0,2}}/ {{0,2}}({COUNTER}) {{0,2}}\]"
)
_TURNS = 2
"""By chance one number grows as another one falls; twice it does not."""


def place_in_front(text: str, places: Mapping[str, tuple[str, str]]) -> tuple[str, float] | None:
    """`[000500/50000] X4K | loss 0.05 | batch 16`, `500/50000 (epoch 2.5), loss = 0.5`: a place of so many.

    A `batch` without a length behind it is a setting, and the fraction of an epoch says the same once more.
    """
    if not places.keys() <= {"batch", "epoch"} or any(of for _, of in places.values()):
        return None
    found = _IN_FRONT.match(text)
    if found is None or ("epoch" in places) != (found[3] is not None):
        return None
    return found[1] or found[3], digits_of(found[2] or found[4])


def two_places(text: str) -> tuple[float, float, float, float] | None:
    """`[0/25][700/782] Loss_D: 0.5`: the epoch, of how many, the batch, and of how many, in brackets without a word."""
    found = _TWO_PLACES.search(text)
    return None if found is None else (float(found[1]), float(found[2]), float(found[3]), float(found[4]))


def place_behind(text: str) -> tuple[float, float, float, float] | None:
    """`[2/25] #700 loss: 0.5`, `[2/25] 700/782 loss: 0.5`: what is counted behind the bracket lies within it.

    The last is 0 where nobody knows how many.
    """
    if (found := _NUMBERED_BEHIND.search(text)) is None:
        return None
    step, batches = found[3] or found[5], found[4] or found[6]
    return float(found[1]), float(found[2]), digits_of(step), digits_of(batches) if batches else 0.0


class EpochsInFront:
    """`[3][0/50] loss: 0.5`: is a number in brackets before a step the epoch, or a process's, a fold's?

    It is the epoch where it grows as the step begins again, more than once, and no step begins again without it.
    """

    def __init__(self) -> None:
        self._newest: tuple[int, int] | None = None
        self._turns = 0
        self._others = self._known = False

    def learn(self, other: EpochsInFront) -> None:
        """Take over what another reader found out of more rows."""
        self._known = other._turns >= _TURNS and not other._others

    def of(self, text: str) -> tuple[float, float, float, float] | None:
        """The next row's epoch, where it is known to be one, of 0 for no known number, its batch, and of how many."""
        if (found := _ONE_IN_FRONT.search(text)) is None:
            return None
        first, step = int(found[1]), digits_of(found[2])
        if self._newest is not None:
            before, falls = self._newest[0], step < self._newest[1]
            self._turns += falls and first > before
            self._others = self._others or (first == before if falls else first < before)
        self._newest = first, step
        return (first, 0.0, step, digits_of(found[3])) if self._known else None


class Samples:
    """Steps from samples, as far as the log says what a batch is."""

    def __init__(self) -> None:
        self._batch: int | None = None  # as the settings say
        self._unit: int | None = None  # samples from one line to the next
        self._numbers: list[int] = []  # of the first lines of an epoch
        self.unknown: int | None = None  # the unit, where it is all that is known, until somebody asks
        self.are_lines = False  # is a step a line, for nobody knows what a batch is?
        self._several = False  # do several processes train?
        self._gpus = 0  # as many as a row's rates say
        self.in_front = EpochsInFront()

    def head(self, text: str) -> None:
        """A line that is no row may hold the settings."""
        if self._batch is None and (found := BATCH_SIZE.search(text[:4000])):
            self._batch = int(found[1]) or None
        if not self._several and ("orld" in text or "roc" in text or "ank" in text or "gpu" in text.lower()):
            self._several = _PROCESSES.search(text[:4000]) is not None

    def learn(self, other: Samples) -> None:
        """Take over what another reader found out of the distances."""
        self._unit = self._unit or other._by_distance()
        self.in_front.learn(other.in_front)

    def _by_distance(self) -> int | None:
        if len(self._numbers) < _SEEN:
            return None
        first, second, third = self._numbers
        apart = second - first
        is_batch = first >= _POWERS and apart >= _FIRST_OF * first and apart % first == 0
        return first if is_batch and third - second == apart else None

    def two(self, text: str, called: dict[str, str]) -> tuple[float, float, float, float] | None:
        """A row's epoch and its batch, each with how many there are, that no word names; `called` is where they stand."""
        if (two := two_places(text)) is None and (two := place_behind(text)) is not None:
            called |= {"step": "the number behind the brackets", "epoch": "the number in brackets"}
        return two or self.in_front.of(text)

    def place(self, found: re.Match[str]) -> tuple[float, float]:
        """Step and length of a row, from the place that was `found` in it: number, that of all, and their share."""
        if self._batch and not self._gpus and (rates := _RATES.search(found.string, found.end())) is not None:
            share = float(rates[1]) / (float(rates[2]) or inf)
            self._gpus = max(1, round(share)) if abs(share - round(share)) <= _NEAR * share else 1
            self._batch, self._several = self._batch * self._gpus, self._several and self._gpus == 1
        n, of = digits_of(found[3]), digits_of(found[4])
        if self._unit and found[5] and _is_of_a_short_batch(n, of, float(found[5].strip(" ()%"))):
            n = (of - 1) // self._unit * self._unit
        return self.steps(n, of, percent=bool(found[5]) or _OF_SAMPLES.search(found[0]) is not None)

    def steps(self, n: int, of: int, *, percent: bool) -> tuple[float, float]:
        """Step and length of `n` of `of`, which are samples if they look so: with their share in percent behind them, or a word that says so."""
        if len(self._numbers) < _SEEN:
            self._numbers = [*self._numbers, n] if not self._numbers or n > self._numbers[-1] else [n]
        unit = self._unit_of(n, of) if percent else self._unit or 1
        return n // unit, ceil(of / unit)

    def word(self) -> str | None:
        """What a person should know, once, where a line is all that can be counted."""
        unit, self.unknown = self.unknown, None
        if unit is None:
            return None
        unknown = "and of how many processes a batch is nobody says" if self._several else "and no batch size"
        counted = "samples or batches" if unit % _POWERS else "samples"
        lines = f"the log counts {counted}, {unit:,} between its first lines, {unknown}"
        return f"{lines}: an iteration is a line here"

    def _unit_of(self, n: int, of: int) -> int:
        batch = None if self._several else self._batch
        if self._unit is None and n:
            if batch and n % batch == 0:
                self._unit = batch
            elif (n >= _LEAST or _may_be_samples(n, of)) and not (batch and n % _POWERS):
                # Batches, where a known one does not divide it.
                self._unit = self.unknown = n
                self.are_lines = True
            else:
                self._unit = 1
        return self._unit or batch or 1  # at 0 nothing speaks against a batch that the settings name


def _may_be_samples(n: int, of: int) -> bool:
    """`[3/60000 (0%)]`: a small batch of much data, whole batches of which there are; or batches of which each third has a row."""
    return n > 1 and of >= MANY and of % n == 0


def _is_of_a_short_batch(n: int, of: int, percent: float) -> bool:
    """`[130208/160672 (100%)]` behind `[159744/160672 (99%)]`: an epoch's last batch, whose place was made of its own size."""
    return percent >= _AT_THE_END and n < (percent / 100 - _NEAR) * of
