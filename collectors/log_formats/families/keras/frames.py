"""A frame of Keras' bar: `97/100 ━━━ 0s 25ms/step - loss: 0.5`, and what the steps up to it took, as far as it tells."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

from ....patterns import lazy_pattern
from ...means.means_so_far import SURE, Spent
from ...parsing.values import Fields, LogLine, number, scalars
from ..pairs import words

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from ...means.means_so_far import MeansSoFar

SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_EACH = lazy_pattern(r"(\d{1,9}(?:\.\d{1,9})?)(us|ms|s)/(step|sample)")
_LONGEST = 400
_NEAR = 0.9
"""Of an epoch: the mean over so much of it is that of all of it."""

LEAST_S = 5.0
"""Whole seconds alone, `12/12 - 0s`: of fewer nobody knows what a step took to ten percent."""

_EXACT = 0.03
"""Of an epoch: what the digits of its time a step leave open, so that its seconds tell whether they hold more."""

_ONE_DIGIT, _MOSTLY_STEPS = 0.05, 1.25
"""`9ms/step` is wrong by so much of it; an epoch that takes more than so many times its steps is much else, too."""

_ONE = lazy_pattern(r"(?<![\d/.-])(\d{1,9})/\1 [^%]{1,100}? 1(us|ms)/(?:step|sample)\b")
_WHOLE_EPOCH = lazy_pattern(
    r"(?<![\d/.-])(?P<batch>\d{1,9})/(?P=batch) [^%]{1,100}? (?P<stamp>\d[\d:smh]{0,12})? ?(?:- )?(?P<each>\d{1,9}(?:us|ms|s)/(?:step|sample))\b"
)
_ROUGH = 0.1
_LEAST_ONES_S = 2.0
"""A full epoch's seconds bound `1ms/step`: from so many on to a quarter."""


_LEAST_EPOCHS, _NOTHING_ELSE = 5, 0.04
"""So many epochs take no more than their steps, but for this share: the steps' time is not without the validation."""


def _are_all_that_epochs_took(closing: list[Frame]) -> bool:
    """`3s 11ms/step`: one epoch's rounded seconds leave open whether they are more than its steps, many of them do not."""
    timed = [(clock_s(one.stamp), *one.steps_s) for one in closing if one.each is not None and clock_s(one.stamp)]
    steps_s = sum(seconds for _, seconds, _ in timed)
    more_s = sum(stamp_s for stamp_s, _, _ in timed) - steps_s
    unsure_s = 2 * sqrt(sum(1 / 12 + each_s**2 / 3 for _, _, each_s in timed))
    return len(timed) >= _LEAST_EPOCHS and more_s + unsure_s <= _NOTHING_ELSE * steps_s


class Ones:
    """Are the times of most epochs one unit, `1ms/step`, which is half as much or as much again?

    One digit is no figure: no level, nor what an epoch of `3ms/step` took beyond it.
    """

    def __init__(self) -> None:
        self.tell_nothing = False
        self._took_more = (
            False  # did an epoch surely take more than its steps? Then their mean is not of all of it
        )
        self.hold_validation = False  # do the seconds of most epochs stand for their validation, too?

    def learn(self, lines: Iterable[str]) -> None:
        """Look at lines of the log."""
        epochs = ones = validated = hold = 0
        bars = []
        finer = False
        for text in lines:
            if "s/s" not in text or (whole := _WHOLE_EPOCH.search(text[:_LONGEST])) is None:
                continue
            epochs += 1
            batches = {"batch": float(whole["batch"]), "batches": float(whole["batch"])}
            rest = f"{whole['each']}{' val_' if ' val_' in text else ''}"
            frame = Frame(batches, rest, whole["stamp"] or "", LogLine(text, None))
            validated += frame.validated
            bars += [frame] if frame.validated and "[=" in text else []
            hold += frame.stands_for_all or (frame.validated and frame.is_printed_once)
            finer = finer or (not frame.validated and whole["each"][1].isdigit())  # which tells of the steps alone
            if (one := _ONE.search(text[:_LONGEST])) is not None:
                ones += " val_" in text or float(one[1]) * SECONDS[one[2]] < _LEAST_ONES_S
        self.tell_nothing = ones > epochs / 2
        self._took_more = self._took_more or any(clock_s(one.stamp) > sum(one.steps_s) + 0.51 for one in bars)
        together = not self._took_more and _are_all_that_epochs_took(bars)
        self.hold_validation = (hold > validated / 2 or together) and not finer


