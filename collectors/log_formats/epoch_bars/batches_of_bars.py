"""Batches in place of samples, where a bar counts these: `Epoch 1/5:  44%|... | 396/900 [00:20<00:25, 19.5img/s]`.

How many samples a batch has no frame says. Where the bar names samples the head may, and each frame but the last bears
it out. Else, and where it names nothing, `128/1000 [00:01<00:05, 150it/s]`, its frames alone say it.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

from ....events import Message
from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..parsing.bars import Bar

_SAMPLES = lazy_pattern(
    r"(?i)(?:s/ ?)?(?:img|image|imgs|images|sample|samples|example|examples|sent|sents|sentence|sentences|seq|seqs|clips?|patch(?:es)?)(?: ?/s)?"
)

BATCH_SIZE = lazy_pattern(
    r"(?i)(?<![a-z_-])(?:train_?)?(?:mini_?)?batch[ _-]?size\b['\"]?\s{0,4}[:=]\s{0,12}(\d{1,6})\b"
)
"""What a head says of the samples in a batch."""

_UNNAMED = ("", "it/s", "s/it")
_LONGEST = 200
_LEAST_BATCH, _FEWEST = 8, 8
"""Eight frames at multiples of eight or more are no chance."""
_ROUND = 5
"""Who draws a bar of iterations now and then does so each 10 or 100 of them, and not each 64."""
_EIGHT = 8
"""Batches whose size no word says are multiples of it."""
_SELDOM_S = 5.0
"""From one frame to the next: a bar that is drawn each so many seconds finds as many iterations in each of them."""


class BatchesOfBars:
    """How many samples a batch of each bar has, as far as its frames say."""

    def __init__(self) -> None:
        self._batch = 1  # of bars that name samples
        self._of_length: dict[int, int] = {}  # of bars that name nothing, by their lengths
        self._said: int | None = None
        self._told = False  # does a person know of it?

    def hear(self, text: str) -> None:
        """A line that is no frame."""
        if self._said is None and (found := BATCH_SIZE.search(text[:_LONGEST])):
            self._said = int(found[1])

    def learn(self, bars: Iterable[Bar]) -> list[Bar]:
        """Find out what a batch is; the bars, by batches."""
        bars, batch = [*bars], self._said or 1
        counted = {bar.n for bar in bars if _names_samples(bar) and not bar.full}
        if self._batch == 1 and len(counted) > 1 and not any(n % batch for n in counted):
            self._batch = max(1, batch)
        return [self.of(bar) for bar in bars]

    def look_ahead(self, bars: Sequence[Bar]) -> bool:
        """By all frames at the beginning of a log: is there a batch of bars that name nothing, or that no head says?"""
        unsaid = [bar for bar in bars if bar.unit in _UNNAMED or (self._batch == 1 and _names_samples(bar))]
        for length in {bar.total for bar in unsaid if bar.total}:
            batch = self._unsaid_batch([bar for bar in unsaid if bar.total == length])
            if batch > 1:
                self._of_length[length] = batch
        return bool(self._of_length)

    def of(self, bar: Bar) -> Bar:
        """The frame by batches."""
        named = _names_samples(bar)
        batch = self._of_length.get(bar.total or 0, self._batch if named else 1)
        if batch <= 1 or not (named or bar.unit in _UNNAMED):
            return bar
        return bar._replace(
            n=-(-bar.n // batch),
            total=None if bar.total is None else -(-bar.total // batch),
            seconds_each=None if bar.seconds_each is None else bar.seconds_each * batch,
        )

    def told(self, at_s: float | None) -> list[Message]:
        """What a person should know, once, where no word of the log says it. Their number is exact, no bound."""
        if self._told or not self._of_length:
            return []
        self._told = True
        batch = next(iter(self._of_length.values()))
        word = f"the bar moves by {batch:,}: it counts samples, and an iteration is a batch of them"
        return [Message(word, at_s=at_s)]

    def _unsaid_batch(self, bars: Sequence[Bar]) -> int:
        """What bars of one length step by, if that is no number that anybody draws by; else 1.

        Where they name samples, one step of the training is one of the bar, whatever its number. A bar of a run, of `update(8)` for eight environments, has one pass alone, and its length is a multiple.
        """
        places = {bar.n for bar in bars if bar.n and not bar.full}
        batch = gcd(*places)
        if _names_samples(bars[0]):
            return batch if len(places) >= _FEWEST else 1
        if len(places) < _FEWEST or batch < _LEAST_BATCH or not batch % _ROUND:
            return 1
        if batch != self._said and (batch % _EIGHT or _drawn_seldom(bars)):
            return 1
        again = any(one.n > other.n and one.elapsed_s >= other.elapsed_s for one, other in pairwise(bars))
        ragged = bool((bars[0].total or 0) % batch)
        return batch if again or ragged or batch == self._said else 1


def _drawn_seldom(bars: Sequence[Bar]) -> bool:
    """Do several seconds lie between most frames? `mininterval=30` draws a bar of steady iterations each 32 of them."""
    apart_s = sorted(other.elapsed_s - one.elapsed_s for one, other in pairwise(bars) if other.n > one.n)
    return bool(apart_s) and apart_s[len(apart_s) // 2] >= _SELDOM_S


def _names_samples(bar: Bar) -> bool:
    return bool(bar.unit) and _SAMPLES.fullmatch(bar.unit) is not None
