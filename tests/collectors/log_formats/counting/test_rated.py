"""Rows without a learning rate, where most rows have one."""

from itermon.collectors.log_formats.counting.rated import Rated


def row(step: float, *, rated: bool) -> dict[str, object]:
    return {"iteration": step, "loss": 2.5} | ({"learning_rate": 0.1} if rated else {})


def test_it_takes_two_rows_of_one_step_to_know_that_one_without_a_rate_is_of_an_evaluation() -> None:
    rates = Rated()
    assert not any(rates.lacks(row(n, rated=True)) for n in (1, 2, 3))
    assert not rates.lacks(row(4, rated=False)), "it may be the training's"
    rates.lacks(row(5, rated=True))
    assert rates.lacks(row(5, rated=False))
    assert rates.lacks(row(9, rated=False))
    pupil = Rated()
    pupil.learn(rates)
    assert pupil.lacks(row(1, rated=False)) is False, "a row without one was the pupil's first"
    assert not rates.lacks({"iteration": 1.0})
