"""What may be said of an invented log, and what of it is wrong. Whatever is withheld is right."""

from __future__ import annotations

from math import inf, isnan
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from .scripts import COUNT_ALL, CSV, KERAS, LOGFMT, OF_BARS, OF_EPOCHS, PER_STEP, TITLELESS
from .trainings import Begin, End, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .prints import Printed
    from .scripts import Script
    from .trainings import Course

    Range = tuple[float, float]
    Figures = Mapping[str, float | int | str | None]

STEP, EPOCH, LINE = "step", "epoch", "line"
CLEAN_SHARE, WALL_SHARE, WALL_S = 0.1, 0.05, 5.0
HIDDEN_S = 2.0  # the cut of a stamp before, and of the one after
FEW = 3
SELDOM = 4  # rows an epoch
ENDS = {"finished": ("finished",), "cut": (), "crashed": ("failed",), "interrupted": ("interrupted", "failed")}


class Wrong(NamedTuple):
    """One figure that is not what happened."""

    figure: str
    said: object
    true: object

    def __str__(self) -> str:
        return f"{self.figure}: {self.said}, not {self.true}"


def wrong(figures: Figures, course: Course, script: Script, printed: Printed) -> list[Wrong]:
    """Each figure that contradicts what happened. `figures` are those of metamorphosis/figures.py.

    Where epochs have a line of their own, they may be what is counted in place of steps; where nobody says how
    many steps an epoch has, lines.
    """
    units = [EPOCH if script.kind in OF_EPOCHS else STEP]
    units += [EPOCH] if printed.summaries else []
    of_samples = "samples" in script.place and not (
        script.head or len(course.plan.ends) > 1
    )  # nobody says how many a step takes
    units += [] if not of_samples and (script.says_batches or script.kind in COUNT_ALL) else [LINE]
    return min(
        (
            _contradicted(figures, _Truth(course, script, printed, unit, summed=figures["wall_by"] is None))
            for unit in units
        ),
        key=len,
    )


def _contradicted(figures: Figures, truth: _Truth) -> list[Wrong]:
    ranges = {"last": truth.last(), "total": truth.total(), "clean_s": truth.clean_s(), "wall_s": truth.wall_s()}
    ranges["iterations"] = truth.rows()
    found = []
    for figure, allowed in ranges.items():
        value = figures[figure]
        if value is not None and not any(low <= float(value) <= high for low, high in allowed):
            found.append(Wrong(figure, value, [(round(low, 3), round(high, 3)) for low, high in allowed]))
    for figure, values in truth.exactly().items():
        value = figures[figure]
        if (_rounded(value) if isinstance(value, float) else value) not in values:
            found.append(Wrong(figure, value, values))
    return found


def _rounded(value: float) -> float | None:
    return None if isnan(value) else round(value, 4)


