"""Seconds and counts by cause: what is added can be taken away again."""

from typing import Any

import pytest

from itermon.analysis.causes.causes import Case, Explanation, explain
from itermon.analysis.causes.tally import Sum, Tally
from itermon.analysis.findings import Cause
from itermon.analysis.record.spans import Note
from itermon.events import CHECKPOINT, EVALUATION, Strength


def explanation(*inside: float, outside: tuple[float, ...] = ()) -> Explanation:
    return Explanation(
        [Cause(EVALUATION, s, "log") for s in inside], [Cause(CHECKPOINT, s, "log") for s in outside]
    )


def test_causes_add_up() -> None:
    tally = Tally()
    tally.add(explanation(2.0, 4.0, outside=(7.0,)))
    tally.add(explanation(3.0))
    assert tally.of(EVALUATION) == Sum(9.0, 3, 29.0, 3.0, 2.0, 4.0)
    assert tally.of(CHECKPOINT) == Sum(7.0, 1, 49.0, 7.0, 7.0, 7.0)
    assert (tally.inside_s, tally.outside_s) == (9.0, 7.0)
    assert tally.of("data") == Sum()


@pytest.mark.parametrize(("times", "one_s"), [((30.0, 31.0, 29.0), 30.0), ((15.0, 15.0, 60.0, 60.0), None)])
def test_evaluations_that_are_unlike_say_nothing_of_a_single_one(times: tuple[float, ...], one_s: float) -> None:
    tally = Tally()
    tally.add(explanation(*times))
    assert tally.each_evaluation_s() == one_s
    assert tally.evaluation_s() == sum(times) / len(times)


def test_an_earlier_state_can_be_taken_away_and_a_copy_stays() -> None:
    tally = Tally()
    tally.add(explanation(2.0, outside=(1.0,)))
    earlier = tally.copy()
    tally.add(explanation(5.0, outside=(4.0,)))
    later = tally.copy()
    tally.subtract(earlier)
    assert (tally.of(EVALUATION), tally.of(CHECKPOINT)) == (Sum(5.0, 1, 25.0, 5.0), Sum(4.0, 1, 16.0, 4.0))
    assert (tally.inside_s, tally.outside_s) == (5.0, 4.0)
    assert (earlier.of(EVALUATION).count, later.of(EVALUATION).count) == (1, 2)
    assert (later.inside_s, later.outside_s) == (7.0, 5.0)


@pytest.mark.parametrize(
    ("values", "mean", "deviation"),
    [
        ((), None, 0.0),
        ((4.0,), 4.0, 0.6),
        ((4.0, 4.0), 4.0, 0.6),
        ((2.0, 4.0, 6.0), 4.0, 2.0),
        ((1.0,) * 5, 1.0, 0.0),
    ],
)
def test_the_scatter_is_a_guess_before_there_are_three(
    values: tuple[float, ...], mean: float | None, deviation: float
) -> None:
    tally = Tally()
    tally.add(explanation(*values))
    found = tally.of(EVALUATION)
    assert (found.mean_s, found.deviation_s) == (mean, pytest.approx(deviation))


@pytest.mark.parametrize(
    ("part", "left"),
    [
        (Sum(5.0, 1, 25.0), Sum(4.0, 1, 16.0, 4.0)),
        (Sum(9.5, 1, 50.0), Sum(0.0, 1, 0.0, 4.0)),
        (Sum(), Sum(9.0, 2, 41.0, 4.0)),
    ],
)
def test_what_is_left_out_is_of_one_kind_and_leaves_no_less_than_nothing(part: Sum, left: Sum) -> None:
    tally = Tally()
    tally.add(explanation(5.0, 4.0, outside=(7.0,)))
    tally.leave_out(EVALUATION, part)
    tally.leave_out("data", part)
    assert tally.sums == {EVALUATION: left, CHECKPOINT: Sum(7.0, 1, 49.0, 7.0, 7.0, 7.0)}


def test_a_stop_is_known_roughly_where_rows_differ_as_much_or_iterations_without_a_row_are_beside_it() -> None:
    def rough(**given: Any) -> list[bool]:
        return [c.rough for causes in explain(Case(**given)) for c in causes]

    inside, outside = (Note(EVALUATION, Strength.LOG, inside=within) for within in (True, False))
    assert rough(duration_s=40.0, clean_s=10.0, noise_s=3.0, notes=(inside,)) == [False]
    assert rough(duration_s=40.0, clean_s=10.0, noise_s=3.1, notes=(inside,)) == [True]
    assert rough(duration_s=10.0, clean_s=10.0, gap_s=30.0, unseen_s=3.0, notes=(outside,)) == [False]
    assert rough(duration_s=10.0, clean_s=10.0, gap_s=30.0, unseen_s=3.1, notes=(outside,)) == [True]
