"""The validation losses of a run; and how many evaluations and saves its source tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...events import CHECKPOINT, EVALUATION, OF_EPOCH, OF_TEST, OF_VALIDATION, SpanEnd, Strength

if TYPE_CHECKING:
    from ...events import SpanBegin


MOST_WAITING = 64
"""Evaluations before the first iteration of a process, the newest."""


class Evaluations:
    """(iteration, validation loss) of every evaluation, oldest first, and the best of the newest training's.

    Where a source names a test set and no other, they are the test's.
    """

    def __init__(self) -> None:
        self.losses: list[tuple[int, float]] = []
        self.best: tuple[int, float] | None = None
        self.begun = 0  # how many there were before the newest training
        self.of_set = ""  # the set that they are of, where that is said
        self.reached = 0  # the newest one's iteration, in the process that goes on
        self._process = 0  # how many there were before the newest process
        self._printed: tuple[int, float] | None = None  # the newest that a line told of
        self._waits: list[SpanEnd] = []  # of iterations that are still to come

    def begin(self, *, first: bool = False) -> None:
        """A process begins: how far the one before came says nothing of it; before the `first` there was none."""
        self.reached, self._process = 0, 0 if first else len(self.losses)

    def begin_training(self, index: int, last: int) -> None:
        """Another training begins, with iteration `index`; the one before it ended with `last`.

        A line may tell of its evaluation first: that of the first iteration is here already.
        """
        own = index != last and bool(self.losses) and self.losses[-1][0] == index
        self.begun = len(self.losses) - own
        self.best = self.losses[-1] if own else None

    @property
    def of_training(self) -> list[tuple[int, float]]:
        """Those of the newest training."""
        return self.losses[self.begun :]

    @property
    def of_process(self) -> list[tuple[int, float]]:
        """Those since the counter last went back."""
        return self.losses[max(self.begun, self._process) :]

    @property
    def best_is_earlier(self) -> bool:
        """Is the best of a process before the newest, which has its own? That may evaluate with other data."""
        best, own = self.best, self.of_process
        return bool(own) and best in self.of_training and best not in own

    def add_span(self, event: SpanEnd, *, begins: bool = False) -> bool:
        """Take in an evaluation that ended; others count for nothing. Returns whether its results have a place.

        They stand at `shown_at`, which may be the next iteration: before the first one they wait. So they do where
        a process `begins` whose first iteration is still to come: they are of its training, not of the one before.
        """
        if event.kind != EVALUATION or not event.values or event.void:
            return False
        if event.is_said_again:
            self._add_best(event)
            return False
        if event.shown_at is None or begins:
            self._waits = [*self._waits[1 - MOST_WAITING :], event]
            return False
        self.add(event.shown_at, event.values.get("val_loss"), event.of_set)
        return True

    def before_first(self, iteration: int) -> list[SpanEnd]:
        """The evaluations that wait, now that `iteration` comes: of it, where they name none."""
        found, self._waits = self._waits, []
        return [event if event.shown_at is not None else replace(event, iteration=iteration) for event in found]

    def add(self, iteration: int, loss: float | None, of_set: str = "") -> None:
        """Take in the evaluation at `iteration`; one without a loss counts for nothing.

        With the first that is named a validation's, those of a test are losses of validations no more.
        """
        if loss is None or (of_set == OF_TEST and self.of_set == OF_VALIDATION):
            return
        if of_set == OF_VALIDATION and self.of_set == OF_TEST:
            self.losses, self.best, self.begun, self._process, self._printed = [], None, 0, 0, None
        self.of_set = of_set or self.of_set
        self.losses.append((iteration, loss))
        self.reached = iteration
        if self.best is None or loss < self.best[1]:
            self.best = (iteration, loss)

    def _add_best(self, event: SpanEnd) -> None:
        """What is said once more of the best one of this training: no row may have told of it."""
        loss = event.values.get("val_loss")
        if loss is not None and event.iteration is not None and (self.best is None or loss < self.best[1]):
            self.best = (event.iteration, loss)

    def add_printed(self, iteration: int, loss: float | None, of_set: str = "") -> None:
        """The same from a printed line, unless a hook reported it before; another line may tell of one more."""
        if loss is None:  # a line of the training, between two of evaluations
            return
        newest = self.losses[-1] if self.losses else None
        if newest is None or newest[0] != iteration or (self._printed == newest and loss != newest[1]):
            self.add(iteration, loss, of_set)
            self._printed = iteration, loss


FILES_S = 2.0
"""Between two files of one checkpoint, with nothing in between, at most."""


class _Stop(NamedTuple):
    """What tells one from another."""

    rows: int = -1  # that had come before it
    step: str = ""  # the number in its name
    iteration: int | None = None
    shown_at: int | None = None
    at_s: float | None = None
    detail: str = ""
    values: tuple[tuple[str, float], ...] = ()  # what came out
    evaluated: int | None = None  # of a save: the place of the newest evaluation before it
    begun_s: float | None = None  # of an evaluation that its own bar or line times


SETS_S = 3.0
"""Between the end of an evaluation with one set and its begin with another, at most: stamps may be of seconds."""

MANY_FILES = 4
"""So many more words on a save than the first one, without a row between them, may be of several saves."""


class ToldOnce:
    """How many evaluations and saves there were, by the source's own words: one that is told of twice is one."""

    def __init__(self) -> None:
        self.told = {EVALUATION: 0, CHECKPOINT: 0}
        self.unsure: tuple[str, ...] = ()  # kinds of which there may be more: several were held for one
        self._alike = 0
        self._newest: dict[str, tuple[int, SpanBegin | SpanEnd, int | None]] = {}  # of each kind, see `_stop`

    def once(self, event: SpanBegin | SpanEnd, rows: int) -> None:
        """Two files of one checkpoint, which name one step, and two sets of one evaluation are one.

        They lie before one iteration, or are of the model of one. So are files that were written together, however
        they are called; but not two saves that lie behind evaluations of two places.
        """
        evaluated = self._newest.get(EVALUATION) if event.kind == CHECKPOINT else None
        before = self._newest.get(event.kind)
        self._newest[event.kind] = newest = rows, event, evaluated and _shown_at(evaluated[1])
        if before is None or before[0] != rows:  # as nearly always: a row lies between them
            self.add(event.kind)
            self._alike = 0
            return
        self._again(event.kind, _stop(*newest), _stop(*before))

    def _again(self, kind: str, one: _Stop, before: _Stop) -> None:
        saves = kind == CHECKPOINT
        if not _are_one(before, one, saves=saves):
            self.add(kind)
            self._alike = 0
            return
        self._alike += 1
        if kind == EVALUATION and not one.step and _may_be_two(one, before):
            self._doubt(EVALUATION)
        of_two = bool(one.step and before.step) and one.step != before.step
        if saves and (of_two or one.evaluated != before.evaluated):
            self._doubt(CHECKPOINT)  # of one model before its evaluation and behind it: its newest, and the best
        if self._alike >= MANY_FILES:
            self._doubt(kind)

    def guess(self, kind: str) -> None:
        """One more, or several, by words that are not the format's, where it has read others itself."""
        if kind == EVALUATION and kind in self._newest:
            self._doubt(kind)
        self.add(kind)

    def has(self, begun: SpanBegin) -> bool:
        """Was what ends now counted as it began? A save that an evaluation came behind may be another one."""
        before, evaluated = self._newest.get(begun.kind), self._newest.get(EVALUATION)
        if begun.kind == CHECKPOINT and before and evaluated and _shown_at(evaluated[1]) != before[2]:
            return False
        return begun.strength == Strength.LOG

    def _doubt(self, kind: str) -> None:
        if kind not in self.unsure:
            self.unsure = (*self.unsure, kind)

    def add(self, kind: str) -> None:
        """One more."""
        if kind in self.told:
            self.told[kind] += 1


