"""Values that a bar shows a moment after the step that they are of.

    progress.update(1)                 12/100 [00:24<02:56, 2.00s/it, loss=2.5]      those of step 11
    progress.set_postfix(loss=2.25)    12/100 [00:24<02:56, 2.00s/it, loss=2.25]     those of step 12
A script may as well set them before it counts, as within `for batch in tqdm(batches)`: then the first frame of a step has its
own, and the last one those of the next. The first step of a bar shows which: it is counted without a loss, or one stood there before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import PrintedLoss
from ....words import plural
from ..parsing.bars import LOSS, postfix_fields
from ..parsing.values import finite, loss_fields

if TYPE_CHECKING:
    from ..parsing.bars import Bar
    from ..parsing.values import Fields

_MOMENT_S = 1.0
"""Between the two frames of a step lie no more seconds, as the bar's clock has them."""


_CHANGES = 8
"""So often values were set anew before it is said that they are set seldom."""

_DIGITS = 4
"""A loss that is printed with fewer may be the same in many steps."""


class SeldomSet:
    """Do values in a bar's title stand there for many steps, until a script sets them anew? They count once.

    Tot:2.5e-01 BC:1.0e-02:   5%|▌         | 60/1200 [00:06<01:54, 10.00it/s]     those of step 60
    Tot:2.5e-01 BC:1.0e-02:   5%|▌         | 61/1200 [00:06<01:53, 10.00it/s]     said again
    """

    def __init__(self) -> None:
        self._changed = self._stood = 0  # frames with other values than the one before, and with the same
        self._told = False  # a frame that counts has had them

    def stand(self, bar: Bar, before: Bar) -> bool:
        """Are the values of the next frame old?"""
        if bar.postfix != before.postfix:
            self._changed += 1
            self._told = bar.n > before.n
            return False
        if bar.n <= before.n:
            return False
        told, self._told = self._told, True
        self._stood += 1
        return told and self._changed >= _CHANGES and self._stood > self._changed and _is_fine(bar.postfix)


def _is_fine(postfix: str) -> bool:
    """Has the first value enough digits?"""
    value = _first(postfix).partition("e")[0]
    return len(value.replace(".", "").lstrip("-0")) >= _DIGITS


def _first(postfix: str) -> str:
    return postfix.partition("=")[2].partition(",")[0]