class _Truth:
    """What is true if steps are counted, or epochs, or lines."""

    def __init__(self, course: Course, script: Script, printed: Printed, unit: str, *, summed: bool) -> None:
        self.course, self.plan, self.script, self.printed = course, course.plan, script, printed
        self.summed = summed  # is the wall time the sum of the iterations, and called so?
        self.of_epochs, self.of_lines = unit == EPOCH, unit == LINE
        of_epochs = self.of_epochs
        self.steps = [one for one in course.happenings if isinstance(one, Step)]
        self.row = (printed.summaries if of_epochs and printed.summaries else printed.rows)[-1]

    def last(self) -> list[Range]:
        """The newest row's number, counted from 0 or 1, as far as the log tells an epoch's length."""
        if self.of_epochs:
            return [(self.row.epoch, self.row.epoch + 1)]
        if self.of_lines:
            return [(len(self.printed.rows) - 1, len(self.printed.rows))]
        unknown = 0 if self.script.says_batches or self.script.kind in COUNT_ALL else self.script.every
        if self.script.kind == TITLELESS:  # of a resumed run nobody says how many bars there were before
            begun = max(one.place for one in self.course.happenings if isinstance(one, Begin))
            return [(one, one + 1) for one in (self.row.place, self.row.place - begun)]
        loose = unknown * (self.row.epoch + 1)
        return [(self.row.place - loose, self.row.place + 1 + loose)]

    def total(self) -> list[Range]:
        total = self.plan.epochs if self.of_epochs else self.plan.total
        one_bar = self.script.kind == TITLELESS and self.row.epoch == 0  # and nobody says that more will come
        return [(total - 1, total + 1), *([(self.plan.batches, self.plan.batches)] if one_bar else [])]

    def rows(self) -> list[Range]:
        """Of a bar the frames that a reader keeps are anybody's choice."""
        if self.of_epochs and self.printed.summaries:
            return [(len(self.printed.summaries), len(self.printed.summaries) + 1)]
        return [(1 if self.script.kind in OF_BARS else len(self.printed.rows), len(self.printed.rows))]

    def clean_s(self) -> list[Range]:
        plan, every = self.plan, self.script.every
        if len(self.printed.rows) < FEW:
            return [(0.0, inf)]  # of a beginning, and called so
        stops_s = plan.evaluates * plan.evaluation_s * plan.evaluation_batches + plan.save_s
        if self.of_epochs:
            clean_s = median(one.duration_s for one in self.steps) * plan.batches
            return [(clean_s * (1 - CLEAN_SHARE), (clean_s + stops_s) * (1 + CLEAN_SHARE))]
        if self.of_lines:
            return [self._about(plan.clean_s * every, CLEAN_SHARE)]
        # Where each second row or more has an epoch's end in it, nobody can say what is usual without.
        seldom = every * SELDOM > plan.batches or self.script.kind == KERAS
        more_s = stops_s / min(every, plan.batches) if seldom or self._hides(stops_s) else 0.0
        lasts_s = max(1.0, sum(one.duration_s for one in self.steps))
        share = CLEAN_SHARE + (1 / lasts_s if self._hides(0.0) else 0.0)
        return [(plan.clean_s * (1 - share), (plan.clean_s + more_s) * (1 + share))]

    def _hides(self, stops_s: float) -> bool:
        """Does only a clock of whole seconds show what passed, and are stops shorter than it tells apart?"""
        whole_seconds = self.script.kind == LOGFMT or (self.script.stamp and "ms" not in self.script.stamp)
        return bool(whole_seconds) and self.script.times != PER_STEP and stops_s <= HIDDEN_S

    def wall_s(self) -> list[Range]:
        """From the first row or the beginning to the last row or the end; without the pauses or with them."""
        least_s = most_s = begun_s = first_s = last_s = first_of_all_s = 0.0
        rows = {id(one) for one in (self.printed.summaries if self.of_epochs else self.printed.rows)}
        for one in self.course.happenings:
            if isinstance(one, Begin):
                begun_s, first_s = one.at_s, 0.0
            elif isinstance(one, Step) and id(one) in rows:
                first_s, last_s = first_s or one.ends_s, one.ends_s
                first_of_all_s = first_of_all_s or one.ends_s
            elif isinstance(one, End):
                least_s += max(0.0, last_s - first_s) if first_s else 0.0
                most_s += one.at_s - begun_s
        shown_s = (last_s - first_of_all_s) * (1 - WALL_SHARE) - WALL_S
        ends = [one.at_s for one in self.course.happenings if isinstance(one, Begin | End)]
        least_s, most_s = least_s * (1 - WALL_SHARE) - WALL_S, most_s * (1 + WALL_SHARE) + WALL_S
        whole_s = (shown_s, (ends[-1] - ends[0]) * (1 + WALL_SHARE))
        if self.summed:
            least_s = sum(one.duration_s for one in self.steps) * 0.8 - 2 * WALL_S
        return [(least_s, most_s), whole_s]

    def exactly(self) -> dict[str, set[object]]:
        """Figures of which nothing is rounded; what a log has no words for may be missing."""
        printed = self.printed
        finite = [one for one in map(_rounded, printed.validations) if one is not None]
        bad = sum(map(isnan, printed.losses))
        of_ranks = (printed.last_of_ranks,) if self.script.ranks > 1 else ()
        not_finite = {bad, bad * self.script.ranks, sum(isnan(one.loss) for one in printed.summaries)}
        not_finite |= set(range(1, bad)) if self.script.kind in OF_BARS else set()  # of frames a few are kept
        return {
            "runs": {self.runs(), *((1,) if self.script.kind == CSV else ())},  # rows alone may just go on
            "evaluations": {0, *range(len(printed.evaluated - {0}), printed.evaluations + 1)},  # none of a row
            "checkpoints": {0, printed.saves},
            "not_finite": not_finite,
            "loss": {None, *map(_rounded, (printed.losses[-1], *of_ranks)), *map(_rounded, printed.means[-1:])},
            "validation": {None, *finite[-1:]},
            "ended": self.ended(),
        }

    def runs(self) -> int:
        """Processes that left a row."""
        count, begun = 0, False
        rows = {id(one) for one in [*self.printed.rows, *self.printed.summaries]}
        for one in self.course.happenings:
            if isinstance(one, Begin):
                begun = True
            elif begun and id(one) in rows:
                count, begun = count + 1, False
        return count

    def ended(self) -> set[object]:
        how = next(one.how for one in reversed(self.course.happenings) if isinstance(one, End))
        reached = self.printed.rows[-1].place + self.script.every >= self.plan.total - 1
        return {"", "unknown", None, *ENDS[how], *(("finished",) if reached and how == "cut" else ())}

    @staticmethod
    def _about(value: float, share: float) -> Range:
        return value * (1 - share), value * (1 + share)
