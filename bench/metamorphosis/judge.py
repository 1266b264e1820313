"""What of a changed log is not what was said of it before."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from itermon.collectors.logs.merged import AGREE

from .figures import COUNTED, LOSSES, TIMES
from .noise import EVALUATION_S

if TYPE_CHECKING:
    from .changes import Change
    from .figures import Said, Value

STAMPS_SHARE = 0.02  # a clock that is added may change a time by so much: what passes between two lines is in it
_COUNTS_ON = 2
STAMPS_S = 2.0  # and by two roundings to a whole second


class Fault(NamedTuple):
    """One figure that changed, or that came from nowhere."""

    figure: str
    before: Value
    after: Value

    def __str__(self) -> str:
        return f"{self.figure}: {self.before} -> {self.after}"


class Judged(NamedTuple):
    """What became of one log under one change."""

    faults: list[Fault]
    withheld: list[str]  # figures that are not said any more


def judge(change: Change, before: Said, after: Said) -> Judged:
    """Compare the figures of a log and of the changed log.

    A clock that is added says itself how long the training took: that is right as well, for what a log without one
    leaves out (iterations without a line, an evaluation that names no length) had to be made up for it.
    """
    if not after.format or (change.twice and _proves_no_second_run(before)):
        return Judged([], ["all"])
    if change.evaluates and _begins_another_process(before, after):
        return Judged([], ["all"])
    faults, withheld = [], []
    for figure in (*COUNTED, *TIMES, *LOSSES):
        old, new = before.figures[figure], after.figures[figure]
        if change.twice:
            if figure not in _TWICE:
                continue
            old = _TWICE[figure](old)
        if (new is None and old is not None) or _has_its_own_rows(change, figure, before, after):
            withheld.append(figure)
        elif figure == "ended" and (not new or (new == "unknown" and "total" in withheld)):
            # Where the end is not known any more, nobody can say that it was reached.
            withheld += ["ended"] if old else []
        elif not any(_same(figure, one, new, change, before) for one in (old, *_of_clock(figure, change, after))):
            faults.append(Fault(figure, old, new))
    return Judged(faults, withheld)


_TWICE = {
    "iterations": lambda old: 2 * old,
    "passed": lambda old: 2 * old,
    "first": lambda old: old,
    "last": lambda old: old,
    "not_finite": lambda old: 2 * old,
    "runs": lambda old: 2 * old,
    "clean_s": lambda old: old,
    "loss": lambda old: old,
    "validation": lambda old: old,
    "best_validation": lambda old: old,
}
"""What is said of a log that is there two times: two runs, each with the same."""


def _proves_no_second_run(before: Said) -> bool:
    """What is there two times is two runs where an index goes back and counts on: one iteration does not count on.
    A bar without a title that begins again when it is full may as well be that of the next epoch, and values that
    stand alone on their lines have no index."""
    return len(before.rows) < _COUNTS_ON or before.format in ("tqdm log", "value alone log")


def _begins_another_process(before: Said, after: Said) -> bool:
    """Nothing evaluates after a crash: a bar that begins there is another process's.

    Behind an interruption it may be either: a signal ends a process, but a script may catch what Ctrl+C raises.
    Who reads it as another process must say so: that there was one run more.
    """
    if before.figures["ended"] == "interrupted":
        return after.figures["runs"] == 1 + int(before.figures["runs"] or 0)
    return before.figures["ended"] == "failed"


_NUMBERED = ("iterations", "passed", "first", "last", "total", "ended")


def _has_its_own_rows(change: Change, figure: str, before: Said, after: Said) -> bool:
    """Of two files the one with the rows may name no step, which the bar in the other one does.

    The report says then that itermon has numbered the rows, and claims no figure of iterations. Where rows name
    their steps, they are some of those that the bar came to, and the last is the same.
    """
    if not change.splits:
        return False
    if after.numbers_rows and not before.numbers_rows:
        return figure in _NUMBERED
    own, all_of_them = ([index for index, _ in said.rows] for said in (after, before))
    fewer = len(own) < len(all_of_them) and own[-1:] == all_of_them[-1:] and set(own) < set(all_of_them)
    passed = figure == "passed" and (after.figures["passed"] or 0) <= (before.figures["passed"] or 0)  # type: ignore[operator]
    return fewer and (passed or figure in ("iterations", "first"))


def judge_cut(whole: Said, part: Said) -> Judged:
    """Of a log's beginning nothing else may be said than of the iterations in it.

    The name of its format is no figure: where nothing but a bar was drawn so far it is a bar of anybody's. What
    was read in another way may be counted in another way (steps, or epochs), but nothing may be invented.
    """
    if not part.format:
        return Judged([], [])  # too little to know
    faults: list[Fault] = []
    same = part.format == whole.format
    inside = part.rows[:-1] if same else []  # the last line may be cut in the middle of a number
    for position, ((index, loss), (own, own_loss)) in enumerate(zip(whole.rows, inside, strict=False)):
        if index != own or (loss != own_loss and loss == loss):
            faults.append(Fault(f"iteration at {position}", f"{index}, {loss}", f"{own}, {own_loss}"))
            break
    if same and len(part.rows) > len(whole.rows):
        faults.append(Fault("iterations", len(whole.rows), len(part.rows)))
    for figure in ("not_finite", "restarts", "runs", "evaluations", "checkpoints"):
        old, new = whole.figures[figure], part.figures[figure]
        if figure == "evaluations" and whole.uncounted:
            continue  # "training + evaluating": no number is said of the whole
        if new > old:  # type: ignore[operator]
            faults.append(Fault(figure, old, new))
    of_several = part.figures["runs"] != whole.figures["runs"]  # the first may well have come to its end
    if part.figures["ended"] == "finished" and not of_several and len(part.rows) < 0.95 * len(whole.rows):
        faults.append(Fault("ended", "", "finished"))
    return Judged(faults, [])


def _of_clock(figure: str, change: Change, after: Said) -> tuple[float, ...]:
    return after.clock_s if change.stamps and figure == "wall_s" else ()


def _same(figure: str, old: Value, new: Value, change: Change, before: Said) -> bool:
    if old == new:
        return True
    if figure == "clean_s" and change.twice and new is not None:
        # The level is the newest stretch's, found in a window of the run: that of a run of twice the length is
        # another one. Where the times are even all stretches have the same level, and it may not change.
        low_s, high_s = before.levels_s
        return 0.95 * low_s <= new <= 1.05 * high_s  # type: ignore[operator]
    if figure == "ended" and change.stamps:
        return not old and new in ("lost", "unknown")  # a log whose newest stamp is old has no trainer
    if figure == "evaluations" and change.evaluates:
        return new in (old, old + 1)  # type: ignore[operator]
    if figure == "wall_s" and change.evaluates and new is not None:  # an evaluation is wall time
        return isclose(new, float(old or 0.0) + EVALUATION_S, rel_tol=1e-3)
    if figure == "wall_s" and change.splits and old is not None and new is not None:
        # A bar's clock in the one file, from its first frame to its last in whole seconds; a total in the other.
        # What a file without a row tells of behind the newest row has no place: up to there the rows' clock is.
        return any(isclose(one, new, rel_tol=1e-3, abs_tol=1.0) for one in (old, *before.clock_s))
    if figure == "loss" and change.splits and old is not None and new is not None:
        # An epoch's mean is printed in the one file, the bar's newest value in the other: both are the last.
        return isclose(old, new, rel_tol=AGREE)
    if change.stamps and figure in TIMES:
        if old is None:
            return True  # the clock says it now
        share = max(STAMPS_SHARE, 3 * change.flush_lines / before.lines if change.flush_lines > 1 else 0.0)
        return isclose(old, new, rel_tol=share, abs_tol=STAMPS_S if figure == "wall_s" else 0.0)  # type: ignore[arg-type]
    if isinstance(old, float) and isinstance(new, float):
        return isclose(old, new, rel_tol=0.05 if change.twice else 1e-6) or (old != old and new != new)
    return False