class Frame(NamedTuple):
    """One frame, or an epoch's last line."""

    fields: Fields
    rest: str
    stamp: str
    line: LogLine

    @property
    def done(self) -> float:
        """Steps (or samples) so far."""
        return float(self.fields["batch"])

    @property
    def batches(self) -> float:
        """... and in the epoch."""
        return float(self.fields["batches"])

    @property
    def each(self) -> re.Match[str] | None:
        """The mean of the steps so far: its number, its unit, and what it is of."""
        return _EACH.search(self.rest)

    @property
    def names_no_unit(self) -> bool:
        """`60000/60000 [====] - 5s - loss: 0.5`: a bar of before 2.0.9, of samples or, by `fit_generator`, of steps."""
        return self.each is None and "[=" in self.line.text

    def goes_on(self, before: Frame) -> bool:
        """Is it the next frame of the same bar, or its last one drawn again?"""
        again = before.done == self.done == self.batches
        return self.batches == before.batches and (self.done > before.done or again)

    @property
    def validated(self) -> bool:
        """Is it the line that tells of the validation, whose time may be in it?"""
        return " val_" in self.rest

    @property
    def is_drawn_again(self) -> bool:
        """Is it full, with nothing left of its time? Keras 3 draws it again when the epoch is over, with what is final."""
        if self.done < self.batches or self.validated or clock_s(self.stamp):
            return False
        return self.each is not None and f"- {self.stamp} " not in self.line.text  # as other lines have it

    @property
    def is_printed_once(self) -> bool:
        """`469/469 - 1s - 2ms/step - loss: 0.5`, without a bar: printed when all of the epoch is over, its validation, too."""
        return self.done == self.batches and f"/{self.batches:.0f} - {self.stamp} - " in self.line.text

    @property
    def holds_validation(self) -> bool:
        """Are the seconds that stand for the steps of a whole epoch those of its validation, too?

        The bar is the last of the callbacks: its last line is printed when the validation and the saves are over, and the
        time of a step in it is that of all this over the steps (since 2.4 without the first of them).
        """
        timed = self.each is not None or clock_s(self.stamp) >= LEAST_S
        return self.validated and self.done == self.batches and timed

    @property
    def steps_s(self) -> tuple[float, float]:
        """What the steps took by the time of one, and by how much its last digit leaves that open."""
        each = self.each
        if each is None:
            return 0.0, 0.0
        unit_s = SECONDS[each[2]]
        return self.done * float(each[1]) * unit_s, self.done * unit_s * 0.5 / 10 ** len(each[1].partition(".")[2])

    @property
    def stands_for_all(self) -> bool:
        """`29s 3ms/step`: do the seconds of the epoch and of its validation tell more than the time of a step?

        Where they are more than its steps can have taken, most of what is more is the validation's.
        """
        stamp_s, (seconds, unsure_s) = clock_s(self.stamp), self.steps_s
        if not self.validated or stamp_s < LEAST_S or self.done < self.batches or not seconds:
            return False
        rough = unsure_s > _ONE_DIGIT * seconds  # else the seconds of a long first step are told apart
        most_s = (seconds + unsure_s) * _MOSTLY_STEPS if rough else seconds + unsure_s + 0.5
        return unsure_s > 0.5 and seconds - unsure_s <= stamp_s + 0.5 and stamp_s <= most_s

    @property
    def is_rough(self) -> bool:
        """Is the time of its steps wrong by more than a tenth of it, for all that its digits tell?"""
        spent = self.spent(None)
        return spent.unsure_s > _ROUGH * spent.seconds

    def found(self, *, besides: bool, timed: bool) -> Fields:
        """What `evaluate` took and found. `besides`: the newest epoch has its validation, so that this is another set of data.

        `timed`: no validation before it was without a time. Of some of all evaluations nobody can say what share they take.
        """
        each = self.each
        spent_s = clock_s(self.stamp) or (self.done * float(each[1]) * SECONDS[each[2]] if each else 0.0)
        spent_s = spent_s if timed else 0.0
        read = scalars(words(self.rest).items())
        if besides:
            return {**{f"test_{name}": value for name, value in read.items()}, "duration_s": spent_s or None}
        named = {"val_loss" if name == "loss" else name: value for name, value in read.items()}
        return {**named, "duration_s": spent_s or None}

    def left_out_s(self, later: Frame) -> float | None:
        """What the first step took, with all that is built in it, where the mean of a `later` frame leaves it out.

        That is proven where all steps so far took less by that mean. What would be left of the epoch if all took as long says
        it more exactly than `13s/step`.
        """
        each, least = self.each, later.each
        if self.done != 1 or each is None or least is None or least[2] == "s":
            return None
        (first_s, unsure_s), (spent_s, spent_unsure_s) = self.steps_s, later.steps_s
        left_s = clock_s(self.stamp) / max(1.0, self.batches - 1)
        if abs(left_s - first_s) <= unsure_s + 1 / max(1.0, self.batches - 1):
            first_s, unsure_s = left_s, min(unsure_s, 1 / max(1.0, self.batches - 1))
        long = (
            first_s > spent_s + spent_unsure_s + unsure_s and first_s > SURE * self.batches * spent_s / later.done
        )
        return first_s if long and unsure_s <= _ROUGH * first_s else None

    def of_others(self, before: Frame | None) -> Spent:
        """The time of the epoch's steps so far but the first, where means are of those."""
        near = self.validated and before is not None and before.done >= _NEAR * self.batches
        of = before if near and before is not None and before.each is not None else self
        seconds, unsure_s = of.steps_s
        return Spent(seconds * (self.done - 1) / of.done, unsure_s * (self.done - 1) / of.done)

    def spent(self, before: Frame | None) -> Spent:
        """The time of the epoch's steps so far. `before`: the frame before it, which has no validation in its time."""
        stamp_s = clock_s(self.stamp)
        if (
            self.validated
            and before is not None
            and before.each is not None
            and before.done >= _NEAR * self.batches
        ):
            own = before.spent(None)
            if not self.stands_for_all or own.unsure_s <= _ONE_DIGIT * own.seconds:
                return Spent(own.seconds * self.done / before.done, own.unsure_s * self.done / before.done)
        if self.stands_for_all:
            return Spent(stamp_s, 0.5)
        each, full = self.each, self.done == self.batches
        if each is None:
            return Spent(stamp_s, 0.5) if stamp_s >= LEAST_S else Spent()
        seconds, unsure_s = self.steps_s
        if not full or not stamp_s:
            return Spent(seconds, unsure_s)
        if each[2] == "s":  # 1.0 to 1.5 s are printed as `1s`: the epoch's seconds tell where in it
            return Spent(min(max(stamp_s, seconds - unsure_s, self.done), seconds + unsure_s), unsure_s)
        return _bounded(seconds, unsure_s, stamp_s, validated=self.validated)


