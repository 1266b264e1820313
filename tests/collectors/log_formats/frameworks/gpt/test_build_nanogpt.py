"""build-nanogpt: an evaluation stands before the row of its own step."""

import pytest
from log_examples import of, read

from itermon.events import EVALUATION, SpanEnd


def row(step: int) -> str:
    return f"step {step:5d} | loss: 2.500000 | lr 1.0000e-04 | norm: 0.5000 | dt: 500.00ms | tok/sec: 1000.00"


FOUND = "validation loss: 2.7500"


def shown_at(*lines: str) -> list[int | None]:
    return [one.shown_at for one in of(SpanEnd, read("build-nanogpt", "\n".join(lines))) if one.kind == EVALUATION]


@pytest.mark.parametrize("step", [250, 500, 317])  # the last step is no round one
def test_an_evaluation_is_of_the_step_whose_row_comes_next(step: int) -> None:
    accuracy = "HellaSwag accuracy: 25/100=0.2500"
    assert shown_at(row(step - 2), row(step - 1), FOUND, accuracy, row(step)) == [step, step]


def test_one_behind_a_round_step_is_of_that() -> None:
    assert shown_at(row(249), row(250), FOUND, row(251)) == [250]


def test_where_not_each_step_has_a_row_nobody_knows_which_comes_next() -> None:
    assert shown_at(row(230), row(240), FOUND, row(250)) == [241]  # the one behind the newest
    assert shown_at(FOUND, row(0)) == [None]
