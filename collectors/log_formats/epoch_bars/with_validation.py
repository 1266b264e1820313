"""An epoch's bar that counts the batches of its validation too, as Lightning's did before 2.0.

`Epoch 3:  85%| | 336/395`, `Validation DataLoader 0:  85%| | 50/59`, `Epoch 3:  98%| | 386/395`: of the 395 batches 336 train.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.bars import find_bar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..parsing.bars import Bar


class WithValidation:
    """Takes off what a bar counts, and takes, while an evaluation's is drawn below it.

    So it is where it moves on as far as the other has come, and that one then goes on, or ends where this one does.
    """

    def __init__(self) -> None:
        # Of bars that count the validation's batches, too: how many of them train, by the bar's total.
        self._lengths: dict[int, int] = {}
        self._newest: Bar | None = None  # of the epoch's frames, but for those during an evaluation
        self._drawn: dict[str, Bar] = {}  # frames of evaluations since, by their titles
        self._moved: Bar | None = None  # ... of one that the epoch's bar followed
        self._counted, self._spent_s = 0, 0.0  # by evaluations of this epoch

    def learn(self, lines: Iterable[str]) -> None:
        """Does it, by the frames among these lines, and how many batches are left?"""
        probe = type(self)()
        for text in lines:
            bar = find_bar(text) if " [" in text else None
            if bar is not None and bar.evaluates:
                probe.see(bar)
            elif bar is not None and bar.trains:
                probe.of(bar)
        self._lengths |= probe._lengths

    def see(self, bar: Bar) -> None:
        """A frame of an evaluation's bar."""
        newest, moved = self._newest, self._moved
        if newest is None or newest.total is None or bar.total is None:
            return
        if bar.n:  # it may be drawn empty under another title: `Validation`, then `Validation DataLoader 0`
            self._drawn[bar.title] = bar
        if moved is not None and moved.title == bar.title and moved.n < bar.n:
            self._lengths.setdefault(newest.total, newest.total)

    def of(self, bar: Bar | None) -> Bar | None:
        """The frame, as far as it is training's; `None` of one during the evaluation."""
        if bar is None or bar.total is None:
            return bar
        newest, self._moved = self._newest, None
        if newest is None or bar.total != newest.total or bar.n < newest.n:
            self._counted, self._spent_s, self._drawn = 0, 0.0, {}
        elif self._drawn and bar.n > newest.n and self._counts_both(bar, newest):
            batches = sum(one.total or 0 for one in self._drawn.values())
            if bar.n - newest.n < batches:
                return None
            self._evaluated(bar, newest, batches)
        elif bar.n > newest.n:
            self._drawn = {}
        self._newest = bar
        return self._own(bar)

    def _counts_both(self, bar: Bar, newest: Bar) -> bool:
        if bar.total in self._lengths:
            return True
        seen = [*self._drawn.values()]
        if bar.n - newest.n != sum(one.n for one in seen):
            return False
        self._moved = None if seen[-1].full else seen[-1]
        return bar.total == newest.n + sum(one.total or 0 for one in seen)

    def _evaluated(self, bar: Bar, newest: Bar, batches: int) -> None:
        total, trained = bar.total or 0, newest.n - self._counted
        again = self._counted > 0
        self._counted += batches
        if bar.n - newest.n == batches:
            self._spent_s += bar.elapsed_s - newest.elapsed_s
        else:
            self._spent_s += sum(one.elapsed_s for one in self._drawn.values())
        self._drawn = {}
        if bar.full:
            self._lengths[total] = total - self._counted
        elif not again and self._lengths.get(total, total) == total:
            self._lengths[total] = total - total // (trained + batches) * batches

    def _own(self, bar: Bar) -> Bar:
        total = self._lengths.get(bar.total or 0)
        if total is None or total == bar.total:
            return bar
        own = bar._replace(n=min(bar.n - self._counted, total), total=total, remaining_s=None)
        if not self._spent_s:
            return own
        elapsed_s = max(bar.elapsed_s - self._spent_s, 0.0)
        return own._replace(elapsed_s=elapsed_s, seconds_each=elapsed_s / own.n if own.n else None)