def _bounded(seconds: float, unsure_s: float, stamp_s: float, *, validated: bool) -> Spent:
    """The time of a step, printed as `2ms`, may be a third too long; the epoch's whole seconds bound it, and may hold more."""
    if seconds > stamp_s + 1.0:
        return Spent(stamp_s, 0.5)
    low, high = max(seconds - unsure_s, stamp_s - 0.5), min(seconds + unsure_s, stamp_s + 0.5)
    if validated or unsure_s <= 0.5 or not 0 < high - low <= unsure_s:
        return Spent(seconds, unsure_s)
    return Spent((low + high) / 2, (high - low) / 2)


def time_of(frame: Frame, before: Frame | None, unit: float, means: MeansSoFar, *, told: bool) -> Fields:
    """What the steps took since the last stretch whose time is known; 0 steps: a later one holds these. `told`: a rough time is one."""
    if means.first_s is not None and frame.done == 1:
        first_row = {} if not means.told else {"averaged_over": 0}
        return first_row if means.together else {"duration_s": means.first_s, "averaged_over": 1}
    spent = frame.spent(before)
    if means.first_s is not None and frame.each is not None:
        seconds, unsure_s = frame.of_others(before)
        spent = Spent(seconds + means.first_s * means.together, unsure_s)
    steps = ceil(frame.done / unit) - ceil(means.done / unit)
    timed = means.since(frame.done, frame.batches, spent)
    if not told and frame.is_rough:
        return {"averaged_over": int(frame.done == frame.batches)}
    if timed is not None and steps > 0:
        return {"duration_s": timed / steps, "averaged_over": steps}
    return {"averaged_over": 0} if frame.done < frame.batches and frame.each is not None else {}


def clock_s(stamp: str) -> float:
    """`45s`, `1:05` or `2:03:04`."""
    seconds = 0.0
    for part in stamp.rstrip("smh").split(":"):
        seconds = seconds * 60 + (number(part) or 0.0)
    return seconds
