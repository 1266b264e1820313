"""Standard output that went through a buffer of its own: what a Trainer printed comes in blocks, behind the bar of standard error.

Where a block stands says nothing. But each dictionary has the bar drawn once more, at the step that it is of (`Drawings`). Else its
step follows from its epoch, once it is known how many steps one has. An evaluation lies where its own bar was drawn, and took what
that says.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import PrintedLoss
from ..parsing.values import COUNTS, finite, loss_fields, number
from .steps_by_epochs import ROUNDED, StepsByEpochs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..parsing.bars import Bar
    from ..parsing.values import Fields

    Rows = Sequence[tuple[float, PrintedLoss]]
    """Dictionaries, each with its epoch."""


_CLOSED = 3
"""So many times at most a full bar is drawn again when the training is over."""

MOST = 100_000
"""Dictionaries that wait for their place: the newest."""


class Drawings:
    """Steps at which the training's bar was drawn again without having moved, since dictionaries were placed last."""

    def __init__(self) -> None:
        self._newest: int | None = None
        self._again: deque[int] = deque(maxlen=MOST)
        self._steps = 0  # among them, each counted once
        self._full = False
        self._failed = 0  # so many drawings were there when they and the dictionaries did not fit

    def see(self, step: int, *, full: bool = False) -> None:
        """A frame of the bar. A full one is drawn again also when it is closed."""
        self._full = full
        if step == self._newest:
            self._steps += not self._again or self._again[-1] != step
            self._again.append(step)
        self._newest = step

    def _are_all(self, rows: int) -> bool:
        """Are there as many as dictionaries, but for a full bar that was closed?"""
        more = len(self._again) - rows
        return more == 0 or (
            self._full and 0 < more <= _CLOSED and rows > 0 and self._again[-more] == self._again[-1]
        )

    def told(self, step: int) -> None:
        """What was drawn first is known: of an evaluation at `step`."""
        if self._again and self._again[0] == step:
            self._again.popleft()
            self._steps -= not self._again or self._again[0] != step

    def take(self, rows: Rows, trained: int, before: int | None) -> list[int] | None:
        """The step of each of `rows`, of which so many are of training: where all were drawn, or these alone.

        An evaluation has the step before it then. One behind step `before`, whose dictionary was told of, has
        drawn that once more.
        """
        late = before is not None and len(self._again) > 0 and self._again[0] == before
        each, spare = self._are_all(len(rows)), self._steps - late - trained
        if self._failed == len(self._again) or not (each or (trained and 0 <= spare <= self._full)):
            return None
        steps, drawn = [*self._again][: len(rows)], iter([*dict.fromkeys(self._again)][late:])
        if not each:
            steps = [before := next(drawn, 0) if is_trained(row) else before or 0 for _, row in rows]
        if not _fit(steps, rows):
            self._failed = len(self._again)
            return None
        self._again.clear()
        self._steps = self._failed = 0
        return steps


def _printed(step: int, logged: Fields) -> PrintedLoss:
    named = {name: logged.get(name) for name in ("learning_rate", "gradient_norm")} | (logged["scalars"] or {})
    values = {name: value for name, value in named.items() if finite(value) is not None}
    return PrintedLoss(step, scalars=values or None, **loss_fields(logged["loss"]))


def is_trained(row: PrintedLoss) -> bool:
    """Is it of training, and not of an evaluation?"""
    return row.loss is not None or bool(row.bad_loss)


def _fit(steps: Sequence[int], rows: Rows) -> bool:
    """Do steps rise, and is there a length of an epoch by which each stands at its epoch, rounded?"""
    placed = [(step, epoch) for step, (epoch, row) in zip(steps, rows, strict=True) if is_trained(row)]
    placed = placed or [(step, epoch) for step, (epoch, _) in zip(steps, rows, strict=True)]
    least = max(step / (max(epoch, 0.0) + ROUNDED) for step, epoch in placed)
    far = [step / (epoch - ROUNDED) for step, epoch in placed if epoch > ROUNDED]
    return least <= min(far, default=least) and all(one < other for (one, _), (other, _) in pairwise(placed))


