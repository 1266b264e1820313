"""Is the time in a row that of one step, or of all steps since the row before?

Rows of one step show it, or stamps, or rows of another number of steps than the others.
"""

from __future__ import annotations

from collections import Counter, deque
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..means.steps_of_rows import StepsOfRows

if TYPE_CHECKING:
    from ..parsing.values import Fields


class Row(NamedTuple):
    """Where a row stands."""

    steps: int = 0  # since the row before
    passed_s: float | None = None  # between the stamps of the two, if they have any
    anew: bool = False  # an epoch or a run begins with it
    by_epoch: bool = False  # each row is an epoch
    place: int = 0  # its number in the run
    numbered: bool = True  # by the log: a row that is only counted may be of any number of steps


class UnlikeSteps:
    """Does a row of twice the steps take twice as long (one that closes an epoch, one behind a row that is lacking)?

    Then each time is that of all steps since the row before: that of one step would be the same in both.
    """

    _FEWEST, _USUAL, _KEPT, _KINDS = 3, 8, 32, 64
    _AS_MANY, _LIKE, _NEARLY, _MOST = 1.5, 1.2, 1.5, 0.75

    def __init__(self) -> None:
        self._times_s: dict[int, deque[float]] = {}  # the newest of the rows of so many steps
        self._rows = Counter[int]()
        self.prove = False
        """Is it proven that each time is that of all its steps?"""

    def learn(self, other: UnlikeSteps) -> None:
        """Take over what was found out of more rows."""
        if not self._rows:
            self.prove = other.prove

    def see(self, steps: int, seconds: float) -> None:
        """The time that the next row shows, `steps` behind the row before."""
        if steps <= 0 or seconds <= 0 or (steps not in self._rows and len(self._rows) >= self._KINDS):
            return
        self._rows[steps] += 1
        self._times_s.setdefault(steps, deque(maxlen=self._KEPT)).append(seconds)
        usual, rows = max(self._rows.items(), key=lambda one: one[1])
        if rows < self._USUAL or 1 / self._AS_MANY < steps / usual < self._AS_MANY:
            return
        usual_s = median(self._times_s[usual])
        each = [  # of a step, against that of the usual rows
            one * usual / (usual_s * count)
            for count, times_s in self._times_s.items()
            for one in times_s
            if not 1 / self._AS_MANY < count / usual < self._AS_MANY
        ]
        nearly = sum(1 / self._NEARLY < one < self._NEARLY for one in each)
        alike = 1 / self._LIKE <= median(each) <= self._LIKE and nearly >= self._MOST * len(each)
        self.prove = len(each) >= self._FEWEST and alike


class SingleSteps:
    """Do rows of one step take as long as rows of several? Then what is printed is the time of a step.

    The first row of a run has its warm-up in it: that it took no less is only a second witness.
    """

    _LIKE, _SEVERAL, _KEPT = 0.8, 4, 32

    def __init__(self) -> None:
        self._several: deque[float] = deque(maxlen=self._KEPT)
        self._first_s: float | None = None
        self._like = self._unlike = 0
        self.unlike = UnlikeSteps()
        self._of_rows = StepsOfRows()

    @property
    def prove(self) -> bool:
        """Is it proven that each time is that of one step?"""
        first = self._first_s
        enough = self._like + (first is not None and first >= self._LIKE * median(self._several or [first]))
        return self._like > 0 and not self._unlike and enough > 1

    def learn(self, other: SingleSteps) -> None:
        """Take over what was found out of more rows."""
        self.unlike.learn(other.unlike)
        self._of_rows.learn(other._of_rows)
        if not (self._like or self._unlike):
            self._like, self._unlike = other._like, other._unlike
            self._first_s = other._first_s if self._first_s is None else self._first_s

    def own(self, step_s: float | None, elapsed_s: float | None, row: Row) -> float | None:
        """The time of a step that a row prints, unless it is only counted, and nothing shows that it is of one step."""
        if step_s is None or row.numbered:
            return step_s
        return step_s if self._of_rows.see(step_s, elapsed_s, row.passed_s) else None

    def see(self, steps: int, place: int, seconds: float) -> None:
        """The time that the next row shows, which stands at step `place`, `steps` behind the row before."""
        self.unlike.see(steps, seconds)
        if steps == 0 and place <= 1:
            self._first_s = seconds
        elif steps >= self._SEVERAL:
            self._several.append(seconds)
        elif steps == 1 and len(self._several) >= self._SEVERAL:
            like = self._LIKE <= seconds / median(self._several) <= 1 / self._LIKE if seconds else False
            self._like += like
            self._unlike += not like


_BRACKETS = lazy_pattern(
    r"(?i)time['\"]?(?: ?[:=] ?| {1,6})(\d{1,7}(?:\.\d{1,9})?) ?s? ?\( ?(?:avg:? ?)?(\d{1,7}(?:\.\d{1,9})?) ?s?\)"
)

_LONGEST = 2_000