def _shown_at(event: SpanBegin | SpanEnd) -> int | None:
    return event.shown_at if isinstance(event, SpanEnd) else event.iteration


def _stop(rows: int, event: SpanBegin | SpanEnd, evaluated: int | None) -> _Stop:
    """What tells it from another. `evaluated`: of a save, the place of the newest evaluation before it."""
    named = event.kind == CHECKPOINT or event.detail.startswith(OF_EPOCH)
    step = "".join(filter(str.isdigit, event.detail)) if named else ""
    values = tuple(sorted(event.values.items())) if isinstance(event, SpanEnd) else ()
    begun_s = _begun_s(event)
    return _Stop(
        rows, step, event.iteration, _shown_at(event), event.at_s, event.detail, values, evaluated, begun_s
    )


def _begun_s(event: SpanBegin | SpanEnd) -> float | None:
    if not isinstance(event, SpanEnd) or event.at_s is None or event.duration_s is None:
        return None
    return event.at_s - event.duration_s


def _may_be_two(one: _Stop, before: _Stop) -> bool:
    """Two sets of one evaluation, or two evaluations before one row: other values of the same names."""
    names, names_before = [name for name, _ in one.values], [name for name, _ in before.values]
    same_moment = one.at_s is not None and one.at_s == before.at_s
    return names == names_before and (one.values != before.values if names else not same_moment)


def _are_one(before: _Stop, one: _Stop, *, saves: bool) -> bool:
    """Is it the same stop once more?"""
    if before.rows != one.rows or (before.iteration != one.iteration and before.shown_at != one.shown_at):
        return False
    if not saves:
        return before.step == one.step and not _begins_later(before, one)
    timed = before.at_s is not None and one.at_s is not None
    if timed and 0 <= (one.at_s or 0.0) - (before.at_s or 0.0) <= FILES_S:
        return True
    if before.step != one.step or (timed and before.detail == one.detail != ""):
        return False  # one checkpoint does not write a file twice
    return one.step != "" or before.evaluated == one.evaluated


def _begins_later(before: _Stop, one: _Stop) -> bool:
    """Was something else done between two evaluations that are called the same? Two sets follow at once."""
    if before.begun_s is None or one.begun_s is None or _letters(before.detail) != _letters(one.detail):
        return False
    return one.begun_s - (before.at_s or 0.0) > SETS_S


def _letters(detail: str) -> str:
    return "".join(filter(str.isalpha, detail))


def tells_nothing(event: SpanEnd) -> bool:
    """Does it only say that there was an evaluation: no time, no value, no set?"""
    return event.kind == EVALUATION and event.duration_s is None and not (event.values or event.of_set)