class Blocks:
    """The dictionaries of one training, until they can be placed."""

    def __init__(self) -> None:
        self.found = False  # two came one after the other, and the bar had not moved
        self._rows: deque[tuple[float, PrintedLoss]] = deque(maxlen=MOST)
        self._drawings = Drawings()
        self._trained = 0  # of those that wait
        self._before: int | None = None  # step of the newest dictionary of training that was placed

    def add(self, epoch: float | None, logged: Fields) -> None:
        """One of training. Without its epoch it has no place."""
        self._add(epoch, _printed(0, logged))

    def left(self, logged: Fields, last: int | None) -> list[PrintedLoss]:
        """What a dictionary of training said for whose step no frame comes any more: it is of the newest, or of one more.

        It came behind that of the newest step, if that has one.
        """
        return (
            [replace(_printed(last, logged), newer=True)] if logged and last is not None and not self.found else []
        )

    def add_evaluation(
        self, epoch: float | None, values: Mapping[str, float], took_s: float | None = None
    ) -> None:
        """One of an evaluation, of which its bar has told."""
        self._add(epoch, result(0, values, took_s))

    def _add(self, epoch: float | None, row: PrintedLoss) -> None:
        if epoch is None:
            return
        if (
            self._rows and epoch < self._rows[-1][0] - 2 * ROUNDED
        ):  # another training's, and how long its epochs were nobody said
            self._rows.clear()
            self._trained = 0
        self._rows.append((epoch, row))
        self._trained += is_trained(row)

    def drawn(self, step: int, *, full: bool) -> list[PrintedLoss]:
        """A frame of the training's bar; what came before it, where drawings tell all its steps."""
        rows = self.by_drawings() if self.found and self._rows else []
        self._drawings.see(step, full=full)
        return rows

    def told(self, step: int) -> None:
        """The evaluation at `step` was told of besides."""
        self._drawings.told(step)

    def by_drawings(self) -> list[PrintedLoss]:
        """Those that wait, at the steps at which the bar was drawn again."""
        steps = self._drawings.take(self._rows, self._trained, self._before) if self._rows else None
        if steps is None:
            return []
        rows, self._rows, self._trained = self._rows, deque(maxlen=MOST), 0
        self._before = steps[-1]
        return [replace(row, iteration=step) for step, (_, row) in zip(steps, rows, strict=True) if step]

    def take(self) -> Rows:
        """All of them, which have no place."""
        rows, self._rows, self._trained = self._rows, deque(maxlen=MOST), 0
        return rows

    def placed(self, epochs: float | None, total: int | None, last: int | None) -> list[PrintedLoss]:
        """All of them at their steps, where `epochs` have the bar's `total` steps, of which `last` was the newest.

        Where nobody knows how long an epoch is, none has a place (yet). Without a word on it the bar's last step ends a whole one.
        Where drawings told of those before, and not of these, something is missing.
        """
        if self._before is not None:
            return []
        newest = max((epoch for epoch, _ in self._rows), default=0.0)
        epochs = epochs or (newest if abs(newest - round(newest)) <= ROUNDED else None)
        if not epochs or not total or newest > epochs + ROUNDED:
            return []
        rows, self._rows, self._trained = self._rows, deque(maxlen=MOST), 0
        each, steps, found = total / epochs, StepsByEpochs(), []
        before, newest = 0, 0.0  # step and epoch of the newest dictionary of training
        for epoch, row in rows:
            if is_trained(row):
                before, newest = min(steps.step(epoch, each, before), total if last is None else last), epoch
                found.append(replace(row, iteration=before))
            else:  # of an evaluation, as a rule right behind that of its step
                beside = abs(epoch - newest) <= ROUNDED
                found.append(replace(row, iteration=before if beside else max(before, round(epoch * each))))
        return found


def logged_in(row: PrintedLoss) -> Fields:
    """What a dictionary of training said, once more."""
    values = dict(row.scalars or {})
    named = {name: values.pop(name, None) for name in ("learning_rate", "gradient_norm")}
    return {"loss": number(row.bad_loss) if row.loss is None else row.loss, "scalars": values, **named}


def found_in(row: PrintedLoss) -> dict[str, float]:
    """What a dictionary of an evaluation found, once more."""
    found = {} if row.validation_loss is None else {"val_loss": row.validation_loss}
    return {**(row.scalars or {}), **found}


def result(step: int, values: Mapping[str, float], took_s: float | None = None) -> PrintedLoss:
    """What an evaluation found, of which another line has told when it was; what it took goes before what its bar said."""
    others = {name: value for name, value in values.items() if finite(value) is not None}
    found = finite(values.get("val_loss"))
    return PrintedLoss(step, validation_loss=found, scalars=others or None, evaluation_s=took_s)


def results_in(read: Mapping[str, float]) -> dict[str, float]:
    """What an evaluation's dictionary says that it found."""
    left_out = ("_per_second", "epoch")
    return {
        ("val_loss" if key == "eval_loss" else key): value
        for key, value in read.items()
        if finite(value) is not None and not key.endswith(left_out) and key not in COUNTS
    }


def runtime_in(read: Mapping[str, float]) -> float | None:
    """The seconds that an evaluation took, by its dictionary."""
    return next((finite(value) for key, value in read.items() if key.endswith("_runtime")), None)


class InnerBar:
    """The bar of an evaluation, drawn below the training's. When it is closed it has what came behind its last step, too.

    One may draw several, as one for each image: then it took what they all did, at least.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._before_s = 0.0  # what those before the newest took
        self._total: int | None = None  # of the first that was drawn below another
        self._newest: Bar | None = None

    def see(self, bar: Bar) -> None:
        """The next frame of a bar without a title. A full one is drawn again when the bar is closed, sooner or later."""
        if self._total is None and bar.inner:
            self._total = bar.total
        if bar.total != self._total:
            return
        newest = self._newest
        if newest is not None and newest.full and bar.n < newest.n:
            self._before_s += newest.spent_s or 0.0
        if not bar.full or self._is_open or newest is not None:
            self._newest = bar
        self._is_open = not bar.full

    @property
    def is_full(self) -> bool:
        """Has the newest one come to its end, and not been told of?"""
        return self._newest is not None and self._newest.full

    def over(self) -> Bar | None:
        """The training goes on, or its results were printed: the newest frame, with what all bars took; `None`: there was none since."""
        newest, before_s = self._newest, self._before_s
        self._newest, self._before_s, self._is_open = None, 0.0, False
        if newest is None or not before_s:
            return newest
        return newest._replace(elapsed_s=before_s + (newest.spent_s or 0.0), seconds_each=None)