def beside(text: str, time_s: float) -> float | None:
    """`time: 0.858 (0.512)`: the second of the two, if the first is `time_s`."""
    if "(" not in text or "ime" not in text:
        return None
    found = _BRACKETS.search(text[:_LONGEST])
    return float(found[2]) if found and float(found[1]) == time_s else None


class _Newest(NamedTuple):
    within: float  # steps of the epoch so far
    times_s: tuple[float, ...]


_Kind = tuple[int, bool, int]
"""Which of the times of a row, whether it is the mean of the epoch so far, and of how many steps more."""


class Means:
    """Does a row's time, times the steps since the row before, fill what passed between the stamps of the two?

    Then it is the mean of them, and no step of them took more than was printed. So may the mean in brackets beside
    it, or each of them as the mean of the epoch so far, or of one step more: of steps from 0 on that each epoch has
    one row of. What fits most rows is what it is; an evaluation lies between some of them.
    """

    _CLOSE, _TICK_S, _TICKS, _FEWEST, _BETTER, _ALIKE = 0.015, 0.05, 20, 3, 1.25, 1e-3

    def __init__(self) -> None:
        self._fits: dict[_Kind, tuple[int, float]] = {}  # how often each fits, and how unlike it is then in all
        self._witnesses = 0
        self._newest: _Newest | None = None

    def learn(self, other: Means) -> None:
        """Take over what was found out of more rows."""
        if not self._fits:
            self._fits, self._witnesses = dict(other._fits), other._witnesses

    def told(self, found: Fields, text: str, row: Row, within: float | None) -> Fields:
        """What the time that was `found` in a row is the mean of; nothing, where it stands for itself alone."""
        time_s = found.get("duration_s")
        if time_s is None or found.get("averaged_over", 1) > 1 or found.get("witness") or row.by_epoch:
            self._newest = None
            return {}
        other_s = beside(text, time_s)
        times_s = (time_s,) if other_s is None else (time_s, other_s)
        mean = self.of(times_s, row.steps, within or 0.0, row.passed_s)
        if mean is None:  # a mean so far that cannot be undone tells no row's time
            kind = self._kind() if row.steps > 1 else None
            return {"duration_s": None} if kind is not None and kind[1] and not kind[2] else {}
        return {"duration_s": mean[0], "averaged_over": mean[1]}

    def of(
        self, times_s: tuple[float, ...], steps: int, within: float, passed_s: float | None
    ) -> tuple[float, int] | None:
        """What a step took of those since the row before, and how many they are; `None`: the time stands for itself.

        Args:
            times_s: the printed time, and that in brackets, if there is one.
            steps: since the row before.
            within: steps of the epoch so far, by its own count; of the run where nothing counts within epochs.
            passed_s: between the stamps of the two rows.
        """
        sums = self._sums(times_s, steps, within)
        self._newest = _Newest(within, times_s)
        tick_s = 1.0 if passed_s is not None and not passed_s % 1 else self._TICK_S
        allowed_s = tick_s + self._CLOSE * (passed_s or 0.0)
        if passed_s is not None and passed_s >= self._TICKS * tick_s and sums:
            fits = [kind for kind, seconds in sums.items() if abs(seconds - passed_s) <= allowed_s]
            self._witnesses += 1
            for kind in fits:
                count, unlike = self._fits.get(kind, (0, 0.0))
                self._fits[kind] = count + 1, unlike + abs(sums[kind] / passed_s - 1)
        known = self._kind()
        spent_s = sums.get(known) if known else None
        if (
            known is None
            or spent_s is None
            or spent_s <= 0
            or (passed_s is not None and spent_s > passed_s + allowed_s)
        ):
            return None
        return spent_s / (steps + known[2]), steps + known[2]

    def _kind(self) -> _Kind | None:
        """The simplest of those that fit best."""
        best = max((count for count, _ in self._fits.values()), default=0)
        if best < self._FEWEST or 2 * best < self._witnesses:
            return None
        unlike = {kind: sum_ / count for kind, (count, sum_) in self._fits.items() if count * self._BETTER >= best}
        return min(kind for kind, each in unlike.items() if each <= 2 * min(unlike.values()) + self._ALIKE)

    def _sums(self, times_s: tuple[float, ...], steps: int, within: float) -> dict[_Kind, float]:
        """What all steps since the row before took, by each thing that a time may be."""
        sums: dict[_Kind, float] = {}
        if steps <= 1:
            return sums
        newest = self._newest
        goes_on = newest is not None and newest.within + steps == within and len(newest.times_s) == len(times_s)
        for place, time_s in enumerate(times_s):
            sums[place, False, 0] = steps * time_s
            if goes_on and newest is not None:
                sums[place, True, 0] = within * time_s - newest.within * newest.times_s[place]
            elif within == steps:  # the first row of its epoch
                sums[place, True, 0] = within * time_s
                sums[place, True, 1] = (within + 1) * time_s
        return sums
