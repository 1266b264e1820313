"""Losses that are no numbers, and one that fell to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from itermon.analysis.run import Run
from itermon.events import Iteration, RunInfo

if TYPE_CHECKING:
    from itermon.analysis.findings import Incident

# The bounds as numbers of its own: from the code, a test would move with them.
_LOOKED_AT, CALM = 4_096, 32

NAN = "nan"


def incidents(*values: float | str, kind: str = "loss-not-finite") -> list[Incident]:
    run = Run()
    for index, value in enumerate(values):
        bad = isinstance(value, str)
        loss, bad_loss = (None, value) if bad else (value, "")
        run.apply([Iteration(index, 1.0, loss, bad_loss=bad_loss, at_s=100.0 + index)])
    return [one for one in run.findings().incidents if one.kind == kind]


GOOD = (3.0,) * 50


def test_one_alone_is_none_and_the_second_opens_it() -> None:
    assert incidents(*GOOD, NAN) == []
    (one,) = incidents(*GOOD, NAN, NAN)
    assert (one.began_iteration, one.began_at_s, one.over) == (50, 150.0, False)
    assert one.state == "The loss is NaN or infinite since iteration 50."


def test_its_key_stays_while_it_lasts_and_when_it_is_over() -> None:
    keys = {one.key for bad in (2, 3, 30) for one in incidents(*GOOD, *[NAN] * bad)}
    (over,) = incidents(*GOOD, NAN, NAN, *[3.0] * CALM)
    assert {over.key} == keys
    assert (over.over, over.ended_iteration, over.ended_at_s) == (True, 52, 152.0)


def test_a_few_numbers_between_do_not_end_it() -> None:
    (one,) = incidents(*GOOD, NAN, NAN, *[3.0] * (CALM - 1), NAN)
    assert not one.over


def test_those_that_come_now_and_then_are_none() -> None:
    assert incidents(*((*GOOD, NAN)) * 4) == []


def test_every_second_one_is_one() -> None:
    (one,) = incidents(*GOOD, *(3.0, NAN) * 8)
    assert one.began_iteration == 51


def test_two_troubles_far_apart_are_two() -> None:
    found = incidents(*GOOD, NAN, NAN, *GOOD, "inf", "inf")
    assert [(one.began_iteration, one.over) for one in found] == [(50, True), (102, False)]


def test_a_run_that_begins_again_has_left_it() -> None:
    run = Run()
    run.apply([Iteration(n, 1.0, None, bad_loss="nan") for n in range(5)])
    run.apply([Iteration(n, 1.0, 3.0) for n in range(3)])
    (one,) = [i for i in run.findings().incidents if i.kind == "loss-not-finite"]
    assert one.over


def test_a_loss_that_fell_to_nothing() -> None:
    (one,) = incidents(*[3.0] * 100, *[0.0] * 100, kind="loss-collapsed")
    assert not one.over


def test_it_is_over_at_the_first_loss_behind_it_that_is_followed_by_enough() -> None:
    (almost,) = incidents(*GOOD, NAN, NAN, *[3.0] * (CALM - 1))
    assert (almost.over, almost.ended_iteration) == (False, None)
    (over,) = incidents(*GOOD, NAN, NAN, *[3.0] * CALM)
    assert (over.over, over.ended_iteration) == (True, 52)


@pytest.mark.parametrize("lines", [1, 2])
def test_it_is_over_where_another_process_begins(lines: int) -> None:
    run = Run()
    run.apply([Iteration(i, 1.0, 3.0) for i in range(50)])
    run.apply([Iteration(i, 1.0, bad_loss=NAN) for i in (50, 51)])
    run.apply([Iteration(i, 1.0, 3.0) for i in range(lines)])
    (one,) = (one for one in run.findings().incidents if one.kind == "loss-not-finite")
    assert (one.over, one.began_iteration, one.ended_iteration) == (True, 50, 51)


def test_it_ends_with_the_last_row_of_its_training_and_not_where_the_next_one_begins() -> None:
    run = Run()
    run.apply([Iteration(i, 1.0, 3.0, at_s=100.0 + i) for i in range(50)])
    run.apply([Iteration(i, 1.0, bad_loss=NAN, at_s=100.0 + i) for i in (50, 51, 52)])
    run.apply([Iteration(i, 1.0, 3.0, at_s=4_000.0 + i) for i in range(50)])
    (one,) = (one for one in run.findings().incidents if one.kind == "loss-not-finite")
    assert (one.over, one.ended_iteration, one.ended_at_s) == (True, 52, 152.0)


def test_as_many_numbers_as_end_it_make_what_follows_another_one() -> None:
    found = incidents(*GOOD, NAN, NAN, *[3.0] * CALM, NAN, NAN)
    assert [one.began_iteration for one in found] == [50, 52 + CALM]
    (one,) = incidents(*GOOD, NAN, NAN, *[3.0] * (CALM - 1), NAN, NAN)
    assert one.began_iteration == 50


@pytest.mark.parametrize(("apart", "count"), [(_LOOKED_AT, 1), (_LOOKED_AT + 1, 2)])
def test_one_number_and_many_entries_without_a_loss_end_it(apart: int, count: int) -> None:
    """Wherever in the run that is."""
    begin = _LOOKED_AT
    bad = {begin, begin + 1, begin + 1 + apart, begin + 2 + apart}
    run = Run()
    run.apply([Iteration(n, 1.0, 3.0) for n in range(begin)])
    for n in range(begin, begin + 3 + apart):
        run.apply([Iteration(n, 1.0, 3.0 if n == begin + 2 else None, bad_loss=NAN * (n in bad))])
    assert len([one for one in run.findings().incidents if one.kind == "loss-not-finite"]) == count


@pytest.mark.parametrize(("behind", "over"), [(_LOOKED_AT, True), (_LOOKED_AT + 1, False)])
def test_so_far_behind_it_the_numbers_are_looked_for_that_end_it(behind: int, over: bool) -> None:
    """All but one of them come at once, the last one that far behind the last that was none."""
    run = Run()
    run.apply([Iteration(n, 1.0, bad_loss=NAN) for n in range(4)])
    numbers = {*range(4, 3 + CALM), 3 + behind}
    run.apply([Iteration(n, 1.0, 3.0 if n in numbers else None) for n in range(4, 4 + behind)])
    (one,) = (one for one in run.findings().incidents if one.kind == "loss-not-finite")
    assert one.over is over


@pytest.mark.parametrize(("before", "words"), [((3.0,) * 9, "iteration 9"), ((), "its first iteration, 0")])
def test_where_no_loss_was_a_number_before_no_checkpoint_helps(before: tuple[float, ...], words: str) -> None:
    (one,) = incidents(*before, *(NAN,) * 6)
    assert one.state == f"The loss is NaN or infinite since {words}."
    assert ("checkpoint" in one.action) is bool(before)
    assert ("inputs and the labels" in one.action) is not bool(before)


def test_each_training_has_its_own_and_names_it() -> None:
    run = Run()
    for training in range(3):
        bad = "" if training == 2 else NAN
        losses = [Iteration(n, 1.0, None if bad else 2.0, bad_loss=bad) for n in range(10)]
        run.apply([RunInfo(), *losses])
    found = run.findings()
    assert [(one.kind, one.training, one.over) for one in found.incidents] == [
        ("loss-not-finite", 1, True),
        ("loss-not-finite", 2, True),
    ]
    assert (found.losses.not_finite, found.losses.not_finite_earlier) == (0, 20)
    assert found.verdict.kind != "loss-not-finite", "the newest is healthy"


def test_a_training_whose_first_loss_is_no_number_has_none_before_whatever_an_earlier_one_had() -> None:
    run = Run()
    for losses in ((2.0,) * 3_000, (2.0,) * 10, (None,) * 10):
        rows = [Iteration(n, 1.0, loss, bad_loss="" if loss else NAN) for n, loss in enumerate(losses)]
        run.apply([RunInfo(), *rows])
    (one,) = run.findings().incidents
    assert one.state == "The loss is NaN or infinite since its first iteration, 0."


def test_the_numbers_between_two_troubles_do_not_count_those_before_the_first() -> None:
    (one,) = incidents(*GOOD, NAN, *[3.0] * (CALM - 1), NAN, NAN)
    assert one.began_iteration == 50


@pytest.mark.parametrize(("between", "count"), [(18, 1), (19, 0)])
def test_a_tenth_that_are_no_numbers_is_often(between: int, count: int) -> None:
    """Five of 50 and of 51 losses, from the first to the last of them."""
    assert len(incidents(*GOOD, *(NAN, *[3.0] * 9) * 4, *[3.0] * (between - 9), NAN)) == count


def test_what_comes_after_a_second_trouble_is_part_of_that_one() -> None:
    found = incidents(*GOOD, NAN, NAN, *GOOD, NAN, NAN, 3.0, 3.0, NAN, NAN)
    assert [one.began_iteration for one in found] == [50, 102]


@pytest.mark.parametrize(("without", "words"), [(_LOOKED_AT, "its first"), (_LOOKED_AT + 1, "iteration 4,097")])
def test_so_many_iterations_without_a_loss_may_lie_before_the_first(without: int, words: str) -> None:
    run = Run()
    run.apply([Iteration(n, 1.0) for n in range(without)])
    run.apply([Iteration(without + n, 1.0, bad_loss=NAN) for n in range(2)])
    (one,) = (one for one in run.findings().incidents if one.kind == "loss-not-finite")
    assert one.state.startswith(f"The loss is NaN or infinite since {words}")


def test_of_two_trainings_it_is_told_in_which_it_was() -> None:
    run = Run()
    for bad in (True, False):
        run.apply([RunInfo(), *(Iteration(n, 1.0, None if bad else 2.0, bad_loss=NAN * bad) for n in range(10))])
    assert [one.training for one in run.findings().incidents] == [1]


def test_of_an_earlier_training_it_is_said_whose_it_is() -> None:
    run = Run()
    for first in (NAN, 3.0):
        run.apply([RunInfo()])
        for index in range(60):
            loss, bad = (None, NAN) if first == NAN and index < 4 else (3.0, "")
            run.apply([Iteration(index, 1.0, loss, bad_loss=bad, at_s=100.0 + index)])
    (one,) = [each for each in run.findings().incidents if each.kind == "loss-not-finite"]
    assert one.state.startswith("The loss of an earlier training is NaN or infinite since its first iteration")