class LateValues:
    """Are the values of a step those in its last frame?"""

    def __init__(self, *, counts_first: bool = False) -> None:
        self._seldom, self._counts_first = SeldomSet(), counts_first  # does whoever draws it always count before?
        self._late: bool | None = None  # until the beginning of a bar has shown it
        self._begins: int | None = (
            None  # the count at which the bar began, as long as none of its frames had a loss
        )
        self._newest: Bar | None = None
        self._redrawn = False  # is that the frame before it once more, with other values?
        self._changes = 0  # so often they have changed since its step was counted
        self._lowest = self._highest = 0.0  # of the losses that this bar has shown
        self._of_before: float | None = None  # the loss that stood there when the newest step was counted
        self._newer = False  # is the newest frame the first with another, and so with the newest step's own?

    def last_step(self) -> Bar | None:
        """The frame of a bar's last step, which it was erased before: the one before it shows its values, set before it was counted."""
        bar = self._newest if self._redrawn and self._late is False else None
        ends = bar is not None and bar.total == bar.n + 1 and LOSS.search(bar.postfix)
        return bar._replace(n=bar.n + 1) if bar is not None and ends else None

    def unsaid(self) -> Bar | None:
        """The newest frame, if it shows values of later steps than the one that it counts: a bar counts every so many.

        The second change at one count is of one more step at least. Asked once.
        """
        bar = self._newest if self._changes > 1 and not self._late else None
        self._changes = 0
        return bar

    def may_mean(self, loss: float) -> bool:
        """Does it lie among the losses that this bar has shown, as the mean of its steps does?"""
        return self._lowest < loss < self._highest

    def _shown(self, bar: Bar, *, again: bool, before: Bar | None) -> None:
        changed = before is not None and bar.postfix != before.postfix
        self._changes = self._changes + changed if again else 0
        begins = before is None or bar.total != before.total or bar.n < before.n
        if (loss := loss_in(bar)) is not None:
            alone = begins or self._lowest == self._highest == 0
            self._lowest = loss if alone else min(loss, self._lowest)
            self._highest = loss if alone else max(loss, self._highest)
        elif begins:
            self._lowest = self._highest = 0.0

    def own(self, bar: Bar) -> tuple[Bar, bool]:
        """The next frame of the training's bar, without values of the step before; and whether it has later ones of the same step."""
        before, self._newest = self._newest, bar
        again = before is not None and bar.n == before.n > 0 and bar.total == before.total
        self._shown(bar, again=again, before=before)
        self._anew(bar, before, again=again and before is not None and bar.title == before.title)
        self._redrawn = again and (self._redrawn or before is None or bar.postfix != before.postfix)
        if before is None or bar.total != before.total or bar.n < before.n:
            self._begins = bar.n if bar.seconds_each is None and not LOSS.search(bar.postfix) else None
            return bar, False
        if bar.title and bar.postfix and self._seldom.stand(bar, before) and _first(bar.postfix) in bar.title:
            return bar._replace(postfix=""), False
        if self._late is None and self._begins is not None and LOSS.search(bar.postfix):
            self._decide(bar, before)
        if self._late is None and self._counts_first and again and loss_in(bar) != loss_in(before):
            self._late = True
        if not self._late:
            return bar, False
        stale = bar.n > before.n and bar.postfix == before.postfix
        return (bar._replace(postfix="") if stale else bar), bar.n == before.n

    def row(self, postfix: str, index: int) -> PrintedLoss:
        """What the newest frame says of its step."""
        return late_fields(postfix_fields(postfix), index, newer=self._newer)

    def _anew(self, bar: Bar, before: Bar | None, *, again: bool) -> None:
        """A validation sets its values before the training's mean is set: until then that of the epoch before stands there."""
        shown, stood = loss_in(bar), None if before is None else loss_in(before)
        self._newer = again and stood == self._of_before != shown is not None
        self._of_before = self._of_before if again else shown

    def _decide(self, bar: Bar, before: Bar) -> None:
        """Its first frame with a loss."""
        counted = before.n - (self._begins or 0)
        if bar.n == before.n and counted <= 1:
            self._late = counted == 1 and bar.elapsed_s - before.elapsed_s <= _MOMENT_S
        self._begins = None


def loss_in(bar: Bar) -> float | None:
    return finite(postfix_fields(bar.postfix)["loss"])


def told_again(read: Fields, index: int) -> list[PrintedLoss]:
    """What one more row of an iteration says of it, if it has no loss: of its metrics the newest counts."""
    named = {name: read.get(name) for name in ("learning_rate", "gradient_norm")} | (read.get("scalars") or {})
    values = {name: value for name, value in named.items() if finite(value) is not None}
    return [PrintedLoss(index, scalars=values)] if values and "loss" not in read else []


def repeated(rows: int, place: str = "place") -> list[str]:
    """What a person should know of so many rows whose place has one: it counts once. Others may have come before the first that counted on."""
    stand = "stands" if rows == 1 else "stand"
    said = f"at least {plural(rows, 'more row')} {stand} at the {place} of the one before: each {place} is counted once"
    return [said] if rows else []


def late_row(postfix: str, index: int) -> PrintedLoss:
    """What the last frame of a step says of it."""
    return late_fields(postfix_fields(postfix), index)


def late_fields(read: Fields, index: int, *, newer: bool = False) -> PrintedLoss:
    """What one more row of an iteration says of it: the newest counts."""
    named = {name: read.get(name) for name in ("learning_rate", "gradient_norm")} | (read.get("scalars") or {})
    values = {name: value for name, value in named.items() if finite(value) is not None}
    return PrintedLoss(index, scalars=values or None, newer=newer, **loss_fields(read.get("loss")))
