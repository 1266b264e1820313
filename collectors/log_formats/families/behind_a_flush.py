"""Standard output that went through a buffer of its own: what a Trainer printed comes in blocks, behind the bar of standard error.

Where a block stands says nothing. A dictionary's step follows from its epoch, once it is known how many steps one has; an
evaluation lies where its own bar was drawn, and took what that bar says.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import PrintedLoss
from ..parsing.values import finite, loss_fields
from .steps_by_epochs import ROUNDED, StepsByEpochs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..parsing.bars import Bar
    from ..parsing.values import Fields


MOST = 100_000
"""Dictionaries that wait for their place: the newest."""


class Blocks:
    """The dictionaries of one training, until they can be placed."""

    def __init__(self) -> None:
        self.found = False  # two came one after the other, and the bar had not moved
        self._rows: deque[tuple[float, PrintedLoss]] = deque(maxlen=MOST)

    def add(self, epoch: float | None, logged: Fields) -> None:
        """One of training. Without its epoch it has no place."""
        named = {name: logged.get(name) for name in ("learning_rate", "gradient_norm")} | (logged["scalars"] or {})
        values = {name: value for name, value in named.items() if finite(value) is not None}
        self._add(epoch, PrintedLoss(0, scalars=values or None, **loss_fields(logged["loss"])))

    def add_evaluation(self, epoch: float | None, values: Mapping[str, float]) -> None:
        """One of an evaluation, of which its bar has told."""
        self._add(epoch, result(0, values))

    def _add(self, epoch: float | None, row: PrintedLoss) -> None:
        if epoch is None:
            return
        if (
            self._rows and epoch < self._rows[-1][0] - 2 * ROUNDED
        ):  # another training's, and how long its epochs were nobody said
            self._rows.clear()
        self._rows.append((epoch, row))

    def placed(self, epochs: float | None, total: int | None, last: int | None) -> list[PrintedLoss]:
        """All of them at their steps, where `epochs` have the bar's `total` steps, of which `last` was the newest.

        Where nobody knows how long an epoch is, none has a place (yet). Without a word on it the bar's last step ends a whole one.
        """
        newest = max((epoch for epoch, _ in self._rows), default=0.0)
        epochs = epochs or (newest if abs(newest - round(newest)) <= ROUNDED else None)
        if not epochs or not total or newest > epochs + ROUNDED:
            return []
        rows, self._rows = self._rows, deque(maxlen=MOST)
        each, steps, found = total / epochs, StepsByEpochs(), []
        before, newest = 0, 0.0  # step and epoch of the newest dictionary of training
        for epoch, row in rows:
            if row.loss is not None or row.bad_loss:
                before, newest = min(steps.step(epoch, each, before), total if last is None else last), epoch
                found.append(replace(row, iteration=before))
            else:  # of an evaluation, as a rule right behind that of its step
                beside = abs(epoch - newest) <= ROUNDED
                found.append(replace(row, iteration=before if beside else max(before, round(epoch * each))))
        return found


def result(step: int, values: Mapping[str, float]) -> PrintedLoss:
    """What an evaluation found, of which another line has told when it was."""
    others = {name: value for name, value in values.items() if finite(value) is not None}
    return PrintedLoss(step, validation_loss=finite(values.get("val_loss")), scalars=others or None)


def results_in(read: Mapping[str, float]) -> dict[str, float]:
    """What an evaluation's dictionary says that it found."""
    left_out = ("_per_second", "epoch")
    return {
        ("val_loss" if key == "eval_loss" else key): value
        for key, value in read.items()
        if finite(value) is not None and not key.endswith(left_out)
    }


def runtime_in(read: Mapping[str, float]) -> float | None:
    """The seconds that an evaluation took, by its dictionary."""
    return next((finite(value) for key, value in read.items() if key.endswith("_runtime")), None)


class InnerBar:
    """The bar of an evaluation, drawn below the training's."""

    def __init__(self) -> None:
        self._is_open = False
        self._total: int | None = None  # of the first that was drawn below another
        self._newest: Bar | None = None

    def see(self, bar: Bar) -> None:
        """The next frame of a bar without a title. A full one is drawn again when the bar is closed."""
        if self._total is None and bar.inner:
            self._total = bar.total
        if bar.total != self._total:
            return
        if not bar.full or self._is_open:
            self._newest = bar
        self._is_open = not bar.full

    def over(self) -> Bar | None:
        """The training goes on, or its results were printed: the newest frame; `None`: there was none since."""
        newest, self._newest, self._is_open = self._newest, None, False
        return newest
